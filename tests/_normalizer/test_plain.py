"""Plain requests pass the proof.

With one anomaly they are judged in full, and both ways have the same outcome.
"""

from __future__ import annotations

from typing import Any, Final, NoReturn

import pytest

from _http.test_host import with_host
from adapters import ASGI, EACH_PROTOCOL, WSGI, Protocol, Request, environ_of, scope_of, through_asgi
from postel import Action, Normalizer, Policy, Rejected, Target, report_of
from together import together

KEY: Final = "postel.report"
ABSENT: Final = object()


class Text(str):
    """Text that claims to be equal to everything."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False


class Octets(bytes):
    """Octets that claim to be equal to everything."""

    __slots__ = ()
    __hash__ = bytes.__hash__

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False


def plain(protocol: Protocol, target: bytes = b"/a%20b?q=1", **keys: Any) -> Request:
    """Return a plain request, changed by these keys."""
    if protocol is WSGI:
        standing = {"HTTP_HOST": "h", "SERVER_PROTOCOL": "HTTP/1.1", "RAW_URI": target.decode("latin-1")}
        request = environ_of(target, **{**standing, **keys})
    else:
        standing = {"headers": [(b"accept", b"*/*"), (b"host", b"h")], "http_version": "1.1"}
        request = scope_of(target, **{**standing, **keys})
    return {key: value for key, value in request.items() if value is not ABSENT}


def is_proven(protocol: Protocol, request: Request, **settings: Any) -> bool:
    """Whether the request passes the proof. Check that the result equals that of the full judgement."""
    policy = settings.pop("policy", Policy.STANDARD)
    behind = protocol.behind(policy, **settings)
    answer = behind.serve(request)
    slow = protocol.slowly(request, policy, **settings)
    if answer.given is None or slow is None:
        assert answer.given is slow
        return False
    assert {**answer.given, KEY: None} == {**slow, KEY: None}
    assert report_of(answer.given).received_target == report_of(slow).received_target
    return isinstance(answer.given[KEY], tuple)


PLAIN: Final = [
    b"/",
    b"/a",
    b"/a?q=1",
    b"/a%20b",
    b"/caf%C3%A9/%F0%9F%98%80?q=%C3%A9",
    b"/a?b?c",
    b"/a/?q=%20",
    b"/a?b[c]=1&b%5Bd%5D=2",
    b"/" + 300 * b"a" + b"?q=1",
]


@EACH_PROTOCOL
@pytest.mark.parametrize("target", PLAIN, ids=ascii)
def test_plain_requests_pass_the_proof(protocol: Protocol, target: bytes) -> None:
    assert is_proven(protocol, plain(protocol, target))


@EACH_PROTOCOL
@pytest.mark.parametrize(
    "limits",
    [
        *({"octets": 8}, {"segments": 1}, {"segment": 2}, {"segments": 1, "segment": 100}),
        *({"pairs": 1}, {"name": 1}, {"value": 1}, {"depth": 1}),
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "target",
    [b"/aaa/b", b"/a/b", b"/aaaaaaaa", b"/a?b=1&c=2", b"/a?bb=1", b"/a?b=11", b"/a?b[[=1", b"/a?b%5B%5B=1"],
)
def test_plain_requests_over_a_limit_are_judged(
    protocol: Protocol, target: bytes, limits: dict[str, int]
) -> None:
    policy = Policy.STANDARD.limiting(**limits)
    clean = not isinstance(Normalizer(policy).examine(Target(*target.partition(b"?")[::2])), Rejected)
    assert is_proven(protocol, plain(protocol, target), policy=policy) is clean


# Each row: keys that a server may omit.
LACKING: Final = [
    *((WSGI, key) for key in ("REQUEST_URI", "RAW_URI", "SCRIPT_NAME", "REMOTE_ADDR", "REQUEST_METHOD")),
    *((ASGI, key) for key in ("root_path", "client", "method")),
]


@pytest.mark.parametrize(("protocol", "key"), LACKING, ids=lambda each: getattr(each, "name", each))
def test_requests_without_optional_keys_pass_the_proof(protocol: Protocol, key: str) -> None:
    assert is_proven(protocol, plain(protocol, **{key: ABSENT}))


def test_a_missing_query_is_empty() -> None:
    request = plain(WSGI, b"/a", QUERY_STRING=ABSENT)
    assert WSGI.through(request).given == {**request, KEY: (b"/a", b"", b"", b"")}
    assert not is_proven(WSGI, plain(WSGI, b"/a?q=1", QUERY_STRING=ABSENT))


# Each row: an environ for the target /a%20b?q=1 with one key changed.
ENVIRONS: Final[dict[str, list[Any]]] = {
    "PATH_INFO": [
        ABSENT, None, b"/a b", Text("/a b"), Text("/admin"), "/a%20b", "/admin", "", "/a b/", "//a b", 1,
    ],
    "QUERY_STRING": [None, b"q=1", Text("q=1"), Text("q=2"), "q=2", "", "?q=1", 1],
    "REQUEST_URI": [
        None, b"/a%20b?q=1", Text("/a%20b?q=1"), "", "/a%20b", "/a%20b?q=2", "/admin?q=1", "//a%20b?q=1",
        "/a\xa0b?q=1", "/a\u20acb?q=1", "/a\ud800b?q=1", "/a%2520b?q=1", 1,
    ],
    "RAW_URI": [None, b"/a%20b?q=1", Text("/a%20b?q=1"), Text("/admin"), "", "/a%20b", "/admin?q=1", 1],
    "SCRIPT_NAME": [None, b"", b"/a", Text(""), Text("/a"), "/a", "/b", "/", "a", "/a b", "/\u20ac", 0],
    "SCRIPT_URL": [None, "", "/a b", "/admin"],
    "SCRIPT_URI": [None, "", "http://h/admin"],
    "REDIRECT_URL": [None, "", "/admin"],
    "HTTP_HOST": [ABSENT, None, "", b"h", Text("h"), "h,h", "h/", "u@h", "h:65536", 1],
}  # fmt: skip

# Each row: a scope for the target /a%20b?q=1 with one key changed.
SCOPES: Final[dict[str, list[Any]]] = {
    "path": [ABSENT, None, b"/a b", Text("/a b"), Text("/admin"), "/a%20b", "/admin", "", "/\ud800", 1],
    "raw_path": [
        ABSENT, None, "/a%20b", bytearray(b"/a%20b"), memoryview(b"/a%20b"), Octets(b"/a%20b"),
        Octets(b"/admin"), b"", b"/a b", b"/admin", b"//a%20b", b"/a%20b?q=1", b"/a%2520b", b"/a\xa0b", 1,
    ],
    "query_string": [ABSENT, None, "q=1", Octets(b"q=1"), bytearray(b"q=1"), b"q=%00", b"q=\xff", 1],
    "root_path": [None, b"", b"/a", Text(""), Text("/a"), "/a", "/b", "/", "a", "/a b", "/\ud800", 0],
    "headers": [
        ABSENT, None, 1, [], [()], [None], [(b"host",)], [(b"host", b"h", b"h")], [(b"host", None)],
        [(b"host", "h")], [(b"host", Octets(b"h"))], [(b"host", bytearray(b"h"))], [(b"host", b"")],
        [(b"host", b"h"), (b"host", b"h")], [(b"host", b"h"), (b"a", b"b"), (b"host", None)],
        [(b"host", None), (b"host", b"h")], [(b"host", b"h/")], [("host", b"h")], [(b"Host", b"h")],
        [(b"host", b"h"), (b"a_b", b"c")], [(b"host", b"h"), (b"cookie", b"a=1"), (b"cookie", b"b=1")],
        [(b"host", b"h"), (b"cookie", None), (b"cookie", b"b=1")],
        [(b"host", b"h"), (b"content-type", b"a/b"), (b"content-type", b"a/b")],
        [(b"host", b"h"), (b"content-type", b""), (b"content-type", b"")],
        [(b"host", b"h"), (b"content-type", "")],
    ],
}  # fmt: skip
# Each row: a scope for the target /ab?q=1 with one key changed. No escape needs decoding.
UNESCAPED: Final[dict[str, list[Any]]] = {
    **SCOPES,
    "path": [ABSENT, None, b"/ab", Text("/ab"), Text("/admin"), "/a%62", "/admin", "", "/\ud800", 1],
    "raw_path": [
        ABSENT, None, "/ab", bytearray(b"/ab"), memoryview(b"/ab"), Octets(b"/ab"), Octets(b"/admin"), b"",
        b"/admin", b"//ab", b"/ab?q=1", b"/a%62", b"/%61b", b"/ab\xff", b"/../ab", 1,
    ],
}  # fmt: skip
AMISS: Final = [
    pytest.param(protocol, target, key, value, id=f"{key} {number}: {type(value).__name__}")
    for protocol, target, table in (
        (WSGI, b"/a%20b?q=1", ENVIRONS),
        (ASGI, b"/a%20b?q=1", SCOPES),
        (ASGI, b"/ab?q=1", UNESCAPED),
    )
    for key, values in table.items()
    for number, value in enumerate(values)
]


@pytest.mark.no_cover
@together(("protocol", "target", "key", "value"), AMISS)
def test_with_one_anomaly_the_proof_fails(protocol: Protocol, target: bytes, key: str, value: Any) -> None:
    assert is_proven(protocol, plain(protocol, target))
    assert not is_proven(protocol, plain(protocol, target, **{key: value}))


@pytest.mark.parametrize("key", ["REQUEST_URI", "RAW_URI"])
@pytest.mark.parametrize("raw", [None, b"/a%20b?q=1", Text("/a%20b?q=1"), "", "/\xe9", "/\u20ac", "/\ud800"])
def test_a_single_raw_key_is_judged_too(key: str, raw: Any) -> None:
    other = {"REQUEST_URI": "RAW_URI", "RAW_URI": "REQUEST_URI"}[key]
    assert is_proven(WSGI, plain(WSGI, **{other: ABSENT}))
    assert not is_proven(WSGI, plain(WSGI, **{key: raw, other: ABSENT}))
    assert not is_proven(WSGI, plain(WSGI, PATH_INFO=raw, QUERY_STRING="", **{key: raw, other: ABSENT}))


@pytest.mark.parametrize("host", [b"h", bytearray(b"h"), Text("h"), "", 1])
def test_an_invalid_host_in_an_environ_does_not_count_as_missing(host: Any) -> None:
    assert is_proven(WSGI, plain(WSGI, SERVER_PROTOCOL=ABSENT, HTTP_HOST=ABSENT))
    assert not is_proven(WSGI, plain(WSGI, SERVER_PROTOCOL=ABSENT, HTTP_HOST=host))


@pytest.mark.parametrize("hosts", [[None], ["h"], [bytearray(b"h")], [Octets(b"h")], [b""], [b"h", None]])
def test_invalid_hosts_in_a_scope_do_not_count_as_missing(hosts: list[Any]) -> None:
    assert is_proven(ASGI, plain(ASGI, http_version=ABSENT, headers=[]))
    assert not is_proven(ASGI, plain(ASGI, http_version=ABSENT, headers=[(b"host", host) for host in hosts]))


@EACH_PROTOCOL
def test_a_question_mark_without_a_query_fails_the_proof_if_the_server_shows_it(protocol: Protocol) -> None:
    assert is_proven(protocol, plain(protocol, b"/a?")) is (protocol is ASGI)


@pytest.mark.no_cover
@EACH_PROTOCOL
@pytest.mark.parametrize("prefix", ["/sub", "/a/b", "/caf\u00e9", "/a b"])
def test_plain_requests_under_a_prefix_pass_the_proof(protocol: Protocol, prefix: str) -> None:
    written = prefix.replace(" ", "%20").replace("\u00e9", "%C3%A9").encode()
    for rest in (b"/", b"/x?q=1", b"/x%20y?q=1"):
        request = {**protocol.mounted(written + rest, prefix), "HTTP_HOST": "h", "headers": [(b"host", b"h")]}
        assert is_proven(protocol, request)
        assert is_proven(protocol, request, prefix=prefix)
        assert not is_proven(protocol, request, prefix="/other")
        assert not is_proven(protocol, request, prefix="")
    assert not is_proven(protocol, plain(protocol), prefix=prefix)


@EACH_PROTOCOL
def test_a_prefix_that_ends_within_a_segment_is_not_a_prefix(protocol: Protocol) -> None:
    assert not is_proven(protocol, protocol.mounted(b"/subway", "/sub"))
    assert not is_proven(protocol, protocol.mounted(b"/sub", "/sub"))


@EACH_PROTOCOL
@pytest.mark.parametrize(
    "version", ["1.0", "HTTP/0.9", "1.1", "HTTP/1.1", "http/2", "2", "", None, 1.1, b"1.1"]
)
def test_both_ways_allow_the_same_requests_without_a_host(protocol: Protocol, version: Any) -> None:
    key = "SERVER_PROTOCOL" if protocol is WSGI else "http_version"
    request = {**with_host(protocol), key: version}
    unsaid = version not in {"1.0", "HTTP/0.9", "1.1", "HTTP/1.1", "http/2", "2"}
    assert is_proven(protocol, request) is unsaid
    assert not is_proven(protocol, request, hosts=["h"])


@EACH_PROTOCOL
@pytest.mark.parametrize(
    ("host", "proven"),
    [
        (b"h", True),
        (b"H", False),
        (b"H.", False),
        (b"h:1", True),
        (b"x.w", True),
        (b"p:80", True),
        (b"[::1]:1", True),
        (b"P:080", False),
        (b"p", False),
        (b"w", False),
        (b"i", False),
        (b"p:99999", False),
        (b"h,h", False),
    ],
)
def test_listed_hosts_pass_the_proof(protocol: Protocol, host: bytes, proven: bool) -> None:
    hosts = ["h", "*.w", "p:80", "[::1]"]
    assert is_proven(protocol, with_host(protocol, host), hosts=hosts) is proven


@EACH_PROTOCOL
def test_other_settings_are_judged_although_the_target_passes_the_proof(protocol: Protocol) -> None:
    def sent(name: str, value: str) -> Request:
        if protocol is WSGI:
            key = name.upper().replace("-", "_")
            return plain(WSGI, **{key if key == "CONTENT_TYPE" else f"HTTP_{key}": value})
        return plain(ASGI, headers=[(b"host", b"h"), (name.encode(), value.encode())])

    fields = {"headers": {"cookie": Action.REJECT, "referer": Action.REJECT}}
    for name in ("cookie", "referer"):
        assert is_proven(protocol, sent(name, "a=1"), **fields)
        assert is_proven(protocol, sent(name, "a=%00"))
        assert not is_proven(protocol, sent(name, "a=%00"), **fields)
    form = sent("content-type", "application/x-www-form-urlencoded")
    for settings in ({"enforce": False}, {"sample": 0.0}, {"sample": 1.0}):
        assert not is_proven(protocol, plain(protocol), **settings)
    assert is_proven(protocol, form)
    assert is_proven(protocol, sent("content-type", "text/plain"), forms=True)
    proves = protocol.behind(forms=True).middleware._clean
    assert proves(form) is None
    assert proves(plain(protocol)) is not None
    for value in (b"application/x-www-form-urlencoded", None, "application/x-www-form-urlencoded"):
        odd = plain(protocol, CONTENT_TYPE=value, headers=[(b"host", b"h"), (b"content-type", value)])
        assert (proves(odd) is None) is (value is not None or protocol is ASGI)


# -- the copy ------------------------------------------------------------------------------------------------


class Own(dict[str, Any]):
    """A dict of its own type, as gevent hands it over."""

    def copy(self) -> NoReturn:
        raise AssertionError("postel copies a request with dict(), not copy()")


@EACH_PROTOCOL
def test_a_request_is_never_changed_and_always_copied_to_a_dict(protocol: Protocol) -> None:
    request = Own(plain(protocol))
    behind = protocol.behind()
    for _ in range(2):  # A server that reuses the environ has it judged again.
        given = behind.serve(request).given
        assert type(given) is dict
        assert given == {**request, KEY: (b"/a%20b", b"q=1", b"", b"")}
        assert KEY not in request


@EACH_PROTOCOL
@pytest.mark.parametrize(
    ("key", "value"),
    [
        (KEY, None),
        *(
            (bridge, value)
            for bridge in ("asgi.scope", "wsgi_environ")
            for value in (None, {}, 1, "x", {KEY: None})
        ),
    ],
)
def test_an_invalid_mark_of_another_postel_is_ignored(protocol: Protocol, key: str, value: Any) -> None:
    assert is_proven(protocol, plain(protocol, **{key: value}))
    assert protocol.through(plain(protocol, b"/%00", **{key: value})).given is None


@pytest.mark.parametrize("enforce", [True, False], ids=["enforced", "observed"])
@pytest.mark.parametrize("path", [b"/a", b"/%7Ea"], ids=["plain", "repaired"])
def test_headers_from_an_iterator_reach_the_application(path: bytes, *, enforce: bool) -> None:
    rows = [(b"host", b"h"), (b"accept", b"*/*")]
    served = through_asgi(plain(ASGI, path, headers=iter(rows)), enforce=enforce)
    assert served.given is not None
    assert list(served.given["headers"]) == rows


@pytest.mark.parametrize("headers", [((b"host", b"h"),), [[b"host", b"h"]]], ids=["a tuple", "lists"])
def test_headers_may_be_any_sequence(headers: Any) -> None:
    assert is_proven(ASGI, plain(ASGI, headers=headers))


@pytest.mark.parametrize("forms", [False, True])
def test_headers_from_an_iterator_reach_a_second_postel(forms: bool) -> None:
    headers = [(b"host", b"h"), (b"content-type", b"application/x-www-form-urlencoded")]
    request = plain(ASGI, headers=iter(headers))
    answer = ASGI.behind(Policy.STANDARD, forms=forms).serve(request)
    # A form that was judged is handed on with its own length.
    assert answer.given is not None
    assert set(headers) <= set(answer.given["headers"])

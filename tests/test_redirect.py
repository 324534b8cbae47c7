"""Redirects: one to the path that was meant, on the same site, with the query; and then no other."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters import ASGI, EACH_PROTOCOL, WSGI, Protocol, Request, Served, Through, environ_of, run, scope_of
from postel import Component, Kind, Policy, report_of
from postel._redirect import location
from postel._report import Report
from postel._target import Target

POLICIES = {
    "LENIENT": Policy.LENIENT,
    "STANDARD, mending": Policy.STANDARD.repairing(
        Kind.DOT_SEGMENT, Kind.LEADING_SLASHES, Kind.EMPTY_SEGMENT, Kind.BACKSLASH, Kind.ENCODED_BACKSLASH
    ),
    "all repairs": Policy.LENIENT.repairing(
        Kind.ENCODED_SLASH, Kind.PATH_PARAMETER, Kind.NOT_NFC, Kind.UNICODE_ESCAPE, on=Component.PATH
    ),
    "STANDARD": Policy.STANDARD,
    "STRICT": Policy.STRICT,
}
ALLOWING = Policy.LENIENT.allowing(Kind.LEADING_SLASHES, Kind.EMPTY_SEGMENT, Kind.BACKSLASH, Kind.TAB)
BEHIND = {
    (protocol.name, name): protocol.behind(policy, redirect=True)
    for protocol in (WSGI, ASGI)
    for name, policy in {**POLICIES, "allowing": ALLOWING}.items()
}


def behind(protocol: Protocol, policy: str = "LENIENT") -> Through:
    return BEHIND[protocol.name, policy]


def there(answer: Served) -> str | None:
    """Where an answer leads to."""
    if answer.status != 308:
        return None
    assert answer.given is None
    headers = dict(answer.headers)
    assert headers == {"location": headers["location"], "content-length": "0", "cache-control": "no-store"}
    assert answer.body == b""
    return headers["location"]


# -- where it leads ------------------------------------------------------------------------------------------

LED = [
    (b"//admin", "/admin"),
    (b"///admin", "/admin"),
    (b"/\\admin", "/admin"),
    (b"/%5Cadmin", "/admin"),
    (b"\\\\evil.example/x", None),  # no slash in front
    (b"//evil.example/%2e", None),
    (b"//evil.example", "/evil.example"),
    (b"///evil.example//x", "/evil.example/x"),
    (b"/\\/evil.example", "/evil.example"),
    (b"/./a", "/a"),
    (b"/.//evil.example", "/evil.example"),
    (b"/./\\evil.example", "/evil.example"),
    (b"/a/../b", "/b"),
    (b"/a/..", "/"),
    (b"/a/../", "/"),
    (b"/a/..//evil.example", "/evil.example"),
    (b"/a//b", "/a/b"),
    (b"/a//", "/a/"),
    (b"/a/b/./", "/a/b/"),
    (b"/a\\b\\c", "/a/b/c"),
    (b"http://h//a", "/a"),
    (b"//a?q=1", "/a?q=1"),
    (b"//a?", "/a"),
    (b"//a?q=%C3%A9&r=a+b&&x", "/a?q=%C3%A9&r=a+b&&x"),
    (b"//a?q=50%", "/a?q=50%25"),
    (b"//a?q=\xc3\xa9", "/a?q=%C3%A9"),
    (b"//a?q=a;b", "/a?q=a%3Bb"),
    (b"//a?u=http://x//y/../z", "/a?u=http://x//y/../z"),
    (b"//caf\xc3\xa9", "/caf%C3%A9"),
    (b"//%7euser/%c3%a9", "/~user/%C3%A9"),
    (b"//ab%2Fc", "/ab%2Fc"),
    (b"//a#b", "/a"),
    (b"//50%", "/50%25"),
]
STAYS = [
    b"/",
    b"/a",
    b"/%7euser",
    b"/%41",
    b"/%c3%a9",
    b"/caf\xc3\xa9",
    b"/a b",
    b"/50%",
    b"/%zz",
    b"/a%2Fb",
    b"/a%252Fb",
    b"/%u00e9",
    b"/a?q=50%",
    b"/a?",
    b"/a?q=//x/../y",
    b"/a?q=%7e;x",
    b"/a;b",
    b"/a#b",
    b"http://h/a",
    b"/a%3Fb%23c",
    b"/a%09",
    b"/{a}|^",
    b"/a?[x]=<>",
    b"/%E2%88%95",
]


@EACH_PROTOCOL
@pytest.mark.parametrize(("target", "led"), LED, ids=ascii)
def test_one_redirect_to_what_was_meant(protocol: Protocol, target: bytes, led: str | None) -> None:
    answer = behind(protocol).serve(protocol.request_of(target))
    assert there(answer) == led
    assert (answer.status == 400) == (led is None)
    assert there(behind(protocol).serve(protocol.request_of(target, "HEAD"))) == led


@EACH_PROTOCOL
@pytest.mark.parametrize("target", STAYS, ids=ascii)
@pytest.mark.parametrize("policy", ["LENIENT", "STANDARD, mending", "STANDARD", "STRICT"])
def test_escapes_and_spelling_never_redirect(protocol: Protocol, target: bytes, policy: str) -> None:
    """A proxy that writes them anew would send the client round for ever."""
    assert behind(protocol, policy).serve(protocol.request_of(target)).status != 308


@EACH_PROTOCOL
def test_a_query_alone_never_redirects(protocol: Protocol) -> None:
    """Nor does what is mended in the same way in both."""
    for target in (b"/a?%u00e9", b"/a?q=a#b", b"/a?utm_source=%C4", b"/%u00e9", b"/%u00e9#x"):
        assert behind(protocol, "all repairs").serve(protocol.request_of(target)).status == 200


@EACH_PROTOCOL
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "get", ""])
def test_other_methods_are_served_what_is_mended(protocol: Protocol, method: str) -> None:
    answer = behind(protocol).serve(protocol.request_of(b"//a/../b?q=1", method))
    assert answer.given is not None
    assert protocol.raw(answer.given) == b"/b?q=1"


@EACH_PROTOCOL
def test_only_where_it_is_asked_for_and_enforced(protocol: Protocol) -> None:
    request = protocol.request_of(b"//a")
    assert protocol.behind(Policy.LENIENT).serve(request).status == 200
    for settings in ({"enforce": False}, {"sample": 0.0}):
        answer = protocol.behind(Policy.LENIENT, redirect=True, **settings).serve(request)
        assert answer.given is not None
        assert protocol.raw(answer.given) == b"//a"
    assert protocol.behind(Policy.LENIENT, redirect=True, sample=1.0).serve(request).status == 308


@EACH_PROTOCOL
def test_what_is_refused_is_not_redirected(protocol: Protocol) -> None:
    for target in (b"//a%00", b"//..", b"//a/%2e%2e/b", b"//a;\x80", b"//?a=%C4"):
        through = behind(protocol, "STANDARD, mending")
        assert through.serve(protocol.request_of(target)).status == 400


@EACH_PROTOCOL
def test_the_observer_is_told(protocol: Protocol) -> None:
    report = behind(protocol).serve(protocol.request_of(b"//a")).report
    assert [each.kind for each in report.findings] == [Kind.LEADING_SLASHES]
    assert report.target is not None
    assert (report.received.path, report.target.path) == (b"//a", b"/a")


@EACH_PROTOCOL
def test_a_second_one_inside_has_nothing_to_do(protocol: Protocol) -> None:
    inner = protocol.behind(Policy.LENIENT, redirect=True)
    outer = protocol.middleware(inner.middleware, Policy.LENIENT, observer=report_of)
    assert protocol.call(outer, protocol.request_of(b"//a")).status == 200


# -- it never leaves the site --------------------------------------------------------------------------------


@EACH_PROTOCOL
@pytest.mark.parametrize(
    "target",
    [
        b"//evil.example/./x",
        b"///evil.example/./x",
        b"/./\\evil.example",
        b"/\\evil.example/./x",
        b"/\t/evil.example/./x",
        b"/.//evil.example",
        b"/x/..//evil.example",
        b"/%5Cevil.example/./x",
    ],
)
def test_whatever_a_policy_allows(protocol: Protocol, target: bytes) -> None:
    answer = behind(protocol, "allowing").serve(protocol.request_of(target))
    led = there(answer)
    assert answer.status in {200, 308, 400}
    assert led is None or re.match(r"/(?![/\\\s])", led)


@pytest.mark.parametrize("octet", range(256))
def test_what_would_not_be_read_back_leads_nowhere(octet: int) -> None:
    finding = WSGI.behind(Policy.LENIENT).serve(environ_of(b"//")).report.findings
    odd = bytes([octet])
    for target in (Target(b"/a" + odd), Target(b"/a", b"q=" + odd)):
        led = location(Report(Target(b"//"), target, finding, method="GET"), b"")
        fit = b"!" <= odd <= b"~" and odd not in b"\\#" and not (odd == b"?" and not target.query)
        assert (led is not None) == fit


def test_a_prefix_may_be_any_octets() -> None:
    finding = WSGI.behind(Policy.LENIENT).serve(environ_of(b"//")).report.findings
    for prefix, led in ((b"/\r\n\t\\\xff", "/%0D%0A%09%5C%FF/a"), (b"a", None), (b"//a", None), (b"", "/a")):
        report = Report(Target(b"//"), Target(b"/a", prefix=prefix), finding, method="GET")
        assert location(report, b"") == led
        assert location(replace(report, target=Target(b"/a")), prefix) == led


# -- prefixes ------------------------------------------------------------------------------------------------


def inside_the_raw_key(target: bytes) -> Request:
    """gunicorn, waitress, mod_wsgi, DispatcherMiddleware: the split is WSGI's own, the raw key whole."""
    return WSGI.mounted(target, "/sub")


def taken_off_the_raw_key(target: bytes) -> Request:
    """A proxy has taken the prefix away, and says so to WSGI."""
    return environ_of(target.removeprefix(b"/sub"), SCRIPT_NAME="/sub")


def no_raw_key(target: bytes) -> Request:
    request = WSGI.mounted(target, "/sub")
    del request["REQUEST_URI"]
    return request


def standing(target: bytes) -> Request:
    """uvicorn --root-path and Starlette's Mount: root_path stands in front of path."""
    return scope_of(target, root_path="/sub")


def standing_with_a_slash(target: bytes) -> Request:
    return scope_of(target, root_path="/sub/")


def told_only(target: bytes) -> Request:
    """daphne and uvicorn before 0.26: a proxy has taken the prefix away."""
    return scope_of(target.removeprefix(b"/sub"), root_path="/sub")


def stripped_by_an_old_mount(target: bytes) -> Request:
    """Starlette before 0.33 takes the prefix off the path alone."""
    return {**scope_of(target, root_path="/sub"), "path": scope_of(target.removeprefix(b"/sub"))["path"]}


CONVENTIONS = [
    inside_the_raw_key,
    taken_off_the_raw_key,
    no_raw_key,
    standing,
    standing_with_a_slash,
    told_only,
    stripped_by_an_old_mount,
]


@pytest.mark.parametrize("handed", CONVENTIONS, ids=lambda each: each.__name__)
@pytest.mark.parametrize(
    ("target", "led"),
    [
        (b"/sub//a?q=1", "/sub/a?q=1"),
        (b"/sub/./a", "/sub/a"),
        (b"/sub/a/../b", "/sub/b"),
        (b"/sub//evil.example", "/sub/evil.example"),
        (b"/sub/a/..", "/sub/"),
    ],
)
def test_the_prefix_is_kept(handed: Callable[[bytes], Request], target: bytes, led: str) -> None:
    request = handed(target)
    through = behind(ASGI if "type" in request else WSGI)
    assert there(through.serve(request)) == led
    answer = through.serve(handed(led.encode()))
    assert answer.status == 200


@EACH_PROTOCOL
def test_a_prefix_is_written_as_a_path(protocol: Protocol) -> None:
    for prefix, written in (("/caf\u00e9", "/caf%C3%A9"), ("/50% off", "/50%25%20off")):
        target = f"{written}//a".encode()
        assert there(behind(protocol).serve(protocol.mounted(target, prefix))) == f"{written}/a"


@EACH_PROTOCOL
@pytest.mark.parametrize("prefix", ["//evil.example", "/\\evil.example", "evil.example", "/..", "/\t/evil"])
def test_a_hostile_prefix_is_refused(protocol: Protocol, prefix: str) -> None:
    handed = {"SCRIPT_NAME": prefix} if protocol is WSGI else {"root_path": prefix}
    for policy in ("LENIENT", "allowing"):
        answer = behind(protocol, policy).serve(protocol.request_of(b"/./x", **handed))
        led = there(answer)
        assert led is None or re.match(r"/(?![/\\\s])", led)
        assert policy == "allowing" or answer.status == 400


# -- where the server shows what nobody sent -----------------------------------------------------------------


def test_what_the_server_has_tidied_is_redirected_as_well() -> None:
    """waitress merges slashes in front, Apache all and resolves dots: what was sent says what was meant."""
    tidied = {"PATH_INFO": "/admin", "QUERY_STRING": "q", "REQUEST_METHOD": "GET"}
    for sent in ("//admin?q", "/x/../admin?q", "/./admin?q"):
        assert there(behind(WSGI).serve({**tidied, "REQUEST_URI": sent})) == "/admin?q"


@pytest.mark.parametrize(
    "rewritten",
    [
        {"REQUEST_URI": "//old/x", "PATH_INFO": "/new/x"},
        {"REQUEST_URI": "/old//x", "PATH_INFO": "/app//x"},
        {"REQUEST_URI": "/old//x", "PATH_INFO": "/x", "SCRIPT_NAME": "/app"},
        {"REQUEST_URI": "//x?id=1", "PATH_INFO": "/x", "QUERY_STRING": "id=1&rewritten=1"},
    ],
)
def test_what_a_rewrite_shows_is_served_and_not_redirected(rewritten: Mapping[str, str]) -> None:
    """The client asked for another path, and would be sent to what is no address."""
    request = {"REQUEST_METHOD": "GET", "QUERY_STRING": "", **rewritten}
    assert behind(WSGI).serve(request).status == 200


# -- it ends -------------------------------------------------------------------------------------------------


def follow(through: Through, handed: Callable[[bytes], Request], target: bytes) -> int:
    """How often a client is redirected until it is not."""
    for count in range(3):
        led = there(through.serve(handed(target)))
        if led is None:
            return count
        assert re.match(r"/(?![/\\\s])", led)
        assert re.fullmatch(r"[!-~]+", led)
        target = led.encode()
    raise AssertionError("it goes on")


SIXTY = (
    [target for target, _ in LED] + STAYS + [b"/a/%2e%2e/..", b"/..;/a", b"/a/..;x/../b", b"/%2e%2e%5c/.."]
)


def test_there_are_sixty() -> None:
    assert len(set(SIXTY)) >= 60


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("handed", [environ_of, scope_of, *CONVENTIONS], ids=lambda each: each.__name__)
def test_at_most_one(handed: Callable[[bytes], Request], policy: str) -> None:
    through = behind(ASGI if "type" in handed(b"/") else WSGI, policy)
    front = b"/sub" if handed in CONVENTIONS else b""
    for target in SIXTY:
        assert follow(through, handed, front + target) <= 1


def test_without_structural_mendings_there_is_none() -> None:
    assert {follow(behind(WSGI, "STRICT"), environ_of, target) for target in SIXTY} == {0}


pieces = st.sampled_from([b"\xc3\xa9", b"\t", b" "]) | st.sampled_from(
    rb"/ // \ %5C %2F . .. /./ /../ a %C3%A9 % %2e ; ;x %3B ? q=1 # %25 %252F %u005C e%CC%81 %09 evil".split()
)
targets = st.lists(pieces, max_size=8).map(lambda parts: b"/" + b"".join(parts))


@given(target=targets, policy=st.sampled_from([*POLICIES, "allowing"]))
def test_at_most_one_whatever_is_asked(target: bytes, policy: str) -> None:
    assert follow(behind(WSGI, policy), environ_of, target) <= 1
    assert follow(behind(ASGI, policy), scope_of, target) <= 1


@given(target=targets)
def test_what_is_served_there_is_what_would_have_been_served(target: bytes) -> None:
    through = behind(WSGI)
    led = there(through.serve(environ_of(target)))
    if led is not None:
        meant = WSGI.through(environ_of(target), Policy.LENIENT).given
        served = through.serve(environ_of(led.encode())).given
        assert meant is not None
        assert served is not None
        assert [served[key] for key in ("PATH_INFO", "QUERY_STRING", "REQUEST_URI")] == [
            meant[key] for key in ("PATH_INFO", "QUERY_STRING", "REQUEST_URI")
        ]


def test_a_handshake_is_served_and_not_redirected() -> None:
    through = behind(ASGI)
    scope: dict[str, Any] = {**scope_of(b"//a"), "type": "websocket"}  # no method is right; this one has one
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    run(through.middleware(scope, send, send))
    assert through.given is not None
    assert through.given["raw_path"] == b"/a"

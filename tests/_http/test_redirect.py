"""Redirects: a single one to the intended path, on the same site, with the query."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters import ASGI, EACH_PROTOCOL, WSGI, Protocol, Request, Served, Through, environ_of, run, scope_of
from postel import Action, Component, Kind, Policy, report_of
from postel._http.redirect import repaired_location
from postel._http.report import Report
from postel._normalizer.target import Target
from together import together

POLICIES = {
    "LENIENT": Policy.LENIENT,
    "STANDARD, repairing": Policy.STANDARD.repairing(
        Kind.DOT_SEGMENT, Kind.LEADING_SLASHES, Kind.EMPTY_SEGMENT, Kind.BACKSLASH, Kind.ENCODED_BACKSLASH
    ),
    "all repairs": Policy.LENIENT.repairing(
        Kind.ENCODED_SLASH, Kind.PATH_PARAMETER, Kind.NOT_NFC, Kind.UNICODE_ESCAPE, on=Component.PATH
    ),
    "STANDARD": Policy.STANDARD,
    "STRICT": Policy.STRICT,
}
ALLOWED = Policy.STANDARD.allowing(Kind.EMPTY_SEGMENT)
ALLOWING = Policy.LENIENT.allowing(Kind.LEADING_SLASHES, Kind.EMPTY_SEGMENT, Kind.BACKSLASH, Kind.TAB)
BEHIND = {
    (protocol.name, name): protocol.behind(policy, redirect=True)
    for protocol in (WSGI, ASGI)
    for name, policy in {**POLICIES, "allowing": ALLOWING}.items()
}


def behind(protocol: Protocol, policy: str = "LENIENT") -> Through:
    return BEHIND[protocol.name, policy]


def there(answer: Served) -> str | None:
    """Return the target of a redirect."""
    if answer.status != 308:
        return None
    assert answer.given is None
    headers = dict(answer.headers)
    assert headers == {
        "location": headers["location"],
        "content-type": "text/plain; charset=utf-8",
        "content-length": "0",
        "cache-control": "no-store",
    }
    assert answer.body == b""
    return headers["location"]


# -- where a redirect leads ----------------------------------------------------------------------------------

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
@together(("target", "led"), LED, ids=ascii)
def test_one_redirect_to_the_intended_path(protocol: Protocol, target: bytes, led: str | None) -> None:
    answer = behind(protocol).serve(protocol.request_of(target))
    assert there(answer) == led
    assert (answer.status == 400) == (led is None)
    assert there(behind(protocol).serve(protocol.request_of(target, "HEAD"))) == led


@EACH_PROTOCOL
@together("target", STAYS, ids=ascii)
@together("policy", ["LENIENT", "STANDARD, repairing", "STANDARD", "STRICT"])
def test_escapes_and_spelling_never_redirect(protocol: Protocol, target: bytes, policy: str) -> None:
    """Otherwise a proxy that respells escapes would send its clients from redirect to redirect."""
    assert behind(protocol, policy).serve(protocol.request_of(target)).status != 308


@EACH_PROTOCOL
def test_a_query_alone_never_redirects(protocol: Protocol) -> None:
    """Kinds that occur in both path and query do not redirect either."""
    for target in (b"/a?%u00e9", b"/a?q=a#b", b"/a?utm_source=%C4", b"/%u00e9", b"/%u00e9#x"):
        assert behind(protocol, "all repairs").serve(protocol.request_of(target)).status == 200


@EACH_PROTOCOL
@pytest.mark.parametrize("path", [b"/x//../admin", b"/x/y//../../admin", b"//x//%2E./admin"])
def test_two_dots_over_merged_slashes_are_refused(protocol: Protocol, path: bytes) -> None:
    for policy in (Policy.STANDARD.repairing(Kind.DOT_SEGMENT), Policy.STANDARD.allowing(Kind.DOT_SEGMENT)):
        assert protocol.behind(policy).serve(protocol.request_of(path)).status == 400


@EACH_PROTOCOL
@pytest.mark.parametrize("settings", [{"policy": ALLOWED}, {"routes": {"/bucket": ALLOWED}}])
def test_slashes_that_are_data_stay_after_merged_ones(protocol: Protocol, settings: dict[str, Any]) -> None:
    answer = protocol.behind(**settings).serve(protocol.request_of(b"//bucket/a//b"))
    assert there(answer) == "/bucket/a//b"


@EACH_PROTOCOL
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "get", ""])
def test_other_methods_get_the_repaired_path(protocol: Protocol, method: str) -> None:
    answer = behind(protocol).serve(protocol.request_of(b"//a/../b?q=1", method))
    assert answer.given is not None
    assert protocol.raw(answer.given) == b"/b?q=1"


@EACH_PROTOCOL
def test_redirects_need_the_setting_and_enforcement(protocol: Protocol) -> None:
    request = protocol.request_of(b"//a")
    assert protocol.behind(Policy.LENIENT).serve(request).status == 200
    for settings in ({"enforce": False}, {"sample": 0.0}):
        answer = protocol.behind(Policy.LENIENT, redirect=True, **settings).serve(request)
        assert answer.given is not None
        assert protocol.raw(answer.given) == b"//a"
    assert protocol.behind(Policy.LENIENT, redirect=True, sample=1.0).serve(request).status == 308


@EACH_PROTOCOL
def test_refused_requests_are_not_redirected(protocol: Protocol) -> None:
    for target in (b"//a%00", b"//..", b"//a/%2e%2e/b", b"//a;\x80", b"//?a=%C4"):
        through = behind(protocol, "STANDARD, repairing")
        assert through.serve(protocol.request_of(target)).status == 400


@EACH_PROTOCOL
def test_the_observer_receives_redirects(protocol: Protocol) -> None:
    report = behind(protocol).serve(protocol.request_of(b"//a")).report
    assert [each.kind for each in report.findings] == [Kind.LEADING_SLASHES]
    assert report.target is not None
    assert (report.received.path, report.target.path) == (b"//a", b"/a")


@EACH_PROTOCOL
def test_a_second_postel_inside_changes_nothing(protocol: Protocol) -> None:
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
def test_no_policy_makes_a_redirect_leave_the_site(protocol: Protocol, target: bytes) -> None:
    answer = behind(protocol, "allowing").serve(protocol.request_of(target))
    led = there(answer)
    assert answer.status in {200, 308, 400}
    assert led is None or re.match(r"/(?![/\\\s])", led)


@pytest.mark.no_cover
@together("octet", range(256))
def test_targets_that_would_be_read_differently_are_not_redirected_to(octet: int) -> None:
    finding = WSGI.through(environ_of(b"//"), Policy.LENIENT).report.findings
    odd = bytes([octet])
    for target in (Target(b"/a" + odd), Target(b"/a", b"q=" + odd)):
        led = repaired_location(Report(Target(b"//"), target, finding, method="GET"), b"")
        fit = b"!" <= odd <= b"~" and odd not in b"\\#" and not (odd == b"?" and not target.query)
        assert (led is not None) == fit


def test_a_prefix_may_be_any_octets() -> None:
    finding = WSGI.behind(Policy.LENIENT).serve(environ_of(b"//")).report.findings
    for prefix, led in ((b"/\r\n\t\\\xff", "/%0D%0A%09%5C%FF/a"), (b"a", None), (b"//a", None), (b"", "/a")):
        report = Report(Target(b"//"), Target(b"/a", prefix=prefix), finding, method="GET")
        assert repaired_location(report, b"") == led
        assert repaired_location(replace(report, target=Target(b"/a")), prefix) == led


# -- prefixes ------------------------------------------------------------------------------------------------


def inside_the_raw_key(target: bytes) -> Request:
    """Keep the prefix in the raw key, as gunicorn, waitress, mod_wsgi and DispatcherMiddleware do."""
    return WSGI.mounted(target, "/sub")


def removed_from_the_raw_key(target: bytes) -> Request:
    """Remove the prefix from the raw key too, as a proxy does; SCRIPT_NAME names it."""
    return environ_of(target.removeprefix(b"/sub"), SCRIPT_NAME="/sub")


def no_raw_key(target: bytes) -> Request:
    request = WSGI.mounted(target, "/sub")
    del request["REQUEST_URI"]
    return request


def in_front_of_the_path(target: bytes) -> Request:
    """Put root_path in front of the path, as uvicorn --root-path and Starlette's Mount do."""
    return scope_of(target, root_path="/sub")


def only_named(target: bytes) -> Request:
    """Remove the prefix from the path and name it in root_path, as daphne and uvicorn before 0.26 do."""
    return scope_of(target.removeprefix(b"/sub"), root_path="/sub")


def stripped_by_an_old_mount(target: bytes) -> Request:
    """Remove the prefix only from the path, as Starlette before 0.33 does."""
    return {**scope_of(target, root_path="/sub"), "path": scope_of(target.removeprefix(b"/sub"))["path"]}


CONVENTIONS = [
    inside_the_raw_key,
    removed_from_the_raw_key,
    no_raw_key,
    in_front_of_the_path,
    only_named,
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


# -- where the server has changed the path -------------------------------------------------------------------


def test_a_path_that_the_server_has_repaired_is_redirected_too() -> None:
    """waitress merges leading slashes, Apache merges all and resolves dots.

    The raw target shows what was sent.
    """
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
def test_a_rewritten_path_is_served_and_not_redirected(rewritten: Mapping[str, str]) -> None:
    """The client asked for another path, and may be unable to ask for the rewritten one."""
    request = {"REQUEST_METHOD": "GET", "QUERY_STRING": "", **rewritten}
    assert behind(WSGI).serve(request).status == 200


# -- at most one redirect ------------------------------------------------------------------------------------


def follow(through: Through, handed: Callable[[bytes], Request], target: bytes) -> int:
    """Return how often a client is redirected."""
    for count in range(3):
        led = there(through.serve(handed(target)))
        if led is None:
            return count
        assert re.match(r"/(?![/\\\s])", led)
        assert re.fullmatch(r"[!-~]+", led)
        target = led.encode()
    raise AssertionError("too many redirects")


SIXTY = (
    [target for target, _ in LED] + STAYS + [b"/a/%2e%2e/..", b"/..;/a", b"/a/..;x/../b", b"/%2e%2e%5c/.."]
)


def test_there_are_sixty_targets() -> None:
    assert len(set(SIXTY)) >= 60


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("handed", [environ_of, scope_of, *CONVENTIONS], ids=lambda each: each.__name__)
def test_there_is_at_most_one_redirect(handed: Callable[[bytes], Request], policy: str) -> None:
    through = behind(ASGI if "type" in handed(b"/") else WSGI, policy)
    front = b"/sub" if handed in CONVENTIONS else b""
    for target in SIXTY:
        assert follow(through, handed, front + target) <= 1


def test_without_structural_repairs_only_slashes_are_redirected() -> None:
    followed = {target for target in SIXTY if follow(behind(WSGI, "STRICT"), environ_of, target)}
    assert {b"//admin", b"///admin", b"//evil.example", b"/a//b", b"/a//", b"//a?q=1"} <= followed
    assert all(b"//" in target.partition(b"?")[0] for target in followed)


pieces = st.sampled_from([b"\xc3\xa9", b"\t", b" "]) | st.sampled_from(
    rb"/ // \ %5C %2F . .. /./ /../ a %C3%A9 % %2e ; ;x %3B ? q=1 # %25 %252F %u005C e%CC%81 %09 evil".split()
)
targets = st.lists(pieces, max_size=8).map(lambda parts: b"/" + b"".join(parts))


@given(target=targets, policy=st.sampled_from([*POLICIES, "allowing"]))
def test_there_is_at_most_one_redirect_for_random_targets(target: bytes, policy: str) -> None:
    assert follow(behind(WSGI, policy), environ_of, target) <= 1
    assert follow(behind(ASGI, policy), scope_of, target) <= 1


@given(target=targets)
def test_the_redirect_leads_to_the_path_that_a_repair_would_serve(target: bytes) -> None:
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
    scope: dict[str, Any] = {**scope_of(b"//a"), "type": "websocket"}  # a handshake has no method
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    run(through.middleware(scope, send, send))
    assert through.given is not None
    assert through.given["raw_path"] == b"/a"


# -- slashes alone: by default -------------------------------------------------------------------------------

BY_DEFAULT = {protocol.name: protocol.behind() for protocol in (WSGI, ASGI)}
MERGED = [
    (b"/a//b", "/a/b"),
    (b"//a", "/a"),
    (b"///a////b//", "/a/b/"),
    (b"//evil.example/x", "/evil.example/x"),
    (b"//evil.example//%41?q=//x", "/evil.example/A?q=//x"),
    (b"/a//b?q=a+b&&r=%c3%a9", "/a/b?q=a+b&&r=%c3%a9"),
    (b"/a//b?q=50%", "/a/b?q=50%25"),
    (b"/a//caf\xc3\xa9/%7euser", "/a/caf%C3%A9/~user"),
    (b"/a;x//b", "/a;x/b"),
    (b"/wiki//C%23", "/wiki/C%23"),
    (b"/a:b//c", "/a:b/c"),
    (b"/" + b"/a" * 60 + b"//b" * 60, "/a" * 60 + "/b" * 60),
    (b"http://h//a", "/a"),
    # Refused: the slashes are data, are not the only fault, or cannot be merged.
    (b"/proxy/https://example.com/x", None),
    (b"/proxy/https%3A//example.com", None),
    (b"/proxy/https%3a//example.com", None),
    (b"//a/https:///b", None),
    (b"/proxy/https:/example.com//x", None),
    (b"//a%00", None),
    (b"//a/../b", None),
    (b"//a%2Fb", None),
    (b"/\\a", None),
    (b"//\\a", None),
    (b"/\\/a", None),
    (b"/%2F/a", None),
    (b"/a//b#c", None),
    (b"//a?q=%00", None),
    (b"//a?q=%C4", None),
    (b"//%2570ublic", None),
    (b"//a?" + b"q" * 9000, None),
    (b"\\\\a//b", None),
    (b"a//b", None),
]


def by_default(protocol: Protocol) -> Through:
    return BY_DEFAULT[protocol.name]


@EACH_PROTOCOL
@together("method", ["GET", "HEAD"])
@together(("target", "led"), MERGED, ids=lambda each: ascii(each)[:40])
def test_slashes_alone_are_merged_by_a_redirect(
    protocol: Protocol, target: bytes, led: str | None, method: str
) -> None:
    request = protocol.request_of(target, method, **({"HTTP_HOST": "h"} if protocol is WSGI else {}))
    answer = by_default(protocol).serve(request)
    assert there(answer) == led
    assert (answer.status == 308) == (led is not None)
    if led is not None:
        again = by_default(protocol).serve(protocol.request_of(led.encode(), method))
        assert again.given is not None
        assert protocol.raw(again.given) == led.encode()


@EACH_PROTOCOL
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "get", ""])
def test_other_methods_are_refused(protocol: Protocol, method: str) -> None:
    assert by_default(protocol).serve(protocol.request_of(b"/a//b", method)).status == 400


@EACH_PROTOCOL
def test_the_setting_can_refuse_slashes_always(protocol: Protocol) -> None:
    through = protocol.behind(redirect=False)
    for target, _ in MERGED:
        assert through.serve(protocol.request_of(target)).status in {400, 414}
    assert protocol.behind(Policy.LENIENT, redirect=False).serve(protocol.request_of(b"//a")).status == 200


@EACH_PROTOCOL
def test_a_path_that_a_policy_repairs_is_served_and_not_redirected(protocol: Protocol) -> None:
    assert protocol.behind(Policy.LENIENT).serve(protocol.request_of(b"/a//b")).status == 200


@EACH_PROTOCOL
def test_with_redirected_repairs_requests_refused_for_slashes_are_redirected_too(protocol: Protocol) -> None:
    through = protocol.behind(Policy.STANDARD.repairing(Kind.DOT_SEGMENT), redirect=True)
    assert there(through.serve(protocol.request_of(b"/a/./b"))) == "/a/b"
    assert there(through.serve(protocol.request_of(b"/a//b"))) == "/a/b"
    assert there(through.serve(protocol.request_of(b"//a/./b"))) == "/a/b"


@EACH_PROTOCOL
def test_a_route_has_its_own_action(protocol: Protocol) -> None:
    routes = {"/proxy": Policy.STANDARD.allowing(Kind.EMPTY_SEGMENT), "/strict": Policy.STRICT}
    through = protocol.behind(routes=routes)
    passed = through.serve(protocol.request_of(b"/proxy/https://example.com//x"))
    assert passed.given is not None
    assert protocol.raw(passed.given) == b"/proxy/https://example.com//x"
    assert there(through.serve(protocol.request_of(b"/other//x;y"))) == "/other/x;y"
    # The merged path is judged by the policy of its own route.
    assert there(through.serve(protocol.request_of(b"//strict/x"))) == "/strict/x"
    assert through.serve(protocol.request_of(b"//strict/x;y")).status == 400


@EACH_PROTOCOL
def test_the_observer_receives_reason_and_target(protocol: Protocol) -> None:
    report = by_default(protocol).serve(protocol.request_of(b"/a//b?q=1")).report
    assert [(each.kind, each.action) for each in report.findings] == [(Kind.EMPTY_SEGMENT, Action.REJECT)]
    assert (report.refused, report.location) == (True, "/a/b?q=1")
    assert by_default(protocol).serve(protocol.request_of(b"/a/%00")).report.location is None


@EACH_PROTOCOL
def test_an_observing_middleware_hands_on_the_original(protocol: Protocol) -> None:
    for settings in ({"enforce": False}, {"sample": 0.0}):
        answer = protocol.behind(**settings).serve(protocol.request_of(b"/a//b"))
        assert answer.given is not None
        assert protocol.raw(answer.given) == b"/a//b"
        assert answer.report.location == "/a/b"


def test_any_other_fault_of_the_request_refuses_it() -> None:
    through = WSGI.behind(hosts=["h.example"], headers={"cookie": Action.REJECT}, prefix="/sub")
    fine = {"SCRIPT_NAME": "/sub", "HTTP_HOST": "h.example"}
    request = environ_of(b"/sub/a//b", **fine, PATH_INFO="/a//b")
    assert there(through.serve(request)) == "/sub/a/b"
    for wrong in (
        {"HTTP_HOST": "h.example/x"},
        {"HTTP_HOST": "other.example"},
        {"HTTP_COOKIE": "a=%00"},
        {"SCRIPT_NAME": "/other"},
        {"PATH_INFO": "/c//d"},
        {"PATH_INFO": "/a//b\ufffd".encode().decode("latin-1")},
    ):
        assert through.serve({**request, **wrong}).status in {400, 421}


def test_a_handshake_is_refused_and_not_redirected() -> None:
    through = by_default(ASGI)
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    run(through.middleware({**scope_of(b"//a"), "type": "websocket"}, send, send))
    assert (sent, through.given) == ([{"type": "websocket.close", "code": 1008}], None)
    assert through.told is not None
    assert through.told.location is None


def test_a_redirect_never_leads_to_a_url_that_readers_misread() -> None:
    through = ASGI.behind(rebuilt_urls={"/old": "refuse"})
    assert there(through.serve(scope_of(b"//new/C%23"))) == "/new/C%23"
    assert through.serve(scope_of(b"//old/C%23")).status == 400
    assert through.serve(scope_of(b"/old//C%23")).status == 400


# -- no loop of slashes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("handed", CONVENTIONS, ids=lambda each: each.__name__)
@pytest.mark.parametrize(
    ("target", "led"),
    [
        (b"/sub//a?q=1", "/sub/a?q=1"),
        (b"/sub/a//b", "/sub/a/b"),
        (b"/sub//evil.example", "/sub/evil.example"),
        (b"/sub/a//", "/sub/a/"),
    ],
)
def test_the_prefix_is_in_front_of_merged_slashes(
    handed: Callable[[bytes], Request], target: bytes, led: str
) -> None:
    request = handed(target)
    through = by_default(ASGI if "type" in request else WSGI)
    assert there(through.serve(request)) == led
    assert through.serve(handed(led.encode())).status == 200


@pytest.mark.parametrize("root", ["/", "/sub/", "//", "/sub//"])
@pytest.mark.parametrize("redirect", [None, True])
@pytest.mark.parametrize("policy", ["LENIENT", "STANDARD", "STRICT"])
def test_slashes_that_the_server_adds_are_not_redirected(
    root: str, redirect: bool | None, policy: str
) -> None:
    """``uvicorn --root-path /`` shows ``//a`` for ``/a``, so a redirect to ``/a`` would never end."""
    for path in ("/a", "/a//b", "/./a", "/"):
        shown = root + path
        scope = {**scope_of(path.encode(), root_path=root), "path": shown, "raw_path": shown.encode()}
        assert ASGI.behind(POLICIES[policy], redirect=redirect).serve(scope).status in {200, 400}
        environ = environ_of(path.encode(), SCRIPT_NAME=root)
        assert WSGI.behind(POLICIES[policy], redirect=redirect).serve(environ).status in {200, 400}


def test_a_path_that_may_or_may_not_contain_the_prefix_is_not_redirected() -> None:
    """The server names the prefix ``/sub``, and the path begins with ``//sub``."""
    assert by_default(ASGI).serve(scope_of(b"//sub/a", root_path="/sub")).status == 400
    assert there(by_default(ASGI).serve(scope_of(b"//other/a", root_path="/sub"))) == "/sub/other/a"
    tidied = {"SCRIPT_NAME": "/sub", "PATH_INFO": "/a", "REQUEST_METHOD": "GET", "QUERY_STRING": ""}
    assert by_default(WSGI).serve({**tidied, "REQUEST_URI": "//sub//a"}).status == 400
    assert there(by_default(WSGI).serve({**tidied, "REQUEST_URI": "/sub//a"})) == "/sub/a"


@pytest.mark.parametrize("policy", [*POLICIES, "allowing"])
@pytest.mark.parametrize("handed", [environ_of, scope_of, *CONVENTIONS], ids=lambda each: each.__name__)
def test_there_is_at_most_one_redirect_by_default(handed: Callable[[bytes], Request], policy: str) -> None:
    protocol = ASGI if "type" in handed(b"/") else WSGI
    through = protocol.behind({**POLICIES, "allowing": ALLOWING}[policy])
    front = b"/sub" if handed in CONVENTIONS else b""
    for target in [*SIXTY, *(target for target, _ in MERGED)]:
        assert follow(through, handed, front + target) <= 1


@given(target=targets)
def test_there_is_at_most_one_redirect_by_default_for_random_targets(target: bytes) -> None:
    assert follow(by_default(WSGI), environ_of, target) <= 1
    assert follow(by_default(ASGI), scope_of, target) <= 1
    assert follow(by_default(WSGI), inside_the_raw_key, b"/sub" + target) <= 1
    assert follow(by_default(ASGI), only_named, b"/sub" + target) <= 1


@given(target=targets, method=st.sampled_from(["GET", "HEAD", "POST"]))
def test_redirects_replace_refusals_and_lead_to_accepted_paths(target: bytes, method: str) -> None:
    for protocol in (WSGI, ASGI):
        answer = by_default(protocol).serve(protocol.request_of(target, method))
        led = there(answer)
        assert answer.given is None or led is None
        if led is not None:
            assert method != "POST"
            assert not re.search(rb"(?::|%3[Aa])//", target.partition(b"?")[0])
            assert by_default(protocol).serve(protocol.request_of(led.encode(), method)).given is not None


@EACH_PROTOCOL
def test_only_targets_of_at_most_1024_octets_are_judged_again(protocol: Protocol) -> None:
    for length, status in ((1024, 308), (1025, 400)):
        target = b"//a".ljust(length, b"b")
        assert protocol.through(protocol.request_of(target)).status == status
        query = b"//a?q=".ljust(length + 1, b"b")  # the question mark is in neither
        assert protocol.through(protocol.request_of(query)).status == status

"""A Host with upper-case letters: it is handed on in lower case, so that guards and routers read one host."""

from __future__ import annotations

import asyncio
import sys
from types import ModuleType
from typing import Any, Final, cast

import flask
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Host, Route

from adapters import ASGI, EACH_PROTOCOL, WSGI, Protocol, Request, Served, environ_of, scope_of
from postel import Action, Component, Kind, LogObserver, Policy, Report
from postel._http.report import KEY
from together import together
from whole.request import Request as Whole
from whole.serving import Running

PRESETS: Final = (Policy.STRICT, Policy.STANDARD, Policy.LENIENT)
# What is sent, what is handed on, and the place of the first letter.
REPAIRED: Final = [
    (b"ADMIN.shop.example", b"admin.shop.example", 0),
    (b"admin.Shop.example:8000", b"admin.shop.example:8000", 6),
    (b"a.EXAMPLE.", b"a.example.", 2),
    (b"xn--BCHER-kva.example", b"xn--bcher-kva.example", 4),
    (b"[FE80::A]:80", b"[fe80::a]:80", 1),
    (b"[::ffff:C0A8:1]", b"[::ffff:c0a8:1]", 8),
    (b"A", b"a", 0),
    (b"0.Z", b"0.z", 2),
]
ADMIN: Final = "admin.shop.example"


def with_host(protocol: Protocol, *hosts: bytes, target: bytes = b"/a", **keys: Any) -> Request:
    """Return a request as servers hand it over, with other fields around the Host."""
    if protocol is ASGI:
        fields = [(b"accept", b"*/*"), *((b"host", host) for host in hosts)]
        fields += [(b"x-forwarded-host", b"FRONT.example"), (b"x-a", b"B")]
        return scope_of(target, headers=fields, http_version="1.1", **keys)
    return environ_of(
        target,
        SERVER_PROTOCOL="HTTP/1.1",
        SERVER_NAME="Example",
        HTTP_HOST=b",".join(hosts).decode("latin-1"),
        HTTP_X_FORWARDED_HOST="FRONT.example",
        **keys,
    )


def handed(answer: Served) -> Request:
    """Return what the application received, without the report."""
    assert answer.given is not None
    return {key: value for key, value in answer.given.items() if key != KEY}


@EACH_PROTOCOL
@together("policy", PRESETS, ids=str)
@together(("sent", "given", "offset"), REPAIRED)
def test_a_host_is_handed_on_in_lower_case(
    protocol: Protocol, policy: Policy, sent: bytes, given: bytes, offset: int
) -> None:
    answer = protocol.through(with_host(protocol, sent), policy)
    assert (answer.status, handed(answer)) == (200, with_host(protocol, given))
    report = answer.report
    assert report.target is not None
    assert (report.received.host, report.target.host, report.changed) == (sent, given, False)
    (finding,) = report.findings
    assert (finding.kind, finding.action) == (Kind.UPPERCASE_HOST, Action.REPAIR)
    assert (finding.component, finding.offset, finding.detail) == (Component.HOST, offset, "")
    assert sent[offset:].startswith(finding.excerpt)
    assert finding.excerpt
    again = protocol.through(handed(answer), policy)
    assert (again.told, handed(again)) == (None, handed(answer))
    assert isinstance(cast("Request", again.given)[KEY], tuple), "the fast path must judge it"


@EACH_PROTOCOL
def test_each_action_does_what_it_says(protocol: Protocol) -> None:
    def actions(policy: Policy, **settings: Any) -> tuple[int, list[str], bool]:
        request = with_host(protocol, b"A.example")
        answer = protocol.through(request, policy, **settings)
        found = [f"{each.kind.slug}={each.action.value}" for each in answer.report.findings]
        return answer.status, found, answer.given is not None and handed(answer) == request

    standard, kind = Policy.STANDARD, Kind.UPPERCASE_HOST
    assert actions(standard) == (200, ["uppercase-host=repair"], False)
    assert actions(standard.reporting(kind)) == (200, ["uppercase-host=report"], True)
    assert actions(standard.allowing(kind)) == (200, [], True)
    assert actions(standard.rejecting(kind)) == (400, ["uppercase-host=reject"], False)
    assert actions(Policy.parse("lenient uppercase-host=reject")) == (400, ["uppercase-host=reject"], False)
    assert actions(standard, enforce=False) == (200, ["uppercase-host=repair"], True)
    routes = {"/a": standard.allowing(kind)}
    assert protocol.behind(routes=routes).serve(with_host(protocol, b"A.example")).told is None


@EACH_PROTOCOL
def test_without_enforcement_the_very_same_objects_are_handed_on(protocol: Protocol) -> None:
    request = with_host(protocol, b"A.example")
    answer = protocol.through(request, enforce=False)
    assert all(cast("Request", answer.given)[key] is each for key, each in request.items())
    assert not answer.report.refused


@EACH_PROTOCOL
def test_a_host_is_looked_up_in_the_list_without_its_case(protocol: Protocol) -> None:
    hosts = ("example.com", "*.shop.example", "[fe80::a]")
    for sent in (b"EXAMPLE.com", b"Www.Shop.Example:81", b"[FE80::A]"):
        answer = protocol.through(with_host(protocol, sent), hosts=hosts)
        assert (answer.status, handed(answer)) == (200, with_host(protocol, sent.lower()))
    answer = protocol.through(with_host(protocol, b"EVIL.example"), hosts=hosts)
    assert (answer.status, answer.kinds) == (421, ["unknown-host"])
    reporting = Policy.STANDARD.reporting(Kind.UNKNOWN_HOST)
    answer = protocol.through(with_host(protocol, b"EVIL.example"), reporting, hosts=hosts)
    assert [each.kind.slug for each in answer.report.findings] == ["unknown-host", "uppercase-host"]
    assert handed(answer) == with_host(protocol, b"evil.example")


@EACH_PROTOCOL
def test_a_malformed_host_is_not_edited(protocol: Protocol) -> None:
    allowing = Policy.STANDARD.reporting(Kind.MALFORMED_HOST)
    for hosts in ((b"A b",), (b"A/B",), (b"A..B",), (b"A", b"B")):
        assert protocol.through(with_host(protocol, *hosts)).kinds == ["malformed-host"]
        answer = protocol.through(with_host(protocol, *hosts), allowing)
        assert [each.kind.slug for each in answer.report.findings] == ["malformed-host"]
        assert handed(answer) == with_host(protocol, *hosts)


@EACH_PROTOCOL
def test_a_host_with_an_underscore_is_edited_as_well(
    protocol: Protocol, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = with_host(protocol, b"Web_App:8000")
    policy = Policy.STANDARD.reporting(Kind.MALFORMED_HOST)
    answer = protocol.behind().serve(request)  # Werkzeug is loaded, and reads no host
    assert [each.kind.slug for each in answer.report.findings] == ["malformed-host"]
    answer = protocol.behind(policy).serve(request)
    assert [each.kind.slug for each in answer.report.findings] == ["malformed-host", "uppercase-host"]
    assert handed(answer) == with_host(protocol, b"web_app:8000")
    monkeypatch.setitem(sys.modules, "werkzeug.sansio.utils", cast("ModuleType", None))
    answer = protocol.behind().serve(request)
    assert [each.kind.slug for each in answer.report.findings] == ["uppercase-host"]
    assert handed(answer) == with_host(protocol, b"web_app:8000")


@EACH_PROTOCOL
def test_other_repairs_redirects_and_refusals_are_as_before(protocol: Protocol) -> None:
    answer = protocol.through(with_host(protocol, b"A", target=b"/a?q=50%+off"))
    assert handed(answer) == with_host(protocol, b"a", target=b"/a?q=50%25+off")
    answer = protocol.through(with_host(protocol, b"A", target=b"http://a/b"))
    assert handed(answer) == with_host(protocol, b"a", target=b"/b")
    answer = protocol.through(with_host(protocol, b"A", target=b"//a"))
    assert (answer.status, dict(answer.headers)["location"]) == (308, "/a")
    assert protocol.through(with_host(protocol, b"A"), redirect=True).status == 200
    answer = protocol.through(with_host(protocol, b"A", target=b"/%00"))
    assert (answer.status, answer.kinds) == (400, ["nul"])


@EACH_PROTOCOL
def test_the_log_says_so_for_debugging_only(protocol: Protocol, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG", "postel")
    protocol.behind(observer=LogObserver()).serve(with_host(protocol, b"Shop.example"))
    (record,) = caplog.records
    assert record.levelname == "DEBUG"
    assert record.getMessage() == (
        'edited "GET" "/a" from "192.0.2.1": uppercase-host in host at 0: "Shop.example" (repair)'
    )


def test_the_host_of_a_handshake_is_handed_on_in_lower_case() -> None:
    given: list[Request] = []

    async def app(scope: Request, _receive: Any, _send: Any) -> None:
        given.append(scope)

    async def nothing(*_: object) -> Any:
        raise NotImplementedError

    behind = ASGI.middleware(app, observer=repr)
    asyncio.run(behind(with_host(ASGI, b"A", type="websocket"), nothing, nothing))
    assert given[0]["headers"] == with_host(ASGI, b"a")["headers"]


# -- guards and routers --------------------------------------------------------------------------------------


def starlette_app() -> Any:
    async def page(request: Any) -> PlainTextResponse:
        return PlainTextResponse(f"page {request.url}")

    async def admin(request: Any) -> PlainTextResponse:
        return PlainTextResponse(f"admin {request.url}")

    inside = Starlette(routes=[Route("/a", admin)])
    routed = Starlette(routes=[Host(ADMIN, inside), Route("/a", page)])

    async def guarded(scope: Any, receive: Any, send: Any) -> None:
        denied = dict(scope["headers"])[b"host"] == ADMIN.encode()
        await (PlainTextResponse("denied", 403) if denied else routed)(scope, receive, send)

    return guarded


def flask_app() -> Any:
    app = flask.Flask("hosts", static_folder=None, host_matching=True)
    app.add_url_rule("/a", "admin", lambda: f"admin {flask.request.url}", host=ADMIN)
    app.add_url_rule("/a", "page", lambda host: f"page {host}", host="<host>")

    def guarded(environ: Any, start_response: Any) -> Any:
        if environ["HTTP_HOST"] == ADMIN:
            start_response("403 Forbidden", [])
            return [b"denied"]
        return app(environ, start_response)

    return guarded


APPLICATIONS: Final[dict[str, Any]] = {"wsgi": flask_app(), "asgi": starlette_app()}


def asked(app: Any, protocol: Protocol, host: bytes) -> tuple[int, bytes]:
    with asyncio.Runner() as runner:
        answer = Running(runner).ask(app, protocol.name, Whole(b"/a", fields=((b"Host", host),)))
    return answer.status, answer.body


@EACH_PROTOCOL
def test_a_guard_on_the_host_sees_what_the_router_sees(protocol: Protocol) -> None:
    app = APPLICATIONS[protocol.name]
    reports: list[Report] = []
    behind = protocol.middleware(app, observer=reports.append)
    for host in (b"ADMIN.shop.example", b"admin.shop.EXAMPLE", b"admin.shop.example"):
        assert asked(behind, protocol, host) == (403, b"denied")
    assert len(reports) == 2
    assert asked(behind, protocol, b"WWW.shop.example")[0] == 200


@pytest.mark.parametrize("protocol", [WSGI, ASGI], ids=["wsgi", "asgi"])
def test_without_postel_the_case_of_the_host_bypasses_the_guard(protocol: Protocol) -> None:
    """Otherwise the test above would test nothing."""
    status, body = asked(APPLICATIONS[protocol.name], protocol, b"ADMIN.shop.example")
    assert status == 200
    assert body.startswith(b"admin "), body

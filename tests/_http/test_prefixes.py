"""Prefixes as mounts and servers create them: dots never lead out of them, and a forged prefix is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route
from werkzeug.middleware.dispatcher import DispatcherMiddleware
from werkzeug.wrappers import Response

import postel.asgi
import postel.wsgi
from adapters import (
    ASGI,
    EACH_PROTOCOL,
    WSGI,
    Protocol,
    Request,
    Served,
    call_asgi,
    call_wsgi,
    environ_of,
    scope_of,
)
from postel import Kind, Policy, report_of
from together import together

PRESETS = {"STRICT": Policy.STRICT, "STANDARD": Policy.STANDARD, "LENIENT": Policy.LENIENT}
POLICIES = [pytest.param(policy, id=name) for name, policy in PRESETS.items()]
INSIDE, OUTSIDE = b"inside", b"outside"


# -- what servers hand over ----------------------------------------------------------------------------------


def daphne(target: bytes, header: str = "/sub") -> Request:
    """Return a request as daphne does: the header ``Daphne-Root-Path`` becomes root_path; the path stays."""
    return scope_of(target, root_path=header)


def uvicorn(target: bytes, option: str = "/sub") -> Request:
    """Return a request as uvicorn does: ``--root-path`` is put in front of the path and the raw path."""
    return scope_of(option.encode() + target, root_path=option)


def gunicorn(target: bytes, header: str = "/sub") -> Request:
    """Return a request as from gunicorn: ``SCRIPT_NAME`` is a header, and the target must begin with it."""
    request = WSGI.mounted(target, header)
    return {**request, "RAW_URI": request.pop("REQUEST_URI")}


@dataclass(frozen=True)
class Convention:
    """How a server passes a prefix, and the prefix in the target that the client sent."""

    protocol: Protocol
    handed: Callable[..., Request]
    asked: bytes


CONVENTIONS = {
    "daphne, in front of the path": Convention(ASGI, daphne, b"/sub"),
    "daphne, removed by a proxy": Convention(ASGI, daphne, b""),
    "uvicorn": Convention(ASGI, uvicorn, b""),
    "gunicorn": Convention(WSGI, gunicorn, b"/sub"),
}


@pytest.fixture(params=CONVENTIONS)
def convention(request: pytest.FixtureRequest) -> Convention:
    return CONVENTIONS[request.param]


CLIMBING = [
    b"/../admin",
    b"/x/../../admin",
    b"/..",
    b"/%2e%2e/admin",
    b"/.%2e/admin",
    b"/..%2Fadmin",
    b"/..%5Cadmin",
    b"/..\\admin",
    b"/..;/admin",
    b"/x/..;/../admin",
    b"/./../admin",
    b"//../admin",
    b"/x//../../../admin",
    b"/%2e%2e%2fadmin",
    b"/x%2F..%2F..%2Fadmin",
]


@together("policy", POLICIES)
@together("climbing", CLIMBING, ids=ascii)
def test_dots_never_lead_out_of_a_prefix(convention: Convention, climbing: bytes, policy: Policy) -> None:
    request = convention.handed(convention.asked + climbing)
    assert convention.protocol.through(request, policy).given is None
    assert convention.protocol.through(request, policy, prefix="/sub").given is None


@together("policy", POLICIES)
@together("rest", [b"/", b"/a", b"/a?q=1", b"/a/b?q=caf%C3%A9"])
def test_clean_requests_pass_unchanged(convention: Convention, rest: bytes, policy: Policy) -> None:
    request = convention.handed(convention.asked + rest)
    for prefix in (None, "/sub"):
        answer = convention.protocol.through(request, policy, prefix=prefix)
        assert answer.given is not None
        assert {key: answer.given[key] for key in request} == request
        slow = convention.protocol.slowly(request, policy, prefix=prefix)
        assert slow is not None
        assert slow == {**answer.given, "postel.report": slow["postel.report"]}
        # Preserving has no effect where there is nothing to preserve.
        assert replace(report_of(slow), target=None) == replace(report_of(answer.given), target=None)


def test_a_repair_stays_below_the_prefix(convention: Convention) -> None:
    request = convention.handed(convention.asked + b"/x/../%7euser//a?q=50%")
    given = convention.protocol.through(request, Policy.LENIENT, prefix="/sub").given
    assert given is not None
    shown = convention.protocol.raw({"REQUEST_URI": given.get("RAW_URI"), **given})
    assert shown.endswith(b"/~user/a?q=50%25")
    assert shown.removeprefix(b"/sub") == b"/~user/a?q=50%25"
    assert given.get("root_path", given.get("SCRIPT_NAME")) == "/sub"


# -- forged prefixes -----------------------------------------------------------------------------------------

FORGED = [
    "/other",
    "/sub/deeper",
    "/su",
    "/sub%2F",
    "/SUB",
    "/sub\x00",
    "//sub",
    "/x/../sub",
    "/sub/..",
    "sub",
]


@EACH_PROTOCOL
@together("policy", POLICIES)
@together("forged", FORGED, ids=ascii)
def test_a_forged_prefix_is_refused_if_the_prefix_is_set(
    protocol: Protocol, forged: str, policy: Policy
) -> None:
    for target in (b"/a", forged.encode() + b"/a", b"/sub/a", b"/sub" + forged.encode() + b"/a"):
        handed = {"SCRIPT_NAME": forged} if protocol is WSGI else {"root_path": forged}
        request = protocol.request_of(target, **handed)
        answer = protocol.through(request, policy, prefix="/sub")
        assert answer.given is None
        assert "prefix-mismatch" in answer.kinds


@EACH_PROTOCOL
@pytest.mark.parametrize("forged", ["/admin", "/a/b"])
def test_with_an_empty_prefix_setting_every_prefix_is_forged(protocol: Protocol, forged: str) -> None:
    request = protocol.mounted(forged.encode() + b"/a", forged)
    assert protocol.through(request).status == 200
    answer = protocol.through(request, prefix="")
    assert answer.kinds == ["prefix-mismatch"]
    (found,) = answer.report.findings
    assert found.detail == f"the server names \"{forged}\"; prefix= is ''"
    assert protocol.through(protocol.request_of(b"/a"), prefix="").status == 200


@EACH_PROTOCOL
def test_a_finding_shows_the_expected_prefix_in_ascii(protocol: Protocol) -> None:
    (found,) = protocol.through(protocol.request_of(b"/a"), prefix="/café").report.findings
    assert found.detail == r"the server names no prefix; prefix= is '/caf\xe9'"
    assert str(found).isascii()


@EACH_PROTOCOL
def test_a_finding_about_a_prefix_quotes_it_and_points_at_the_path(protocol: Protocol) -> None:
    forged = "/b\x1b\u202e" + "c" * 60
    report = protocol.through(protocol.mounted(b"/x", forged), prefix="/a").report
    found = report.findings[-1]
    assert found.kind is Kind.PREFIX_MISMATCH
    shown = "/b\\x1b\\xe2\\x80\\xae" + "c" * 42
    assert found.detail == f"the server names \"{shown}\"; prefix= is '/a'"
    assert found.detail in str(found)
    assert str(found).isascii()
    assert report.received.path[found.offset : found.offset + len(found.excerpt)] == found.excerpt


@EACH_PROTOCOL
def test_a_missing_prefix_is_refused_if_one_is_set(protocol: Protocol) -> None:
    assert protocol.through(protocol.request_of(b"/sub/a"), prefix="/sub").kinds == ["prefix-mismatch"]
    assert protocol.through(protocol.request_of(b"/a"), prefix="/sub").kinds == ["prefix-mismatch"]


@EACH_PROTOCOL
def test_an_observed_forged_prefix_passes(protocol: Protocol) -> None:
    answer = protocol.through(protocol.mounted(b"/other/a", "/other"), prefix="/sub", enforce=False)
    assert answer.status == 200
    assert [each.kind for each in answer.report.findings] == [Kind.PREFIX_MISMATCH]


@EACH_PROTOCOL
@pytest.mark.parametrize("prefix", ["/caf\u00e9", "/50%", "/a b", "/a/b"])
def test_the_prefix_setting_is_decoded_text(protocol: Protocol, prefix: str) -> None:
    written = {"/caf\u00e9": b"/caf%C3%A9", "/50%": b"/50%25", "/a b": b"/a%20b", "/a/b": b"/a/b"}[prefix]
    answer = protocol.through(protocol.mounted(written + b"/x", prefix), prefix=prefix)
    assert answer.given is not None
    assert protocol.raw(answer.given) == written + b"/x"


def test_a_slash_at_the_end_of_root_path_is_not_a_fault_of_the_request() -> None:
    for policy in PRESETS.values():
        for prefix in (None, "/sub"):
            request = scope_of(b"/sub/a", root_path="/sub/")
            assert ASGI.through(request, policy, prefix=prefix).status == 200
            doubled = scope_of(b"/sub//a", root_path="/sub/")
            answer = ASGI.through(doubled, policy, prefix=prefix)
            assert answer.given is None or answer.given["path"] == "/sub/a"


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("root", ["/sub", "/sub/", "/sub//"])
@pytest.mark.parametrize("path", [b"/sub/files/a%2Fb", b"/sub/files/x", b"/sub//files/x", b"/sub///files/x"])
def test_the_application_routes_the_path_that_was_judged(policy: Policy, root: str, path: bytes) -> None:
    """Starlette cuts a root_path off only if a slash follows it, and clients of daphne can send one."""
    judged: list[bytes] = []

    async def files(request: Any) -> PlainTextResponse:
        report = report_of(request)
        assert report is not None
        assert report.target is not None
        judged.append(report.target.path)
        return PlainTextResponse("")

    inner = Starlette(routes=[Route("/files/{rest:path}", files)])
    routes = {"/files": policy.preserving(Kind.ENCODED_SLASH)}
    app = postel.asgi.NormalizeMiddleware(inner, policy, routes=routes, redirect=False)
    answer = call_asgi(app, scope_of(path, root_path=root))
    assert answer.status in {200, 400}
    assert (answer.status == 200) is bool(judged)
    assert all(each.startswith(b"/files/") for each in judged)
    assert path.startswith(b"/sub//") or judged


def test_a_slash_at_the_end_of_a_script_name_hides_two_slashes() -> None:
    for target in (b"/sub//admin", b"/sub/admin"):
        request = {**environ_of(target, SCRIPT_NAME="/sub/"), "PATH_INFO": "/admin"}
        assert WSGI.through(request).kinds == ["prefix-mismatch"]


# -- under a prefix, the proof and the full judgement agree --------------------------------------------------

parts = st.sampled_from(
    ["/", "//", "sub", "a", "/sub", "/sub/", "..", ".", "%", "%2F", "é", "\\", ";", "\ud800", "?"]
)
texts = st.lists(parts, max_size=4).map("".join)


@pytest.mark.no_cover
@given(prefix=texts, rest=texts, front=st.booleans(), name=st.sampled_from([*PRESETS]))
@example(prefix="/sub/", rest="/x", front=True, name="LENIENT")
@example(prefix="/\ud800", rest="/x", front=True, name="LENIENT")
@example(prefix="/sub", rest="/sub/a", front=False, name="STANDARD")
def test_proof_and_judgement_agree_under_a_prefix(prefix: str, rest: str, front: bool, name: str) -> None:
    octets = prefix.encode("utf-8", "surrogatepass")
    target = octets * front + rest.encode("utf-8", "surrogatepass")
    policy = PRESETS[name]
    script = octets.decode("latin-1")
    wsgi = environ_of(target, SCRIPT_NAME=script)
    for protocol, request in (
        (ASGI, scope_of(target, root_path=prefix)),
        (WSGI, wsgi),
        (WSGI, {**wsgi, "PATH_INFO": wsgi["PATH_INFO"].removeprefix(script)}),
    ):
        quick, slow = protocol.through(request, policy).given, protocol.slowly(request, policy)
        assert (quick is None) == (slow is None)
        if quick is not None and slow is not None:
            assert {**quick, "postel.report": None} == {**slow, "postel.report": None}
            assert report_of(quick).received_target == report_of(slow).received_target


@EACH_PROTOCOL
def test_a_clean_request_under_a_prefix_passes_the_proof(protocol: Protocol) -> None:
    for settings in ({}, {"prefix": "/sub"}, {"prefix": None}):
        answer = protocol.through(protocol.mounted(b"/sub/a?q=1", "/sub"), **settings)
        assert answer.given is not None
        assert answer.given["postel.report"] == (b"/a", b"q=1", b"/sub", b"")
        assert report_of(answer.given).received_target == b"/sub/a?q=1"
        assert report_of(answer.given).received.prefix == b"/sub"


@EACH_PROTOCOL
def test_a_prefix_is_judged_by_the_policy_of_the_route(protocol: Protocol) -> None:
    through = protocol.behind(Policy.LENIENT, routes={"/strict": Policy.STRICT})
    assert through.serve(protocol.mounted(b"/a;b/x", "/a;b")).status == 200
    assert through.serve(protocol.mounted(b"/a;b/strict", "/a;b")).kinds == ["prefix-mismatch"]


# -- mounts: postel inside and outside -----------------------------------------------------------------------


def wsgi_page(body: bytes) -> Any:
    def app(environ: Request, start_response: Any) -> Iterable[bytes]:
        return Response(body + b" " + environ["PATH_INFO"].encode("latin-1"))(environ, start_response)

    return app


def dispatched(protocol_settings: dict[str, Any], *, inside: bool) -> Any:
    def postelled(app: Any) -> Any:
        return postel.wsgi.NormalizeMiddleware(app, observer=repr, **protocol_settings)

    mounted = postelled(wsgi_page(INSIDE)) if inside else wsgi_page(INSIDE)
    whole = DispatcherMiddleware(wsgi_page(OUTSIDE), {"/sub": mounted})
    return whole if inside else postelled(whole)


async def starlette_inside(request: Any) -> PlainTextResponse:
    return PlainTextResponse(INSIDE + b" /" + request.path_params["rest"].encode())


async def starlette_outside(request: Any) -> PlainTextResponse:
    return PlainTextResponse(OUTSIDE + b" /" + request.path_params["rest"].encode())


def starlette_mounted(settings: dict[str, Any], *, inside: bool) -> Any:
    def postelled(app: Any) -> Any:
        return postel.asgi.NormalizeMiddleware(app, observer=repr, **settings)

    app: Any = Starlette(routes=[Route("/{rest:path}", starlette_inside)])
    whole = Starlette(
        routes=[
            Mount("/sub", app=postelled(app) if inside else app),
            Route("/{rest:path}", starlette_outside),
        ]
    )
    return whole if inside else postelled(whole)


class Mounted:
    """An application that is mounted at /sub of another, with postel inside or outside."""

    def __init__(self, protocol: Protocol, *, inside: bool, **settings: Any) -> None:
        self.protocol = protocol
        made = dispatched if protocol is WSGI else starlette_mounted
        self.app = made(settings, inside=inside)

    def ask(self, target: bytes) -> Served:
        call = call_wsgi if self.protocol is WSGI else call_asgi
        request = self.protocol.request_of(target)
        if self.protocol is WSGI:
            request.update({"wsgi.url_scheme": "http", "SERVER_NAME": "h", "SERVER_PORT": "80"})
        return call(self.app, request)


@EACH_PROTOCOL
@pytest.mark.parametrize("inside", [True, False], ids=["postel inside", "postel outside"])
def test_mounts_serve_their_paths(protocol: Protocol, inside: bool) -> None:
    for settings in ({}, {"prefix": "/sub" if inside else ""}):
        mounted = Mounted(protocol, inside=inside, **settings)
        assert mounted.ask(b"/sub/a").body == b"inside /a"
        assert mounted.ask(b"/sub/%7ea").body == b"inside /~a"
        assert mounted.ask(b"/a").body == b"outside /a"


@EACH_PROTOCOL
@together("name", PRESETS)
@together("climbing", CLIMBING, ids=ascii)
def test_dot_segments_never_lead_out_of_a_mount(protocol: Protocol, climbing: bytes, name: str) -> None:
    answer = MOUNTED[protocol.name, name].ask(b"/sub" + climbing)
    assert answer.status == 400 or answer.body.startswith(OUTSIDE)  # a mount may call the outer application
    assert not answer.body.startswith(INSIDE)


MOUNTED = {
    (protocol.name, name): Mounted(protocol, inside=True, policy=policy, prefix="/sub")
    for protocol in (WSGI, ASGI)
    for name, policy in PRESETS.items()
}


@EACH_PROTOCOL
def test_outside_a_mount_the_repaired_path_is_dispatched(protocol: Protocol) -> None:
    """A repair in front of a mount decides which application is called. Only LENIENT repairs dot segments."""
    mounted = Mounted(protocol, inside=False, policy=Policy.LENIENT)
    assert mounted.ask(b"/sub/x/../a").body == b"inside /a"
    assert mounted.ask(b"/sub/../a").body == b"outside /a"
    assert mounted.ask(b"/x/../sub/a").body == b"inside /a"
    assert mounted.ask(b"/sub%2F../a").status == 400
    strict = Mounted(protocol, inside=False)
    for target in (b"/sub/../a", b"/x/../sub/a", b"/sub%2Fa"):
        assert strict.ask(target).status == 400
    assert strict.ask(b"//sub/a").status == 308


@EACH_PROTOCOL
def test_a_redirect_from_inside_a_mount_leads_back_to_the_mount(protocol: Protocol) -> None:
    mounted = Mounted(protocol, inside=True, policy=Policy.LENIENT, redirect=True)
    answer = mounted.ask(b"/sub/x/../a?q=1")
    assert (answer.status, dict(answer.headers)["location"]) == (308, "/sub/a?q=1")
    assert mounted.ask(b"/sub/a?q=1").body == b"inside /a"

"""The parts of the ASGI middleware that WSGI does not have."""

from __future__ import annotations

import asyncio
import inspect
import sys
from collections.abc import Iterable
from io import BytesIO
from typing import Any

import asgiref.sync
import httpx
import pytest
from a2wsgi import WSGIMiddleware
from a2wsgi.wsgi import build_environ
from asgiref.testing import ApplicationCommunicator
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route

import postel.wsgi
from adapters import call_asgi, run, scope_of, through_asgi
from postel import Action, Kind, Policy, PolicyError, report_of
from postel.asgi import NormalizeMiddleware

# -- scopes other than requests ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "scope", [{"type": "lifespan"}, {"type": "mqtt", "path": "//"}, {"path": "//"}, {"type": ["http"]}, {}]
)
def test_other_scopes_pass_untouched(scope: dict[str, Any]) -> None:
    passed: list[Any] = []

    async def app(*arguments: Any) -> None:
        passed.extend(arguments)

    receive, send = object(), object()
    before = dict(scope)
    run(NormalizeMiddleware(app)(scope, receive, send))  # Any object is accepted.
    assert all(found is given for found, given in zip(passed, (scope, receive, send), strict=True))
    assert scope == before


def test_receive_and_send_are_passed_on_unchanged() -> None:
    passed: list[Any] = []

    async def app(*arguments: Any) -> None:
        passed.append(arguments[1:])

    receive, send = object(), object()
    for target in (b"/a", b"/%7euser"):
        run(NormalizeMiddleware(app)(scope_of(target), receive, send))  # Any object is accepted.
    assert passed == [(receive, send)] * 2


# -- every place where an application could read the URL -----------------------------------------------------


def test_a_raw_path_is_added_where_there_is_none() -> None:
    scope = scope_of(b"/a b")
    del scope["raw_path"]
    given = through_asgi(scope).given
    assert given is not None
    assert (given["path"], given["raw_path"]) == ("/a b", b"/a%20b")


def test_a_query_of_text_becomes_octets() -> None:
    given = through_asgi(scope_of(b"/a", query_string="q=caf\xe9"))
    assert given.given is None  # The octet E9, which is not UTF-8, is refused.
    given = through_asgi(scope_of(b"/a", query_string="q=1"))
    assert given.given is not None
    assert given.given["query_string"] == b"q=1"


def test_no_other_key_of_a_scope_changes() -> None:
    scope = scope_of(b"/%7euser", state={}, extensions={}, app_root_path="/x")
    given = through_asgi(scope).given
    assert given is not None
    changed = {key for key, each in scope.items() if given[key] is not each and given[key] != each}
    assert changed == {"raw_path"}
    assert given["state"] is scope["state"]


def test_a_root_path_that_servers_prepend_is_not_part_of_the_path() -> None:
    given = through_asgi(scope_of(b"/sub/%7euser", root_path="/sub")).given
    assert given is not None
    assert (given["path"], given["raw_path"], given["root_path"]) == ("/sub/~user", b"/sub/~user", "/sub")
    assert report_of(given).received.path == b"/%7euser"


def test_the_environ_of_a_bridge_is_rewritten_too() -> None:
    environ = {"PATH_INFO": "/~user", "RAW_URI": "/%7euser?q", "QUERY_STRING": "q", "SCRIPT_URL": "/%7euser"}
    given = through_asgi(scope_of(b"/%7euser?q", wsgi_environ=environ)).given
    assert given is not None
    assert given["wsgi_environ"] == {"PATH_INFO": "/~user", "RAW_URI": "/~user?q", "QUERY_STRING": "q"}
    assert environ["RAW_URI"] == "/%7euser?q"


def test_a_root_path_that_is_not_in_the_path_is_unchanged() -> None:
    given = through_asgi(scope_of(b"/%7euser", root_path="/sub")).given
    assert given is not None
    assert (given["path"], given["raw_path"], given["root_path"]) == ("/~user", b"/~user", "/sub")


CUT = [
    pytest.param("/apiadmin", "/api", Policy.STRICT, id="text after the root_path"),
    pytest.param("/x/../api/admin", "/api", Policy.LENIENT, id="a repair writes the root_path"),
    pytest.param("/%61piadmin", "/api", Policy.LENIENT, id="escaped"),
]


@pytest.mark.parametrize(("path", "root", "policy"), CUT)
def test_a_root_path_that_readers_would_cut_from_another_path_is_refused(
    path: str, root: str, policy: Policy
) -> None:
    answer = through_asgi(scope_of(path.encode(), root_path=root), policy)
    assert answer.given is None
    (found,) = [each for each in answer.report.findings if each.action is Action.REJECT]
    assert (found.kind, found.excerpt) == (Kind.PREFIX_MISMATCH, b"")
    assert found.detail == f'"{root}" is not in front of the path, but some frameworks would cut it out'
    assert through_asgi(scope_of(path.encode(), root_path="/other"), policy).given is not None


def test_a_bridge_to_wsgi_cuts_a_root_path_from_another_path() -> None:
    scope = {**scope_of(b"/apiadmin", root_path="/api"), "http_version": "1.1", "server": ("a", 80)}
    environ = build_environ(scope, BytesIO())
    assert (environ["SCRIPT_NAME"], environ["PATH_INFO"].lstrip("/")) == ("/api", "admin")


@pytest.mark.parametrize("is_loaded", [True, False])
def test_litestar_cuts_a_root_path_anywhere(monkeypatch: pytest.MonkeyPatch, is_loaded: bool) -> None:
    modules = {name: each for name, each in sys.modules.items() if name != "litestar"}
    monkeypatch.setattr(sys, "modules", modules | ({"litestar": sys} if is_loaded else {}))
    given = through_asgi(scope_of(b"/x/api/admin", root_path="/api")).given
    assert (given is None) is is_loaded


def test_the_raw_path_of_an_old_mount_agrees_with_its_path() -> None:
    given = through_asgi(scope_of(b"/sub/%7euser", path="/~user", root_path="/sub")).given
    assert given is not None
    assert (given["path"], given["raw_path"]) == ("/~user", b"/~user")


def test_a_decoded_raw_path_is_not_decoded_again() -> None:
    """granian 2.0.1 and older hand over such a scope for ``/a%252Fb``."""
    answer = through_asgi(
        scope_of(b"/a%2Fb", path="/a%2Fb"), Policy.STANDARD.reporting(Kind.UNSAFE_DOUBLE_ESCAPE)
    )
    assert answer.given is not None
    assert (answer.given["path"], answer.given["raw_path"]) == ("/a%2Fb", b"/a%252Fb")
    assert not answer.report.verbatim
    assert Kind.ENCODED_SLASH in answer.report.blind


# -- websockets ----------------------------------------------------------------------------------------------


def test_a_websocket_is_closed_before_it_is_accepted() -> None:
    refusals: list[Any] = []

    async def scenario(scope: dict[str, Any]) -> Any:
        middleware = NormalizeMiddleware(unasked, refusal=unasked, observer=refusals.append)
        communicator = ApplicationCommunicator(middleware, scope)
        await communicator.send_input({"type": "websocket.connect"})
        message = await communicator.receive_output(1)
        assert await communicator.receive_nothing(0.01)
        await communicator.wait(1)
        return message

    scope = scope_of(b"/%00") | {"type": "websocket", "subprotocols": []}
    del scope["method"]
    assert asyncio.run(scenario(scope)) == {"type": "websocket.close", "code": 1008}
    assert refusals[0].refused


def test_a_websocket_receives_the_repaired_url() -> None:
    seen: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope)

    run(NormalizeMiddleware(app)(scope_of(b"/%7euser") | {"type": "websocket"}, unasked, unasked))
    assert seen[0]["path"] == "/~user"
    assert seen[0]["raw_path"] == b"/~user"


async def unasked(*_: Any) -> Any:
    raise AssertionError("this must not be called")


# -- what validators find ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "status"),
    [(b"/a", 200), (b"/%7euser", 200), (b"//", 308), (b"/%00", 400), (b"/" + b"a" * 9000, 414)],
)
def test_asgirefs_communicator_accepts_every_message(target: bytes, status: int) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        assert (await receive())["type"] == "http.request"
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def scenario() -> tuple[Any, Any]:
        communicator = ApplicationCommunicator(NormalizeMiddleware(app, observer=repr), scope_of(target))
        await communicator.send_input({"type": "http.request", "body": b""})
        start = await communicator.receive_output(1)
        body = await communicator.receive_output(1)
        assert await communicator.receive_nothing(0.01)
        await communicator.wait(1)
        return start, body

    start, body = asyncio.run(scenario())
    assert start.keys() == {"type", "status", "headers"}
    assert (start["type"], start["status"]) == ("http.response.start", status)
    assert all(type(each) is bytes for pair in start["headers"] for each in pair)
    assert body["type"] == "http.response.body"
    assert not body.get("more_body")


def test_servers_recognise_the_middleware_as_asgi() -> None:
    middleware = NormalizeMiddleware(unasked)
    assert inspect.iscoroutinefunction(middleware.__call__)
    assert asyncio.iscoroutinefunction(middleware.__call__)
    assert asgiref.sync.iscoroutinefunction(middleware.__call__)
    assert list(inspect.signature(middleware).parameters) == ["scope", "receive", "send"]


def test_a_call_in_the_style_of_wsgi_raises() -> None:
    with pytest.raises(TypeError, match=r"as in WSGI; import NormalizeMiddleware from postel\.wsgi"):
        run(NormalizeMiddleware(unasked)({}, unasked))


# -- Starlette -----------------------------------------------------------------------------------------------


def get(app: Any, target: str) -> httpx.Response:
    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://h.test") as client:
            return await client.get(target)

    return asyncio.run(ask())


async def show(request: Any) -> JSONResponse:
    return JSONResponse({"path": request.url.path, "q": request.query_params.get("q")})


def test_the_middleware_works_in_starlettes_own_list() -> None:
    app = Starlette(
        routes=[Mount("/sub", routes=[Route("/~user", show)])], middleware=[Middleware(NormalizeMiddleware)]
    )
    assert get(app, "/sub/%7euser?q=50%").json() == {"path": "/sub/~user", "q": "50%"}
    assert get(app, "/sub/%00").status_code == 400


def test_the_middleware_works_inside_a_mount() -> None:
    app = Starlette(routes=[Mount("/sub", NormalizeMiddleware(Starlette(routes=[Route("/~user", show)])))])
    assert get(app, "/sub/%7euser").json() == {"path": "/sub/~user", "q": None}
    assert get(app, "/sub/%7euser%2Fx").status_code == 400


def test_a_wsgi_application_behind_a_bridge_reads_the_judged_url() -> None:
    seen: list[Any] = []

    def app(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        seen.append(environ)
        start_response("200 OK", [])
        return [b"hello"]

    inner = WSGIMiddleware(postel.wsgi.NormalizeMiddleware(app))  # a2wsgi has its own types.
    assert get(NormalizeMiddleware(inner), "/%7euser?q=50%").content == b"hello"
    assert (seen[0]["PATH_INFO"], seen[0]["QUERY_STRING"]) == ("/~user", "q=50%25")
    assert report_of(seen[0]).received_target == b"/%7euser?q=50%"


def test_the_default_refusal_needs_no_event_loop() -> None:
    assert call_asgi(NormalizeMiddleware(unasked, observer=repr), scope_of(b"/%00")).status == 400


def test_a_wrong_setting_stops_starlette_when_it_starts() -> None:
    app = Starlette(middleware=[Middleware(NormalizeMiddleware, policy="standard")])
    with pytest.raises(PolicyError, match="is text"):
        run(app({"type": "lifespan"}, None, None))

"""WebSocket handshakes are judged as requests are. A refused one is answered if the server can, or closed."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.responses import JSONResponse, RedirectResponse, StreamingResponse
from starlette.routing import WebSocketRoute

from adapters import scope_of
from postel import Kind, LogObserver, Policy, report_of
from postel._http.websocket import DeniedReceive
from postel.asgi import NormalizeMiddleware

DENIAL = "websocket.http.response"


def handshake(target: bytes, *, denial: bool = True, **keys: Any) -> dict[str, Any]:
    scope = scope_of(target, **keys)
    del scope["method"]
    return {
        **scope,
        "type": "websocket",
        "scheme": keys.get("scheme", "ws"),
        "subprotocols": ["chat"],
        "extensions": {DENIAL: {}} if denial else {},
    }


class Connection:
    """A handshake from the server's side."""

    def __init__(self, scope: dict[str, Any]) -> None:
        self.scope = scope
        self.sent: list[Any] = []
        self.to_come = [{"type": "websocket.connect"}, {"type": "websocket.disconnect", "code": 1006}]
        self.given: Any = None

    async def receive(self) -> Any:
        return self.to_come.pop(0)

    async def send(self, message: Any) -> None:
        self.sent.append(message)

    async def app(self, scope: Any, receive: Any, send: Any) -> None:
        self.given = scope
        assert await receive() == {"type": "websocket.connect"}
        await send({"type": "websocket.accept"})

    def through(self, policy: Policy = Policy.STANDARD, app: Any = None, **settings: Any) -> Connection:
        app = NormalizeMiddleware(app or self.app, policy, **{"observer": repr, **settings})
        asyncio.run(app(self.scope, self.receive, self.send))
        return self


# -- what passes ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("denial", [True, False])
@pytest.mark.parametrize(("target", "path"), [(b"/chat?q=1", b"/chat"), (b"/%7echat?q=1", b"/~chat")])
def test_an_accepted_handshake_stays_a_handshake(target: bytes, path: bytes, denial: bool) -> None:
    connection = Connection(handshake(target, denial=denial)).through()
    assert connection.sent == [{"type": "websocket.accept"}]
    assert connection.given["type"] == "websocket"
    assert (connection.given["raw_path"], connection.given["query_string"]) == (path, b"q=1")
    assert connection.given["subprotocols"] == ["chat"]
    assert report_of(connection.given).received_target == target


def test_an_observed_handshake_passes() -> None:
    connection = Connection(handshake(b"//chat")).through(enforce=False)
    assert connection.given["raw_path"] == b"//chat"
    assert report_of(connection.given).refused


def test_the_log_shows_websocket_in_place_of_a_method(caplog: pytest.LogCaptureFixture) -> None:
    # The scope of a handshake has no method.
    Connection(handshake(b"/%00")).through(observer=LogObserver())
    (record,) = caplog.records
    assert record.getMessage().startswith('refused "WebSocket" "/%00" from "192.0.2.1": nul in path at 1')
    assert vars(record)["postel_method"] == "WebSocket"


# -- the default refusal -------------------------------------------------------------------------------------


def test_a_refused_handshake_is_answered_with_the_default_refusal() -> None:
    connection = Connection(handshake(b"/%00")).through()
    start, end = connection.sent
    sent_id = dict(start["headers"])[b"x-request-id"]
    body = b"Bad Request: the request was refused (nul).\nRequest id: " + sent_id + b"\n"
    assert (start["type"], start["status"]) == (f"{DENIAL}.start", 400)
    assert (b"content-type", b"text/plain; charset=utf-8") in start["headers"]
    assert (b"content-length", str(len(body)).encode()) in start["headers"]
    assert end == {"type": f"{DENIAL}.body", "body": body}
    assert connection.given is None


async def redirecting(scope: Any, _receive: Any, send: Any) -> None:
    """Answer handshakes with a redirect to the host that the query names."""
    location = b"https://" + scope["query_string"] + b"/"
    await send({"type": f"{DENIAL}.start", "status": 302, "headers": [(b"location", location)]})
    await send({"type": f"{DENIAL}.body", "body": b"its own"})


@pytest.mark.parametrize("refusal", [None, JSONResponse({"own": 1}, 403)])
def test_a_denial_with_a_foreign_location_is_refused(refusal: Any) -> None:
    hosted: dict[str, Any] = {"headers": [(b"host", b"a.example")]}
    settings: dict[str, Any] = {"hosts": ["a.example"], "locations": "refuse", "refusal": refusal}
    told: list[Any] = []
    connection = Connection(handshake(b"/chat?evil.example", **hosted))
    connection.through(app=redirecting, observer=told.append, **settings)
    start, end = connection.sent
    assert (start["type"], start["status"], end["type"]) == (f"{DENIAL}.start", 403, f"{DENIAL}.body")
    assert b"its own" not in end["body"]
    assert b"location" not in dict(start["headers"])
    assert [each.kind for each in told[0].findings] == [Kind.FOREIGN_LOCATION]
    connection = Connection(handshake(b"/chat?a.example", **hosted)).through(app=redirecting, **settings)
    assert [each["type"] for each in connection.sent] == [f"{DENIAL}.start", f"{DENIAL}.body"]
    assert connection.sent[1]["body"] == b"its own"
    connection = Connection(handshake(b"/chat", **hosted)).through(**settings)
    assert connection.sent == [{"type": "websocket.accept"}]


def test_a_denial_of_starlette_with_a_foreign_location_is_refused() -> None:
    async def deny(websocket: Any) -> None:
        await websocket.receive()
        await websocket.send_denial_response(RedirectResponse(websocket.query_params["next"]))

    app = Starlette(routes=[WebSocketRoute("/chat", deny)])
    settings: dict[str, Any] = {"hosts": ["a.example"], "locations": "refuse", "app": app}
    for target, status in ((b"/chat?next=//evil.example", 403), (b"/chat?next=/login", 307)):
        scope = handshake(target, headers=[(b"host", b"a.example")])
        assert Connection(scope).through(**settings).sent[0]["status"] == status


def test_the_status_of_the_answer_depends_on_the_kind() -> None:
    connection = Connection(handshake(b"/%00")).through(statuses={Kind.NUL: 404})
    assert connection.sent[0]["status"] == 404
    assert Connection(handshake(b"/" + b"a" * 9000)).through().sent[0]["status"] == 414


def test_clients_that_prefer_json_get_a_problem_document() -> None:
    headers = [(b"accept", b"application/json")]
    sent = Connection(handshake(b"/%00", headers=headers)).through().sent
    assert json.loads(sent[1]["body"])["kinds"] == ["nul"]


@pytest.mark.parametrize("extensions", [{}, None, 5, {"http.response.push": {}}])
def test_without_the_extension_the_handshake_is_closed(extensions: Any) -> None:
    scope = {**handshake(b"/%00"), "extensions": extensions}
    assert Connection(scope).through().sent == [{"type": "websocket.close", "code": 1008}]
    del scope["extensions"]
    assert Connection(scope).through().sent == [{"type": "websocket.close", "code": 1008}]


def test_without_the_extension_your_own_refusal_is_not_called() -> None:
    connection = Connection(handshake(b"/%00", denial=False)).through(refusal=JSONResponse({}, 404))
    assert connection.sent == [{"type": "websocket.close", "code": 1008}]


def test_a_handshake_is_not_redirected() -> None:
    connection = Connection(handshake(b"//chat")).through(Policy.LENIENT, redirect=True)
    assert connection.given["raw_path"] == b"/chat"


# -- an application as the refusal ---------------------------------------------------------------------------


def test_an_application_can_be_the_refusal() -> None:
    connection = Connection(handshake(b"/%00")).through(refusal=JSONResponse({"error": "url"}, 422))
    start, end = connection.sent
    assert (start["type"], start["status"]) == (f"{DENIAL}.start", 422)
    assert (end["type"], end["body"]) == (f"{DENIAL}.body", b'{"error":"url"}')


def test_a_streaming_refusal_is_not_cut_short() -> None:
    """The refusal waits for the client to disconnect. It receives no messages of the handshake."""
    scope = {**handshake(b"/%00"), "asgi": {"version": "3.0", "spec_version": "2.3"}}
    connection = Connection(scope)
    left = asyncio.Event()

    async def receive() -> Any:
        if connection.to_come[0]["type"] == "websocket.disconnect":
            await left.wait()
        return connection.to_come.pop(0)

    async def pieces() -> Any:
        for piece in (b"one", b"two"):
            await asyncio.sleep(0)
            yield piece

    connection.receive = receive
    connection.through(refusal=StreamingResponse(pieces(), 400))
    assert [each["type"] for each in connection.sent] == [f"{DENIAL}.start"] + [f"{DENIAL}.body"] * 3
    assert b"".join(each.get("body", b"") for each in connection.sent) == b"onetwo"


def test_the_refusal_receives_an_empty_body_and_then_a_disconnect() -> None:
    connection = Connection(handshake(b"/%00"))
    receive = DeniedReceive(connection.receive)

    async def all_of_it() -> list[Any]:
        return [await receive(), await receive()]

    assert asyncio.run(all_of_it()) == [
        {"type": "http.request", "body": b"", "more_body": False},
        {"type": "http.disconnect"},
    ]
    assert connection.to_come == []


@pytest.mark.parametrize(("scheme", "shown"), [("ws", "http"), ("wss", "https")])
def test_the_refusal_receives_a_neutral_request(scheme: str, shown: str) -> None:
    given: list[Any] = []

    async def refusal(scope: Any, receive: Any, send: Any) -> None:
        given.append(scope)
        await JSONResponse({}, 400)(scope, receive, send)

    scope = handshake(b"/x%00?secret", scheme=scheme, root_path="/mount", app_root_path="/mount")
    Connection({**scope, "extensions": {DENIAL: {}, "http.response.pathsend": {}}}).through(refusal=refusal)
    ((shown_scope),) = given
    assert report_of(shown_scope).refused
    kept = {key: shown_scope[key] for key in shown_scope.keys() - {"postel.report", "headers", "client"}}
    assert kept == {
        "type": "http",
        "method": "GET",
        "scheme": shown,
        "path": "/",
        "raw_path": b"/",
        "query_string": b"",
        "root_path": "",
        "subprotocols": ["chat"],
        "extensions": {},
    }


# -- with Starlette ------------------------------------------------------------------------------------------


async def chat(websocket: Any) -> None:
    await websocket.accept()
    await websocket.send_text(websocket.path_params["room"])
    await websocket.close()


CHAT = Starlette(routes=[WebSocketRoute("/chat/{room}", chat)])


def test_starlette_reads_the_repaired_url() -> None:
    connection = Connection(handshake(b"/chat/%7eme"))
    connection.through(app=CHAT)
    assert [each.get("text") for each in connection.sent] == [None, "~me", None]
    assert connection.sent[0]["type"] == "websocket.accept"


def test_starlette_is_not_called_for_refused_handshakes() -> None:
    connection = Connection(handshake(b"/chat/%00")).through(app=CHAT)
    assert connection.sent[0]["status"] == 400

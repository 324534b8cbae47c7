"""ASGI's types, and the WebSocket denial response: refusing a handshake with an answer of HTTP.

ASGI, extension ``websocket.http.response``: an application may answer the handshake as if it were a request,
under other names of its messages, where the server says that it can pass that on.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final, TypeAlias, final

Scope: TypeAlias = MutableMapping[str, Any]
"""What an ASGI server tells of a connection: ASGI 3.0, connection scope."""
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
"""What an application awaits the client's messages from: ASGI 3.0, events."""
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
"""What an application sends its messages to: ASGI 3.0, events."""
ASGIApp: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]
"""An application, or what is wrapped around one: ASGI 3.0, applications."""

DENIAL: Final = "websocket.http.response"
"""The extension's key, and what its messages' names begin with."""


def as_http(scope: Scope) -> Scope:
    """The scope of a handshake as that of the request it is; what extends a handshake extends no request."""
    scheme = "https" if scope.get("scheme") == "wss" else "http"
    return {**scope, "type": "http", "method": "GET", "scheme": scheme, "extensions": {}}


@final
class DeniedSend:
    """Sends the answer of an HTTP application as the denial of a handshake."""

    __slots__ = ("_send",)

    def __init__(self, send: Send) -> None:
        """``send`` is the handshake's."""
        self._send = send

    async def __call__(self, message: MutableMapping[str, Any]) -> None:
        """Send a message of an HTTP response under its other name."""
        name = str(message["type"]).removeprefix("http.response")
        await self._send({**message, "type": DENIAL + name})


@final
class DeniedReceive:
    """A request without a body, for an HTTP application that answers in place of another one."""

    __slots__ = ("_asked", "_receive")

    def __init__(self, receive: Receive) -> None:
        """``receive`` is that of the refused request or handshake."""
        self._asked = False
        self._receive = receive

    async def __call__(self) -> MutableMapping[str, Any]:
        """The empty body; and then, once the client has gone, that it has."""
        if not self._asked:
            self._asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        # An application that streams its answer stops as soon as it hears of the end.
        while (await self._receive())["type"] not in ("websocket.disconnect", "http.disconnect"):
            pass
        return {"type": "http.disconnect"}

"""ASGI's types, and the scope and messages for an application that answers refused requests and handshakes.

If the server supports ASGI's extension ``websocket.http.response``, an application may answer a handshake
like an HTTP request, with other names for its messages.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any, Final, TypeAlias, final

from postel._catalogue.check import Component
from postel._http.headers import latin1_octets, withheld_headers, without_headers
from postel._http.interop import ENVIRON
from postel._http.report import KEY, Report

Scope: TypeAlias = MutableMapping[str, Any]
"""What an ASGI server says about a connection: ASGI 3.0, connection scope."""
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
"""Awaits a message from the client: ASGI 3.0, events."""
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
"""Sends a message to the client: ASGI 3.0, events."""
# The parameters are Any, because no precise types fit every framework: Starlette declares the scope as a
# MutableMapping, and django-stubs as a dict.
ASGIApp: TypeAlias = Callable[[Any, Any, Any], Awaitable[None]]
"""An application, or a middleware around one: ASGI 3.0, applications."""

DENIAL: Final = "websocket.http.response"
"""The key of the extension, and the prefix of the names of its messages."""


def can_deny(scope: Scope) -> bool:
    """Whether the server lets an application answer a handshake like an HTTP request."""
    extensions = scope.get("extensions")
    return scope.get("type") == "websocket" and isinstance(extensions, Mapping) and DENIAL in extensions


def as_http(scope: Scope) -> Scope:
    """Turn the scope of a handshake into that of an HTTP request, without the extensions of handshakes."""
    scheme = "https" if scope.get("scheme") == "wss" else "http"
    return {**scope, "type": "http", "method": "GET", "scheme": scheme, "extensions": {}}


def neutral(scope: Scope, report: Report) -> Scope:
    """A copy of a scope for the refusal application: a request for ``/``, safe to show in a template."""
    shown = {**scope, "path": "/", "raw_path": b"/", "query_string": b"", "root_path": "", KEY: report}
    shown.pop("app_root_path", None)  # Starlette's name for the outermost root_path
    shown.pop(ENVIRON, None)
    components = {each.component for each in report.findings}
    shown["headers"] = without_headers(shown, withheld_headers(components))
    if Component.HEADERS in components:
        shown["headers"] = [pair for pair in shown["headers"] if b"_" not in latin1_octets(pair[0])]
    return shown if scope["type"] == "http" else as_http(shown)


@final
class DeniedSend:
    """Sends the answer of an HTTP application as the denial of a handshake."""

    __slots__ = ("_send",)

    def __init__(self, send: Send) -> None:
        """``send`` sends the messages of the handshake."""
        self._send = send

    async def __call__(self, message: MutableMapping[str, Any]) -> None:
        """Send a message of an HTTP response, renamed for the extension ``websocket.http.response``."""
        name = str(message["type"]).removeprefix("http.response")
        await self._send({**message, "type": DENIAL + name})


@final
class DeniedReceive:
    """A ``receive`` for an application that answers a refused request: an empty body, then the disconnect."""

    __slots__ = ("_body_sent", "_receive")

    def __init__(self, receive: Receive) -> None:
        """``receive`` receives the messages of the refused request or handshake."""
        self._body_sent = False
        self._receive = receive

    async def __call__(self) -> MutableMapping[str, Any]:
        """Receive the empty body, and then the disconnect of the client."""
        if not self._body_sent:
            self._body_sent = True
            return {"type": "http.request", "body": b"", "more_body": False}
        # An application that streams its answer stops when it receives a disconnect.
        while (await self._receive())["type"] not in ("websocket.disconnect", "http.disconnect"):
            pass
        return {"type": "http.disconnect"}

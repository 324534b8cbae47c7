"""The two middlewares with the tested settings, and applications wrapped in them.

A client of HTTP/1.1 always sends a Host, and postel refuses a request without one. Some test clients omit it,
and the application falls back to the server's name, so that name is used as the Host here.
"""

from __future__ import annotations

import copy
import os
from typing import Any, Final

from behind_postel.recording import RECORD
from postel import Forms, Policy, asgi, wsgi

# Multipart forms pass unjudged, because test clients send multipart/form-data by default.
_SETTINGS: Final[dict[str, Any]] = {
    "policy": Policy.parse(os.environ.get("BEHIND_POSTEL_POLICY", "standard")),
    "forms": Forms(multipart="untouched"),
    "observer": RECORD.observe,
}
# Construction is slow, and some clients wrap for every request, so each application gets a copy.
_WSGI: Final = wsgi.NormalizeMiddleware(lambda environ, start_response: [], **_SETTINGS)
_ASGI: Final = asgi.NormalizeMiddleware(lambda scope, receive, send: None, **_SETTINGS)
_PORTS: Final = {"http": "80", "https": "443", "ws": "80", "wss": "443"}


def wrap_wsgi(app: Any) -> Any:
    """Return the application behind postel; every call of it is counted."""
    wrapped = copy.copy(_WSGI)
    wrapped.app = app

    def counted(environ: dict[str, Any], start_response: Any) -> Any:
        RECORD.requests += 1
        if "HTTP_HOST" not in environ and "SERVER_NAME" in environ:
            port = str(environ.get("SERVER_PORT", ""))
            default = _PORTS.get(environ.get("wsgi.url_scheme", ""), "")
            environ = {**environ, "HTTP_HOST": _authority(environ["SERVER_NAME"], port, default)}
        return wrapped(environ, start_response)

    return counted


def wrap_asgi(app: Any) -> Any:
    """Return the application behind postel; requests and handshakes are counted, lifespans are not."""
    wrapped = copy.copy(_ASGI)
    wrapped.app = app

    async def counted(scope: dict[str, Any], receive: Any, send: Any) -> None:
        RECORD.requests += scope["type"] != "lifespan"
        # Falcon's client sends iterators, which can be read only once. Servers send lists and tuples.
        headers = [tuple(pair) for pair in scope.get("headers", ())]
        scope = {**scope, "headers": headers}
        if scope.get("server") and not any(name == b"host" for name, _ in headers):
            host, port = server = tuple(scope["server"])
            authority = _authority(host, str(port or ""), _PORTS.get(scope.get("scheme", ""), ""))
            scope = {**scope, "server": server, "headers": [*headers, (b"host", authority.encode())]}
        await wrapped(scope, receive, send)

    return counted


def _authority(host: str, port: str, default: str) -> str:
    """Return the Host that a client would have sent."""
    return host if port in {"", default} else f"{host}:{port}"

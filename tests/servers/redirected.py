"""Applications for servers, behind postel: they return what they read, and accept handshakes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import postel.asgi
import postel.wsgi
from postel import Policy

SETTINGS: Any = {"observer": repr, "prefix": os.environ.get("POSTEL_TEST_PREFIX")}
READ = "read "


def read_environ(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    read = f"{READ}{environ['SCRIPT_NAME']}|{environ['PATH_INFO']}?{environ['QUERY_STRING']}".encode(
        "latin-1"
    )
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(read)))])
    return [read]


async def read_scope(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "lifespan":
        return
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        await send({"type": "websocket.close"})
        return
    root, path = scope.get("root_path", ""), scope["path"]
    body = f"{READ}{root}|{path.removeprefix(root)}?{scope['query_string'].decode('latin-1')}".encode()
    headers = [(b"content-type", b"text/plain"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


wsgi = postel.wsgi.NormalizeMiddleware(read_environ, Policy.LENIENT, redirect=True, **SETTINGS)
asgi = postel.asgi.NormalizeMiddleware(read_scope, Policy.LENIENT, redirect=True, **SETTINGS)

wsgi_by_default = postel.wsgi.NormalizeMiddleware(read_environ, **SETTINGS)
asgi_by_default = postel.asgi.NormalizeMiddleware(read_scope, **SETTINGS)

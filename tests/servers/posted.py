"""Applications for the servers that return what they read of a body, stream it back, or do not read it.

The path selects what an application does. A header selects the postel in front: none, forms off, forms on,
JSON, or uploads of which few octets stay in memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import postel.asgi
import postel.wsgi
from postel import Forms, Report

HEADER = "X-Stack"
PIECE = 1024
EARLY = b"answered before the body"
ROOM = 300_000
UPLOADS = Forms(memory=5000, upload=ROOM, spool_limit=ROOM)


def ignore(_: Report) -> None:
    """Ignore a report, because refusals are intended here."""


# -- WSGI ----------------------------------------------------------------------------------------------------


def pieces_of(environ: dict[str, Any]) -> Iterator[bytes]:
    """Yield the body in pieces of a size that gunicorn reads at once."""
    left = int(environ.get("CONTENT_LENGTH") or 2**30)
    while left and (piece := environ["wsgi.input"].read(min(PIECE, left))):
        left -= len(piece)
        yield piece


def wsgi_app(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    path = environ["PATH_INFO"]
    if path == "/early":
        start_response("200 OK", [("Content-Length", str(len(EARLY)))])
        return [EARLY]
    if path == "/stream":
        start_response("200 OK", [("Content-Type", "text/plain")])
        return pieces_of(environ)
    read = {
        "body": b"".join(pieces_of(environ)).decode("latin-1"),
        "length": environ.get("CONTENT_LENGTH") or None,
        "framing": environ.get("HTTP_TRANSFER_ENCODING"),
    }
    start_response("200 OK", [("Content-Type", "application/json")])
    return [json.dumps(read).encode()]


WSGI_STACKS = {
    "bare": wsgi_app,
    "off": postel.wsgi.NormalizeMiddleware(wsgi_app, observer=ignore),
    "on": postel.wsgi.NormalizeMiddleware(wsgi_app, observer=ignore, forms=True),
    "json": postel.wsgi.NormalizeMiddleware(wsgi_app, observer=ignore, json=True),
    "uploads": postel.wsgi.NormalizeMiddleware(wsgi_app, observer=ignore, forms=UPLOADS),
}


def wsgi(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    return WSGI_STACKS[environ["HTTP_X_STACK"]](environ, start_response)


# -- ASGI ----------------------------------------------------------------------------------------------------


async def asgi_app(scope: Any, receive: Any, send: Any) -> None:
    path = scope["path"]
    if path == "/early":
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"24")]})
        await send({"type": "http.response.body", "body": EARLY})
        return
    if path == "/stream":
        await send({"type": "http.response.start", "status": 200, "headers": []})
    body, more = b"", True
    while more:
        message = await receive()
        more = message.get("more_body", False)
        body += message.get("body", b"")
        if path == "/stream":
            await send({"type": "http.response.body", "body": message.get("body", b""), "more_body": more})
    if path != "/stream":
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        read = {
            "body": body.decode("latin-1"),
            "length": headers.get("content-length"),
            "framing": headers.get("transfer-encoding"),
        }
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": json.dumps(read).encode()})


ASGI_STACKS = {
    "bare": asgi_app,
    "off": postel.asgi.NormalizeMiddleware(asgi_app, observer=ignore),
    "on": postel.asgi.NormalizeMiddleware(asgi_app, observer=ignore, forms=True),
    "json": postel.asgi.NormalizeMiddleware(asgi_app, observer=ignore, json=True),
    "uploads": postel.asgi.NormalizeMiddleware(asgi_app, observer=ignore, forms=UPLOADS),
}


async def asgi(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "http":
        await ASGI_STACKS[dict(scope["headers"])[b"x-stack"].decode()](scope, receive, send)

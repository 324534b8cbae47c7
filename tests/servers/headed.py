"""Applications for the servers that return the headers and cookies that they receive.

The path selects the postel in front. A header cannot, because headers are what is tested.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import bottle
from starlette.requests import Request
from werkzeug.wrappers import Request as WerkzeugRequest

import postel.asgi
import postel.wsgi
from postel import Action, Policy, Report


def ignore(_: Report) -> None:
    """Ignore a report, because refusals are intended here."""


SETTINGS: dict[str, Any] = {
    "/standard": {},
    "/strict": {"policy": Policy.STRICT},
    "/lenient": {"policy": Policy.LENIENT},
    "/cookies": {"headers": {"cookie": Action.REJECT}},
}

# -- WSGI ----------------------------------------------------------------------------------------------------


def bare_wsgi(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    told = {
        "headers": {key: value for key, value in environ.items() if key.startswith(("HTTP_", "CONTENT_"))},
        "cookies": {
            "Werkzeug": dict(WerkzeugRequest(environ).cookies),
            "Bottle": dict(bottle.BaseRequest(environ).cookies),
        },
        "url": bottle.BaseRequest(environ).url,
        "method": environ["REQUEST_METHOD"],
    }
    body = json.dumps(told).encode()
    start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(body)))])
    return [body]


WSGI: dict[str, Any] = {
    path: postel.wsgi.NormalizeMiddleware(bare_wsgi, observer=ignore, **settings)
    for path, settings in SETTINGS.items()
}


def wsgi(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    app: Iterable[bytes] = WSGI.get(environ["PATH_INFO"], bare_wsgi)(environ, start_response)
    return app


# -- ASGI ----------------------------------------------------------------------------------------------------


async def bare_asgi(scope: Any, receive: Any, send: Any) -> None:
    told = {
        "headers": [[name.decode("latin-1"), value.decode("latin-1")] for name, value in scope["headers"]],
        "cookies": {"Starlette": Request(scope, receive).cookies},
        "root": scope.get("root_path"),
        "path": scope["path"],
        "method": scope["method"],
    }
    body = json.dumps(told).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


ASGI: dict[str, Any] = {
    path: postel.asgi.NormalizeMiddleware(bare_asgi, observer=ignore, **settings)
    for path, settings in SETTINGS.items()
}


async def accepted(_scope: Any, receive: Any, send: Any) -> None:
    """Accept a WebSocket handshake, and close the connection."""
    await receive()
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.close"})


HANDSHAKES = postel.asgi.NormalizeMiddleware(accepted, policy=Policy.STRICT, observer=ignore)


async def asgi(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "http":
        await ASGI.get(scope["path"], bare_asgi)(scope, receive, send)
    elif scope["type"] == "websocket":
        await HANDSHAKES(scope, receive, send)


async def rooted(scope: Any, receive: Any, send: Any) -> None:
    """Pass HTTP requests to an application wrapped in the usual way, with the log as observer."""
    if scope["type"] == "http":
        await ROOTED(scope, receive, send)


ROOTED = postel.asgi.NormalizeMiddleware(bare_asgi)

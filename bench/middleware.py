"""Measure what the middleware and a wrapper that does nothing add to a plain request, without a server."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any, Final

from postel.asgi import NormalizeMiddleware as Asgi
from postel.wsgi import NormalizeMiddleware as Wsgi

_NUMBERS: Final = count(100_000)
_BATCH: Final = 200


async def _asgi(scope: Any, receive: Any, send: Any) -> None:
    """An application that does nothing."""


class AsgiNoOp:
    """A wrapper that does nothing."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Call the application."""
        await self.app(scope, receive, send)


def _wsgi(environ: Any, start_response: Any) -> list[bytes]:
    return []


class WsgiNoOp:
    """A wrapper that does nothing."""

    def __init__(self, app: Any) -> None:
        self.app = app

    def __call__(self, environ: Any, start_response: Any) -> Any:
        """Call the application."""
        return self.app(environ, start_response)


def _scope(n: int) -> dict[str, Any]:
    """A scope as uvicorn makes it."""
    path = f"/articles/{n}/comments"
    headers = [(b"host", b"example.com"), (b"user-agent", b"Mozilla/5.0"), (b"accept", b"*/*")]
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "server": ("127.0.0.1", 8000),
        "client": ("127.0.0.1", 50000),
        "scheme": "http",
        "method": "GET",
        "root_path": "",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"page=2&sort=newest&id=%d" % n,
        "headers": headers,
        "state": {},
    }


def _environ(n: int) -> dict[str, Any]:
    """An environ as gunicorn makes it."""
    path, query = f"/articles/{n}/comments", f"page=2&sort=newest&id={n}"
    return {
        "wsgi.errors": None,
        "wsgi.version": (1, 0),
        "wsgi.multithread": False,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        "wsgi.file_wrapper": None,
        "wsgi.input_terminated": True,
        "SERVER_SOFTWARE": "gunicorn",
        "wsgi.input": None,
        "gunicorn.socket": None,
        "REQUEST_METHOD": "GET",
        "QUERY_STRING": query,
        "RAW_URI": f"{path}?{query}",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_HOST": "example.com",
        "HTTP_USER_AGENT": "Mozilla/5.0",
        "HTTP_ACCEPT": "*/*",
        "wsgi.url_scheme": "http",
        "REMOTE_ADDR": "127.0.0.1",
        "REMOTE_PORT": "50000",
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "8000",
        "PATH_INFO": path,
        "SCRIPT_NAME": "",
    }


def _serve_asgi(app: Any, requests: Sequence[Any]) -> None:
    for request in requests:
        try:
            app(request, None, _send).send(None)
        except StopIteration:
            continue


async def _send(message: Any) -> None:
    """Discard a message."""


def _serve_wsgi(app: Any, requests: Sequence[Any]) -> None:
    for request in requests:
        app(request, _start)


def _start(status: str, headers: Any, exc_info: Any = None) -> Any:
    """Discard the status and the headers."""


Serve = Callable[[Any, Sequence[Any]], None]
_SIDES: Final[dict[str, tuple[Callable[[int], Any], Serve, dict[str, Any]]]] = {
    "ASGI": (_scope, _serve_asgi, {"bare": _asgi, "no-op": AsgiNoOp(_asgi), "postel": Asgi(_asgi)}),
    "WSGI": (_environ, _serve_wsgi, {"bare": _wsgi, "no-op": WsgiNoOp(_wsgi), "postel": Wsgi(_wsgi)}),
}


def measure(rounds: int) -> dict[str, dict[str, float]]:
    """Return the median seconds for a request: alone, in a wrapper that does nothing, and behind postel."""
    results: dict[str, dict[str, float]] = {}
    for side, (make, serve, apps) in _SIDES.items():
        times: dict[str, list[float]] = {name: [] for name in apps}
        for _ in range(rounds):
            for name, app in apps.items():
                requests = [make(next(_NUMBERS)) for _ in range(_BATCH)]
                begin = time.process_time()
                serve(app, requests)
                times[name].append((time.process_time() - begin) / _BATCH)
        results[side] = {name: statistics.median(each) for name, each in times.items()}
    return results

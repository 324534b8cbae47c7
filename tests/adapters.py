"""Both middlewares as a server would call them, with any environ or scope whatever, and what came of it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import postel.asgi
import postel.wsgi
from postel import Policy, Report, report_of
from postel._octets import percent_decode

Request = dict[str, Any]


@dataclass(frozen=True)
class Served:
    """An answer, and what the application was given before it; ``None`` where it was not asked."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes
    given: Request | None = None
    told: Report | None = None
    """What the observer was told."""

    @property
    def report(self) -> Report:
        return self.told or report_of(self.given)

    @property
    def kinds(self) -> list[str]:
        """The kinds that a default refusal names."""
        return self.body.decode().partition("(")[2].partition(")")[0].split(", ")


def run(coroutine: Coroutine[Any, Any, None]) -> None:
    """Run what never waits, without an event loop."""
    try:
        coroutine.send(None)
    except StopIteration:
        return
    coroutine.close()
    raise AssertionError("it waits for something")


def call_wsgi(app: Any, environ: Mapping[str, Any]) -> Served:
    started: list[tuple[str, list[tuple[str, str]]]] = []

    def start_response(status: str, headers: list[tuple[str, str]], *_: object) -> None:
        started.append((status, headers))

    body = b"".join(app(environ, start_response))
    ((status, headers),) = started
    return Served(int(status[:3]), headers, body)


def call_asgi(app: Any, scope: Mapping[str, Any]) -> Served:
    sent: list[Request] = []

    async def receive() -> Request:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Request) -> None:
        sent.append(message)

    run(app(scope, receive, send))
    start, body = sent
    headers = [(name.decode(), value.decode()) for name, value in start["headers"]]
    return Served(start["status"], headers, body["body"])


class Through:
    """An application that answers 200 with nothing, behind a middleware; it keeps what it was given."""

    def __init__(self, middleware: Any, call: Callable[[Any, Any], Served], settings: Request) -> None:
        self.given: Request | None = None
        self.told: Report | None = None
        app = self.wsgi_app if call is call_wsgi else self.asgi_app
        self.middleware = middleware(app, **{"observer": self.tell, **settings})
        self.call = call

    def wsgi_app(self, environ: Request, start_response: Any) -> Iterable[bytes]:
        self.given = environ
        start_response("200 OK", [])
        return []

    async def asgi_app(self, scope: Request, _receive: Any, send: Any) -> None:
        self.given = scope
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    def tell(self, report: Report) -> None:
        self.told = report

    def serve(self, request: Mapping[str, Any]) -> Served:
        self.given = self.told = None
        answer = self.call(self.middleware, request)
        return Served(answer.status, answer.headers, answer.body, self.given, self.told)


@functools.cache  # to compile a policy takes longer than to serve a request
def _through(protocol: str, **settings: Any) -> Through:
    if protocol == "wsgi":
        return Through(postel.wsgi.NormalizeMiddleware, call_wsgi, settings)
    return Through(postel.asgi.NormalizeMiddleware, call_asgi, settings)


def through_wsgi(environ: Mapping[str, Any], policy: Policy = Policy.STANDARD, **settings: Any) -> Served:
    """Serve an environ through the WSGI middleware."""
    return _through("wsgi", policy=policy, **settings).serve(environ)


def through_asgi(scope: Mapping[str, Any], policy: Policy = Policy.STANDARD, **settings: Any) -> Served:
    """Serve a scope through the ASGI middleware."""
    return _through("asgi", policy=policy, **settings).serve({"type": "http", **scope})


def environ_of(target: bytes, method: str = "GET", **keys: Any) -> Request:
    """A target as a WSGI server that tidies nothing hands it over."""
    path, _, query = target.partition(b"?")
    return {
        "REQUEST_METHOD": method,
        "SCRIPT_NAME": "",
        "PATH_INFO": percent_decode(path).decode("latin-1"),
        "QUERY_STRING": query.decode("latin-1"),
        "REQUEST_URI": target.decode("latin-1"),
        "REMOTE_ADDR": "192.0.2.1",
        **keys,
    }


def scope_of(target: bytes, method: str = "GET", **keys: Any) -> Request:
    """A target as an ASGI server that tidies nothing hands it over."""
    path, _, query = target.partition(b"?")
    return {
        "type": "http",
        "method": method,
        "path": percent_decode(path).decode("utf-8", "replace"),
        "raw_path": path,
        "query_string": query,
        "root_path": "",
        "headers": [],
        "client": ("192.0.2.1", 50000),
        **keys,
    }

"""Call both middlewares as a server would, with any environ or scope, and keep the result."""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

import postel.asgi
import postel.wsgi
from postel import Policy, Report, report_of
from postel._alphabet.percent import percent_decode

Request = dict[str, Any]


@dataclass(frozen=True)
class Served:
    """An answer, and what the application received; ``None`` if it was not called."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes
    given: Request | None = None
    told: Report | None = None
    """The report that the observer received."""

    @property
    def report(self) -> Report:
        return self.told or report_of(self.given)

    @property
    def kinds(self) -> list[str]:
        """Return the kinds that a default refusal names."""
        return self.body.decode().partition("(")[2].partition(")")[0].split(", ")


def run(coroutine: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine that never waits, without an event loop."""
    try:
        coroutine.send(None)
    except StopIteration:
        return
    coroutine.close()
    raise AssertionError("the coroutine waits for something")


def call_wsgi(app: Any, environ: Mapping[str, Any]) -> Served:
    started: list[tuple[str, list[tuple[str, str]]]] = []

    def start_response(status: str, headers: list[tuple[str, str]], *_: object) -> None:
        started.append((status, headers))

    answer = app(environ, start_response)
    body = b"".join(answer)
    if hasattr(answer, "close"):
        answer.close()
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
    """An application that answers 200 without a body, behind a middleware; it keeps what it received."""

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


@functools.cache  # Compiling a policy takes longer than a request.
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
    """Return the environ of a WSGI server that changes nothing in the target."""
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
    """Return the scope of an ASGI server that changes nothing in the target."""
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


@dataclass(frozen=True)
class Protocol:
    """One of the two protocols, with functions that let tests treat both in the same way."""

    name: str
    middleware: Any
    request_of: Callable[..., Request]
    through: Callable[..., Served]
    call: Callable[[Any, Mapping[str, Any]], Served]

    def path(self, request: Request) -> bytes:
        """Return the decoded path with its prefix."""
        if self.name == "asgi":
            return str(request["path"]).encode()
        return f"{request['SCRIPT_NAME']}{request['PATH_INFO']}".encode("latin-1")

    def query(self, request: Request) -> bytes:
        if self.name == "asgi":
            return bytes(request["query_string"])
        return str(request["QUERY_STRING"]).encode("latin-1")

    def raw(self, request: Request) -> bytes:
        """Return the raw target."""
        if self.name == "wsgi":
            return str(request["REQUEST_URI"]).encode("latin-1")
        query = self.query(request)
        return bytes(request["raw_path"]) + (b"?" + query if query else b"")

    def mounted(self, target: bytes, prefix: str, method: str = "GET") -> Request:
        """Return a request whose target begins with a prefix, as servers hand it over."""
        if self.name == "asgi":
            return scope_of(target, method, root_path=prefix)
        name = prefix.encode().decode("latin-1")
        made = environ_of(target, method, SCRIPT_NAME=name)
        made["PATH_INFO"] = made["PATH_INFO"].removeprefix(name)
        return made

    def behind(self, policy: Policy = Policy.STANDARD, **settings: Any) -> Through:
        """Return an application behind a middleware of its own."""
        return Through(self.middleware, self.call, {"policy": policy, **settings})

    def slowly(self, request: Request, policy: Policy, **settings: Any) -> Request | None:
        """Return what the application receives if no proof is tried."""
        through = self.behind(policy, **settings)
        judged = through.middleware._judged
        self.call(judged, request)
        return through.given


WSGI = Protocol("wsgi", postel.wsgi.NormalizeMiddleware, environ_of, through_wsgi, call_wsgi)
ASGI = Protocol("asgi", postel.asgi.NormalizeMiddleware, scope_of, through_asgi, call_asgi)

EACH_PROTOCOL = pytest.mark.parametrize("protocol", [WSGI, ASGI], ids=lambda each: each.name)

"""Bodies as servers hand them over: in pieces, cut short, too long, chunked or with a length."""

from __future__ import annotations

import contextlib
import functools
import io
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from adapters import ASGI, Protocol, Request, environ_of, scope_of
from postel import Policy, Report

FORM = "application/x-www-form-urlencoded"


class Wire(io.RawIOBase):
    """The input of a WSGI application. It returns at most one piece at a time, and counts what was read."""

    def __init__(self, pieces: Iterable[bytes], error: Exception | None = None) -> None:
        super().__init__()
        self.pieces = list(pieces)[::-1]
        self.taken = 0
        self.error = error

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if not self.pieces:
            if self.error is not None:
                raise self.error
            return b""
        if size < 0:
            self.pieces = [b"".join(self.pieces[::-1])]
        piece = self.pieces.pop()
        if 0 <= size < len(piece):
            self.pieces.append(piece[size:])
            piece = piece[:size]
        self.taken += len(piece)
        return piece


@dataclass
class Asked:
    """The result of a request with a body."""

    status: int = 0
    headers: list[tuple[str, str]] = field(default_factory=list)
    answer: bytes = b""
    given: Request | None = None
    """The request that the application received; ``None`` if it was not called."""
    body: bytes = b""
    """What the application has read."""
    taken: int = 0
    """How many octets of the body were read from the server."""
    told: Report | None = None
    after: list[str] = field(default_factory=list)
    """The types of the messages that an ASGI application receives after the body."""

    @property
    def kinds(self) -> list[str]:
        return self.answer.decode().partition("(")[2].partition(")")[0].split(", ")

    def header(self, name: str) -> str | None:
        """Return a header that the application received."""
        assert self.given is not None
        if "headers" in self.given:
            values = [value.decode() for key, value in self.given["headers"] if key.decode() == name]
            assert len(values) < 2, values
            return values[0] if values else None
        key = name.upper().replace("-", "_")
        found = self.given.get(key if key in {"CONTENT_TYPE", "CONTENT_LENGTH"} else f"HTTP_{key}")
        return found or None


def post(
    protocol: Protocol,
    octets: bytes | list[bytes],
    policy: Policy = Policy.STANDARD,
    *,
    content_type: str | None = FORM,
    length: int | str | None = None,
    chunked: bool = False,
    framed: bool = True,
    terminated: bool = False,
    target: bytes = b"/a",
    fields: Mapping[str, str | list[str]] | None = None,
    method: str = "POST",
    ends: str = "",
    error: Exception | None = None,
    app: Any = None,
    **settings: Any,
) -> Asked:
    """Send a body; a list is sent in pieces.

    ``length`` may differ from the length of the body. Without ``framed``, no header field says where the body
    ends, as HTTP/2 allows. With ``terminated``, the WSGI server ends the input
    where the body ends. A list in ``fields`` is sent as several fields, which a WSGI server joins.
    """
    pieces = octets if isinstance(octets, list) else [octets]
    said: dict[str, str | list[str]] = dict(fields or {})
    if content_type is not None:
        said["content-type"] = content_type
    if chunked:
        said["transfer-encoding"] = "chunked"
    elif framed:
        said["content-length"] = str(sum(map(len, pieces)) if length is None else length)
    asked = Asked()
    settings = {"forms": True, **settings}
    if protocol is ASGI:
        headers = [(k.encode(), v.encode("latin-1")) for k, values in said.items() for v in _listed(values)]
        scope = scope_of(target, method, headers=headers)
        _asgi(protocol, scope, pieces, ends, asked, app, {"policy": policy, **settings})
    else:
        keys: dict[str, Any] = {_key(name): ",".join(_listed(values)) for name, values in said.items()}
        if chunked or terminated:
            keys["wsgi.input_terminated"] = True
        wire = Wire(pieces, error)
        environ = environ_of(target, method, **{"wsgi.input": wire, **keys})
        _wsgi(protocol, environ, asked, app, {"policy": policy, **settings})
        asked.taken = wire.taken
    return asked


def _listed(values: str | list[str]) -> list[str]:
    return [values] if isinstance(values, str) else values


def _key(name: str) -> str:
    key = name.upper().replace("-", "_")
    return key if key in {"CONTENT_TYPE", "CONTENT_LENGTH"} else f"HTTP_{key}"


class Behind:
    """A middleware whose application and observer can be set for each request."""

    def __init__(self, protocol: Protocol, **settings: Any) -> None:
        self.app: Any = None
        self.tell: Any = None
        app = self.asgi if protocol is ASGI else self.wsgi
        self.middleware = protocol.middleware(app, **{"observer": self.observe, **settings})

    def observe(self, report: Report) -> None:
        self.tell(report)

    def wsgi(self, environ: Request, start_response: Any) -> Any:
        return self.app(environ, start_response)

    async def asgi(self, scope: Request, receive: Any, send: Any) -> None:
        await self.app(scope, receive, send)


_made_once = functools.cache(Behind)  # Compiling the settings takes longer than a request.


@contextlib.contextmanager
def behind(protocol: Protocol, app: Any, asked: Asked, settings: Request) -> Iterator[Any]:
    """Put a middleware with these settings around an application, and keep its report in ``asked``."""
    make = _made_once if all(isinstance(each, Hashable) for each in settings.values()) else Behind
    made = make(protocol, **settings)
    made.app, made.tell = app, lambda report: setattr(asked, "told", report)
    try:
        yield made.middleware
    finally:
        made.app = made.tell = None


def _wsgi(protocol: Protocol, environ: Request, asked: Asked, app: Any, settings: Request) -> None:
    def reading(given: Request, start_response: Any) -> list[bytes]:
        asked.given = given
        if app is not None:
            return app(given, start_response)
        stream = given["wsgi.input"]
        if given.get("wsgi.input_terminated"):
            asked.body = stream.read()
        else:
            left = int(given.get("CONTENT_LENGTH") or 0)
            while left and (piece := stream.read(left)):
                asked.body += piece
                left -= len(piece)
        start_response("200 OK", [])
        return []

    def start_response(status: str, headers: list[tuple[str, str]], *_: object) -> None:
        asked.status, asked.headers = int(status[:3]), headers

    with behind(protocol, reading, asked, settings) as middleware:
        answer = middleware(environ, start_response)
        asked.answer = b"".join(answer)
        if hasattr(answer, "close"):
            answer.close()


def _asgi(  # noqa: PLR0917 - one caller, above
    protocol: Protocol,
    scope: Request,
    pieces: list[bytes],
    ends: str,
    asked: Asked,
    app: Any,
    settings: Request,
) -> None:
    left = list(pieces)

    async def receive() -> Request:
        if not left:
            return {"type": "http.disconnect"}
        piece = left.pop(0)
        asked.taken += len(piece)
        return {"type": "http.request", "body": piece, "more_body": bool(left) or ends == "disconnect"}

    async def send(message: Request) -> None:
        if message["type"] == "http.response.start":
            asked.status = message["status"]
            asked.headers = [(name.decode(), value.decode()) for name, value in message["headers"]]
        else:
            asked.answer += message.get("body", b"")

    async def reading(given: Request, received: Any, sent: Any) -> None:
        asked.given = given
        if app is not None:
            await app(given, received, sent)
            return
        more = True
        while more:
            message = await received()
            more = message["type"] == "http.request" and message["more_body"]
            asked.body += message.get("body", b"")
            if message["type"] != "http.request":
                asked.after.append(message["type"])
        if not asked.after:
            asked.after.append((await received())["type"])
        await sent({"type": "http.response.start", "status": 200, "headers": []})
        await sent({"type": "http.response.body", "body": b""})

    with behind(protocol, reading, asked, settings) as middleware:
        coroutine = middleware(scope, receive, send)
        try:
            coroutine.send(None)
        except StopIteration:
            return
    raise AssertionError("the coroutine waits for something")

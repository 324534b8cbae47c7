"""Send requests to an application in this process, on either protocol, and return the results."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, final

import postel.asgi
import postel.wsgi
from postel import Report
from whole.request import Request, environ_of, messages_of, scope_of

Given = Mapping[str, Any]
PROTOCOLS: Final = ("wsgi", "asgi")


@final
@dataclass
class Answer:
    """The answer of an application."""

    status: int = 0
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = b""

    def header(self, name: str) -> str | None:
        """Return a header, by its name in lower case."""
        return next((value for found, value in self.headers if found.lower() == name), None)


def call_wsgi(app: Any, environ: dict[str, Any]) -> Answer:
    """Serve an environ."""
    answer = Answer()

    def start_response(status: str, headers: list[tuple[str, str]], *_: object) -> None:
        answer.status, answer.headers = int(status[:3]), headers

    pieces = app(environ, start_response)
    answer.body = b"".join(pieces)
    if close := getattr(pieces, "close", None):
        close()
    return answer


async def call_asgi(app: Any, scope: dict[str, Any], messages: Iterable[dict[str, Any]]) -> Answer:
    """Serve a scope. A client that has sent everything waits for the answer before it disconnects."""
    answer, done = Answer(), asyncio.Event()
    waiting = iter(messages)

    async def receive() -> dict[str, Any]:
        message = next(waiting)
        if message["type"] == "http.disconnect" and not _breaks_off(last):
            await done.wait()
        last.append(message)
        return message

    async def send(message: Mapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            answer.status = message["status"]
            answer.headers = [(name.decode(), value.decode("latin-1")) for name, value in message["headers"]]
        else:
            answer.body += message.get("body", b"")
            if not message.get("more_body"):
                done.set()

    last: list[dict[str, Any]] = []
    await app(scope, receive, send)
    return answer


def _breaks_off(received: list[dict[str, Any]]) -> bool:
    """Whether a client disconnects before the end of its body, or has disconnected."""
    return bool(received) and (received[-1]["type"] == "http.disconnect" or received[-1]["more_body"])


def at_once(coroutine: Coroutine[Any, Any, Answer]) -> Answer:
    """Run a coroutine that never waits, without an event loop."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        return stop.value  # the return value of the coroutine
    coroutine.close()
    raise AssertionError("the coroutine waits for something")


@final
@dataclass
class Passage:
    """The result of a request behind postel, and what the application received."""

    answer: Answer
    given: Given | None = None
    """The environ or scope; ``None`` if the application was not called."""
    body: bytes | None = None
    """The octets that the application has read."""
    told: Report | None = None
    """The report that the observer received; ``None`` without findings."""

    @property
    def passes(self) -> bool:
        """Whether the application was called."""
        return self.given is not None

    @property
    def kinds(self) -> list[str]:
        """Return the kinds that were found, each with its component and action."""
        if self.told is None:
            return []
        return sorted(
            {f"{each.kind.slug}@{each.component.value} {each.action.value}" for each in self.told.findings}
        )


@final
class Probe:
    """A middleware whose application reads the whole body and keeps what it received."""

    def __init__(self, protocol: str, settings: Mapping[str, Any]) -> None:
        self.protocol = protocol
        self._given: Given | None = None
        self._body: bytes | None = None
        self._told: Report | None = None
        self._last: tuple[Request, bool, Passage] | None = None
        module = postel.wsgi if protocol == "wsgi" else postel.asgi
        app: Any = self._wsgi if protocol == "wsgi" else self._asgi
        self.middleware: Any = module.NormalizeMiddleware(app, **{"observer": self._tell, **settings})

    def ask(self, request: Request, *, slowly: bool = False) -> Passage:
        """Send a request; with ``slowly``, use the full judgement without a proof."""
        last = self._last  # Several laws send the same request in turn, so the last result is kept.
        if last is not None and last[0] is request and last[1] is slowly:
            return last[2]
        app = self.middleware._judged if slowly else self.middleware
        passage = self.serve(
            app, environ_of(request) if self.protocol == "wsgi" else scope_of(request), request
        )
        self._last = self._last if slowly else (request, slowly, passage)
        return passage

    def serve(self, app: Any, made: dict[str, Any], request: Request) -> Passage:
        """Serve an environ or a scope that was made from a request."""
        self._given = self._body = self._told = None
        if self.protocol == "wsgi":
            answer = call_wsgi(app, made)
        else:
            answer = at_once(call_asgi(app, made, messages_of(request)))
        return Passage(answer, self._given, self._body, self._told)

    def _tell(self, report: Report) -> None:
        self._told = report

    def _wsgi(self, environ: dict[str, Any], start_response: Any) -> list[bytes]:
        self._given = environ
        stream = environ["wsgi.input"]
        if environ.get("wsgi.input_terminated"):
            self._body = stream.read()
        else:
            self._body = stream.read(int(environ.get("CONTENT_LENGTH") or 0))
        start_response("200 OK", [])
        return []

    async def _asgi(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        self._given = scope
        body, more = b"", True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        self._body = body
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})


@final
class Running:
    """Calls applications of frameworks, one request at a time, on one event loop."""

    def __init__(self, runner: asyncio.Runner) -> None:
        self._runner = runner

    def ask(self, app: Any, protocol: str, request: Request) -> Answer:
        """Return the answer; an exception of the application is a 500, as servers answer it."""
        with contextlib.suppress(Exception):
            if protocol == "wsgi":
                return call_wsgi(app, environ_of(request))
            return self._runner.run(call_asgi(app, scope_of(request), messages_of(request)))
        return Answer(500)

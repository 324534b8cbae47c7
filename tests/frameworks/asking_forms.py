"""Send forms in-process, with and without postel: with any method, Content-Type and framing."""

from __future__ import annotations

import asyncio
import contextlib
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import postel.asgi
import postel.wsgi
from applications import django_configured, ignore
from frameworks import form_objects
from frameworks.asking import started
from frameworks.content_types import ContentType
from frameworks.form_objects import TOLD, Reader
from postel import Forms
from wire import environ_of, scope_of

CODINGS = ("length", "chunked", "length 0 and chunked")
PATIENCE = 10.0


@dataclass(frozen=True)
class Read:
    """The result of a request: the status, and the text of the form object."""

    status: int
    told: tuple[str, ...] = ()
    failed: str = ""
    """The exception that the framework has raised, if any."""

    @property
    def has_nul(self) -> bool:
        return "\0" in "".join(self.told)


@dataclass
class Bench:
    """One event loop, and the applications, with and without postel."""

    runner: asyncio.Runner
    apps: dict[tuple[str, bool], Any] = field(default_factory=dict)
    lives: list[asyncio.Future[None]] = field(default_factory=list)

    def read(self, reader: Reader, sent: ContentType, method: str, coding: str, *, behind: bool) -> Read:
        """Send a body to a framework, and return what its form object then holds."""
        app = self._app(reader, behind=behind)
        TOLD.clear()
        try:
            status = (self._ask_asgi if reader.is_asgi else self._ask_wsgi)(app, reader, sent, method, coding)
        except Exception as error:  # Servers answer a request with a 500 after any exception.
            return Read(500, tuple(TOLD), repr(error))
        return Read(status, tuple(TOLD))

    def _app(self, reader: Reader, *, behind: bool) -> Any:
        key = reader.name, behind
        if key not in self.apps:
            if behind:
                middleware = (postel.asgi if reader.is_asgi else postel.wsgi).NormalizeMiddleware
                app = self._app(reader, behind=False)
                forms: Any = True if reader.others == "untouched" else Forms(others=reader.others)
                self.apps[key] = middleware(app, forms=forms, observer=ignore)
            else:
                self.apps[key] = app = reader.make()
                if reader.is_asgi:
                    self.lives.append(self.runner.run(started(app)))
        return self.apps[key]

    @staticmethod
    def _ask_wsgi(app: Any, reader: Reader, sent: ContentType, method: str, coding: str) -> int:
        environ = {**environ_of(reader.target, method), "wsgi.input": io.BytesIO(sent.body)}
        if sent.on_wsgi is not None:
            environ["CONTENT_TYPE"] = sent.on_wsgi
        if coding != "chunked":
            environ["CONTENT_LENGTH"] = _length(sent, coding)
        if coding != "length":
            environ |= {"wsgi.input_terminated": True, "HTTP_TRANSFER_ENCODING": "chunked"}
        statuses: list[str] = []
        answer = app(environ, lambda status, *_: statuses.append(status))
        list(answer)
        if close := getattr(answer, "close", None):
            close()
        return int(statuses[-1][:3])

    def _ask_asgi(self, app: Any, reader: Reader, sent: ContentType, method: str, coding: str) -> int:
        statuses: list[int] = []
        messages = [{"type": "http.request", "body": sent.body, "more_body": False}]

        async def receive() -> Any:
            return messages.pop() if messages else await asyncio.Event().wait()

        async def send(message: Any) -> None:
            statuses.extend([message["status"]] if "status" in message else [])

        scope = scope_of(reader.target, method)
        scope["headers"] += [(b"content-type", each) for each in sent.fields]
        if coding != "chunked":
            scope["headers"].append((b"content-length", _length(sent, coding).encode()))
        if coding != "length":
            scope["headers"].append((b"transfer-encoding", b"chunked"))
        self.runner.run(asyncio.wait_for(app(scope, receive, send), PATIENCE))
        return statuses[-1]


def _length(sent: ContentType, coding: str) -> str:
    return str(len(sent.body) if coding == "length" else 0)


@contextlib.contextmanager
def bench() -> Iterator[Bench]:
    settings = {"ROOT_URLCONF": form_objects.__name__, "REST_FRAMEWORK": {"UNAUTHENTICATED_USER": None}}
    with django_configured(**settings), asyncio.Runner() as runner:
        yield Bench(runner)

"""Send targets to frameworks in-process, with and without postel, as servers hand them over."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import postel.asgi
import postel.wsgi
from applications import django_configured, ignore
from frameworks.readers import Framework, Read, read
from postel import Policy
from targets import HOST, Sample
from wire import Connection, environ_of, scope_of

POLICIES = {"STANDARD": Policy.STANDARD, "LENIENT": Policy.LENIENT}
BARE = "bare"


@dataclass
class Bench:
    """One event loop for all frameworks, and what each has read so far."""

    runner: asyncio.Runner
    apps: dict[tuple[str, str], Any] = field(default_factory=dict)
    lives: list[asyncio.Future[None]] = field(default_factory=list)
    readings: dict[tuple[str, str, str], Read] = field(default_factory=dict)

    def read(self, framework: Framework, stack: str, sample: Sample) -> Read:
        """Return what a framework reads from a target, without postel or behind a policy."""
        key = (framework.name, stack, sample.name)
        if key not in self.readings:
            self.readings[key] = self._ask(framework, stack, sample.octets)
        return self.readings[key]

    def _ask(self, framework: Framework, stack: str, target: bytes) -> Read:
        ask = self._ask_wsgi if framework.protocol == "wsgi" else self._ask_asgi
        try:
            return ask(self._app(framework, stack), target)
        except Exception:
            if stack != BARE:
                raise
            return Read(500)  # Servers answer a request with a 500 after an exception.

    def _app(self, framework: Framework, stack: str) -> Any:
        if (framework.name, stack) not in self.apps:
            if stack == BARE:
                app = framework.make()
                if framework.protocol == "asgi":
                    self.lives.append(self.runner.run(started(app)))
            else:
                middleware = postel.wsgi if framework.protocol == "wsgi" else postel.asgi
                app = middleware.NormalizeMiddleware(
                    self._app(framework, BARE), POLICIES[stack], observer=ignore
                )
            self.apps[framework.name, stack] = app
        return self.apps[framework.name, stack]

    @staticmethod
    def _ask_wsgi(app: Any, target: bytes) -> Read:
        started: list[str] = []
        environ = {**environ_of(target), "HTTP_HOST": HOST}
        chunks = app(environ, lambda status, *_: started.append(status))
        body = b"".join(chunks)
        if close := getattr(chunks, "close", None):
            close()
        return read(int(started[-1][:3]), body)

    def _ask_asgi(self, app: Any, target: bytes) -> Read:
        connection = Connection()
        scope = scope_of(target)
        scope["headers"] = [
            *(each for each in scope["headers"] if each[0] != b"host"),
            (b"host", HOST.encode()),
        ]
        self.runner.run(app(scope, connection.receive, connection.send))
        return read(connection.start["status"], connection.body)


async def started(app: Any) -> asyncio.Future[None]:
    """Start an application as a server does before its first request, and keep its lifespan running."""
    is_ready = asyncio.Event()
    messages = [{"type": "lifespan.startup"}]

    async def receive() -> dict[str, Any]:
        if not messages:
            await asyncio.Event().wait()
        return messages.pop()

    async def send(_: Any) -> None:
        is_ready.set()

    scope = {"type": "lifespan", "asgi": {"version": "3.0", "spec_version": "2.0"}, "state": {}}
    life = asyncio.ensure_future(app(scope, receive, send))
    life.add_done_callback(partial(_ended, is_ready))
    await is_ready.wait()
    return life


def _ended(is_ready: asyncio.Event, life: asyncio.Future[None]) -> None:
    """Continue when an application without a lifespan ends at once, with an exception."""
    if not life.cancelled():
        life.exception()
    is_ready.set()


@contextlib.contextmanager
def bench() -> Iterator[Bench]:
    with django_configured(ROOT_URLCONF="frameworks.readers"), asyncio.Runner() as runner:
        yield Bench(runner)

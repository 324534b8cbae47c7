"""Guarded applications behind a middleware, and the requests that bypass their guards."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, final

import postel.asgi
import postel.wsgi
from postel import Policy, PolicyError
from whole.excluded import excluded
from whole.guarded import GUARDS, KEPT, SECRET, Guarded
from whole.request import Request
from whole.serving import Running

BARE: Final = "bare"
PRESETS: Final = {"STRICT": Policy.STRICT, "STANDARD": Policy.STANDARD, "LENIENT": Policy.LENIENT}
SHUT: Final = Policy.STRICT.limiting(octets=1)
"""Refuses everything."""
SECRETS: Final = {"keeps": {SECRET}, "opens": {SECRET, b"other SECRET"}}
"""The answers that each guard must protect."""


@final
@dataclass(frozen=True)
class Walk:
    """A request that has reached a page that the guard should protect."""

    guarded: Guarded
    guard: str
    preset: str
    request: Request

    def __str__(self) -> str:
        return f"{self.guarded}, the guard that {self.guard}, {self.preset}: {self.request}"


@final
class Wall:
    """An application with one of the guards, without postel or behind a preset."""

    def __init__(self, guarded: Guarded, guard: str, preset: str, runner: asyncio.Runner) -> None:
        self.guarded, self.guard, self.preset = guarded, guard, preset
        self._running = Running(runner)
        self._app = _behind(guarded, guarded.make(GUARDS[guard]), preset)

    def is_passed(self, request: Request) -> bool:
        """Whether a request reaches the guarded page."""
        if self.preset != BARE and excluded(self.guarded, self.preset, request):
            return False
        answer = self._running.ask(self._app, self.guarded.protocol, request)
        return answer.body in SECRETS[self.guard]

    def walks(self, requests: Iterable[Request]) -> Iterator[Walk]:
        """Yield the requests that reach a guarded page."""
        for request in requests:
            if self.is_passed(request):
                yield Walk(self.guarded, self.guard, self.preset, request)


def _behind(guarded: Guarded, app: Any, preset: str) -> Any:
    if preset == BARE:
        return app
    module = postel.wsgi if guarded.protocol == "wsgi" else postel.asgi
    settings: dict[str, Any] = {"observer": repr}
    if guarded.routes:
        settings["routes"] = dict.fromkeys(routes(), SHUT)
    return module.NormalizeMiddleware(app, PRESETS[preset], **settings)


@cache
def routes() -> tuple[str, ...]:
    """Return the guarded paths that can be routes of a middleware; others are refused at construction."""

    async def app(*_: Any) -> None: ...

    def works(route: str) -> bool:
        try:
            postel.asgi.NormalizeMiddleware(app, routes={route: SHUT})
        except PolicyError:
            return False
        return True

    return tuple(filter(works, KEPT))


def guards_of(guarded: Guarded) -> list[str]:
    """Return the guards that are possible in a place: for routes, only the guard of a few paths."""
    return ["keeps"] if guarded.routes else [*GUARDS]

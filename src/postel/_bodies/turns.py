"""Let the event loop of asyncio or trio run between steps, and run blocking work in a thread."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from postel._alphabet.steps import Result, Steps

_Made = TypeVar("_Made")


async def in_turns(steps: Steps[Result]) -> Result:
    """Take all steps, and let the event loop run between them."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            result: Result = stop.value
            return result
        await give_way()


async def off_loop(work: Callable[[], _Made]) -> _Made:
    """Do work that may block: in a thread if an event loop runs, directly otherwise."""
    library = _running()
    if library is None:
        return work()
    in_thread = library.to_thread if library.__name__ == "asyncio" else library.to_thread.run_sync
    made: _Made = await in_thread(work)
    return made


async def give_way() -> None:
    """Let the event loop run once."""
    library = _running()
    if library is not None:
        await (library.sleep(0) if library.__name__ == "asyncio" else library.lowlevel.checkpoint())


def _running() -> Any:
    """The library that runs the event loop, asyncio or trio; ``None`` if neither is loaded and running."""
    asyncio, trio = (sys.modules.get(name) for name in ("asyncio", "trio"))
    if trio is not None:  # first, because a loop of asyncio may run it as a guest
        with contextlib.suppress(RuntimeError):
            trio.lowlevel.current_task()
            return trio
    # Like asyncio.get_running_loop(), but without an exception if another library runs the loop.
    return None if asyncio is None or asyncio._get_running_loop() is None else asyncio

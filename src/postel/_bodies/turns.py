"""The event loop, whichever it is: letting it turn, and working beside it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

from postel._alphabet.steps import Result, Steps

_Made = TypeVar("_Made")


async def in_turns(steps: Steps[Result]) -> Result:
    """What comes of steps between which others have their turn."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            result: Result = stop.value
            return result
        await _give_way()


async def off_loop(work: Callable[[], _Made]) -> _Made:
    """What comes of work that may wait or last; where there is an event loop, a thread does it."""
    library = _running()
    if library is None:
        return work()
    in_thread = library.to_thread if library.__name__ == "asyncio" else library.to_thread.run_sync
    made: _Made = await in_thread(work)
    return made


async def _give_way() -> None:
    """Let the event loop turn once."""
    library = _running()
    if library is not None:
        await (library.sleep(0) if library.__name__ == "asyncio" else library.lowlevel.checkpoint())


def _running() -> Any:
    """The library that runs the event loop, asyncio or trio; one that nobody has loaded runs nothing."""
    asyncio, trio = (sys.modules.get(name) for name in ("asyncio", "trio"))
    # What asyncio.get_running_loop asks, without an exception where another library runs the loop.
    if asyncio is not None and asyncio._get_running_loop() is not None:
        return asyncio
    if trio is None:
        return None
    try:
        trio.lowlevel.current_task()
    except RuntimeError:
        return None
    return trio

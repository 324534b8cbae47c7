"""Steps: work in pieces, between which somebody else can have a turn."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeAlias, TypeVar

Result = TypeVar("Result")
Steps: TypeAlias = Generator[None, None, Result]
"""What gives way between its pieces, and comes to a result."""


def finished(steps: Steps[Result]) -> Result:
    """What comes of steps that are all taken at once."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            result: Result = stop.value
            return result

"""Steps: work in pieces, so that other work can run between two of them."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeAlias, TypeVar

Result = TypeVar("Result")
Steps: TypeAlias = Generator[None, None, Result]
"""A generator that yields between pieces of work, and returns the result."""


def finished(steps: Steps[Result]) -> Result:
    """Run all steps at once, and return their result."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            result: Result = stop.value
            return result

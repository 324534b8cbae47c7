"""Twins: how a frozen dataclass is made as quickly as one that is open.

A frozen dataclass sets each of its fields through ``object.__setattr__``, which costs more than judging a
plain target does. Its open twin has the same slots and nothing else: one is made, its slots are filled, and
then it becomes the frozen one, as the data model allows where the layouts are the same. All of it is done in
the frame of ``__new__``, since a call costs as much as what it would do here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any


def open_twin(frozen: type) -> Callable[[], Any]:
    """An open class with the slots of a frozen dataclass, for the latter's ``__new__``.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True, slots=True, init=False)
    ... class Point:
    ...     x: int = 0
    ...     def __new__(cls, x=0):
    ...         made = OpenPoint()
    ...         made.x = x
    ...         made.__class__ = cls
    ...         return made
    >>> OpenPoint = open_twin(Point)
    >>> Point(5)
    Point(x=5)
    """
    return type(f"Open{frozen.__name__}", (), {"__slots__": tuple(each.name for each in fields(frozen))})

"""Frozen construction: create instances of frozen dataclasses as fast as mutable objects.

A frozen dataclass sets each field through ``object.__setattr__``, which costs more than judging a plain
target. ``mutable_class`` returns a class with the same slots that is not frozen. ``__new__`` creates an
instance of that class, fills its slots, and then sets its ``__class__`` to the frozen class; Python allows
this if both classes have the same slots. ``__new__`` does these steps itself, because a call for them would
double the cost.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any


def mutable_class(frozen: type) -> Callable[[], Any]:
    """Return a mutable class with the slots of a frozen dataclass, for use in its ``__new__``.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True, slots=True, init=False)
    ... class Point:
    ...     x: int = 0
    ...     def __new__(cls, x=0):
    ...         made = OpenPoint()
    ...         made.x = x
    ...         made.__class__ = cls
    ...         return made
    >>> OpenPoint = mutable_class(Point)
    >>> Point(5)
    Point(x=5)
    """
    return type(f"Open{frozen.__name__}", (), {"__slots__": tuple(each.name for each in fields(frozen))})

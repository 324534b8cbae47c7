"""Twins: how a frozen dataclass is made as quickly as one that is open.

A frozen dataclass sets each of its fields through ``object.__setattr__``, which costs more than judging a
plain target does. Its open twin has the same slots and is filled directly; then it becomes the frozen one, as
the data model allows where the layouts are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, fields, make_dataclass
from typing import Any


def open_twin(frozen: type) -> Callable[..., Any]:
    """An open dataclass with the slots and the defaults of a frozen one, for the latter's ``__new__``.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True, slots=True, init=False)
    ... class Point:
    ...     x: int = 0
    ...     def __new__(cls, x=0):
    ...         made = twin(x)
    ...         made.__class__ = cls
    ...         return made
    >>> twin = open_twin(Point)
    >>> Point(5)
    Point(x=5)
    """
    named = [(each.name, each.type, field(default=each.default)) for each in fields(frozen)]
    return make_dataclass(f"Open{frozen.__name__}", named, slots=True, eq=False, repr=False)

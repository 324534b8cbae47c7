"""Inspect callables before they are called: the arguments that they accept, and whether they are async."""

from __future__ import annotations

import functools
import inspect


def accepts(value: object, arguments: tuple[str, ...]) -> bool:
    """Whether something can be called with these arguments in this order, as far as Python can tell.

    >>> accepts(len, ("text",)), accepts(len, ()), accepts(5, ())
    (True, False, False)
    """
    if not callable(value):
        return False
    try:
        # A decorator may take other arguments than the function that it wraps.
        inspect.signature(value, follow_wrapped=False).bind(*arguments)
    except ValueError:
        return True  # compiled code may have no signature
    except TypeError:
        return False
    return True


def is_async(value: object) -> bool:
    """Whether calling something only starts a coroutine: an ``async def``, or an object that has one to call.

    >>> async def later() -> None: ...
    >>> is_async(later), is_async(functools.partial(later)), is_async(print)
    (True, True, False)
    """
    while isinstance(value, functools.partial):
        value = value.func
    return any(
        inspect.iscoroutinefunction(each) or inspect.isasyncgenfunction(each)
        for each in (value, type(value).__call__)
    )

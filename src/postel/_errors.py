"""The error for invalid policies and settings, and its messages. Nothing that a client sends raises it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import final


@final
class PolicyError(ValueError):
    """A policy or setting is invalid. Raised at construction; says what is wrong, where, and what would work.

    >>> from postel import Policy
    >>> Policy.STANDARD.limiting(pairs=0)
    Traceback (most recent call last):
    postel.PolicyError: Limits(pairs=0): a limit is a whole number from 1, such as 1000
    """

    __module__ = "postel"  # tracebacks show the public name


def nothing_named(what: str, name: str, names: Iterable[str]) -> str:
    """The message for an unknown name, with the nearest known name, or otherwise with all of them.

    >>> nothing_named("preset", "standrad", ["standard", "strict"])
    "there is no preset 'standrad'; did you mean 'standard'?"
    """
    from difflib import get_close_matches  # noqa: PLC0415 - slow to import, and seldom needed

    known = list(names)
    near = get_close_matches(name.lower()[:64], known, 1)
    hint = f"; did you mean {near[0]!r}?" if near else f": {', '.join(known)}"
    return f"there is no {what} {name!r}{hint}"

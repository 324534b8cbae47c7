"""The error for invalid policies and settings, and its messages. Nothing that a client sends raises it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final, TypeGuard, final

LARGEST: Final = 2**63 - 1
"""The highest number that a setting may have, which is ``sys.maxsize`` on most computers."""


@final
class PolicyError(ValueError):
    """A policy or setting is invalid. Raised at construction; says what is wrong, where, and what would work.

    >>> from postel import Policy
    >>> Policy.STANDARD.limiting(pairs=0)
    Traceback (most recent call last):
    postel.PolicyError: limiting(pairs=0): a limit is a whole number from 1 to 2**63 - 1, such as 1000
    """

    __module__ = "postel"  # tracebacks show the public name


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The known name that is most similar to this one; ``None`` if none is similar.

    >>> nearest("standrad", ["standard", "strict"]), nearest("all", ["standard", "strict"])
    ('standard', None)
    """
    from difflib import get_close_matches  # noqa: PLC0415 - slow to import, and seldom needed

    near = get_close_matches(name.lower().replace("_", "-")[:64], list(names), 1)
    return near[0] if near else None


def nothing_named(what: str, name: str, names: Collection[str], where: str = "") -> str:
    """The message for an unknown name, with the nearest known name.

    If none is near, the message says where all of them are listed, or lists them itself.

    >>> nothing_named("preset", "standrad", ["standard", "strict"])
    "there is no preset 'standrad'; did you mean 'standard'?"
    """
    near = nearest(name, names)
    listed = f"; {where}" if where else f": {', '.join(names)}"
    return f"there is no {what} {name!r}" + (listed if near is None else f"; did you mean {near!r}?")


def is_limit(value: object, least: int = 1) -> TypeGuard[int]:
    """Whether a setting can be a limit: a whole number of at least ``least``.

    >>> is_limit(1000), is_limit(True), is_limit(2**63)
    (True, False, False)
    """
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= LARGEST


def is_list(value: object) -> TypeGuard[Iterable[object]]:
    """Whether a setting can be a list: an iterable, but not a text or octets.

    >>> is_list(["a"]), is_list("a"), is_list(b"a")
    (True, False, False)
    """
    return isinstance(value, Iterable) and not isinstance(value, str | bytes)


def shown(value: object) -> str:
    """A setting as text for a message. Python refuses to write an integer of more than 4300 digits.

    >>> shown("1"), shown(2**63)
    ("'1'", 'a number beyond 64 bits')
    """
    return "a number beyond 64 bits" if isinstance(value, int) and abs(value) > LARGEST else repr(value)

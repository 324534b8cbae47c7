"""Limits: how much of each thing a target may hold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Final, final

from postel._errors import PolicyError, nothing_named
from postel._octets import measure


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much a target may hold; more is refused. Each is a whole number from 1, save ``segment=None``.

    >>> Limits(pairs=100).pairs
    100

    Anything else is a :class:`PolicyError`.
    """

    octets: int = 8192
    """Octets of path and query together, an escape counted as the one that it stands for.

    nginx and Apache stop at a request line of 8 KiB, gunicorn at 4094 octets; RFC 9110, section 4.1, asks for
    8000 at least.
    """
    segments: int = 256
    """Segments of a path."""
    segment: int | None = None
    """Octets of one segment of a path, an escape counted as one; ``None`` is as many as the path may have.

    A name in a file system has 255 at most (NAME_MAX of POSIX, ``limits.h``): what opens a file by a segment
    needs this limit.
    """
    pairs: int = 1000
    """Pairs of a query or form, empty ones too; as Django and Tomcat."""
    name: int = 2048
    """Octets of a name, an escape counted as one."""
    value: int = 8192
    """Octets of a value in a query, a cookie or a Referer, an escape counted as one."""
    form_value: int = 65_536
    """Octets of a value in a form, an escape counted as one: people write long texts into text areas."""
    depth: int = 32
    """Opening brackets in a name (``a[b][c]`` is 2), as Rack."""

    def for_forms(self) -> Limits:
        """The limits of a form: its values may be longer than those of a query.

        >>> Limits().for_forms().value
        65536
        """
        return replace(self, value=self.form_value)

    def __post_init__(self) -> None:
        """Refuse what is no limit."""
        for field in fields(self):
            value = getattr(self, field.name)
            if value is None and field.default is None:
                continue
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                default = "255, or None for no limit" if field.default is None else field.default
                raise PolicyError(
                    f"Limits({field.name}={value!r}): a limit is a whole number from 1, such as {default}"
                )


def exceeds(most: int, octets: bytes) -> bool:
    """Whether octets are more than a limit, an escape counted as one.

    >>> exceeds(2, b"%C3%A9"), exceeds(2, b"abc")
    (False, True)
    """
    length = len(octets)
    return length > most and (length > 3 * most or measure(octets) > most)


def long_segments(octets: bytes, begins: int, most: int | None) -> Iterator[tuple[int, int]]:
    """Each segment of a path that holds more octets than the limit; the path begins at ``begins``.

    >>> list(long_segments(b"/abc/abcd/%C3%A9c", 0, 3))
    [(5, 9)]
    """
    if most is None or len(octets) <= most:
        return
    for match in _SEGMENT.finditer(octets, begins):
        start, end = match.span()
        if exceeds(most, match.group()):
            yield start, end


_SEGMENT: Final = re.compile(rb"[^/]++")


def limit_named(written: str) -> str:
    """The name of a limit that the text form of a policy writes.

    >>> limit_named("form-value")
    'form_value'
    """
    names = {written_name(field.name): field.name for field in fields(Limits)}
    if written not in names:
        raise PolicyError(nothing_named("limit", written, names))
    return names[written]


def written_name(name: str) -> str:
    """The name of a limit as the text form of a policy writes it: with a hyphen."""
    return name.replace("_", "-")


def limits_that_differ(limits: Limits, base: Limits) -> Iterator[str]:
    """The clauses that make these limits of others, in the text form of a policy.

    >>> list(limits_that_differ(Limits(pairs=5, segment=None), Limits(segment=255)))
    ['limit.segment=none', 'limit.pairs=5']
    """
    for field in fields(Limits):
        limit = getattr(limits, field.name)
        if limit != getattr(base, field.name):
            yield f"limit.{written_name(field.name)}={written_limit(limit)}"


def limit_of(text: str) -> int | None:
    """The number that a value of a limit means; ``None`` is no limit."""
    if text.lower() == "none":
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise PolicyError(f"a limit is a whole number, not {text!r}")
    return int(text)


def written_limit(limit: int | None) -> str:
    """A limit as a value of ``limit``."""
    return "none" if limit is None else str(limit)

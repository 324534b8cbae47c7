"""Limits: how much of each thing a target may hold."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import final

from postel._errors import PolicyError


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much a target may hold; more is refused. Each is a whole number from 1; ``segment`` may be ``None``.

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
    """Octets of a value, an escape counted as one."""
    depth: int = 32
    """Opening brackets in a name (``a[b][c]`` is 2), as Rack."""

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

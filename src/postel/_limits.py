"""Limits: how much of each thing a target may hold."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import final

from postel._errors import PolicyError


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much a target may hold; more is refused. Each is a whole number from 1.

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
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise PolicyError(
                    f"Limits({field.name}={value!r}): a limit is a whole number from 1, "
                    f"such as {field.default}"
                )

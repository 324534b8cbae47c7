"""Escapes that respelling would complete: a stray ``%`` and the escapes that follow it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from postel._alphabet.characters import Spelling, octets_pattern
from postel._alphabet.percent import MALFORMED_PERCENT

_DIGIT: Final = octets_pattern([(0x30, 0x39), (0x41, 0x46), (0x61, 0x66)], Spelling.ANY)
_U: Final = octets_pattern([(0x55, 0x55), (0x75, 0x75)], Spelling.ANY)
_WAITING: Final = re.compile(MALFORMED_PERCENT + b"(?:" + _DIGIT * 2 + b"|" + _U + _DIGIT * 4 + b")")
"""A stray ``%`` that becomes an escape if the following one is respelled: ``%4%31``."""


def completed_by_respelling(octets: bytes, start: int = 0) -> Iterator[tuple[int, int]]:
    """Each stray ``%`` from ``start`` on that would begin an escape after respelling.

    Yields the start and end of the octets that would become the escape.

    >>> list(completed_by_respelling(b"/%u12%c3/%u12%43x/%4%31"))
    [(18, 23)]
    """
    return (match.span() for match in _WAITING.finditer(octets, start))


RESPELLED: Final = "respelling what follows would make it an escape"
"""The detail of a finding about such a percent sign."""

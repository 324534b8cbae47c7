"""Dropping and replacing octets in fault, without ever making anything of what is left beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from postel._octets import percent_decode

Span: TypeAlias = tuple[int, int]
"""A start and an end."""


def drops(spans: Iterable[Span], part_at: Callable[[int], Span]) -> tuple[list[Span], list[Span]]:
    """Sort spans to drop into those that would join what is kept on both sides, and those that would not.

    Spans side by side are one. ``part_at`` gives the span of the segment, name or value that an octet is in:
    what is dropped at its front, at its end, or all over it, joins nothing.

    >>> drops([(3, 6), (12, 15)], lambda at: (0, 11) if at < 11 else (12, 16))  # <sc%00ript>&%00b
    ([(3, 6)], [(12, 15)])
    """
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and merged[-1][1] >= start:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    joining: list[Span] = []
    free: list[Span] = []
    for start, end in merged:
        first, last = part_at(start)
        (joining if first < start and end < last else free).append((start, end))
    return joining, free


def replaced(octets: bytes) -> bytes:
    """An escaped U+FFFD for each character, or each maximal ill-formed subpart, of octets in fault.

    Unicode, section 3.9: one U+FFFD for each maximal subpart, as the URL Standard decodes.

    >>> replaced(b"%E2%82%00")
    b'%EF%BF%BD%EF%BF%BD'
    """
    return b"%EF%BF%BD" * len(percent_decode(octets).decode("utf-8", "replace"))

"""Dropping and replacing octets in fault, without ever making anything of what is left beside them."""

from __future__ import annotations

from collections.abc import Iterable

from postel._octets import percent_decode

Span = tuple[int, int]


def drops(octets: bytes, spans: Iterable[Span], delimiters: bytes) -> tuple[list[Span], list[Span]]:
    """Sort spans to drop into those that would join what is kept on both sides, and those that would not.

    Spans side by side are one. What stands between two of the ``delimiters`` is looked at by itself, so that
    a span at its front, at its end, or over all of it joins nothing.

    >>> drops(b"<sc%00ript>&%00b", [(3, 6), (12, 15)], b"&")
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
        before = start > 0 and octets[start - 1] not in delimiters
        after = end < len(octets) and octets[end] not in delimiters
        (joining if before and after else free).append((start, end))
    return joining, free


def replaced(octets: bytes) -> bytes:
    """An escaped U+FFFD for each character, or each maximal ill-formed subpart, of octets in fault.

    Unicode, section 3.9: one U+FFFD for each maximal subpart, as the URL Standard decodes.

    >>> replaced(b"%E2%82%00")
    b'%EF%BF%BD%EF%BF%BD'
    """
    return b"%EF%BF%BD" * len(percent_decode(octets).decode("utf-8", "replace"))

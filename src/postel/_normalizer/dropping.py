"""Drop and replace faulty octets without joining the octets around them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias, final

from postel._alphabet.percent import percent_decode

Span: TypeAlias = tuple[int, int]
"""A start and an end."""

_SLASH: Final = re.compile(rb"/")


@final
class Segments:
    """The segments of a path, found by position."""

    __slots__ = ("_length", "_slashes")

    def __init__(self, octets: bytes) -> None:
        """Find the slashes."""
        self._length = len(octets)
        self._slashes = [match.start() for match in _SLASH.finditer(octets)]

    def at(self, position: int) -> Span:
        """Return the span of the segment that holds the octet at ``position``."""
        index = bisect_right(self._slashes, position)
        start = self._slashes[index - 1] + 1 if index else 0
        return start, self._slashes[index] if index < len(self._slashes) else self._length


def drops(spans: Iterable[Span], part_at: Callable[[int], Span]) -> tuple[list[Span], list[Span]]:
    """Divide the spans to drop: those whose removal would join the octets on both sides, and the others.

    Adjacent spans count as one. ``part_at`` returns the span of the segment, name or value that contains an
    octet. A span at the start or the end of its part joins nothing.

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


def segment_drops(octets: bytes, spans: Iterable[Span]) -> tuple[list[Span], list[Span]]:
    """Divide the spans of a path like :func:`drops`, and refuse to empty a segment or leave a dot segment.

    The last segment of a path may become empty.

    >>> segment_drops(b"/a%00b/c%00/%00../d", [(2, 5), (8, 11), (12, 15)])
    ([(2, 5), (12, 15)], [(8, 11)])
    """
    segments = Segments(octets)
    refused, free = drops(spans, segments.at)
    harmless: list[Span] = []
    of_segment: dict[Span, list[Span]] = {}
    for span in free:
        of_segment.setdefault(segments.at(span[0]), []).append(span)
    for (start, end), inside in of_segment.items():
        rest = octets[start:end]
        for first, last in inside:
            # Each span is at the start or at the end of the octets that remain.
            rest = rest[last - first :] if first == start else rest[: first - last]
        bare = percent_decode(rest).partition(b";")[0]
        dots_or_nothing = bare in {b".", b".."} or (not rest and end < len(octets))
        (refused if dots_or_nothing else harmless).extend(inside)
    return sorted(refused), harmless


def replaced(octets: bytes) -> bytes:
    """Replace each character of some faulty octets with an escaped U+FFFD.

    Each maximal subpart of ill-formed octets becomes one U+FFFD: Unicode, section 3.9. The URL Standard
    decodes in the same way.

    >>> replaced(b"%E2%82%00")
    b'%EF%BF%BD%EF%BF%BD'
    """
    return b"%EF%BF%BD" * len(percent_decode(octets).decode("utf-8", "replace"))

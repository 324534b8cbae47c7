r"""Delimiters of parts, which no piece of a body may cut.

Werkzeug 3.1 adds a CR to the content of a part if its read ends within the delimiter behind it. So the
pieces of a body that are handed on, and reads of them, end in front of a delimiter or behind it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import final

from postel._bodies.multipart import Respelled
from postel._bodies.part_head import FormPart


@final
class Delimiters:
    """Where the delimiters of a body are, once its header fields have been written anew."""

    __slots__ = ("_ends", "_starts")

    def __init__(self, parts: Sequence[FormPart], size: int, changes: Sequence[Respelled]) -> None:
        """``size`` is the length of the body as received; the places of ``parts`` are those in it."""
        grown = {start: len(octets) - (end - start) for start, end, octets in changes}
        self._starts: list[int] = []
        self._ends: list[int] = []
        shift = 0
        for part, behind in zip(parts, [*(each.start for each in parts[1:]), size], strict=False):
            shift += grown.get(part.start, 0)
            self._starts.append(part.end + shift)
            self._ends.append(behind + shift)

    def end(self, start: int, end: int) -> int:
        """Where octets that begin at ``start`` should end, ``end`` at the latest.

        They end within a delimiter only if they begin within it, or where it begins.
        """
        number = bisect_left(self._starts, end) - 1
        if number < 0 or end >= self._ends[number] or self._starts[number] <= start:
            return end
        return self._starts[number]

    def uncut(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the octets of a body in pieces that end within no delimiter."""
        held, start = b"", 0
        for piece in pieces:
            octets = held + piece
            end = self.end(start, start + len(octets))
            yield octets[: end - start]
            held, start = octets[end - start :], end

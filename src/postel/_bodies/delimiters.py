r"""Delimiters of parts, which no piece of a body may cut.

Werkzeug 3.1 adds a CR to the content of a part if a read ends within the delimiter after it. So the pieces of
a body that are handed on, and reads of them, end in front of a delimiter or after it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import final

from postel._bodies.form_part import FormPart
from postel._bodies.multipart import Respelled


@final
class Delimiters:
    """The offsets of the delimiters in a body whose header fields have been rewritten."""

    __slots__ = ("_ends", "_starts")

    def __init__(self, parts: Sequence[FormPart], size: int, changes: Sequence[Respelled]) -> None:
        """``size`` is the length of the received body; the offsets in ``parts`` are offsets in that body."""
        grown = {start: len(octets) - (end - start) for start, end, octets in changes}
        self._starts: list[int] = []
        self._ends: list[int] = []
        shift = 0
        for part, behind in zip(parts, [*(each.start for each in parts[1:]), size], strict=False):
            shift += grown.get(part.start, 0)
            self._starts.append(part.end + shift)
            self._ends.append(behind + shift)

    def end(self, start: int, end: int) -> int:
        """The offset at which a piece that begins at ``start`` should end; at most ``end``.

        A piece ends within a delimiter only if it also begins within it, or at its start.
        """
        number = bisect_left(self._starts, end) - 1
        if number < 0 or end >= self._ends[number] or self._starts[number] <= start:
            return end
        return self._starts[number]

    def uncut(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Divide the octets of a body; a piece that begins before a delimiter does not end within it."""
        held, start = b"", 0
        for piece in pieces:
            octets = held + piece
            end = self.end(start, start + len(octets))
            yield octets[: end - start]
            held, start = octets[end - start :], end

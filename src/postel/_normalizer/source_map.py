"""Source maps: trace edited octets back to the received octets.

With a source map, a finding in an edited component points into the octets that were received.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, TypeAlias, final

from postel._alphabet.percent import units
from postel._catalogue.check import Component

Edit: TypeAlias = tuple[int, int, bytes]
"""Start and end of the replaced octets, and their replacement."""


_TRACED: Final = 128
"""An offset is traced through at most this many edits of one bulk stage; a match without an edit counts."""
_AT_ONCE: Final = 8
"""How many edits of a bulk stage are located at first; later batches double this number."""


@final
class Mapped:
    """The octets of a component after some edits; a new object holds the received octets.

    >>> mapped = Mapped(b"/a%zz/b").splice([(2, 5, b"%25zz")])
    >>> mapped.octets, mapped.origin(7, 9)
    (b'/a%25zz/b', (5, 7))
    """

    __slots__ = (
        "_before",
        "_grown",
        "_kept",
        "_more",
        "_places",
        "_starts",
        "_units",
        "component",
        "octets",
        "received",
    )

    def __init__(self, octets: bytes, component: Component = Component.PATH) -> None:
        """Begin with received octets."""
        self.component = component
        self.octets = octets
        self.received = octets
        self._before: Mapped | None = None
        self._starts: list[int] = []
        """Where the replacement of each located edit starts."""
        self._places: list[tuple[int, int, int]] = []
        """For each edit, the end of its replacement, and the span that it replaced."""
        self._grown = 0
        """By how many octets the located edits lengthen the component."""
        self._more: Iterator[Edit] | None = None
        """The bulk edits that are not located yet."""
        self._kept: Sequence[int] | None = None
        """The pairs that the latest edits left if they removed pairs, by their numbers before."""
        self._units: _Units | None = None
        """Maps places back through ``respelled``, by units (escapes and bare octets); ``None`` otherwise."""

    def rewritten(
        self, octets: bytes, edits: Callable[[], Iterable[Edit]], kept: Sequence[int] | None = None
    ) -> Mapped:
        """Return the component after edits in bulk.

        ``edits`` returns the edits in order; it is called only when an offset is traced.
        If the edits remove pairs, ``kept`` are the numbers of the others.

        >>> mapped = Mapped(b"a<b<").rewritten(b"a%3Cb%3C", lambda: [(1, 2, b"%3C"), (3, 4, b"%3C")])
        >>> mapped.origin(5, 8)
        (3, 4)
        """
        if octets == self.octets:
            return self
        mapped = self._followed_by(octets)
        mapped._more = _on_request(edits)
        mapped._kept = kept
        return mapped

    def respelled(self, octets: bytes) -> Mapped:
        """Return the component after edits that replace each unit, an escape or bare octet, with one unit.

        >>> mapped = Mapped(b"a<b<").respelled(b"a%3Cb%3C")
        >>> mapped.origin(5, 8)
        (3, 4)
        """
        if octets == self.octets:
            return self
        mapped = self._followed_by(octets)
        mapped._units = _Units(octets, self.octets)
        return mapped

    def splice(self, edits: Iterable[Edit]) -> Mapped:
        """Return the component after edits; without edits, return the same object.

        Edits must not overlap. They must not complete an escape after a stray ``%``. Edits at an end of the
        component, edits that end before a slash, and edits of a whole value never do.
        """
        ordered = sorted(edits)
        if not ordered:
            return self
        pieces: list[bytes] = []
        done = 0
        for start, end, replacement in ordered:
            pieces += (self.octets[done:start], replacement)
            done = end
        pieces.append(self.octets[done:])
        mapped = self._followed_by(b"".join(pieces))
        mapped._locate(ordered)
        return mapped

    def _followed_by(self, octets: bytes) -> Mapped:
        """Return a component with these octets that follows this one; the caller sets its edits."""
        mapped = Mapped(octets, self.component)
        mapped.received = self.received
        mapped._before = self
        return mapped

    def kept_since(self, earlier: Mapped, pairs: Sequence[int]) -> Sequence[int]:
        """Return those of some pairs that the edits after an earlier component did not remove.

        ``pairs`` stand for the pairs of the earlier component. If pairs were cut off, only the first ones of
        the result are left.
        """
        if self is earlier or self._before is None:
            return pairs
        pairs = self._before.kept_since(earlier, pairs)
        return pairs if self._kept is None else [pairs[pair] for pair in self._kept]

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the received octets from which the octets from ``start`` to ``end`` came.

        If very many matches precede the octets, they are not traced, and the span is ``(0, 0)``.
        """
        mapped = self
        while mapped._before is not None:
            if mapped._units is not None:
                start, end = mapped._units.before(start), mapped._units.before(end)
            elif mapped._is_far(end):
                return 0, 0
            else:
                start, end = mapped._previous(start, end)
            mapped = mapped._before
        return start, end

    def _previous(self, start: int, end: int) -> tuple[int, int]:
        """Return the span, before the latest edits, from which these octets came."""
        begins, ends = start, end
        if index := bisect_right(self._starts, start):
            new_end, old_start, old_end = self._places[index - 1]
            begins = old_start if start < new_end else old_end + start - new_end
        if index := bisect_right(self._starts, max(start, end - 1)):
            new_end, _, old_end = self._places[index - 1]
            ends = old_end if end <= new_end else old_end + end - new_end
        return begins, max(begins, ends)

    def _is_far(self, position: int) -> bool:
        """Whether too many bulk edits precede a position to trace it."""
        if self._more is None:
            return False
        starts = self._starts
        while len(starts) <= _TRACED and (not starts or starts[-1] <= position):
            found = list(islice(self._more, min(_AT_ONCE + len(starts), _TRACED + 1 - len(starts))))
            if not found:
                self._more = None
                return False
            self._locate(found)
        return len(starts) > _TRACED and starts[_TRACED - 1] <= position

    def _locate(self, edits: Iterable[Edit]) -> None:
        """Add the next edits, which are in order, to the lists of located edits."""
        grown = self._grown
        for start, end, replacement in edits:
            new_end = start + grown + len(replacement)
            self._starts.append(start + grown)
            self._places.append((new_end, start, end))
            grown = new_end - end
        self._grown = grown


@final
class _Units:
    """The units of a component before and after edits that keep their number.

    Each place is counted from the nearest known one before it, because places are close to each other.
    """

    __slots__ = ("_after", "_before", "_known", "_shape")

    def __init__(self, after: bytes, before: bytes) -> None:
        """Begin at the first unit."""
        self._after = after
        self._shape: bytes | None = None
        self._before = before
        self._known = [(0, 0, 0)]
        """Places after the edits, each with its number of units and its place before the edits."""

    def before(self, place: int) -> int:
        """Return the offset that the unit at ``place`` had before the edits."""
        if self._shape is None:
            self._shape = units(self._before)
        index = bisect_right(self._known, (place + 1,))
        last, passed, of_last = self._known[index - 1]
        if place > last:
            more = len(units(self._after[last:place]))
            of_last += more + 2 * self._shape.count(0, passed, passed + more)
            self._known.insert(index, (place, passed + more, of_last))
        return of_last


def substitutions(pattern: re.Pattern[bytes], written: bytes, octets: bytes) -> Iterator[Edit]:
    """Yield the edits that replace the matches of a pattern one by one."""
    return ((*match.span(), written) for match in pattern.finditer(octets))


def _on_request(edits: Callable[[], Iterable[Edit]]) -> Iterator[Edit]:
    """Yield edits that are computed when the first one is needed."""
    yield from edits()

"""Limits of the parts of a component: the number of segments or pairs, and their lengths."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, final

from postel._catalogue.kinds import Kind
from postel._normalizer.scanner import Match
from postel._policy.limits import Limits, exceeds

_SEGMENT: Final = re.compile(rb"[^/]++")


@final
class SegmentLimits:
    """Judges the number of segments of a path and their lengths.

    >>> list(SegmentLimits(Limits(segment=3)).long(b"/abc/abcd/%C3%A9c"))
    [(Kind.LONG_SEGMENT, 5, 9)]
    """

    __slots__ = ("_segment", "_segments", "least")

    def __init__(self, limits: Limits) -> None:
        """Use the limits of a policy."""
        self._segment = limits.segment
        self._segments = limits.segments
        self.least: int = min(limits.segments, limits.segment or limits.segments)
        """A path of at most this many octets is within the limits."""

    def many(self, octets: bytes, begins: int = 0) -> Match | None:
        """Return a match if there are too many segments, or ``None``; the path begins at ``begins``."""
        return (Kind.TOO_MANY_SEGMENTS, 0, 0) if octets.count(b"/", begins) > self._segments else None

    def long(self, octets: bytes, begins: int = 0) -> Iterator[Match]:
        """Yield the segments that are longer than the limit."""
        most = self._segment
        if most is None or len(octets) <= most:
            return
        for match in _SEGMENT.finditer(octets, begins):
            if exceeds(most, match.group()):
                yield Kind.LONG_SEGMENT, *match.span()

    def hold(self, octets: bytes) -> bool:
        """Whether a path is within the limits."""
        return octets.count(b"/") <= self._segments and (self._segment is None or not any(self.long(octets)))


@final
class PairLimits:
    """Judges the number of pairs, and the lengths of names and values.

    >>> list(PairLimits(Limits(name=1, depth=2)).long(b"ab=1&a%5B[["))
    [(Kind.LONG_NAME, 0, 2), (Kind.LONG_NAME, 5, 11), (Kind.TOO_DEEP, 5, 11)]
    """

    __slots__ = ("_depth", "_name", "_pairs", "_short", "_value", "least")

    def __init__(self, limits: Limits) -> None:
        """Use the limits of a policy."""
        self._pairs = limits.pairs
        self._name = limits.name
        self._value = limits.value
        self._depth = limits.depth
        self._short = min(limits.name, limits.value)
        self.least: int = min(limits.pairs, self._short)
        """Pairs of at most this many octets are within all limits except depth."""

    def many(self, octets: bytes) -> Match | None:
        """Return a match at the first pair over the limit if there are too many pairs, or ``None``."""
        if self.hold_number(octets):
            return None
        start = len(octets) - len(octets.split(b"&", self._pairs)[-1])
        return Kind.TOO_MANY_PAIRS, start, start

    def long(self, octets: bytes, pairs: Sequence[bytes] = ()) -> Iterator[Match]:
        """Yield the names and values over their limits; ``pairs`` are the split ``octets``, if known."""
        # If the brackets of names and values together are few, no name is too deep.
        if len(octets) <= self._short and _brackets(octets) <= self._depth:
            return
        pairs = pairs or octets.split(b"&")
        longest, short = max(map(len, pairs)), min(self._short, self._depth)
        if longest <= short:
            return
        deep = _brackets(octets) > self._depth
        if not deep and longest <= (short := self._short):
            return
        start = 0
        for pair in pairs:
            if len(pair) > short:
                name, _, value = pair.partition(b"=")
                middle, end = start + len(name), start + len(pair)
                if exceeds(self._name, name):
                    yield Kind.LONG_NAME, start, middle
                if exceeds(self._value, value):
                    yield Kind.LONG_VALUE, middle + 1, end
                if deep and _brackets(name) > self._depth:
                    yield Kind.TOO_DEEP, start, middle
            start += len(pair) + 1

    def hold_number(self, octets: bytes) -> bool:
        """Whether the number of pairs is within its limit."""
        return octets.count(b"&") < self._pairs

    def hold(self, octets: bytes) -> bool:
        """Whether the pairs are within the limits."""
        if not self.hold_number(octets):
            return False
        # "in" is three times as fast for a number as for octets.
        is_small = len(octets) <= self._short and 0x5B not in octets and b"%5" not in octets
        return is_small or not any(self.long(octets))


def _brackets(octets: bytes) -> int:
    """Count the opening brackets, bare and escaped."""
    return octets.count(b"[") + octets.count(b"%5B") + octets.count(b"%5b")

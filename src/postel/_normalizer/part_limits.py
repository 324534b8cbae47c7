"""Limits of the parts of a component: the number of segments or pairs, and their lengths."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate, compress, count
from typing import Final, final

from postel._catalogue.kinds import Kind
from postel._normalizer.scanner import Match
from postel._policy.limits import Limits, exceeds

_SEGMENT: Final = re.compile(rb"[^/]++")
GROWTH: Final = len("\N{REPLACEMENT CHARACTER}".encode())
"""REPLACE writes at most this many octets for one."""
_SHORT: Final = 64
"""If fewer octets are allowed, dividing all pairs is faster than looking for the longer ones."""
_NO_BRACKETS: Final = bytes(set(range(256)) - set(b"&=["))
"""The octets other than opening brackets and those that end a name."""


@final
class SegmentLimits:
    """Judges the number of segments of a path and their lengths.

    >>> list(SegmentLimits(Limits(segment=3)).long(b"/abc/abcd/%C3%A9c"))
    [(Kind.LONG_SEGMENT, 5, 9)]
    """

    __slots__ = ("_segment", "_segments")

    def __init__(self, limits: Limits) -> None:
        """Use the limits of a policy."""
        self._segment = limits.segment
        self._segments = limits.segments

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

    __slots__ = ("_depth", "_name", "_pairs", "_short", "_value")

    def __init__(self, limits: Limits) -> None:
        """Use the limits of a policy."""
        self._pairs = limits.pairs
        self._name = limits.name
        self._value = limits.value
        self._depth = limits.depth
        self._short = min(limits.name, limits.value)

    def many(self, octets: bytes) -> Match | None:
        """Return a match at the first pair over the limit if there are too many pairs, or ``None``."""
        if self.hold_number(octets):
            return None
        start = len(octets) - len(octets.split(b"&", self._pairs)[-1])
        return Kind.TOO_MANY_PAIRS, start, start

    def long(self, octets: bytes) -> Iterator[Match]:
        """Yield the names and values over their limits."""
        is_deep = self._is_deep(octets)
        least = min(self._short, self._depth) if is_deep else self._short
        for start, end in _longer(octets, least):
            name, _, value = octets[start:end].partition(b"=")
            middle = start + len(name)
            if exceeds(self._name, name):
                yield Kind.LONG_NAME, start, middle
            if exceeds(self._value, value):
                yield Kind.LONG_VALUE, middle + 1, end
            if is_deep and _brackets(name) > self._depth:
                yield Kind.TOO_DEEP, start, middle

    def _is_deep(self, octets: bytes) -> bool:
        """Whether any name has more opening brackets, bare or escaped, than the limit of depth."""
        bare = octets.replace(b"%5B", b"[").replace(b"%5b", b"[")
        if bare.count(b"[") <= self._depth:
            return False
        # Without other octets, the brackets of a name follow an ampersand.
        return b"&" + b"[" * (self._depth + 1) in b"&" + bare.translate(None, _NO_BRACKETS)

    def hold_number(self, octets: bytes) -> bool:
        """Whether the number of pairs is within its limit."""
        return octets.count(b"&") < self._pairs

    def leave_room(self, octets: bytes) -> bool:
        """Whether pairs that are within the limits stay within them if every octet is replaced."""
        return next(_longer(octets, self._short // GROWTH), None) is None

    def hold(self, octets: bytes) -> bool:
        """Whether the pairs are within the limits."""
        if not self.hold_number(octets):
            return False
        # "in" is three times as fast for a number as for octets.
        is_small = len(octets) <= self._short and 0x5B not in octets and b"%5" not in octets
        return is_small or not any(self.long(octets))


def _longer(octets: bytes, most: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of the pairs that have more octets than ``most``."""
    if most < _SHORT:
        pairs = octets.split(b"&")
        ends = list(accumulate(map(len, pairs)))  # without the ampersands
        for number in compress(count(), map(most.__lt__, map(len, pairs))):
            yield ends[number] + number - len(pairs[number]), ends[number] + number
        return
    # A longer pair holds at least one of these places, so only their pairs are examined. A pattern for that
    # many octets could take quadratic time.
    place = most
    while place < len(octets):
        start, end = octets.rfind(b"&", 0, place + 1) + 1, octets.find(b"&", place)
        end = len(octets) if end < 0 else end
        if end - start > most:
            yield start, end
            place = end
        place += most + 1


def _brackets(octets: bytes) -> int:
    """Count the opening brackets, bare and escaped."""
    return octets.count(b"[") + octets.count(b"%5B") + octets.count(b"%5b")

"""Pairs: where in a query or form each name=value begins and ends."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import final

from postel._octets import percent_decode


@final
class Pairs:
    """Where the pairs of a draft begin and end, and their names."""

    __slots__ = ("_names", "octets", "starts")

    def __init__(self, octets: bytes) -> None:
        """Find where each pair starts."""
        self.octets = octets
        starts = [0]
        position = octets.find(b"&")
        while position >= 0:
            starts.append(position + 1)
            position = octets.find(b"&", position + 1)
        self.starts = starts
        self._names: dict[int, str] = {}

    def at(self, position: int) -> int:
        """Which pair an octet belongs to; an ampersand is the end of the one before it."""
        return bisect_right(self.starts, position) - 1 if len(self.starts) > 1 else 0

    def span(self, pair: int) -> tuple[int, int]:
        """The start and end of a pair, without its ampersands."""
        last = pair + 1 == len(self.starts)
        return self.starts[pair], len(self.octets) if last else self.starts[pair + 1] - 1

    def name_end(self, pair: int) -> int:
        """Where the name of a pair ends."""
        start, end = self.span(pair)
        equals = self.octets.find(b"=", start, end)
        return end if equals < 0 else equals

    def part(self, position: int) -> tuple[int, int]:
        """The span of the name or the value that an octet is in."""
        pair = self.at(position)
        start, end = self.span(pair)
        middle = self.name_end(pair)
        return (start, middle) if position < middle else (min(end, middle + 1), end)

    def parts(self) -> Iterator[tuple[int, int, int]]:
        """Every pair with the span of its name, then with that of its value."""
        for pair in range(len(self.starts)):
            start, end = self.span(pair)
            middle = self.name_end(pair)
            yield pair, start, middle
            yield pair, min(end, middle + 1), end

    def name(self, pair: int) -> str:
        """The decoded name of a pair; what is ill-formed in it is a surrogate."""
        if pair not in self._names:
            octets = self.octets[self.starts[pair] : self.name_end(pair)]
            decoded = percent_decode(octets.replace(b"+", b" "))
            self._names[pair] = decoded.decode("utf-8", "surrogateescape")
        return self._names[pair]

"""Pairs: find where each name=value of a query or form begins and ends."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate, count
from operator import add
from typing import Final, final

from postel._alphabet.percent import percent_decode
from postel._alphabet.text import NO_TEXT, decoded

_AMPERSAND_OCTET: Final = ord("&")


@final
class Pairs:
    """The positions and names of the pairs of a component."""

    __slots__ = ("_decoded", "_name_ends", "_names", "_written", "octets", "pieces", "starts")

    def __init__(self, octets: bytes) -> None:
        """Find where each pair starts."""
        self.octets = octets
        self.pieces = octets.split(b"&")
        self.starts = list(map(add, accumulate(map(len, self.pieces[:-1]), initial=0), count()))
        self._names: dict[int, str] = {}
        self._name_ends: list[int] | None = None
        self._decoded: list[str] | None = None
        self._written: list[bytes] | None = None

    def at(self, position: int) -> int:
        """Return the pair that holds an octet; an ampersand belongs to the pair before it."""
        return bisect_right(self.starts, position) - 1 if len(self.starts) > 1 else 0

    def span(self, pair: int) -> tuple[int, int]:
        """Return the start and end of a pair, without its ampersands."""
        last = pair + 1 == len(self.starts)
        return self.starts[pair], len(self.octets) if last else self.starts[pair + 1] - 1

    def name_end(self, pair: int) -> int:
        """Return where the name of a pair ends."""
        if self._name_ends is not None:
            return self._name_ends[pair]
        start, end = self.span(pair)
        equals = self.octets.find(b"=", start, end)
        return end if equals < 0 else equals

    @property
    def name_ends(self) -> list[int]:
        """Where the name of each pair ends."""
        if self._name_ends is None:
            self._name_ends = list(map(add, self.starts, map(len, self.written_names)))
        return self._name_ends

    @property
    def written_names(self) -> list[bytes]:
        """The names of all pairs as they are written."""
        if self._written is None:
            self._written = [each.partition(b"=")[0] for each in self.pieces]
        return self._written

    @property
    def ends(self) -> list[int]:
        """Where each pair ends."""
        return [*(start - 1 for start in self.starts[1:]), len(self.octets)]

    def empty(self) -> Iterator[int]:
        """Yield the pairs without any octet; yield nothing if there is no ampersand."""
        octets, last = self.octets, len(self.octets)
        if octets.startswith(b"&") or octets.endswith(b"&") or b"&&" in octets:
            for pair, start in enumerate(self.starts):
                if start == last or octets[start] == _AMPERSAND_OCTET:
                    yield pair

    def filled(self) -> Iterator[int]:
        """Yield the pairs that are not empty."""
        for pair in range(len(self.starts)):
            start, end = self.span(pair)
            if start < end:
                yield pair

    def name(self, pair: int) -> str:
        """Return the decoded name of a pair; ill-formed octets become surrogates."""
        if self._decoded is not None:
            return self._decoded[pair]
        if pair not in self._names:
            octets = self.octets[self.starts[pair] : self.name_end(pair)]
            decoded = percent_decode(octets.replace(b"+", b" "))
            self._names[pair] = decoded.decode("utf-8", "surrogateescape")
        return self._names[pair]

    def name_at(self, position: int) -> str:
        """Return the decoded name of the pair that holds an octet."""
        return self.name(self.at(position))

    def names(self, text: str) -> list[str]:
        """Return the decoded names of all pairs, from the text of the component.

        >>> from postel._alphabet.text import text_of
        >>> Pairs(b"a%5B=1&b+c").names(text_of(b"a%5B=1&b+c"))
        ['a[', 'b c']
        """
        if self._decoded is None:
            written = NO_TEXT.join([pair.partition("=")[0] for pair in text.split("&")])
            self._decoded = decoded(written.replace("+", " ")).split(NO_TEXT)
        return self._decoded

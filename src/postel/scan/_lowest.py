"""A sample of bounded size that does not depend on how, where or in which order it was taken.

Each thing is marked with a number drawn from its own octets. Kept are the things with the lowest marks: a
uniform sample of the distinct things. One that is in the sample in the end was in it from the beginning, so
that how often it came is exact. That is why parts can be counted anywhere and summed to the last count; the
summaries of frequent items that libraries offer (space-saving, Misra-Gries) give another sum for each order.
See Bar-Yossef et al., "Counting Distinct Elements in a Data Stream" (2002), on which the estimate rests.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Final, Generic, TypeVar, final

T = TypeVar("T")

_SPAN: Final = 2**64


def mark_of(octets: bytes) -> int:
    """A number below 2**64 that is the same for the same octets, everywhere."""
    return int.from_bytes(hashlib.blake2b(octets, digest_size=8).digest())


@final
class Lowest(Generic[T]):  # noqa: PLW1641 - it changes
    """The things with the lowest marks, with how often each came.

    >>> few = Lowest(2)
    >>> for mark, thing in [(5, "e"), (1, "a"), (9, "i"), (1, "a")]:
    ...     few.add(mark, thing)
    >>> list(few), few.is_whole
    ([('a', 2), ('e', 1)], False)
    """

    __slots__ = ("_beyond", "_counts", "_highest", "_things", "most")

    def __init__(self, most: int) -> None:
        """Keep so many things."""
        self.most: int = most
        self._counts: dict[int, int] = {}
        self._things: dict[int, T] = {}
        self._highest = _SPAN  # marks from here on are not among the lowest
        self._beyond = False  # whether there were more things than are kept

    def wants(self, mark: int) -> bool:
        """Whether a thing with this mark would be kept, as far as is known by now."""
        return mark < self._highest

    def add(self, mark: int, thing: T, count: int = 1) -> None:
        """Count a thing."""
        if mark in self._counts:
            self._counts[mark] += count
        elif mark < self._highest:
            self._counts[mark] = count
            self._things[mark] = thing
            if len(self._counts) > 2 * self.most:
                self._settle()

    def _settle(self) -> None:
        """Let go what is not among the lowest."""
        if len(self._counts) > self.most:
            marks = sorted(self._counts)
            for mark in marks[self.most :]:
                del self._counts[mark], self._things[mark]
            self._highest = marks[self.most - 1] + 1
            self._beyond = True

    def update(self, other: Lowest[T]) -> None:
        """Count what another has counted."""
        for mark, count in other._counts.items():
            self.add(mark, other._things[mark], count)
        self._beyond = self._beyond or other._beyond
        self._highest = min(self._highest, other._highest)
        self._counts = {mark: count for mark, count in self._counts.items() if mark < self._highest}
        self._things = {mark: self._things[mark] for mark in self._counts}
        self._settle()

    @property
    def is_whole(self) -> bool:
        """Whether everything that came is here."""
        self._settle()
        return not self._beyond

    @property
    def distinct(self) -> int:
        """How many distinct things came: exact where all are here, else estimated.

        Its standard error is 1 / sqrt(most - 2) of it.
        """
        self._settle()
        if not self._beyond:
            return len(self._counts)
        return max(self.most + 1, round((self.most - 1) * _SPAN / self._highest))

    def __iter__(self) -> Iterator[tuple[T, int]]:
        """Things and how often each came, by their marks."""
        self._settle()
        for mark in sorted(self._counts):
            yield self._things[mark], self._counts[mark]

    def __len__(self) -> int:
        self._settle()
        return len(self._counts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Lowest):
            return NotImplemented
        return self.__getstate__() == other.__getstate__()  # pyright: ignore[reportUnknownMemberType] - of T's nobody asks

    def __getstate__(self) -> tuple[int, dict[int, int], dict[int, T], int, bool]:
        """What a pickle holds: no more than the sample."""
        self._settle()
        return self.most, self._counts, self._things, self._highest, self._beyond

    def __setstate__(self, state: tuple[int, dict[int, int], dict[int, T], int, bool]) -> None:
        self.most, self._counts, self._things, self._highest, self._beyond = state

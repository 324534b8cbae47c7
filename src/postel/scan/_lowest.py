"""A sample of bounded size that is independent of the order of the items and of their split into parts.

Each item gets a mark, a hash of its octets. The items with the lowest marks are kept; they are a uniform
sample of the distinct items. An item in the final sample was in the sample from its first occurrence, so its
count is exact. Therefore several processes can count parts, and the sums are exact. Common summaries of
frequent items (space-saving, Misra-Gries) depend on the order. The estimate of distinct items follows
Bar-Yossef et al., "Counting Distinct Elements in a Data Stream" (2002).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Final, Generic, TypeVar, final

T = TypeVar("T")

_SPAN: Final = 2**64


def mark_of(octets: bytes) -> int:
    """Return a hash below 2**64 that is the same on every machine."""
    return int.from_bytes(hashlib.blake2b(octets, digest_size=8).digest())


@final
class Lowest(Generic[T]):  # noqa: PLW1641 - it changes
    """The items with the lowest marks, with their counts.

    >>> few = Lowest(2)
    >>> for mark, thing in [(5, "e"), (1, "a"), (9, "i"), (1, "a")]:
    ...     few.add(mark, thing)
    >>> list(few), few.is_whole
    ([('a', 2), ('e', 1)], False)
    """

    __slots__ = ("_beyond", "_counts", "_highest", "_things", "most")

    def __init__(self, most: int) -> None:
        """Keep at most ``most`` items."""
        self.most: int = most
        self._counts: dict[int, int] = {}
        self._things: dict[int, T] = {}
        self._highest = _SPAN  # marks from here on are not kept
        self._beyond = False  # whether items were dropped

    def wants(self, mark: int) -> bool:
        """Whether an item with this mark would be kept now."""
        return mark < self._highest

    def add(self, mark: int, thing: T, count: int = 1) -> None:
        """Count an item."""
        if mark in self._counts:
            self._counts[mark] += count
        elif mark < self._highest:
            self._counts[mark] = count
            self._things[mark] = thing
            if len(self._counts) > 2 * self.most:
                self._settle()

    def _settle(self) -> None:
        """Drop the items that are not among the lowest."""
        if len(self._counts) > self.most:
            marks = sorted(self._counts)
            for mark in marks[self.most :]:
                del self._counts[mark], self._things[mark]
            self._highest = marks[self.most - 1] + 1
            self._beyond = True

    def update(self, other: Lowest[T]) -> None:
        """Add the counts of another sample."""
        for mark, count in other._counts.items():
            self.add(mark, other._things[mark], count)
        self._beyond = self._beyond or other._beyond
        self._highest = min(self._highest, other._highest)
        self._counts = {mark: count for mark, count in self._counts.items() if mark < self._highest}
        self._things = {mark: self._things[mark] for mark in self._counts}
        self._settle()

    @property
    def is_whole(self) -> bool:
        """Whether all items are kept."""
        self._settle()
        return not self._beyond

    @property
    def distinct(self) -> int:
        """The number of distinct items: exact if all are kept, otherwise estimated.

        The relative standard error of the estimate is 1 / sqrt(most - 2).
        """
        self._settle()
        if not self._beyond:
            return len(self._counts)
        return max(self.most + 1, round((self.most - 1) * _SPAN / self._highest))

    def __iter__(self) -> Iterator[tuple[T, int]]:
        """The items with their counts, ordered by mark."""
        self._settle()
        for mark in sorted(self._counts):
            yield self._things[mark], self._counts[mark]

    def __len__(self) -> int:
        self._settle()
        return len(self._counts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Lowest):
            return NotImplemented
        return self.__getstate__() == other.__getstate__()  # pyright: ignore[reportUnknownMemberType] - for any T

    def __getstate__(self) -> tuple[int, dict[int, int], dict[int, T], int, bool]:
        """Return the state for pickle, which is bounded like the sample."""
        self._settle()
        return self.most, self._counts, self._things, self._highest, self._beyond

    def __setstate__(self, state: tuple[int, dict[int, int], dict[int, T], int, bool]) -> None:
        self.most, self._counts, self._things, self._highest, self._beyond = state

"""Faulty pairs: edit only the pairs in which something was found.

No edit of a pair depends on another pair, unless names are compared. So if few pairs of a long component are
faulty, the others need not be judged after each stage of editing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from postel._alphabet.percent import measure
from postel._normalizer.detected import Detected
from postel._normalizer.findings import MOST, changes_octets
from postel._normalizer.kept_pairs import only
from postel._normalizer.pairs import Pairs
from postel._normalizer.source_map import Mapped

_LONG: Final = 1024
"""A shorter component is edited as a whole."""


@final
class FaultyPairs:
    """The pairs of a component in which something was found, and the first two pairs.

    The first two are members because a component that is a single empty pair has no empty pair to repair.
    """

    __slots__ = ("_pairs", "_whole", "mapped", "members")

    def __init__(self, whole: Mapped, pairs: Pairs, members: Sequence[int]) -> None:
        """``members`` are the numbers of the pairs, in order."""
        self._whole = whole
        self._pairs = pairs
        self.members: Sequence[int] = members
        self.mapped: Mapped = only(members, pairs, whole)
        """The faulty pairs as a component of their own."""

    @property
    def beside(self) -> int:
        """The length of the other pairs; an escape counts as one octet."""
        return measure(self._whole.octets) - measure(self.mapped.octets)

    def rejoined(self, edited: Mapped, *, cut: bool) -> Mapped:
        """Put the other pairs back between the edited ones; ``cut`` says whether a fragment was cut.

        The result is traced to the received octets pair by pair.
        """
        pairs, members = self._pairs, self.members
        left = dict(zip(edited.kept_since(self.mapped, members), edited.octets.split(b"&"), strict=False))
        rejoined = self._whole.splice((*pairs.span(pair), piece) for pair, piece in left.items())
        end = pairs.at(self._whole.octets.index(b"#")) + 1 if cut else len(pairs.pieces)
        kept = {*range(end)}.difference(members).union(left)
        if len(kept) == len(pairs.pieces):
            return rejoined
        return only(sorted(kept), Pairs(rejoined.octets), rejoined)


def faulty_pairs(mapped: Mapped, detected: Detected) -> FaultyPairs | None:
    """Return the pairs in which something was found.

    Returns ``None`` if no pair needs an edit, if the component is short, or if these pairs are most of it.
    All matches must be known, and none of them may depend on other pairs.
    """
    pairs, matches = detected.pairs, detected.matches.values()
    if len(mapped.octets) < _LONG or len(pairs.pieces) == 1:
        return None
    if not any(each.have(changes_octets) for each in matches):
        return None
    found = {pairs.at(start) for each in matches for _, _, start, _ in each.first(MOST)}
    members = sorted({0, 1, *found})
    if 2 * sum(len(pairs.pieces[pair]) for pair in members) > len(mapped.octets):
        return None
    return FaultyPairs(mapped, pairs, members)

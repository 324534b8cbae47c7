"""The actions in each pair, and edits of only some of the pairs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import chain
from operator import itemgetter
from typing import TypeAlias, TypeVar, final

from postel._catalogue.check import Action
from postel._catalogue.kinds import Kind
from postel._policy.name_rules import Actions

Held = TypeVar("Held")
Group: TypeAlias = tuple[Actions, Sequence[int]]
"""Actions, and the numbers of the pairs to which they apply."""


@final
class PairActions:
    """The actions in each pair."""

    __slots__ = ("_acts", "_every", "_having", "_held", "_numbers", "columns", "matching", "patterns")

    def __init__(
        self,
        every: Sequence[Actions],
        numbers: Sequence[int],
        patterns: Sequence[int] = (),
        matching: dict[str, int] | None = None,
    ) -> None:
        """``numbers`` are the places in ``every`` of the actions of each pair."""
        self.patterns: Sequence[int] = patterns
        """The bits of the patterns that match the repaired name of each pair; empty if no rule matters."""
        self.matching: dict[str, int] = matching or {}
        """For some decoded names, the bits of the patterns that match them."""
        self._every = every
        self._numbers = numbers
        self.columns: list[Actions] = [every[number] for number in sorted(set(numbers))]
        """The actions of all pairs, without duplicates."""
        self._held: dict[int, list[int]] | None = None
        self._acts: dict[Kind, frozenset[Action]] = {}
        self._having: dict[Kind, dict[Action, Sequence[int]]] = {}

    def at(self, kind: Kind, pair: int) -> Action:
        """Return the action for a kind in a pair."""
        return self._every[self._numbers[pair]][kind.index]

    def of(self, kind: Kind, pairs: Sequence[int]) -> list[Action]:
        """Return the action for a kind in each of some pairs."""
        if len(different := self.acts([kind])) == 1:
            return [*different] * len(pairs)
        actions = list(map(itemgetter(kind.index), self._every))
        return [actions[self._numbers[pair]] for pair in pairs]

    def having(self, kind: Kind, action: Action) -> Sequence[int]:
        """Return the pairs in which a kind has an action; a range stands for all pairs."""
        if kind not in self._having:
            every, different = range(len(self._numbers)), self.acts([kind])
            done = self.of(kind, every) if len(different) > 1 else []
            self._having[kind] = {
                each: [pair for pair in every if done[pair] is each] if done else every for each in different
            }
        return self._having[kind].get(action, ())

    def acts(self, kinds: Iterable[Kind]) -> set[Action]:
        """Return the actions for some kinds in all pairs."""
        found = set[Action]()
        for kind in kinds:
            if kind not in self._acts:
                self._acts[kind] = frozenset(map(itemgetter(kind.index), self.columns))
            found |= self._acts[kind]
        return found

    def among(self, pairs: Sequence[int]) -> PairActions:
        """Return the actions in some of the pairs."""
        patterns = list(map(self.patterns.__getitem__, pairs)) if self.patterns else ()
        if len(self.columns) == 1:
            return PairActions(self.columns, bytes(len(pairs)), patterns, self.matching)
        numbers = list(map(self._numbers.__getitem__, pairs))
        return PairActions(self._every, numbers, patterns, self.matching)

    def grouped(self, kinds: Iterable[Kind]) -> list[Group]:
        """Group pairs by their actions for these kinds."""
        if len(self.columns) > 1:
            asked = [kind.index for kind in kinds]
            found: dict[tuple[Action, ...], list[int]] = {}
            for number in sorted(set(self._numbers)):
                found.setdefault(tuple(map(self._every[number].__getitem__, asked)), []).append(number)
            if len(found) > 1:
                return [(self._every[alike[0]], self._holding(alike)) for alike in found.values()]
        return [(self.columns[0], range(len(self._numbers)))]

    def _holding(self, numbers: Sequence[int]) -> list[int]:
        """Return the pairs whose actions have one of these numbers."""
        if self._held is None:
            self._held = {number: [] for number in self._numbers}
            for pair, number in enumerate(self._numbers):
                self._held[number].append(pair)
        members = [self._held[number] for number in numbers]
        return members[0] if len(members) == 1 else sorted(chain(*members))


def in_text(text: str, pairs: Sequence[int], edit: Callable[[str], str]) -> str:
    """Edit the text of some pairs, all in one call; a range stands for all pairs."""
    if isinstance(pairs, range) or not pairs:
        return edit(text) if pairs else text
    pieces = text.split("&")
    _put(edit("&".join([pieces[pair] for pair in pairs])).split("&"), pieces, pairs)
    return "&".join(pieces)


def in_octets(octets: bytes, pairs: Sequence[int], edit: Callable[[bytes], bytes]) -> bytes:
    """Edit the octets of some pairs, all in one call; a range stands for all pairs."""
    if isinstance(pairs, range) or not pairs:
        return edit(octets) if pairs else octets
    pieces = octets.split(b"&")
    _put(edit(b"&".join([pieces[pair] for pair in pairs])).split(b"&"), pieces, pairs)
    return b"&".join(pieces)


def _put(edited: Sequence[Held], pieces: list[Held], pairs: Sequence[int]) -> None:
    """Replace some of the pieces with edited ones."""
    for pair, piece in zip(pairs, edited, strict=True):
        pieces[pair] = piece


def except_in(pairs: Collection[int], edited: str, whole: str) -> str:
    """Undo an edit in some of the pairs."""
    pieces, before = edited.split("&"), whole.split("&")
    for pair in pairs:
        pieces[pair] = before[pair]
    return "&".join(pieces)

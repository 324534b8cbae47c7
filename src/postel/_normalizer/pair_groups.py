"""Groups of pairs: judge and edit all pairs with the same actions together, in a few calls."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence, Sized
from functools import cache, partial
from itertools import accumulate, chain, count
from operator import add
from typing import TypeAlias, TypeVar, final

from postel._catalogue.check import Action
from postel._catalogue.kinds import Kind
from postel._normalizer.edits import Text
from postel._normalizer.findings import Matches, SpanOf, together
from postel._policy.name_rules import Actions

Held = TypeVar("Held")
Group: TypeAlias = tuple[Actions, Sequence[int]]
"""Actions, and the numbers of the pairs to which they apply."""
PairEdit: TypeAlias = Callable[[bytes, Text, Actions, bool], Sequence[bytes]]
"""Returns the octets of pairs after each step of an edit; all edits of a stage have as many steps.

Takes the octets of the pairs, their text, their actions, and whether the pairs are dropped.
"""
Divided: TypeAlias = tuple[Actions, bool, Sequence[int]]
"""Actions, whether the pairs are dropped, and the numbers of the pairs."""


@final
class PairActions:
    """The actions in each pair."""

    __slots__ = ("_every", "_held", "_numbers", "columns", "matching", "patterns")

    def __init__(
        self,
        every: Sequence[Actions],
        numbers: Sequence[int],
        patterns: Sequence[int] = (),
        matching: dict[str, int] | None = None,
    ) -> None:
        """``numbers`` are the places in ``every`` of the actions of each pair."""
        self.patterns: Sequence[int] = patterns
        """The bits of the patterns whose rules apply to each pair; empty if no rule matters."""
        self.matching: dict[str, int] = matching or {}
        """For some decoded names, the bits of the patterns that match them."""
        self._every = every
        self._numbers = numbers
        self.columns: list[Actions] = [every[number] for number in sorted(set(numbers))]
        """The actions of all pairs, without duplicates."""
        self._held: dict[int, list[int]] | None = None

    def at(self, kind: Kind, pair: int) -> Action:
        """Return the action for a kind in a pair."""
        return self._every[self._numbers[pair]][kind.index]

    def of(self, kind: Kind, pairs: Sequence[int]) -> list[Action]:
        """Return the action for a kind in each of some pairs."""
        if len(self.grouped([kind])) == 1:
            return [self.columns[0][kind.index]] * len(pairs)
        actions = [each[kind.index] for each in self._every]
        return [actions[self._numbers[pair]] for pair in pairs]

    def among(self, pairs: Sequence[int]) -> PairActions:
        """Return the actions in some of the pairs."""
        patterns = list(map(self.patterns.__getitem__, pairs)) if self.patterns else ()
        if len(self.columns) == 1:
            return PairActions(self.columns, bytes(len(pairs)), patterns, self.matching)
        numbers = list(map(self._numbers.__getitem__, pairs))
        return PairActions(self._every, numbers, patterns, self.matching)

    def grouped(self, kinds: Iterable[Kind], only: Container[Action] = frozenset(Action)) -> list[Group]:
        """Group pairs by their actions for these kinds; actions outside ``only`` count as equal."""
        if len(self.columns) > 1:
            asked = [kind.index for kind in kinds]
            found: dict[tuple[Action | None, ...], list[int]] = {}
            for number in sorted(set(self._numbers)):
                actions = map(self._every[number].__getitem__, asked)
                key = tuple([action if action in only else None for action in actions])
                found.setdefault(key, []).append(number)
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


def judged_in_groups(
    groups: Sequence[Group],
    pieces: Sequence[Sized],
    joined: Callable[[Sequence[int]], Held],
    judge: Callable[[Held, Actions], Matches],
    span: SpanOf | None = None,
) -> Matches:
    """Judge the pairs of each group together, and merge the matches.

    ``pieces`` are the pairs, and ``joined`` joins some of them. ``span``, if given, converts positions in all
    pairs to offsets.
    """
    if len(groups) == 1:
        ((actions, members),) = groups
        matches = judge(joined(members), actions)
        return together([(matches, span)]) if span else matches
    starts = cache(lambda: _starts(pieces))
    found: list[tuple[Matches, SpanOf]] = []
    for actions, members in groups:
        at = _moved(members, [pieces[pair] for pair in members], starts)
        found.append((judge(joined(members), actions), at))
    merged = together(found)
    return together([(merged, span)]) if span else merged


def _moved(members: Sequence[int], mine: Sequence[Sized], starts: Callable[[], list[int]]) -> SpanOf:
    """Return a function that converts a position in the joined pairs of a group to one in all pairs."""
    starts_of_mine = cache(lambda: _starts(mine))

    def moved(start: int, end: int) -> tuple[int, int]:
        place = bisect_right(starts_of_mine(), start) - 1
        by = starts()[members[place]] - starts_of_mine()[place]
        return start + by, end + by

    return moved


def _starts(pieces: Iterable[Sized]) -> list[int]:
    """Return where each pair starts if they are joined with ampersands."""
    return list(map(add, accumulate(map(len, pieces), initial=0), count()))


def divided(groups: Iterable[Group], dropped: Collection[int]) -> list[Divided]:
    """Divide each group into pairs that are kept and pairs that are ``dropped``."""
    found: list[Divided] = []
    for actions, members in groups:
        removed = [pair for pair in members if pair in dropped] if dropped else []
        kept = [pair for pair in members if pair not in dropped] if removed else members
        found += [(actions, False, kept)] if kept else []
        found += [(actions, True, removed)] if removed else []
    return found


def edited(
    pieces: Sequence[bytes],
    texts: Callable[[], Sequence[str]],
    groups: Sequence[Divided],
    edit: PairEdit,
) -> Iterator[list[bytes]]:
    """Yield the pairs after each step of an edit; ``texts`` returns the texts of the pairs."""
    order = [pair for _, _, members in groups for pair in members]
    places = sorted(range(len(order)), key=order.__getitem__) if len(groups) > 1 else []
    edits: list[Sequence[bytes]] = []
    for actions, drops, members in groups:
        joined = b"&".join(map(pieces.__getitem__, members))
        edits.append(edit(joined, cache(partial(_joined, texts, members)), actions, drops))
    for step in zip(*edits, strict=True):
        state = [piece for octets in step for piece in octets.split(b"&")]
        yield list(map(state.__getitem__, places)) if places else state


def _joined(texts: Callable[[], Sequence[str]], members: Sequence[int]) -> str:
    return "&".join(map(texts().__getitem__, members))

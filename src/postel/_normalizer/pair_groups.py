"""Judge pairs with different actions: a few matches one by one, many in groups of pairs."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence, Sized
from functools import cache

from postel._catalogue.check import Action
from postel._normalizer.findings import JudgedMatch, Matches, SpanOf, together
from postel._normalizer.pair_actions import Group, PairActions
from postel._normalizer.pairs import starts_of
from postel._normalizer.scanner import Match
from postel._policy.name_rules import Actions


def judged_one_by_one(
    found: Iterable[Match], pair_actions: PairActions, at: Callable[[int], int]
) -> list[JudgedMatch]:
    """Judge a few matches by the actions in their pairs; ``at`` returns the pair at an offset."""
    seen = [(pair_actions.at(kind, at(start)), kind, start, end) for kind, start, end in found]
    return [each for each in seen if each[0] is not Action.ALLOW]


def judged_in_groups(
    groups: Sequence[Group],
    pieces: Sequence[Sized],
    judge: Callable[[Sequence[int], Actions], Matches],
) -> Matches:
    """Judge the pairs of each group together, and merge the matches.

    ``pieces`` are the pairs, and ``judge`` judges some of them, joined with ampersands.
    """
    if len(groups) == 1:
        ((actions, members),) = groups
        return judge(members, actions)
    starts = cache(lambda: starts_of(pieces))
    found: list[tuple[Matches, SpanOf]] = []
    for actions, members in groups:
        at = _moved(members, [pieces[pair] for pair in members], starts)
        found.append((judge(members, actions), at))
    return together(found)


def _moved(members: Sequence[int], mine: Sequence[Sized], starts: Callable[[], list[int]]) -> SpanOf:
    """Return a function that converts a position in the joined pairs of a group to one in all pairs."""
    starts_of_mine = cache(lambda: starts_of(mine))

    def moved(start: int, end: int) -> tuple[int, int]:
        place = bisect_right(starts_of_mine(), start) - 1
        by = starts()[members[place]] - starts_of_mine()[place]
        return start + by, end + by

    return moved

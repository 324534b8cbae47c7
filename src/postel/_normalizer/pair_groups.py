"""Groups of pairs: judge all pairs with the same actions together, in a few calls."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence, Sized
from functools import cache
from typing import TypeVar

from postel._normalizer.findings import Matches, SpanOf, together
from postel._normalizer.pair_actions import Group
from postel._normalizer.pairs import starts_of
from postel._policy.name_rules import Actions

Held = TypeVar("Held")


def judged_in_groups(
    groups: Sequence[Group],
    pieces: Sequence[Sized],
    joined: Callable[[Sequence[int]], Held],
    judge: Callable[[Held, Actions], Matches],
) -> Matches:
    """Judge the pairs of each group together, and merge the matches.

    ``pieces`` are the pairs, and ``joined`` joins some of them.
    """
    if len(groups) == 1:
        ((actions, members),) = groups
        return judge(joined(members), actions)
    starts = cache(lambda: starts_of(pieces))
    found: list[tuple[Matches, SpanOf]] = []
    for actions, members in groups:
        at = _moved(members, [pieces[pair] for pair in members], starts)
        found.append((judge(joined(members), actions), at))
    return together(found)


def _moved(members: Sequence[int], mine: Sequence[Sized], starts: Callable[[], list[int]]) -> SpanOf:
    """Return a function that converts a position in the joined pairs of a group to one in all pairs."""
    starts_of_mine = cache(lambda: starts_of(mine))

    def moved(start: int, end: int) -> tuple[int, int]:
        place = bisect_right(starts_of_mine(), start) - 1
        by = starts()[members[place]] - starts_of_mine()[place]
        return start + by, end + by

    return moved

"""Judge pairs with different actions: a few matches one by one, many in groups of pairs.

Many characters are judged kind by kind instead.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Sized
from functools import cache
from itertools import chain, compress, count, islice

from postel._catalogue.check import Action
from postel._catalogue.kinds import Kind
from postel._normalizer.detected import Detected
from postel._normalizer.findings import NOTHING, JudgedMatch, Matches, SpanOf, Test, together
from postel._normalizer.pair_actions import Group, PairActions
from postel._normalizer.pairs import starts_of
from postel._normalizer.scanner import Match, Scanner
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


def characters_in_pairs(scanner: Scanner[str], detected: Detected, kinds: Collection[Kind]) -> Matches:
    """Return the matches of some kinds in the characters of pairs.

    The cost does not grow with the number of rules.
    """
    pairs, pair_actions, span = detected.pairs, detected.pair_actions, detected.reading.span
    codes = pairs.codes(scanner.census)
    wanted = [kind for kind in kinds if pair_actions.alike(kind) is not Action.ALLOW]
    found = [
        (action, kind, faulty)
        for kind, present in scanner.census.by_kind(pairs.text, wanted, codes)
        for action in pair_actions.acts([kind]) - {Action.ALLOW}
        if (faulty := pair_actions.having_both(kind, action, present))
    ]
    if not found:
        return NOTHING
    starts = cache(lambda: starts_of(pairs.texts))

    def placed(pair: int, match: Match) -> JudgedMatch:
        kind, begins, ends = match
        start = starts()[pair]
        return pair_actions.at(kind, pair), kind, *span(start + begins, start + ends)

    def walk(pair: int, kinds: Collection[Kind]) -> Iterator[JudgedMatch]:
        return (placed(pair, match) for match in scanner.walk(pairs.texts[pair], kinds=kinds))

    def find(test: Test) -> JudgedMatch:
        first = [(faulty.index(1), kind) for action, kind, faulty in found if test(action)]
        pair = min(pair for pair, _ in first)
        kinds = [kind for each, kind in first if each == pair]
        return placed(pair, scanner.first(pairs.texts[pair], 0, kinds))

    def some(most: int) -> Iterator[JudgedMatch]:
        by_pair: dict[int, list[Kind]] = {}
        for _, kind, faulty in found:
            for pair in islice(compress(count(), faulty), most):
                by_pair.setdefault(pair, []).append(kind)
        return islice(chain.from_iterable(walk(*each) for each in sorted(by_pair.items())), most)

    actions = frozenset([action for action, _, _ in found])
    return Matches(find, some, actions=actions)

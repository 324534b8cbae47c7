"""Judge the characters of pairs in which different actions apply, kind by kind."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache
from itertools import chain, compress, count, islice

from postel._catalogue.check import Action
from postel._catalogue.kinds import Kind
from postel._normalizer.detected import Detected
from postel._normalizer.findings import NOTHING, JudgedMatch, Matches, Test
from postel._normalizer.pairs import starts_of
from postel._normalizer.scanner import Match, Scanner


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

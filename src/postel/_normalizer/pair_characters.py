"""Judge the characters of pairs in which different actions apply, kind by kind."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterator, Sequence
from functools import cache
from itertools import chain, compress, islice

from postel._catalogue.check import Action
from postel._catalogue.kinds import Kind
from postel._normalizer.detected import Detected
from postel._normalizer.findings import NOTHING, JudgedMatch, Matches, edits, rejects, together
from postel._normalizer.pairs import starts_of
from postel._normalizer.scanner import Match, Scanner, counted


def characters_in_pairs(scanner: Scanner[str], detected: Detected) -> Matches:
    """Return the matches in the characters of pairs; the cost does not grow with the number of rules."""
    reading, doing = detected.reading, detected.doing
    codes = detected.pairs.codes(scanner.census)
    counts = scanner.counts(reading.text, exact=detected.is_exact, codes=codes)
    alike = {kind: number for kind, number in counts.items() if len(doing.acts([kind])) == 1}

    def walk(kinds: Container[Kind]) -> Iterator[Match]:
        return ((kind, *reading.span(*at)) for kind, *at in scanner.walk(reading.text, kinds=kinds))

    def first(kinds: Collection[Kind]) -> Match:
        kind, *at = scanner.first(reading.text, 0, kinds)
        return kind, *reading.span(*at)

    others = {kind: number for kind, number in counts.items() if kind not in alike}
    every = counted(alike, doing.common, walk, first), _of_different(scanner, detected, others)
    return together([(each, _unmoved) for each in every])


def _of_different(scanner: Scanner[str], detected: Detected, counts: dict[Kind, int]) -> Matches:
    """Return the matches of kinds with different actions; ``counts`` are the numbers of their matches."""
    pairs, doing, span = detected.pairs, detected.doing, detected.reading.span
    number = sum(counts.values())
    found: list[tuple[Action, Kind, Sequence[int]]] = []
    for kind, codes in scanner.census.by_kind(pairs.text, counts, pairs.codes(scanner.census)):
        for action in doing.acts([kind]):
            members = doing.having(kind, action)
            if not (faulty := list(compress(members, map(codes.__getitem__, members)))):
                continue
            if action is not Action.ALLOW:
                found.append((action, kind, faulty))
            elif detected.is_exact:
                number -= scanner.counts(pairs.joined_texts(faulty))[kind]
    if not found:
        return NOTHING
    starts = cache(lambda: starts_of(pairs.texts))

    def walk(pair: int, kinds: Collection[Kind]) -> Iterator[JudgedMatch]:
        start = starts()[pair]
        for kind, *at in scanner.walk(pairs.texts[pair], kinds=kinds):
            yield doing.at(kind, pair), kind, *span(start + at[0], start + at[1])

    def shown(acts: Callable[[Action], bool]) -> Callable[[], JudgedMatch] | None:
        first = [(faulty[0], kind) for action, kind, faulty in found if acts(action)]

        def show() -> JudgedMatch:
            pair = min(pair for pair, _ in first)
            return next(walk(pair, [kind for each, kind in first if each == pair]))

        return show if first else None

    def some(most: int) -> Iterator[JudgedMatch]:
        by_pair: dict[int, list[Kind]] = {}
        for _, kind, faulty in found:
            for pair in faulty[:most]:
                by_pair.setdefault(pair, []).append(kind)
        return islice(chain.from_iterable(walk(*each) for each in sorted(by_pair.items())), most)

    actions = frozenset([action for action, _, _ in found])
    return Matches(number, shown(rejects), shown(edits), some, actions=actions)


def _unmoved(start: int, end: int) -> tuple[int, int]:
    return start, end

"""Judge the characters of pairs in which different actions apply, kind by kind."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from itertools import chain, compress, islice

from postel._catalogue.check import Action
from postel._catalogue.kinds import Kind
from postel._normalizer.detected import Detected
from postel._normalizer.findings import NOTHING, JudgedMatch, Matches, edits, rejects
from postel._normalizer.scanner import Scanner


def characters_in_pairs(scanner: Scanner[str], detected: Detected) -> Matches:
    """Return the matches in the characters of pairs; the cost does not grow with the number of rules."""
    pairs, doing, exact, span = detected.pairs, detected.doing, detected.is_exact, detected.reading.span
    counts = scanner.counts(pairs.text, exact=exact)
    found: list[tuple[Action, Kind, Sequence[int]]] = []
    for kind, codes in scanner.by_kind(pairs.text, detected.seen):
        for action in doing.acts([kind]):
            members = doing.having(kind, action)
            held = codes if isinstance(members, range) else map(codes.__getitem__, members)
            if faulty := list(compress(members, held)):
                found.append((action, kind, faulty))
    number = sum(counts.values())
    for action, kind, here in found if exact else ():
        if action is Action.ALLOW:
            number -= scanner.counts(pairs.joined_texts(here))[kind]
    judged = [each for each in found if each[0] is not Action.ALLOW]
    if not judged:
        return NOTHING
    starts = cache(pairs.text_starts)

    def walk(pair: int, kinds: Collection[Kind]) -> Iterator[JudgedMatch]:
        start = starts()[pair]
        for kind, *at in scanner.walk(pairs.texts[pair], kinds=kinds):
            yield doing.at(kind, pair), kind, *span(start + at[0], start + at[1])

    def shown(acts: Callable[[Action], bool]) -> Callable[[], JudgedMatch] | None:
        first = [(faulty[0], kind) for action, kind, faulty in judged if acts(action)]

        def show() -> JudgedMatch:
            pair = min(first, key=_pair)[0]
            return next(walk(pair, [kind for each, kind in first if each == pair]))

        return show if first else None

    def some(most: int) -> Iterator[JudgedMatch]:
        by_pair: dict[int, list[Kind]] = {}
        for _, kind, faulty in judged:
            for pair in faulty[:most]:
                by_pair.setdefault(pair, []).append(kind)
        return islice(chain.from_iterable(walk(*each) for each in sorted(by_pair.items(), key=_pair)), most)

    return Matches(
        number, shown(rejects), shown(edits), some, actions=frozenset(action for action, _, _ in judged)
    )


def _pair(place: tuple[int, object]) -> int:
    return place[0]

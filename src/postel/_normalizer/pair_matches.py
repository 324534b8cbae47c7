"""Find in pairs what no pattern finds: empty pairs, repeated names, text not in NFC, ranges, references."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Sequence
from functools import cache
from itertools import accumulate, chain, compress, count
from typing import Final, NamedTuple, final

from postel._alphabet.local import leaving
from postel._alphabet.regex import compiled
from postel._alphabet.text import ESCAPED, NO_TEXT, decoded
from postel._catalogue.check import Action
from postel._catalogue.kinds import Kind
from postel._normalizer.accepted_ranges import PairRange
from postel._normalizer.detected import Detected
from postel._normalizer.findings import DROPPING, NOTHING, JudgedMatch, Matches
from postel._normalizer.pair_actions import PairActions
from postel._normalizer.pairs import Pairs, starts_of

_TWO_EQUALS: Final = compiled("=[^&=]*+=")
"""Matches the second equals sign of a pair, from the first one on."""
_ESCAPED_EQUALS: Final = chr(ESCAPED + ord("="))


def in_pairs(
    kind: Kind, found: Sequence[int], pair_actions: PairActions, span: Callable[[int], tuple[int, int]]
) -> Matches:
    """Create Matches with one match in each pair of ``found``; ``span`` takes an index in ``found``."""
    if not found:
        return NOTHING
    actions = pair_actions.of(kind, found)
    different = frozenset(actions)
    dropped = found if different <= DROPPING else compress(found, map(DROPPING.__contains__, actions))
    seen: Sequence[int] = range(len(actions))
    if Action.ALLOW in different:
        seen = [number for number in seen if actions[number] is not Action.ALLOW]

    def match(number: int) -> JudgedMatch:
        return actions[number], kind, *span(number)

    if not seen:
        return NOTHING
    return Matches(
        lambda test: match(next(number for number in seen if test(actions[number]))),
        lambda most: map(match, seen[:most]),
        actions=different,
        dropped=set(dropped),
    )


def empty_pairs(detected: Detected) -> Matches:
    """Judge the empty pairs."""
    pairs = detected.pairs
    found = pairs.empty()
    return in_pairs(
        Kind.EMPTY_PAIR, found, detected.pair_actions, lambda number: pairs.beginning(found[number])
    )


def uncomposed_parts(detected: Detected, *, every: bool) -> Matches:
    """Judge names and values that are not in NFC; unless ``every``, only the first ones are found."""
    pairs, pair_actions = detected.pairs, detected.pair_actions

    def actions_of(places: Sequence[int]) -> list[Action]:
        return pair_actions.of(Kind.NOT_NFC, [place >> 1 for place in places])

    def placed(place: int, _: int) -> tuple[int, int]:
        start, end = pairs.span(place >> 1)
        middle = pairs.name_end(place >> 1)
        return (middle + 1, end) if place & 1 else (start, middle)

    return detected.composition.judged(detected.reading.plain, actions_of, placed, every=every)


def places_to_compose(detected: Detected) -> list[int]:
    """Return the indices of names and values to put into NFC, except those that composing leaves."""
    comparison, text = detected.composition.comparison, detected.reading.plain
    places, left = comparison.places(text), {*comparison.left(text)}
    actions = detected.pair_actions.of(Kind.NOT_NFC, [place >> 1 for place in places])
    repaired = [action is Action.REPAIR for action in actions]
    return [place for place in compress(places, repaired) if place not in left]


def repeated_names(
    pairs: Pairs, *, ignored: Collection[int], elsewhere: Collection[str], last: bool
) -> list[int]:
    """Return the pairs whose names are repeated, except one pair for each name, which is kept.

    The first pair is kept, or with ``last`` the last one. ``elsewhere`` holds the names in other blocks of a
    form; no pair with such a name is kept. Empty pairs and those in ``ignored`` are left out.
    """
    names, pieces = pairs.names, pairs.pieces
    last_of = dict(zip(names, count(), strict=False))
    followed = {*range(len(names))}.difference(last_of.values())
    repeated = {*elsewhere, *map(names.__getitem__, followed)}
    found = sorted(followed.union(last_of[name] for name in repeated if name in last_of))
    kept: dict[str, int] = {}
    return [
        pair
        for pair in (reversed(found) if last else found)
        if pieces[pair]
        and pair not in ignored
        and ((name := names[pair]) in elsewhere or kept.setdefault(name, pair) != pair)
    ]


@final
class _Searched(NamedTuple):
    """A range, and the pairs that were searched for characters outside it."""

    range: PairRange
    text: str
    pairs: Sequence[int]
    firsts: Sequence[str]
    """The first character outside the range in each of the pairs; empty if there is none."""


def outside_ranges(
    ranges: Sequence[PairRange], pairs: Pairs, text: str
) -> tuple[list[int], Callable[[int], tuple[int, int]]]:
    """Find the first run outside the accepted range in each pair, as indices in the text.

    Returns the pairs with such a run, and a function that returns the span of a run by its index in them.
    """
    found: dict[int, tuple[_Searched, list[int]]] = {}  # for the place of each range, the pairs
    every = range(len(pairs.pieces))
    plain, with_escapes = text, cache(_with_escaped_equals)
    for each in ranges:
        text = plain if each.accepted.holds_equals else with_escapes(plain)
        if (run := each.accepted.first_outside(text)) is None:
            continue
        within = text.count("&", 0, run[0])  # how many pairs are known to be within the range
        chosen: Sequence[int] = every[within:]
        if not isinstance(each.covers, int):
            chosen = each.covers.candidates(chosen, pairs.names[within:])
        is_rest = isinstance(chosen, range)
        start = text.rfind("&", 0, run[0]) + 1 if is_rest else 0
        searched_text = text if is_rest else "&".join(map(text.split("&").__getitem__, chosen))
        firsts = each.first_in(searched_text, start)
        searched, outside = _Searched(each, text, chosen, firsts), list(compress(chosen, firsts))
        if isinstance(each.covers, int):
            found[each.covers] = searched, outside
            continue
        names = list(map(pairs.names.__getitem__, outside))
        found.update((place, (searched, held)) for place, held in each.covers.covered(outside, names))
    in_order = [found[place] for place in sorted(found)]
    judged = list(chain.from_iterable([held for _, held in in_order]))

    @cache
    def starts() -> tuple[list[int], list[int]]:
        """Return where each pair starts in the text, and where the pairs of each range end in ``judged``."""
        ends = accumulate([len(held) for _, held in in_order])
        return starts_of(pairs.texts), list(ends)

    def span(number: int) -> tuple[int, int]:
        # "&" and the first "=" of a pair are always accepted, so a run never spans two parts.
        starts_of_pairs, ends = starts()
        (each, text, chosen, firsts), _ = in_order[bisect_right(ends, number)]
        pair = judged[number]
        start = starts_of_pairs[pair]
        start = start if isinstance(each.covers, int) else text.index("=", start)
        start = text.index(firsts[bisect_left(chosen, pair)], start)
        # A run begins here, so the second half only satisfies the type checker.
        return each.accepted.first_outside(text, start) or (start, start)

    return judged, span


def _with_escaped_equals(text: str) -> str:
    """Escape the equals signs in values: only the first one of a pair is syntax."""
    if _TWO_EQUALS.search(text) is None:
        return text
    divided = [each.partition("=") for each in text.split("&")]
    return "&".join([name + sign + value.replace("=", _ESCAPED_EQUALS) for name, sign, value in divided])


def foreign_references(detected: Detected) -> Matches:
    """Return the matches of values that lead to another site; an empty value does not.

    ``leaving`` caches the result for each value, because an edit changes few values.
    """
    pairs, pair_actions, known = detected.pairs, detected.pair_actions, detected.leaving
    kind = Kind.FOREIGN_REFERENCE
    groups = pair_actions.grouped([kind])
    judged = sorted(chain(*[pairs for actions, pairs in groups if actions[kind.index] is not Action.ALLOW]))
    if not judged:
        return NOTHING
    texts = pairs.texts
    values = [texts[pair].partition("=")[2] for pair in judged]
    if unknown := list(set(values) - known.keys()):
        gone = leaving(decoded(NO_TEXT.join(unknown).replace("+", " ")).split(NO_TEXT))
        known.update((value, number in gone) for number, value in enumerate(unknown))
    found = list(compress(judged, map(known.__getitem__, values)))
    return in_pairs(kind, found, pair_actions, lambda number: pairs.value_span(found[number]))

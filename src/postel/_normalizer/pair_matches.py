"""Matches in pairs that need code: empty pairs, repeated names, text not in NFC, ranges, references."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import accumulate, compress, count, repeat
from operator import add, ne
from typing import Final, TypeAlias

from postel._alphabet.local import leaving
from postel._alphabet.text import NO_TEXT, decoded
from postel._catalogue.check import Action
from postel._catalogue.kinds import Kind
from postel._normalizer.accepted_ranges import AcceptedRange
from postel._normalizer.composition import judged_parts
from postel._normalizer.findings import NOTHING, JudgedMatch, Matches
from postel._normalizer.pairs import Pairs

Range: TypeAlias = tuple[Callable[[str], object] | None, AcceptedRange]
"""A test of names, and the range for their values; without a test, the range is for all names and values."""


DROPPING: Final = {Action.DROP_PAIR, Action.REPAIR}
"""The actions that drop a pair, if the fault concerns the whole pair."""


def empty_pairs(pairs: Pairs) -> Iterator[tuple[Kind, int, int]]:
    """Yield the empty pairs."""
    for pair in pairs.empty():
        start = pairs.starts[pair]
        yield Kind.EMPTY_PAIR, start, min(start + 1, len(pairs.octets))


def uncomposed_parts(
    asked: Collection[Kind],
    pairs: Pairs,
    text: str,
    done: Callable[[Kind, int], Action] | Action,
    *,
    every: bool,
) -> Matches:
    """Judge names and values that are not in NFC.

    ``done`` is the action, or returns it for a kind in a pair. Unless ``every``, only the first ones are
    found.
    """
    if Kind.NOT_NFC not in asked:
        return NOTHING

    def actions_of(places: Iterable[int]) -> Iterable[Action]:
        return [done(Kind.NOT_NFC, place >> 1) for place in places] if callable(done) else repeat(done)

    def placed(place: int, _: int) -> tuple[int, int]:
        start, end = pairs.span(place >> 1)
        middle = pairs.name_end(place >> 1)
        return (middle + 1, end) if place & 1 else (start, middle)

    return judged_parts(pairs.octets, text, "&", actions_of, placed, every=every)


def repeated_names(
    pairs: Pairs, text: str, *, dropped: Collection[int], elsewhere: Collection[str], last: bool
) -> list[int]:
    """Return the pairs with a repeated name, except the one that is kept: the first or the ``last``.

    Pairs in ``dropped`` are ignored. ``elsewhere`` holds the names in other blocks of a form.
    """
    names = pairs.names(text)
    if not elsewhere and len(set(names)) == len(names):
        return []
    kept = dict.fromkeys(elsewhere, -1)
    order = range(len(names))
    filled = map(ne, pairs.starts, pairs.ends)
    found = zip(order, names, filled, strict=True)
    return [
        pair
        for pair, name, holds in (reversed(list(found)) if last else found)
        if holds and pair not in dropped and kept.setdefault(name, pair) != pair
    ]


def seen_names(
    kind: Kind, pairs: Pairs, found: Iterable[int], done: Callable[[Kind, int], Action]
) -> list[JudgedMatch]:
    """Return matches of a kind that cover the names of some pairs."""
    return [
        (action, kind, pairs.starts[pair], pairs.name_end(pair))
        for pair in found
        if (action := done(kind, pair)) is not Action.ALLOW
    ]


def outside_ranges(
    ranges: Iterable[Range], pairs: Pairs, text: str, done: Callable[[Kind, int], Action]
) -> tuple[list[int], list[JudgedMatch], set[int]]:
    """Find the first run outside the accepted range in each pair, as indices in the text.

    Returns the pairs with such a run, the runs, and the pairs that are dropped for a run in their names.
    """
    kind, parts = Kind.OUTSIDE_ACCEPTED_RANGE, text.split("&") if ranges else []
    starts = list(map(add, accumulate(map(len, parts), initial=0), count()))
    found: list[int] = []
    seen: list[JudgedMatch] = []
    by_name: set[int] = set()
    for matches, accepted in ranges:
        if accepted.first_outside(text) is None:
            continue  # "&" and "=" are always accepted, so a run never spans two parts
        chosen: Sequence[int] = range(len(parts))
        begins = [0] * len(parts)
        if matches is not None:
            names = pairs.names(text)
            matching = set(filter(matches, set(names)))
            chosen = [pair for pair, name in enumerate(names) if name in matching]
            begins = [len(parts[pair].partition("=")[0]) + 1 for pair in chosen]
        judged = [parts[pair][first:] for pair, first in zip(chosen, begins, strict=True)]
        for number, start, end in accepted.in_parts(judged):
            pair = chosen[number]
            place = starts[pair] + begins[number]
            action = done(kind, pair)
            found.append(pair)
            seen.append((action, kind, place + start, place + end))
            if matches is None and action in DROPPING and "=" not in judged[number][:start]:
                by_name.add(pair)
    return found, seen, by_name


def foreign_references(
    asked: Collection[Kind],
    pairs: Pairs,
    text: str,
    done: Callable[[Kind, int], Action],
    known: dict[str, bool],
) -> list[JudgedMatch]:
    """Return the values that lead to another site; an empty value does not.

    ``known`` caches the result for each value, because an edit changes few values.
    """
    kind = Kind.FOREIGN_REFERENCE
    if kind not in asked:
        return []
    each = text.split("&")
    judged = [pair for pair in range(len(each)) if done(kind, pair) is not Action.ALLOW]
    values = [each[pair].partition("=")[2] for pair in judged]
    if unknown := list(set(values) - known.keys()):
        gone = leaving(decoded(NO_TEXT.join(unknown).replace("+", " ")).split(NO_TEXT))
        known.update((value, number in gone) for number, value in enumerate(unknown))
    return [
        (done(kind, pair), kind, pairs.name_end(pair) + 1, pairs.span(pair)[1])
        for pair in compress(judged, map(known.__getitem__, values))
    ]

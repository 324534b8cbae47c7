"""Matches in pairs that need code: empty pairs, repeated names, uncomposed text, incomplete escapes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import accumulate, count
from operator import add, ne
from typing import TypeAlias

from postel._alphabet.local import leaving
from postel._alphabet.text import NO_TEXT, decoded
from postel._catalogue.check import Action
from postel._catalogue.kinds import Kind
from postel._normalizer.accepted_ranges import AcceptedRange
from postel._normalizer.composition import judged_parts, uncomposed
from postel._normalizer.findings import JudgedMatch
from postel._normalizer.pairs import Pairs
from postel._policy.names import NamePattern

Range: TypeAlias = tuple[NamePattern | None, AcceptedRange]
"""A pattern for names and what their values accept; without a pattern, all names and values."""


def empty_pairs(pairs: Pairs) -> Iterator[tuple[Kind, int, int]]:
    """The empty pairs."""
    for pair in pairs.empty():
        start = pairs.starts[pair]
        yield Kind.EMPTY_PAIR, start, min(start + 1, len(pairs.octets))


def uncomposed_parts(
    asked: Collection[Kind], pairs: Pairs, text: str, done: Callable[[Kind, int], Action]
) -> list[JudgedMatch]:
    """Names and values that are not in NFC; ``done`` returns the action for a kind in a pair."""
    kind = Kind.NOT_NFC
    places = uncomposed(text, "") if kind in asked else []
    if not places:
        return []
    starts, middles, ends = pairs.starts, pairs.name_ends, pairs.ends
    spans = [
        (middles[place >> 1] + 1, ends[place >> 1])
        if place & 1
        else (starts[place >> 1], middles[place >> 1])
        for place in places
    ]
    actions = [done(kind, place >> 1) for place in places]
    return judged_parts(pairs.octets, text, spans, actions, b"&")


def repeated_names(
    pairs: Pairs, text: str, *, going: Collection[int], elsewhere: Collection[str], last: bool
) -> list[int]:
    """The pairs with a repeated name, except the one that is kept: the first or the ``last``.

    Dropped pairs (``going``) are ignored. ``elsewhere`` has names that other blocks of a form hold.
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
        if holds and pair not in going and kept.setdefault(name, pair) != pair
    ]


def seen_names(
    kind: Kind, pairs: Pairs, found: Iterable[int], done: Callable[[Kind, int], Action]
) -> list[JudgedMatch]:
    """Matches of a kind in the names of some pairs."""
    starts, ends = pairs.starts, pairs.name_ends
    return [
        (action, kind, starts[pair], ends[pair])
        for pair in found
        if (action := done(kind, pair)) is not Action.ALLOW
    ]


def outside_ranges(
    ranges: Iterable[Range], pairs: Pairs, text: str, done: Callable[[Kind, int], Action]
) -> tuple[list[int], list[JudgedMatch]]:
    """Find the first run outside the accepted range in each name and value, by places of the text.

    Returns the pairs that have such a run, and the runs.
    """
    kind, parts = Kind.OUTSIDE_ACCEPTED_RANGE, text.split("&") if ranges else []
    starts = list(map(add, accumulate(map(len, parts), initial=0), count()))
    found: list[int] = []
    seen: list[JudgedMatch] = []
    for pattern, accepted in ranges:
        if accepted.first_outside(text) is None:
            continue  # no run goes across the octets between names and values
        chosen: Iterable[int] = range(len(parts))
        if pattern is not None:
            names = pairs.names(text)
            matching = set(filter(pattern.matches, set(names)))
            chosen = [pair for pair, name in enumerate(names) if name in matching]
        for pair in chosen:
            part = parts[pair]
            begins = 0 if pattern is None else len(part.partition("=")[0]) + 1
            if span := accepted.first_outside(part, begins):
                found.append(pair)
                seen.append((done(kind, pair), kind, starts[pair] + span[0], starts[pair] + span[1]))
    return found, seen


def foreign_references(
    asked: Collection[Kind], pairs: Pairs, text: str, done: Callable[[Kind, int], Action]
) -> list[JudgedMatch]:
    """The values that lead to another site; an empty value leads nowhere."""
    kind = Kind.FOREIGN_REFERENCE
    if kind not in asked:
        return []
    each = [(done(kind, pair), pair, value) for pair, value in enumerate(text.split("&"))]
    judged = [(action, pair) for action, pair, _ in each if action is not Action.ALLOW]
    written = [value.partition("=")[2] for action, _, value in each if action is not Action.ALLOW]
    values = decoded(NO_TEXT.join(written).replace("+", " ")).split(NO_TEXT)
    spans = [(*judged[number], *pairs.span(judged[number][1])) for number in sorted(leaving(values))]
    return [(action, kind, pairs.name_end(pair) + 1, end) for action, pair, _, end in spans]

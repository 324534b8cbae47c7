"""The edits of pairs: what each stage writes in place of what is seen."""

from __future__ import annotations

from typing import TypeAlias

from postel._catalogue import Kind
from postel._check import Action, Family
from postel._draft import Edit, makes_escape
from postel._dropping import drops, replaced
from postel._mending import compose
from postel._octets import respell
from postel._pairs import Pairs

Seen: TypeAlias = tuple[Action, Kind, int, int, int]
"""What is done about a kind, where in the draft it is seen, and in which pair."""


def unescape(octets: bytes, seen: list[Seen]) -> list[Edit]:
    """Undo escapes that are no percent-encoding."""
    edits: list[Edit] = []
    for action, kind, start, end, _ in seen:
        repair = kind.check.repair
        if action is Action.REPAIR and repair and repair.before_split and repair.mend:
            written = repair.mend(octets[start:end])
            respelled = respell(written)
            # Canonical, unless a stray "%" in front takes the first digits for its own.
            taken = makes_escape(octets[max(0, start - 5) : start], respelled + octets[end : end + 5])
            edits.append((start, end, written if taken else respelled))
    return edits


def mend(octets: bytes, seen: list[Seen]) -> list[Edit]:
    """Mend, replace and drop octets; pairs that go as a whole are left for later."""
    going = going_pairs(octets, seen)
    edits: list[Edit] = []
    dropped: list[tuple[int, int]] = []
    for action, kind, start, end, pair in seen:
        check = kind.check
        if check.family is not Family.CHARACTER:
            continue
        if action is Action.REPAIR and check.repair is not None and check.repair.mend is not None:
            edits.append((start, end, check.repair.mend(octets[start:end])))
        elif action is Action.REPLACE:
            edits.append((start, end, replaced(octets[start:end])))
        elif action is Action.DROP and pair not in going:
            dropped.append((start, end))
    _, free = drops(dropped, Pairs(octets).part)
    return edits + [(start, end, b"") for start, end in free]


def write(octets: bytes, seen: list[Seen]) -> list[Edit]:
    """Write octets as they should be written."""
    return [
        (start, end, kind.check.repair.mend(octets[start:end]))
        for action, kind, start, end, _ in seen
        if kind.check.family is Family.WRITING
        and action is Action.REPAIR
        and kind.check.repair
        and kind.check.repair.mend
    ]


def compose_text(octets: bytes, seen: list[Seen]) -> list[Edit]:
    """Put text into NFC."""
    return [
        (start, end, compose(octets[start:end]))
        for action, kind, start, end, _ in seen
        if kind is Kind.NOT_NFC and action is Action.REPAIR
    ]


def drop(octets: bytes, seen: list[Seen]) -> list[Edit]:
    """Take whole pairs out, each with one ampersand, and empty pairs together with the others.

    Were they to go one after another, a pair that goes could leave an empty one in front or behind.
    """
    going = going_pairs(octets, seen)
    going |= {
        pair for action, kind, _, _, pair in seen if kind is Kind.EMPTY_PAIR and action is Action.REPAIR
    }
    if not going:
        return []
    pairs = Pairs(octets)
    count = len(pairs.starts)
    kept = [pair for pair in range(count) if pair not in going]
    if not kept:
        return [(0, len(octets), b"")]
    end = pairs.span(kept[-1])[1]
    edits = [(pairs.starts[pair], pairs.starts[pair + 1], b"") for pair in going if pair < kept[-1]]
    return [*edits, (end, len(octets), b"")] if kept[-1] < count - 1 else edits


def end_lines(octets: bytes, seen: list[Seen]) -> list[Edit]:
    """Write newlines as two octets; the last edit, since a pair that goes may hold some."""
    return [
        (start, end, kind.check.repair.mend(octets[start:end]))
        for action, kind, start, end, _ in seen
        if kind is Kind.LONE_NEWLINE
        and action is Action.REPAIR
        and kind.check.repair
        and kind.check.repair.mend
    ]


def going_pairs(octets: bytes, seen: list[Seen]) -> set[int]:
    """The pairs that go as a whole: asked for, or because dropping octets would join or leave no name."""
    going = {
        pair
        for action, kind, _, _, pair in seen
        if action is Action.DROP_PAIR or (kind is Kind.DUPLICATE_NAME and action is Action.REPAIR)
    }
    dropped = [(start, end) for action, _, start, end, _ in seen if action is Action.DROP]
    if dropped:
        pairs = Pairs(octets)
        joining, free = drops(dropped, pairs.part)
        going |= {pairs.at(start) for start, _ in joining}
        for start, end in free:
            pair = pairs.at(start)
            if start == pairs.starts[pair] and end == pairs.name_end(pair):
                going.add(pair)
    return going


def in_names(octets: bytes, seen: list[Seen]) -> list[Seen]:
    """What is seen in names, but for those that a cut will take."""
    pairs = Pairs(octets)
    left = min((start for _, kind, start, _, _ in seen if kind is Kind.FRAGMENT), default=len(octets))
    return [each for each in seen if each[2] < min(left, pairs.name_end(each[4]))]


def cut(octets: bytes, seen: list[Seen]) -> list[Edit]:
    """Cut a fragment, with all that follows it."""
    cuts = [start for _, kind, start, _, _ in seen if kind is Kind.FRAGMENT]
    return [(cuts[0], len(octets), b"")] if cuts else []

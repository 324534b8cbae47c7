"""What code of its own looks for in pairs: empty ones, uncomposed text, and escapes that wait for digits."""

from __future__ import annotations

from collections.abc import Iterator

from postel._catalogue import Kind
from postel._check import Action
from postel._composition import is_uncomposed
from postel._mending import compose
from postel._notes import Seen
from postel._pairs import Pairs
from postel._scanner import ActionAt, completed_by_respelling


def empty_pairs(pairs: Pairs) -> Iterator[tuple[Kind, int, int]]:
    """The pairs that hold nothing."""
    for pair in pairs.empty():
        start = pairs.starts[pair]
        yield Kind.EMPTY_PAIR, start, min(start + 1, len(pairs.octets))


def uncomposed(pairs: Pairs, action_at: ActionAt) -> Iterator[Seen]:
    """Names and values that are not in NFC."""
    kind = Kind.NOT_NFC
    for _, start, end in pairs.parts():
        octets = pairs.octets[start:end]
        if is_uncomposed(octets):
            action = action_at(kind, start)
            if action is Action.REPAIR and is_uncomposed(compose(octets)):
                action = Action.REJECT  # as composing would make something of a reserved character
            if action is not Action.ALLOW:
                yield action, kind, start, end


def waiting(octets: bytes, action_at: ActionAt) -> list[Seen]:
    """What must be refused, since respelling would make an escape of a stray ``%`` that is left."""
    kind, left = Kind.MALFORMED_ESCAPE, {Action.ALLOW, Action.REPORT}
    return [
        (Action.REJECT, kind, start, end)
        for start, end in completed_by_respelling(octets)
        if action_at(Kind.SPELLING, start) is Action.REPAIR and action_at(kind, start) in left
    ]

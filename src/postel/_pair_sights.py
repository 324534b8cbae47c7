"""What code of its own looks for in pairs: empty ones, uncomposed text, and escapes that wait for digits."""

from __future__ import annotations

from collections.abc import Iterator

from postel._catalogue import Kind
from postel._check import Action
from postel._composition import composed, uncomposed
from postel._notes import Seen
from postel._pairs import Pairs
from postel._scanner import ActionAt, completed_by_respelling


def empty_pairs(pairs: Pairs) -> Iterator[tuple[Kind, int, int]]:
    """The pairs that hold nothing."""
    for pair in pairs.empty():
        start = pairs.starts[pair]
        yield Kind.EMPTY_PAIR, start, min(start + 1, len(pairs.octets))


def uncomposed_parts(pairs: Pairs, text: str, action_at: ActionAt) -> Iterator[Seen]:
    """Names and values that are not in NFC; ``text`` is that of the pairs."""
    kind = Kind.NOT_NFC
    found: list[tuple[int, int, Action]] = []
    for place in uncomposed(text, ""):
        pair, is_value = divmod(place, 2)
        start, end = pairs.span(pair)
        middle = pairs.name_end(pair)
        start, end = (middle + 1, end) if is_value else (start, middle)
        found.append((start, end, action_at(kind, start)))
    repaired = [pairs.octets[start:end] for start, end, action in found if action is Action.REPAIR]
    _, stuck = composed(repaired, b"&") if repaired else ([], set[int]())
    number = 0
    for start, end, action in found:
        if action is Action.REPAIR:
            # Composing would make something of a reserved character.
            yield (Action.REJECT if number in stuck else action), kind, start, end
            number += 1
        elif action is not Action.ALLOW:
            yield action, kind, start, end


def waiting(octets: bytes, action_at: ActionAt) -> list[Seen]:
    """What must be refused, since respelling would make an escape of a stray ``%`` that is left."""
    kind, left = Kind.MALFORMED_ESCAPE, {Action.ALLOW, Action.REPORT}
    return [
        (Action.REJECT, kind, start, end)
        for start, end in completed_by_respelling(octets)
        if action_at(Kind.SPELLING, start) is Action.REPAIR and action_at(kind, start) in left
    ]

"""Remove pairs from a component, and keep what is known about the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import compress, count

from postel._alphabet.text import Reading
from postel._normalizer.detected import Detected
from postel._normalizer.pairs import Pairs
from postel._normalizer.source_map import Edit, Mapped


def kept_pairs(detected: Detected) -> list[int]:
    """Return the pairs that are left after dropping pairs, and empty ones where these are repaired."""
    dropped = detected.dropped.union(detected.of("empty").dropped)
    return [pair for pair in range(len(detected.pairs.pieces)) if pair not in dropped]


def only(kept: Sequence[int], pairs: Pairs, mapped: Mapped) -> Mapped:
    """Remove all pairs except ``kept``, each with one ampersand; ``pairs`` are those of the component."""
    octets = b"&".join(map(pairs.pieces.__getitem__, kept))
    return mapped.rewritten(octets, lambda: _taken_out(kept, pairs), kept)


def _taken_out(kept: Sequence[int], pairs: Pairs) -> Iterator[Edit]:
    """Yield the edits that remove all pairs except ``kept``."""
    starts, removed = pairs.starts, 0
    for pair in kept:
        if pair > removed:
            yield starts[removed], starts[pair], b""
        removed = pair + 1
    if removed < len(starts):
        yield max(0, starts[removed] - 1), len(pairs.octets), b""


def detected_in(kept: Sequence[int], detected: Detected, octets: bytes) -> Detected:
    """Return what was detected in the ``kept`` pairs; ``octets`` are these."""
    reading = detected.reading
    text = plain = "&".join(map(reading.text.split("&").__getitem__, kept))
    if reading.text != reading.plain:
        plain = "&".join(map(reading.plain.split("&").__getitem__, kept))
    pair_actions = detected.pair_actions.among(kept or [0])  # an empty component is one empty pair
    faulty = set(compress(count(), map(detected.faulty.__contains__, kept)))
    matches = {**detected.matches}
    matches.pop("characters", None)  # their places have changed
    part = _in_part(Pairs(octets, text), text, plain, detected)
    return replace(part, pair_actions=pair_actions, matches=matches, _faulty=faulty)


def detected_before(end: int, detected: Detected) -> Detected:
    """Return what was detected before a fragment that begins at ``end``."""
    reading = detected.reading
    last = reading.text.index("#")
    text = reading.text[:last]
    left = _in_part(detected.pairs.until(end, text), text, reading.plain[:last], detected)
    pair_actions = detected.pair_actions.among(range(len(left.pairs.pieces)))
    return replace(left, pair_actions=pair_actions, matches={}, pending={}, _faulty=None)


def _in_part(pairs: Pairs, text: str, plain: str, detected: Detected) -> Detected:
    reading = Reading(pairs.octets, plain)
    reading.text = text
    return replace(detected, reading=reading, pairs=pairs)

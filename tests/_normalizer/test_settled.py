"""A path that is proven to be settled needs neither an edit nor a refusal, whichever way slashes are read."""

from __future__ import annotations

from itertools import product
from typing import Final

import pytest

from postel import Characters, Component, Kind, Policy
from postel._normalizer.engine import Engine
from postel._normalizer.findings import Collector
from postel._normalizer.source_map import Mapped

PIECES: Final = [
    *(b"%2F", b"%2F", b"/", b".", b"a", b"con", b"$", b":", b";", b"%"),
    *(b"%25", b"%2f", b"2F", b"41", b"\xcc\xb8", b"%CC%B8", b"%C3", b"%5C"),
]
POLICIES: Final = [
    Policy.LENIENT,
    Policy.STRICT.preserving(Kind.ENCODED_SLASH),
    Policy.STANDARD.preserving(Kind.ENCODED_SLASH).repairing(Kind.NOT_NFC),
    Policy.LENIENT.reporting(Kind.DOT_SEGMENT, Kind.ENCODED_BACKSLASH),
    Policy.LENIENT.allowing(Kind.EMPTY_SEGMENT, Kind.LEADING_SLASHES, Kind.SPELLING, Kind.MALFORMED_ESCAPE),
    Policy.LENIENT.accepting(Characters.of("acon", (0x2B, 0x2E)), on=Component.PATH),
]


@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_what_is_settled_needs_no_edit(policy: Policy) -> None:
    engine = Engine(policy, Component.PATH)
    settled = 0
    for pieces in {each for size in range(5) for each in product(PIECES, repeat=size)}:
        path = b"/" + b"".join(pieces)
        if engine._column.settled(path) is None:
            continue
        settled += b"%2F" in path
        notes = Collector()
        detected = engine.judge(Mapped(path), notes)
        assert not notes.rejected, path
        assert not detected.is_edited, path
    assert settled or policy.acceptances

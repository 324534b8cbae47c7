"""Every kept input satisfies its invariant, and a folder of inputs is stored and read back unchanged."""

from __future__ import annotations

import pytest

from fuzz.corpus import FOLDER, kept
from fuzz.invariants import INVARIANTS


@pytest.mark.parametrize("name", INVARIANTS)
def test_kept_inputs_satisfy_their_invariant(name: str) -> None:
    inputs = kept(name)
    assert inputs
    for octets in inputs:
        INVARIANTS[name](octets)


def test_every_invariant_has_its_inputs() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == {*INVARIANTS}

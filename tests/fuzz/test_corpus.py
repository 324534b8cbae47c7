"""What the fuzzer has found to be of interest keeps its invariant; and a folder of inputs is what is kept."""

from __future__ import annotations

import pytest

from fuzz.corpus import FOLDER, kept
from fuzz.invariants import INVARIANTS


@pytest.mark.parametrize("name", INVARIANTS)
def test_what_is_kept_keeps_its_invariant(name: str) -> None:
    inputs = kept(name)
    assert inputs
    for octets in inputs:
        INVARIANTS[name](octets)


def test_every_invariant_has_its_inputs() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == {*INVARIANTS}

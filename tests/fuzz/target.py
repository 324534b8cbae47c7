"""One fuzzer, in a process of its own: the name of an invariant, then libFuzzer's arguments."""

from __future__ import annotations

import sys

import atheris

if __name__ == "__main__":
    with atheris.instrument_imports(include=["postel"]):
        from fuzz.invariants import INVARIANTS
    name = sys.argv.pop(1)
    atheris.Setup(sys.argv, INVARIANTS[name])
    atheris.Fuzz()

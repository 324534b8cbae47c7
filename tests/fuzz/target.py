"""Run one fuzzer in a process of its own: the name of an invariant, then libFuzzer's arguments.

To merge, libFuzzer starts its program again and again, by the name in ``POSTEL_FUZZER``.
"""

from __future__ import annotations

import os
import sys

import atheris

if __name__ == "__main__":
    with atheris.instrument_imports(include=["postel"]):
        from fuzz.invariants import INVARIANTS
    name = sys.argv.pop(1)
    sys.argv[0] = os.environ.get("POSTEL_FUZZER", sys.argv[0])
    atheris.Setup(sys.argv, INVARIANTS[name])
    atheris.Fuzz()

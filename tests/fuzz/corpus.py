r"""The inputs that the fuzzer found interesting, in ``corpus/``, one file for each invariant.

A line is an input. Octets that are not printable are written as ``\x..``. The fuzzer made these inputs from
the pieces of the laws' strategies.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).with_name("corpus")


def kept(name: str) -> list[bytes]:
    """Return the inputs that are kept for an invariant."""
    lines = (FOLDER / f"{name}.txt").read_text("ascii").splitlines()
    return [line.encode("ascii").decode("unicode_escape").encode("latin-1") for line in lines]


def keep(name: str, inputs: Iterable[bytes]) -> None:
    """Keep these inputs, and no others."""
    lines = {octets.decode("latin-1").encode("unicode_escape").decode("ascii") for octets in inputs}
    (FOLDER / f"{name}.txt").write_text("".join(f"{line}\n" for line in sorted(lines)), "ascii")

"""The inputs that the fuzzer has found to be of interest: kept in ``corpus/``, a file for each invariant.

A line is an input, its octets printable: those that are not are written as ``\\x..``. What a kept input
begins with, and how it goes on, was made by the fuzzer from the pieces of the laws' strategies.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).with_name("corpus")


def kept(name: str) -> list[bytes]:
    """The inputs that are kept for an invariant."""
    lines = (FOLDER / f"{name}.txt").read_text("ascii").splitlines()
    return [line.encode("ascii").decode("unicode_escape").encode("latin-1") for line in lines]


def keep(name: str, inputs: Iterable[bytes]) -> None:
    """Keep these inputs, and no others."""
    lines = {octets.decode("latin-1").encode("unicode_escape").decode("ascii") for octets in inputs}
    (FOLDER / f"{name}.txt").write_text("".join(f"{line}\n" for line in sorted(lines)), "ascii")

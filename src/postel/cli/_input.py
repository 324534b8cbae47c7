"""The input of a command: its arguments, or the lines of standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import final

from postel._alphabet.printable import argument_text
from postel.cli._command import Parser


@final
@dataclass(frozen=True, slots=True)
class Input:
    """One text; ``place`` says which argument or line it was, if there may be several."""

    text: str
    place: str


def expect_texts(parser: Parser, what: str, note: str = "") -> None:
    """Add the arguments that :func:`inputs_of` reads to a parser; ``note`` begins the help."""
    # With the default, argparse does not call the texts required.
    parser.add_argument(
        "texts", metavar=what, nargs="*", default=[], help=f"{note}default: each line of standard input"
    )


def inputs_of(texts: Sequence[str], *, whole: bool = False) -> Iterator[Input]:
    """Yield each argument; without arguments, yield each line of standard input without its line end.

    ``whole`` reads all of standard input as one text, with its line ends. Octets that are not UTF-8 are kept.
    Standard input may be closed.
    """
    for number, text in enumerate(texts, start=1):
        yield Input(text, f"argument {number}" if len(texts) > 1 else "")
    if texts or sys.stdin is None:  # closed at start
        return
    if whole:
        yield Input(argument_text(sys.stdin.buffer.read()), "")
    else:
        for number, line in enumerate(sys.stdin.buffer, start=1):
            yield Input(argument_text(line.removesuffix(b"\n").removesuffix(b"\r")), f"line {number}")

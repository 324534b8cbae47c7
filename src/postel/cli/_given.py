"""What a command works on: its arguments, or without any the lines of standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import final

from postel._printable import text_of
from postel.cli._command import Parser


@final
@dataclass(frozen=True, slots=True)
class Given:
    """One text, and what to call the place where it was given, if there is more than one."""

    text: str
    place: str


def expect_texts(parser: Parser, what: str) -> None:
    """Tell a parser of the arguments that :func:`given_by` reads, line by line."""
    parser.add_argument("texts", metavar=what, nargs="*", help="without any, each line of standard input")


def given_by(texts: Sequence[str], *, whole: bool = False) -> Iterator[Given]:
    """Each argument; without any, each line of standard input as it comes, without its line end.

    Or all of standard input as one text, with its line ends, if it is taken as a whole. Octets that are no
    UTF-8 are kept. There may be no standard input at all.
    """
    for number, text in enumerate(texts, start=1):
        yield Given(text, f"argument {number}" if len(texts) > 1 else "")
    if texts or sys.stdin is None:  # closed before we began
        return
    if whole:
        yield Given(text_of(sys.stdin.buffer.read()), "")
    else:
        for number, line in enumerate(sys.stdin.buffer, start=1):
            yield Given(text_of(line.removesuffix(b"\n").removesuffix(b"\r")), f"line {number}")

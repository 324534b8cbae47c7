"""``postel js``: JavaScript's functions for URLs, with the same results as in a browser."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Final

from postel import javascript
from postel.cli._command import Command, Parser, no_arguments
from postel.cli._console import Console
from postel.cli._conversion import convert
from postel.cli._input import expect_texts

_FUNCTIONS: Final[dict[str, Callable[[str], str]]] = {
    name: getattr(javascript, name) for name in javascript.__all__
}


def _expect(parser: Parser) -> None:
    parser.add_argument("function", choices=[*_FUNCTIONS], metavar="FUNCTION", help=", ".join(_FUNCTIONS))
    expect_texts(parser, "TEXT")


def _run(args: argparse.Namespace, console: Console) -> int:
    return convert(args, console, _FUNCTIONS[args.function])


JAVASCRIPT: Final = Command(
    name="js",
    summary="call one of JavaScript's functions for URLs",
    details="Results are the same as in JavaScript, including %uXXXX. Its exceptions\nbecome errors.",
    example="""\
$ postel js escape 'é漢'
%E9%u6F22""",
    options=no_arguments,
    arguments=_expect,
    run=_run,
)

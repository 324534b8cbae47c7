"""``postel js``: JavaScript's functions for URLs, with the same results as in a browser."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from functools import partial
from typing import Final

from postel import javascript
from postel.cli._command import Command, Parser, no_arguments
from postel.cli._console import Console
from postel.cli._conversion import convert
from postel.cli._input import expect_texts
from postel.uri import DecodeError

_FUNCTIONS: Final[dict[str, Callable[[str], str]]] = {
    name: getattr(javascript, name) for name in javascript.__all__
}
_OCTET: Final = re.compile(r"[\udc80-\udcff]")
"""What Python makes of an octet that is not UTF-8; to these functions, it would be half a surrogate pair."""


def _expect(parser: Parser) -> None:
    parser.add_argument("function", choices=[*_FUNCTIONS], metavar="FUNCTION", help=", ".join(_FUNCTIONS))
    expect_texts(parser, "TEXT")


def _run(args: argparse.Namespace, console: Console) -> int:
    return convert(args, console, partial(_called, _FUNCTIONS[args.function]))


def _called(function: Callable[[str], str], text: str) -> str:
    if octet := _OCTET.search(text):
        raise DecodeError("lone-surrogate", octet.start(), octet[0])
    return function(text)


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

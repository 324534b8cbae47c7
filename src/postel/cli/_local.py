"""``postel local``: tell whether references stay on a site."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Final

from postel._alphabet.printable import scalar_values, shown
from postel.cli._command import FINE, REFUSED, Command, Parser
from postel.cli._console import Colour, Console
from postel.cli._input import expect_texts, inputs_of
from postel.uri import is_local


def _expect_options(parser: Parser) -> None:
    parser.add_argument(
        "--base",
        metavar="URL",
        help="the URL of the page; references to its scheme, host and port then stay, too",
    )


def _run(args: argparse.Namespace, console: Console) -> int:
    try:
        is_local("/", args.base)
    except ValueError as misuse:
        raise argparse.ArgumentTypeError(f"argument --base: {misuse}") from None
    code = FINE
    for given in inputs_of(args.texts):
        stays = is_local(given.text, args.base)
        if not stays:
            code = REFUSED
        if args.json:
            console.out.json({"input": scalar_values(given.text), "local": stays})
        else:
            verdict = (
                console.out.painted("stays ", Colour.GOOD)
                if stays
                else console.out.painted("leaves", Colour.BAD)
            )
            console.out.line(f"{verdict}  {shown(given.text)}".rstrip())
    return code


LOCAL: Final = Command(
    name="local",
    summary="tell whether references stay on a site",
    details="A reference stays if no browser or server reads it as a URL of another site.\n"
    "Exit code 1: at least one reference leaves.",
    example="""\
$ postel local '/cart?x=1' //evil.example
stays   /cart?x=1
leaves  //evil.example""",
    options=_expect_options,
    arguments=partial(expect_texts, what="REFERENCE"),
    run=_run,
)

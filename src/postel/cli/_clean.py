"""``postel clean`` and ``postel pretty``: write URLs for machines and for people."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Final, get_args

from postel import uri
from postel.cli._command import Command, Parser
from postel.cli._console import Console
from postel.cli._conversion import convert
from postel.cli._input import expect_texts


def _expect_for_clean(parser: Parser) -> None:
    parser.add_argument(
        "--as",
        dest="browser",
        choices=get_args(uri.Browser),
        help="escape as this browser's address bar does; the result may not be a valid URL",
    )


def _clean(args: argparse.Namespace, console: Console) -> int:
    conversion = partial(uri.address_bar, browser=args.browser) if args.browser else uri.clean
    return convert(args, console, conversion)


def _expect_for_pretty(parser: Parser) -> None:
    parser.add_argument("--spaces", action="store_true", help='also decode spaces and "<>\\^`{|}')
    parser.add_argument(
        "--respell",
        action="store_true",
        help="spell escapes canonically first, so that more of them are decoded",
    )


def _pretty(args: argparse.Namespace, console: Console) -> int:
    return convert(args, console, partial(_prettied, spaces=args.spaces, respell=args.respell))


def _prettied(text: str, *, spaces: bool, respell: bool) -> str:
    uri.clean(text)  # raises for a lone surrogate
    return uri.pretty(uri.respell(text) if respell else text, spaces=spaces)


CLEAN: Final = Command(
    name="clean",
    summary="turn any text into a valid URL",
    details="Only characters that are illegal where they stand are escaped.",
    example="""\
$ postel clean 'http://[::1]/a b?q=50%&r=[é]'
http://[::1]/a%20b?q=50%25&r=%5B%C3%A9%5D""",
    options=_expect_for_clean,
    arguments=partial(expect_texts, what="URL"),
    run=_clean,
)
PRETTY: Final = Command(
    name="pretty",
    summary="write a URL for people to read",
    details="Escaped characters are decoded if no reader can mistake them for something else.",
    example="""\
$ postel pretty 'http://example.com/fran%C3%A7ois?q=%26'
http://example.com/françois?q=%26""",
    options=_expect_for_pretty,
    arguments=partial(expect_texts, what="URL"),
    run=_pretty,
)

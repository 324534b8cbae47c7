"""``postel clean`` and ``postel pretty``: a whole URL, for machines and for people."""

from __future__ import annotations

import argparse
from typing import Final

from postel import uri
from postel.cli._command import Command, Parser
from postel.cli._console import Console
from postel.cli._conversion import convert
from postel.cli._given import expect_texts


def _expect(parser: Parser) -> None:
    expect_texts(parser, "URL")


def _clean(args: argparse.Namespace, console: Console) -> int:
    return convert(args, console, uri.clean)


def _pretty(args: argparse.Namespace, console: Console) -> int:
    return convert(args, console, _prettied)


def _prettied(text: str) -> str:
    # Spelled canonically first: an escape that cleaning would spell otherwise is not shown as a character.
    return uri.pretty(uri.respell(text))


CLEAN: Final = Command(
    name="clean",
    summary="make a valid URL of any text",
    details="What is illegal where it stands is escaped, and nothing else.",
    example="""\
$ postel clean 'http://[::1]/a b?q=50%&r=[é]'
http://[::1]/a%20b?q=50%25&r=%5B%C3%A9%5D""",
    expect=_expect,
    run=_clean,
)
PRETTY: Final = Command(
    name="pretty",
    summary="write a URL for people to read",
    details="Escaped characters are shown where nobody can take them for something else.",
    example="""\
$ postel pretty 'http://example.com/%7efran%c3%a7ois?q=%26'
http://example.com/~françois?q=%26""",
    expect=_expect,
    run=_pretty,
)

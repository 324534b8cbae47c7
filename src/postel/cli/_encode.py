"""``postel encode`` and ``postel decode``: one component of a URL, from data and back."""

from __future__ import annotations

import argparse
import codecs
from functools import partial
from typing import Final

from postel.cli._command import Command, Parser
from postel.cli._console import Console
from postel.cli._conversion import convert
from postel.cli._given import expect_texts
from postel.uri import DecodeError, Place, decode_component, encode_component

_PLACES: Final = {
    "segment": Place.SEGMENT,
    "query": Place.QUERY_NAME,  # which is right for a value, too
    **{place.value: place for place in Place},
}


def _charset(name: str) -> str:
    try:
        "".encode(name)
    except (LookupError, ValueError):  # unknown, no encoding of text, or no name at all
        raise argparse.ArgumentTypeError(f"Python knows no charset {name[:40]!a}") from None
    return name


def _expect(parser: Parser) -> None:
    parser.add_argument(
        "--place",
        choices=_PLACES,
        metavar="PLACE",
        help=f"where in a URL it stands: {', '.join(_PLACES)}; by default segment, and with --plus query",
    )
    parser.add_argument("--plus", action=argparse.BooleanOptionalAction, help="whether a space is a plus")
    parser.add_argument("--charset", type=_charset, default="utf-8", metavar="NAME", help="utf-8 by default")
    expect_texts(parser, "TEXT")


def _place(args: argparse.Namespace) -> Place:
    """The place that was named; a plus alone speaks of a query."""
    place = _PLACES[args.place or ("query" if args.plus else "segment")]
    if args.plus and place.plus is None:
        raise argparse.ArgumentTypeError(f"argument --plus: a + is no space in a {place.value}")
    return place


def _encode(args: argparse.Namespace, console: Console) -> int:
    encode = partial(encode_component, place=_place(args), plus=args.plus, charset=args.charset)
    return convert(args, console, encode)


def _decode(args: argparse.Namespace, console: Console) -> int:
    place = _place(args)
    plus = place.plus is not None if args.plus is None else args.plus
    decode = _decode_ascii if codecs.lookup(args.charset).name == "ascii" else decode_component
    return convert(args, console, partial(decode, plus=plus, charset=args.charset))


def _decode_ascii(raw: str, *, plus: bool, charset: str) -> str:
    """Decode where every character must be of ASCII, those too that no escape says."""
    text = decode_component(raw, plus=plus, charset=charset)
    for offset, character in enumerate(raw):
        if not character.isascii():
            raise DecodeError("undecodable", offset, character)
    return text


ENCODE: Final = Command(
    name="encode",
    summary="escape text as one component of a URL",
    details="The text is data: everything that its place in a URL cannot hold is escaped.",
    example="""\
$ postel encode 'François & Söhne'
Fran%C3%A7ois%20&%20S%C3%B6hne""",
    expect=_expect,
    run=_encode,
)
DECODE: Final = Command(
    name="decode",
    summary="read one component of a URL, strictly",
    details="Every escape is decoded once; a malformed one and ill-formed UTF-8 are errors.",
    example="""\
$ postel decode Fran%C3%A7ois%20%26%20S%C3%B6hne
François & Söhne""",
    expect=_expect,
    run=_decode,
)

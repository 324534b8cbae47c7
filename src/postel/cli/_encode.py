"""``postel encode`` and ``postel decode``: one component of a URL, from data and back."""

from __future__ import annotations

import argparse
import codecs
from collections.abc import Callable
from functools import partial
from typing import Final, get_args

from postel._printable import octets_of
from postel.cli._command import Command, Parser
from postel.cli._console import Console
from postel.cli._conversion import convert
from postel.cli._given import expect_texts
from postel.uri import DecodeError, Errors, Newline, Place, decode_component, encode_component, percent_decode

_PLACES: Final = {
    "segment": Place.SEGMENT,
    "query": Place.QUERY_NAME,  # which is right for a value, too
    **{place.value: place for place in Place},
}
_OCTETS: Final = "latin-1"
"""The charset in which each octet is the character of the same number."""


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
        help=f"where in a URL it stands: {', '.join(_PLACES)}; by default anywhere, and with --plus query",
    )
    parser.add_argument("--plus", action=argparse.BooleanOptionalAction, help="whether a space is a plus")
    parser.add_argument("--charset", type=_charset, metavar="NAME", help="utf-8 by default")
    parser.add_argument(
        "--whole", action="store_true", help="all of standard input is one text, with its line breaks"
    )


def _expect_for_encoding(parser: Parser) -> None:
    _expect(parser)
    parser.add_argument(
        "--octets", action="store_true", help="take any octets, not text; --whole goes without saying"
    )
    parser.add_argument(
        "--newline",
        choices=get_args(Newline),
        help="what line breaks become: keep by default, and crlf in a form",
    )
    expect_texts(parser, "TEXT")


def _expect_for_decoding(parser: Parser) -> None:
    _expect(parser)
    parser.add_argument(
        "--octets",
        action="store_true",
        help="write the octets that are meant, with nothing between or behind",
    )
    parser.add_argument(
        "--errors",
        choices=get_args(Errors),
        default="strict",
        help="what becomes of what cannot be decoded; strict by default",
    )
    expect_texts(parser, "TEXT")


def _place(args: argparse.Namespace) -> Place:
    """The place that was named; a plus alone speaks of a query."""
    place = _PLACES[args.place or ("query" if args.plus else "anywhere")]
    if args.plus and place.plus is None:
        where = "everywhere" if place is Place.ANYWHERE else f"in a {place.value}"
        raise argparse.ArgumentTypeError(f"argument --plus: a + is no space {where}")
    if args.octets and args.charset:
        raise argparse.ArgumentTypeError("argument --octets: octets are of no charset; leave --charset out")
    return place


def _encode(args: argparse.Namespace, console: Console) -> int:
    place = _place(args)
    if args.octets:
        encode = partial(
            encode_component, place=place, plus=args.plus, charset=_OCTETS, newline=args.newline or "keep"
        )
        return convert(args, console, lambda text: encode(_as_octets(text)), whole=True, told=_as_octets)
    encode = partial(
        encode_component,
        place=place,
        plus=args.plus,
        charset=args.charset or "utf-8",
        newline=args.newline or ("crlf" if place is Place.FORM else "keep"),  # as HTML sends forms
    )
    return convert(args, console, encode, whole=args.whole)


def _as_octets(text: str) -> str:
    return octets_of(text).decode(_OCTETS)


def _decode(args: argparse.Namespace, console: Console) -> int:
    place = _place(args)
    plus = place.plus is not None if args.plus is None else args.plus
    if args.octets:
        if args.errors != "strict":
            raise argparse.ArgumentTypeError("argument --octets: no octet is at fault; leave --errors out")
        if console.out.is_terminal and not args.json:
            raise argparse.ArgumentTypeError(
                "argument --octets: a terminal obeys some of them; write to a file or a pipe, or add --json"
            )
        return convert(args, console, partial(_decode_octets, plus=plus), whole=args.whole)
    charset = args.charset or "utf-8"
    strict_ascii = codecs.lookup(charset).name == "ascii" and args.errors == "strict"
    decode: Callable[..., str] = _decode_ascii if strict_ascii else decode_component
    decode = partial(decode, plus=plus, charset=charset, errors=args.errors)
    return convert(args, console, decode, whole=args.whole)


def _decode_octets(raw: str, *, plus: bool) -> bytes:
    return percent_decode(raw.replace("+", " ") if plus else raw)


def _decode_ascii(raw: str, *, plus: bool, charset: str, errors: Errors) -> str:
    """Decode where every character must be of ASCII, those too that no escape says."""
    text = decode_component(raw, plus=plus, charset=charset, errors=errors)
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
Fran%C3%A7ois%20%26%20S%C3%B6hne""",
    expect=_expect_for_encoding,
    run=_encode,
)
DECODE: Final = Command(
    name="decode",
    summary="read one component of a URL, strictly",
    details="Every escape is decoded once; a malformed one and ill-formed UTF-8 are errors.",
    example="""\
$ postel decode Fran%C3%A7ois%20%26%20S%C3%B6hne
François & Söhne""",
    expect=_expect_for_decoding,
    run=_decode,
)

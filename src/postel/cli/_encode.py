"""``postel encode`` and ``postel decode``: convert data to one component of a URL and back."""

from __future__ import annotations

import argparse
import codecs
from collections.abc import Callable
from functools import partial
from typing import Final, get_args

from postel._alphabet.printable import argument_octets
from postel.cli._command import Command, Parser
from postel.cli._console import Console
from postel.cli._conversion import convert
from postel.cli._input import expect_texts
from postel.uri import DecodeError, Errors, Newline, Place, decode_component, encode_component, percent_decode

_PLACES: Final = {
    "segment": Place.SEGMENT,
    "query": Place.QUERY_NAME,  # also safe for a value
    **{place.value: place for place in Place},
}
_OCTETS: Final = "latin-1"
"""The charset in which each octet is the character with the same number."""


def _charset(name: str) -> str:
    try:
        "".encode(name)
    except (LookupError, ValueError):  # the charset is unknown, not a text encoding, or not a valid name
        raise argparse.ArgumentTypeError(f"Python does not know the charset {name[:40]!a}") from None
    return name


def _expect(parser: Parser) -> None:
    parser.add_argument(
        "--place",
        choices=[*_PLACES],
        metavar="PLACE",
        help=f"the place of the text in a URL: {', '.join(_PLACES)}; default: anywhere; with --plus, query",
    )
    parser.add_argument("--plus", action=argparse.BooleanOptionalAction, help="write or read a space as +")
    parser.add_argument("--charset", type=_charset, metavar="NAME", help="default: utf-8")
    parser.add_argument(
        "--whole", action="store_true", help="read all of standard input as one text, with its line breaks"
    )


def _expect_for_encoding(parser: Parser) -> None:
    _expect(parser)
    parser.add_argument("--octets", action="store_true", help="read octets, not text; implies --whole")
    parser.add_argument(
        "--newline",
        choices=get_args(Newline),
        help="what to write for line breaks; default: keep, or crlf in a form",
    )


def _expect_for_decoding(parser: Parser) -> None:
    _expect(parser)
    parser.add_argument(
        "--octets",
        action="store_true",
        help="write the decoded octets, without line ends",
    )
    parser.add_argument(
        "--errors",
        choices=get_args(Errors),
        default="strict",
        help="what to do with text that cannot be decoded; default: strict",
    )


def _place(args: argparse.Namespace) -> Place:
    """Return the place from the arguments; ``--plus`` alone means a query."""
    place = _PLACES[args.place or ("query" if args.plus else "anywhere")]
    if args.plus and place.plus is None:
        where = "" if place is Place.ANYWHERE else f", not in a {place.value}"
        raise argparse.ArgumentTypeError(
            f"argument --plus: a + is a space only in a query or form{where}; leave --plus out, or name one "
            "with --place"
        )
    if args.octets and args.charset:
        raise argparse.ArgumentTypeError("argument --octets: octets have no charset; leave --charset out")
    return place


def _encode(args: argparse.Namespace, console: Console) -> int:
    place = _place(args)
    if args.octets:
        encode = partial(
            encode_component, place=place, plus=args.plus, charset=_OCTETS, newline=args.newline or "keep"
        )
        return convert(
            args, console, lambda text: encode(_as_octets(text)), whole=True, json_input=_as_octets
        )
    encode = partial(
        encode_component,
        place=place,
        plus=args.plus,
        charset=args.charset or "utf-8",
        newline=args.newline or ("crlf" if place is Place.FORM else "keep"),  # as browsers send forms
    )
    return convert(args, console, encode, whole=args.whole)


def _as_octets(text: str) -> str:
    return argument_octets(text).decode(_OCTETS)


def _decode(args: argparse.Namespace, console: Console) -> int:
    place = _place(args)
    plus = place.plus is not None if args.plus is None else args.plus
    if args.octets:
        if args.errors != "strict":
            raise argparse.ArgumentTypeError("argument --octets: all octets are valid; leave --errors out")
        if console.out.is_terminal and not args.json:
            raise argparse.ArgumentTypeError(
                "argument --octets: some octets control a terminal; write to a file or pipe, or add --json"
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
    """Decode text in which all characters must be ASCII, both bare and escaped ones."""
    text = decode_component(raw, plus=plus, charset=charset, errors=errors)
    for offset, character in enumerate(raw):
        if not character.isascii():
            raise DecodeError("undecodable", offset, character)
    return text


ENCODE: Final = Command(
    name="encode",
    summary="escape text as one component of a URL",
    details="The text is data: every character that is not allowed in its place is escaped.",
    example="""\
$ postel encode 'François & Söhne'
Fran%C3%A7ois%20%26%20S%C3%B6hne""",
    options=_expect_for_encoding,
    arguments=partial(expect_texts, what="TEXT"),
    run=_encode,
)
DECODE: Final = Command(
    name="decode",
    summary="read one component of a URL, strictly",
    details="Every escape is decoded once; malformed escapes and ill-formed UTF-8 are errors.",
    example="""\
$ postel decode Fran%C3%A7ois%20%26%20S%C3%B6hne
François & Söhne""",
    options=_expect_for_decoding,
    arguments=partial(expect_texts, what="TEXT"),
    run=_decode,
)

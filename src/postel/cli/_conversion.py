"""Conversions: from one text to another, for each that is given; what encode, decode, clean and pretty share.

A text that cannot be converted does not stop the others. What went wrong is said where it stands, and the
command fails in the end.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Final

from postel import Kind
from postel._printable import octets_of, scalar_values, shown
from postel.cli._command import FINE, REFUSED
from postel.cli._console import Colour, Console
from postel.cli._diagnostic import Diagnostic
from postel.cli._given import Given, given_by
from postel.uri import BuildError, DecodeError

_SUMMARIES: Final = {
    "lone-surrogate": "an octet that is no UTF-8, or half a surrogate pair",
    "not-in-charset": "a character that this charset does not have",
    "undecodable": "no text of this charset",
}
"""What errors say that the catalogue has no kind for."""
_OF_THE_CHARSET: Final = {"not-in-charset", "undecodable"}
"""What is wrong only because of the charset that was asked for."""


def convert(
    args: argparse.Namespace,
    console: Console,
    conversion: Callable[[str], str | bytes],
    *,
    whole: bool = False,
    told: Callable[[str], str] = scalar_values,
) -> int:
    """Print what a conversion makes of each text that is given: text as a line, octets as they are.

    ``whole`` takes standard input as one text. ``told`` is how a machine is told what was given.
    """
    code = FINE
    hidden = False
    for given in given_by(args.texts, whole=whole):
        try:
            converted = conversion(given.text)
        except (DecodeError, BuildError) as error:
            code = REFUSED
            if args.json:
                console.out.json(_as_json(told(given.text), error))
            else:
                console.complain(*_diagnostic(given, error).lines(console.err))
            continue
        if args.json:
            output = converted.decode("latin-1") if isinstance(converted, bytes) else scalar_values(converted)
            console.out.json({"input": told(given.text), "output": output, "error": None})
        elif isinstance(converted, bytes):
            console.out.octets(converted)
        else:
            console.out.line(shown(converted))
            hidden = hidden or shown(converted) != converted
    if hidden:
        label = console.err.painted("note:", Colour.NOTED)
        console.complain(
            f"{label} what a terminal may not show is written as an escape; --json has it exactly"
        )
    return code


def _offset(error: DecodeError | BuildError) -> int:
    return error.offset if isinstance(error, DecodeError) else error.index


def _diagnostic(given: Given, error: DecodeError | BuildError) -> Diagnostic:
    warns = error.what in _OF_THE_CHARSET
    octets = octets_of(given.text)
    offset = len(octets_of(given.text[: _offset(error)]))
    place = f"octet {offset}"
    return Diagnostic(
        label=f"{'warning' if warns else 'error'}[{error.what}]",
        colour=Colour.CHANGED if warns else Colour.BAD,
        summary=_summary(error),
        place=f"{given.place}, {place}" if given.place else place,
        octets=octets,
        start=offset,
        length=len(octets_of(error.excerpt)),
        remark=error.detail if isinstance(error, DecodeError) else "",
        notes=[error.advice],
    )


def _as_json(told: str, error: DecodeError | BuildError) -> dict[str, object]:
    return {
        "input": told,
        "output": None,
        "error": {
            "what": error.what,
            "summary": _summary(error),
            "offset": _offset(error),
            "excerpt": scalar_values(error.excerpt),
            "detail": error.detail if isinstance(error, DecodeError) else "",
            "advice": error.advice,
        },
    }


def _summary(error: DecodeError | BuildError) -> str:
    return _SUMMARIES.get(error.what) or Kind.of(error.what).check.summary

"""Conversions of texts, shared by encode, decode, clean, pretty and js.

A text that cannot be converted does not stop the others. Its fault is printed instead of a result, and the
exit code is 1.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Final

from postel import Kind
from postel._alphabet.printable import argument_octets, scalar_values, shown
from postel.cli._command import FINE, REFUSED
from postel.cli._console import Colour, Console
from postel.cli._diagnostic import Diagnostic
from postel.cli._input import Input, inputs_of
from postel.uri import BuildError, DecodeError

_SUMMARIES: Final = {
    "lone-surrogate": "an octet that is not UTF-8, or half a surrogate pair",
    "not-in-charset": "a character that this charset does not have",
    "undecodable": "octets that are not valid in this charset",
}
"""Summaries of the errors that are not kinds of the catalogue."""
_ADVICE: Final = {
    "ill-formed-utf8": "use postel decode with --charset or --octets",
    "undecodable": "name another charset, or use --octets",
    "lone-surrogate": "convert the input to UTF-8, or use postel encode --octets",
}
"""Advice for a shell, where the advice of the error is about Python."""
_CHARSET_ERRORS: Final = {"not-in-charset", "undecodable"}
"""Errors that depend on the chosen charset."""


def convert(
    args: argparse.Namespace,
    console: Console,
    conversion: Callable[[str], str | bytes],
    *,
    whole: bool = False,
    json_input: Callable[[str], str] = scalar_values,
) -> int:
    """Convert each given text, and print the results: text as a line, octets unchanged.

    ``whole`` reads standard input as one text. ``json_input`` turns an input into text for JSON.
    """
    code = FINE
    hidden = False
    for given in inputs_of(args.texts, whole=whole):
        try:
            converted = conversion(given.text)
        except (DecodeError, BuildError) as error:
            code = REFUSED
            if args.json:
                console.out.json(_as_json(json_input(given.text), error))
            else:
                console.complain(*_diagnostic(given, error).lines(console.err))
            continue
        if args.json:
            output = converted.decode("latin-1") if isinstance(converted, bytes) else scalar_values(converted)
            console.out.json({"input": json_input(given.text), "output": output, "error": None})
        elif isinstance(converted, bytes):
            console.out.octets(converted)
        else:
            console.out.line(shown(converted))
            hidden = hidden or shown(converted) != converted
    if hidden:
        label = console.err.painted("note:", Colour.NOTED)
        console.complain(f"{label} unsafe characters are shown as escapes; --json prints the exact text")
    return code


def _offset(error: DecodeError | BuildError) -> int:
    return error.offset if isinstance(error, DecodeError) else error.index


def _diagnostic(given: Input, error: DecodeError | BuildError) -> Diagnostic:
    warns = error.what in _CHARSET_ERRORS
    octets = argument_octets(given.text)
    offset = len(argument_octets(given.text[: _offset(error)]))
    place = f"octet {offset}"
    return Diagnostic(
        label=f"{'warning' if warns else 'error'}[{error.what}]",
        colour=Colour.CHANGED if warns else Colour.BAD,
        summary=_summary(error),
        place=f"{given.place}, {place}" if given.place else place,
        octets=octets,
        start=offset,
        length=len(argument_octets(error.excerpt)),
        remark=error.detail if isinstance(error, DecodeError) else "",
        notes=[_advice(error)],
    )


def _as_json(text: str, error: DecodeError | BuildError) -> dict[str, object]:
    return {
        "input": text,
        "output": None,
        "error": {
            "what": error.what,
            "summary": _summary(error),
            "offset": _offset(error),
            "excerpt": scalar_values(error.excerpt),
            "detail": error.detail if isinstance(error, DecodeError) else "",
            "advice": _advice(error),
        },
    }


def _advice(error: DecodeError | BuildError) -> str:
    return _ADVICE.get(error.what, error.advice)


def _summary(error: DecodeError | BuildError) -> str:
    return _SUMMARIES.get(error.what) or Kind.of(error.what).check.summary

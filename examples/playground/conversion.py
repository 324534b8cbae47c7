"""Text escaped for each component of a URL in a charset, and by JavaScript's functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from postel import javascript
from postel.uri import BuildError, DecodeError, Place, decode_component, encode_component

from .anatomy import visible

CHARSETS = {
    "utf-8": "UTF-8",
    "ascii": "ASCII",
    "latin-1": "ISO 8859-1 (Latin-1)",
    "iso8859-15": "ISO 8859-15 (Latin-9)",
    "cp1252": "Windows-1252",
    "iso8859-2": "ISO 8859-2 (Latin-2)",
    "cp1251": "Windows-1251 (Cyrillic)",
    "koi8-r": "KOI8-R",
    "shift_jis": "Shift JIS",
    "euc-jp": "EUC-JP",
    "gbk": "GBK",
    "big5": "Big5",
    "euc-kr": "EUC-KR",
}
PLACES = {
    Place.ANYWHERE: "any place",
    Place.SEGMENT: "segment of a path",
    Place.QUERY_NAME: "name in a query",
    Place.QUERY_VALUE: "value in a query",
    Place.FORM: "form",
    Place.USERINFO: "user name",
    Place.FRAGMENT: "fragment",
}
FUNCTIONS: list[tuple[Callable[[str], str], Callable[[str], str]]] = [
    (javascript.encodeURIComponent, javascript.decodeURIComponent),
    (javascript.encodeURI, javascript.decodeURI),
    (javascript.fixed_encodeURI, javascript.fixed_decodeURI),
    (javascript.stable_encodeURI, javascript.stable_decodeURI),
    (javascript.escape, javascript.unescape),
]


@dataclass(frozen=True)
class Result:
    """The result of a conversion, or the reason why there is none."""

    text: str = ""
    error: str = ""

    @property
    def shown(self) -> str:
        """The text with names in place of invisible characters. A text with names cannot be copied."""
        return visible(self.text)


@dataclass(frozen=True)
class Line:
    """The results for one place or pair of functions: the text encoded, and the text decoded."""

    names: tuple[str, str]
    escaped: Result
    read: Result


@dataclass(frozen=True)
class Converted:
    """Everything that the page shows about a text."""

    warning: str
    places: list[Line]
    functions: list[Line]


def convert(text: str, charset: str) -> Converted:
    """Escape and decode a text as each component."""
    places = [
        Line(
            (name, ""),
            _result(lambda each, place=place: encode_component(each, place=place, charset=charset), text),
            _result(
                lambda each, place=place: decode_component(
                    each, plus=place.plus is not None, charset=charset
                ),
                text,
            ),
        )
        for place, name in PLACES.items()
    ]
    functions = [
        Line((encode.__name__, decode.__name__), _result(encode, text), _result(decode, text))
        for encode, decode in FUNCTIONS
    ]
    return Converted(_warning(text, charset), places, functions)


def _result(function: Callable[[str], str], text: str) -> Result:
    try:
        return Result(function(text))
    except (BuildError, DecodeError) as error:
        return Result(error=str(error))


def _warning(text: str, charset: str) -> str:
    """Say that a charset cannot encode the text, and name the first character that it lacks."""
    try:
        encode_component(text, charset=charset)
    except BuildError as error:
        name = CHARSETS[charset]
        return (
            f"{name} has no {visible(error.excerpt)!r} (character {error.index + 1} of the text). "
            f"In UTF-8 it is {encode_component(error.excerpt)}: use that."
        )
    return ""

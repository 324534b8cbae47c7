r"""The text of a component: its octets decoded once, with what was escaped still told from what was bare.

One character for each unit. A character of ASCII that stands bare is itself, one that is escaped is the code
point U+DC00 above it; ill-formed octets are the surrogates of ``surrogateescape``; any other character is
itself, however its octets are spelled. No text decodes to a surrogate, so that none of them is ambiguous.
"""

from __future__ import annotations

import re
from binascii import a2b_qp
from bisect import bisect_left
from itertools import islice
from operator import sub
from typing import Final, final

from postel._alphabet.characters import Characters
from postel._alphabet.percent import ESCAPE

ESCAPED: Final = 0xDC00
"""What is added to an escaped character of ASCII."""
IN_NAME: Final = 0xD800
"""What is added to one where it is another kind's because it stands in a name."""
ILL_FORMED: Final = "\udc80-\udcff"
"""The members of a class of ill-formed octets."""

NO_TEXT: Final = "\ud8ff"
"""A character that no text has."""

_ESCAPED: Final = re.compile(f"[{chr(ESCAPED)}-{chr(ESCAPED + 0x7F)}]")
_STARTS: Final = re.Match[bytes].start
_NEAR: Final = 64
"""How many escapes are placed at first."""
_FEW: Final = 32
"""How many different escapes are replaced one after another."""
_HEX: Final = "0123456789ABCDEFabcdef"
_HIGH: Final = re.compile(rb"%(?=[89A-Fa-f][0-9A-Fa-f])")
_LOW: Final = re.compile("%([0-7][0-9A-Fa-f])")
_CHARACTERS: Final = {a + b: chr(ESCAPED + int(a + b, 16)) for a in _HEX[:8] for b in _HEX}


def text_of(octets: bytes) -> str:
    r"""Decode octets into text of one character a unit.

    >>> text_of(b"a<%3C%C3%A9\xff%zz") == "a<\udc3c\u00e9\udcff%zz"
    True
    """
    if 0x25 not in octets:
        return octets.decode("utf-8", "surrogateescape")
    # Quoted-printable is the same with another sign, RFC 2045, section 6.7, and is decoded in C.
    octets = a2b_qp(_HIGH.sub(b"=", octets.replace(b"=", b"=3D")))
    text = octets.decode("utf-8", "surrogateescape")
    held = set(_LOW.findall(text))
    if len(held) <= _FEW:
        for digits in held:
            text = text.replace(f"%{digits}", _CHARACTERS[digits])
        return text
    characters = _LOW.split(text)
    characters[1::2] = map(_CHARACTERS.__getitem__, characters[1::2])
    return "".join(characters)


def decoded(text: str) -> str:
    """The text with its escaped characters of ASCII decoded."""
    for each in set(_ESCAPED.findall(text)):
        text = text.replace(each, chr(ord(each) - ESCAPED))
    return text


def members(bare: Characters, escaped: Characters) -> str:
    r"""The members of a class of text: characters that stand bare, and those that are escaped.

    >>> members(Characters.of("a"), Characters.of("b")).encode("ascii", "backslashreplace")
    b'\\u0061\\udc62'
    """
    beyond = [each for each in (bare | escaped).ranges if each[1] > 0x7F]
    ranges = [(first, min(last, 0x7F)) for first, last in bare.ranges if first < 0x80]
    ranges += [(ESCAPED + first, ESCAPED + min(last, 0x7F)) for first, last in escaped.ranges if first < 0x80]
    ranges += [(max(first, 0x80), last) for first, last in beyond]
    return "".join(_range(*each) for each in ranges)


def _range(first: int, last: int) -> str:
    return _point(first) if first == last else f"{_point(first)}-{_point(last)}"


def _point(point: int) -> str:
    return f"\\U{point:08x}" if point > 0xFFFF else f"\\u{point:04x}"


@final
class Reading:
    """Octets and their text, and where in the octets a character of it stands."""

    __slots__ = ("_complete", "_escapes", "_is_ascii", "_last", "_more", "octets", "plain", "text")

    def __init__(self, octets: bytes) -> None:
        """Decode the octets."""
        self.octets = octets
        self.plain: str = text_of(octets)
        """The text."""
        self.text: str = self.plain
        """The same; of pairs, what is another kind's in a name is told apart there."""
        self._is_ascii = octets.isascii()
        self._escapes: list[int] = []
        self._complete = False
        self._last = (0, 0, 0)
        self._more = ESCAPE.finditer(octets)

    def offset(self, index: int) -> int:
        """Where the octets of a character of the text begin."""
        if len(self.text) == len(self.octets):
            return index  # nothing is escaped, and nothing is beyond ASCII but single octets
        if index == len(self.text):
            return len(self.octets)
        last, units, escaped = self._last if self._last[0] <= index else (0, 0, 0)
        between = self.text[last:index]
        more = len(between.encode("utf-8", "replace"))  # a surrogate is one octet
        units += more
        if self._is_ascii:
            escaped += more - len(between.encode("ascii", "ignore"))
        else:
            escaped = self._escapes_before(units)
        self._last = (index, units, escaped)
        return units + 2 * escaped

    def _escapes_before(self, units: int) -> int:
        """How many of the first units are escapes, where a text does not say it: some are bare octets."""
        escapes = self._escapes
        while not self._complete and (not escapes or escapes[-1] < units):
            # The first findings are near; a place behind them can be anywhere.
            more = list(map(_STARTS, self._more if escapes else islice(self._more, _NEAR)))
            self._complete = bool(escapes) or not more
            escapes += map(sub, more, range(2 * len(escapes), 2 * (len(escapes) + len(more)), 2))
        return bisect_left(escapes, units)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The same for a run of them."""
        return self.offset(start), self.offset(end)

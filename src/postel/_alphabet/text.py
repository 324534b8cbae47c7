r"""The text of a component: its octets decoded once, with escaped and bare characters kept apart.

The text has one character for each unit. A bare ASCII character stands for itself. An escaped one becomes the
code point U+DC00 above it. Ill-formed octets become the surrogates of ``surrogateescape``. Any other
character stands for itself, bare or escaped. No text decodes to a surrogate, so each character of the text
has one meaning.
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
"""The offset of the code point for an escaped ASCII character."""
IN_NAME: Final = 0xD800
"""Used in place of ``ESCAPED`` for an escaped character that belongs to another kind in a name."""
ILL_FORMED: Final = "\udc80-\udcff"
"""The body of a character class that matches ill-formed octets."""

NO_TEXT: Final = "\ud8ff"
"""A character that no text contains."""

_ESCAPED: Final = re.compile(f"[{chr(ESCAPED)}-{chr(ESCAPED + 0x7F)}]")
_STARTS: Final = re.Match[bytes].start
_NEAR: Final = 64
"""How many escapes are located at first."""
_FEW: Final = 16
"""Up to this many different escapes are replaced one by one."""
_HEX: Final = "0123456789ABCDEFabcdef"
_HIGH: Final = re.compile(rb"%[89A-Fa-f](?=[0-9A-Fa-f])")
_STRAY_HIGH: Final = re.compile(rb"%(?=[89A-Fa-f](?![0-9A-Fa-f]))")
_LOW: Final = re.compile("%([0-7][0-9A-Fa-f])")
_CHARACTERS: Final = {a + b: chr(ESCAPED + int(a + b, 16)) for a in _HEX[:8] for b in _HEX}


def text_of(octets: bytes) -> str:
    r"""Decode octets into text with one character for each unit.

    >>> text_of(b"a<%3C%C3%A9\xff%zz") == "a<\udc3c\u00e9\udcff%zz"
    True
    """
    if 0x25 not in octets:
        return octets.decode("utf-8", "surrogateescape")
    # Quoted-printable is percent-encoding with another sign, RFC 2045, section 6.7, and is decoded in C.
    octets = octets.replace(b"=", b"=3D")
    if (high := _HIGH.search(octets)) is not None:
        octets = _STRAY_HIGH.sub(b"=25", octets)
        while high is not None:  # at most once for each first digit
            octets = octets.replace(high[0], b"=" + high[0][1:])
            high = _HIGH.search(octets, high.start())
    text = a2b_qp(octets).decode("utf-8", "surrogateescape")
    place = 0
    for _ in range(_FEW):
        low = _LOW.search(text, place)
        if low is None:
            return text
        text = text.replace(low[0], _CHARACTERS[low[1]])
        place = low.start() + 1
    characters = _LOW.split(text)
    characters[1::2] = map(_CHARACTERS.__getitem__, characters[1::2])
    return "".join(characters)


def decoded(text: str) -> str:
    """Return the text with its escaped ASCII characters decoded."""
    place = 0
    while (escaped := _ESCAPED.search(text, place)) is not None:  # once for each character
        text = text.replace(escaped[0], chr(ord(escaped[0]) - ESCAPED))
        place = escaped.end()
    return text


def members(bare: Characters, escaped: Characters) -> str:
    r"""The body of a character class over text that matches these characters, bare or escaped.

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
    """Octets, their text, and a map from characters of the text to octets."""

    __slots__ = ("_complete", "_escapes", "_is_ascii", "_last", "_more", "octets", "plain", "text")

    def __init__(self, octets: bytes) -> None:
        """Decode the octets."""
        self.octets = octets
        self.plain: str = text_of(octets)
        """The text."""
        self.text: str = self.plain
        """The same text; in pairs, a character of a name is marked if it has another kind in a value."""
        self._is_ascii = octets.isascii()
        self._escapes: list[int] = []
        self._complete = False
        self._last = (0, 0, 0)
        self._more = ESCAPE.finditer(octets)

    def offset(self, index: int) -> int:
        """The offset of the octets of a character of the text."""
        if len(self.text) == len(self.octets):
            return index  # nothing is escaped, and every character is a single octet
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
        """How many of the first units are escapes; needed if the text has bare octets, which hide that."""
        escapes = self._escapes
        while not self._complete and (not escapes or escapes[-1] < units):
            # The first findings are near the start; later ones can be anywhere.
            more = list(map(_STARTS, self._more if escapes else islice(self._more, _NEAR)))
            self._complete = bool(escapes) or not more
            escapes += map(sub, more, range(2 * len(escapes), 2 * (len(escapes) + len(more)), 2))
        return bisect_left(escapes, units)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The span of the octets of a run of characters."""
        return self.offset(start), self.offset(end)

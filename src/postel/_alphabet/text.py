r"""The text of a component: its octets decoded once, with escaped and bare ASCII characters kept apart.

A bare ASCII character stands for itself. For an escaped one, 0xDC00 is added to its code point:
``%3C`` becomes U+DC3C. Octets that are not well-formed UTF-8 become the surrogates of ``surrogateescape``.
Any other character stands for itself, bare or escaped. UTF-8 never decodes to a surrogate, so each character
of the text has one meaning.
"""

from __future__ import annotations

import re
from binascii import a2b_qp
from itertools import pairwise
from typing import Final, final

from postel._alphabet.characters import Characters
from postel._alphabet.percent import change_escapes, units

ESCAPED: Final = 0xDC00
"""Added to the code point of an ASCII character that is escaped."""
IN_NAME: Final = 0xD800
"""Added instead of ``ESCAPED`` to characters in names of pairs that belong to another kind there."""
ILL_FORMED: Final = "\udc80-\udcff"
"""The body of a character class that matches ill-formed octets."""
ILL_FORMED_TEXT: Final = re.compile(f"[{ILL_FORMED}]")
"""Matches an ill-formed octet."""

NO_TEXT: Final = "\ud8ff"
"""A character that no text contains."""

_ESCAPED: Final = re.compile(f"[{chr(ESCAPED)}-{chr(ESCAPED + 0x7F)}]")
_BACKSLASH: Final = b"=5Cu005c"
"""A backslash in the encoding of ``raw_unicode_escape``, whose own backslash is quoted-printable."""
_ESCAPED_ASCII: Final = b"\\udc"
"""Written before the two digits of an escape in the same encoding, this adds ``ESCAPED``."""
_CHANGES: Final = bytes((ord("%") ^ ord("=" if bits & 2 else "\\")) * (bits & 1) for bits in range(256))
"""Changes the percent sign of an escape of ASCII to a backslash, and of others to an equals sign."""
_PIECE: Final = 16_384
"""About how many octets are decoded at once."""
_CUT: Final = re.compile(rb"(?<!%)(?<!%.)(?!%[89ABab][0-9A-Fa-f]|[\x80-\xbf]|\Z)", re.DOTALL)
"""Matches between two characters: in no escape, and in front of no octet that continues a character."""
_FIRST: Final = 1024
"""How many octets are divided into units at first; most matches to locate are at the beginning."""


def text_of(octets: bytes) -> str:
    r"""Decode octets into text, as the module describes.

    >>> text_of(b"a<%3C%C3%A9\xff%zz") == "a<\udc3c\u00e9\udcff%zz"
    True
    """
    if 0x25 not in octets:
        return octets.decode("utf-8", "surrogateescape")
    if len(octets) <= 2 * _PIECE:
        return _text_of(octets)
    # What is written on the way needs up to 30 times the memory of the octets, so long ones are cut.
    cuts = [0]
    while (cut := _CUT.search(octets, cuts[-1] + _PIECE)) is not None:
        cuts.append(cut.start())
    return "".join(_text_of(octets[start:end]) for start, end in pairwise([*cuts, len(octets)]))


def _text_of(octets: bytes) -> str:
    # Quoted-printable is percent-encoding with "=" for "%" (RFC 2045, section 6.7); Python decodes it in C.
    octets = octets.replace(b"=", b"=3D").replace(b"\\", _BACKSLASH)
    octets = change_escapes(octets, _CHANGES)
    # An escape of ASCII becomes a surrogate: "%3C" becomes "\udc3C", which Python decodes in C, too.
    octets = octets.replace(b"\\", _ESCAPED_ASCII)
    if 0x3D in octets:
        octets = a2b_qp(octets)
    if 0x5C not in octets:
        return octets.decode("utf-8", "surrogateescape")
    if not octets.isascii():
        octets = octets.decode("utf-8", "surrogateescape").encode("raw_unicode_escape")
    return octets.decode("raw_unicode_escape")


def decoded(text: str) -> str:
    """Return the text with its escaped ASCII characters decoded."""
    return moved(_ESCAPED, -ESCAPED, text)


def moved(pattern: re.Pattern[str], by: int, text: str) -> str:
    """Add a number to the code point of each character that a pattern matches."""
    place = 0
    while (found := pattern.search(text, place)) is not None:  # one round for each different character
        text = text.replace(found[0], chr(ord(found[0]) + by))
        place = found.end()
    return text


def members(bare: Characters, escaped: Characters) -> str:
    r"""Return a body of a character class: ``bare`` characters match bare, ``escaped`` ones match escaped.

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

    __slots__ = ("_at", "_shape", "_shaped", "octets", "plain", "text")

    def __init__(self, octets: bytes, plain: str | None = None) -> None:
        """Decode the octets, unless their text is known."""
        self.octets = octets
        self.plain: str = text_of(octets) if plain is None else plain
        """The text of the octets."""
        self.text: str = self.plain
        """The same text, but characters of the names of pairs may be marked with ``IN_NAME``."""
        self._shape = b""
        """The result of ``units`` for the first octets, as many as were needed so far."""
        self._shaped = 0
        """The number of these octets."""
        self._at = (0, 0, 0)
        """The character that was located last, as an index of the text, of ``units`` and of the octets."""

    def offset(self, index: int) -> int:
        """Return the offset of the octets that stand for the character at ``index``.

        Characters are located fastest in their order, because the distance to the last one is counted.
        """
        if len(self.text) == len(self.octets):
            return index  # nothing is escaped, and every character is a single octet
        last, unit, offset = self._at if index >= self._at[0] else (0, 0, 0)
        passed = len(self.text[last:index].encode("utf-8", "replace"))
        # A unit has at most three octets. An escape at the end of the first octets may be incomplete.
        if (needed := 3 * (unit + passed + 1)) > self._shaped < len(self.octets):
            self._shaped = max(_FIRST, 4 * needed)
            self._shape = units(self.octets[: self._shaped])
        offset += passed + 2 * self._shape.count(0, unit, unit + passed)
        self._at = index, unit + passed, offset
        return offset

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the start and end of the octets that stand for a run of characters."""
        return self.offset(start), self.offset(end)

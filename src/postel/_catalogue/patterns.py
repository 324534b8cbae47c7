"""The characters and patterns of the catalogue's rows.

A pattern over octets finds a fault in a component as it is received. A pattern over text finds it in the
decoded text (``postel._alphabet.text``).
"""

from __future__ import annotations

import re
from typing import Final

from postel._alphabet.characters import Characters
from postel._alphabet.ill_formed import ILL_FORMED_CLASSES
from postel._alphabet.percent import MALFORMED_PERCENTS, MISSPELLED
from postel._alphabet.spellings import Spelling, octets_pattern, pattern_of
from postel._alphabet.text import ESCAPED

C0: Final = Characters.of((0x01, 0x08), (0x0B, 0x0C), (0x0E, 0x1F), (0x7F, 0x7F))
LAYOUT: Final = Characters.of("\t\n\r")


def any_case(word: str) -> bytes:
    r"""Pattern for a word in upper or lower case, bare or escaped.

    >>> print(any_case("nu").decode())
    (?:[\x4e\x6e]|%[46][Ee])(?:[\x55\x75]|%[57]5)
    """
    return b"".join(
        octets_pattern({(ord(c), ord(c)) for c in (letter, letter.swapcase())}, Spelling.ANY)
        for letter in word
    )


DOT: Final = octets_pattern([(0x2E, 0x2E)], Spelling.ANY)  # (?:[\x2e]|%2[Ee])
# (?:[\x30-\x39\x41-\x46\x61-\x66]|%(?:3[0123456789]|[46][123456]))
HEX_DIGIT: Final = octets_pattern([(0x30, 0x39), (0x41, 0x46), (0x61, 0x66)], Spelling.ANY)
_TWO: Final = octets_pattern([(0x32, 0x32)], Spelling.ANY)
ASCII_NOT_SPACE: Final = (
    b"(?:"
    + octets_pattern([(0x30, 0x31), (0x33, 0x37)], Spelling.ANY)
    + HEX_DIGIT
    + b"|"
    + _TWO
    + octets_pattern([(0x31, 0x39), (0x41, 0x46), (0x61, 0x66)], Spelling.ANY)
    + b")"
)
"""The two hex digits of an ASCII character other than the space, each bare or escaped: ``7e``, ``%37e``."""
SPACE_OR_NON_ASCII: Final = (
    b"(?:"
    + octets_pattern([(0x38, 0x39), (0x41, 0x46), (0x61, 0x66)], Spelling.ANY)
    + HEX_DIGIT
    + b"|"
    + _TWO
    + octets_pattern([(0x30, 0x30)], Spelling.ANY)
    + b")"
)
"""The two hex digits of a space or of an octet beyond ASCII, each bare or escaped: ``20``, ``C3``."""
_DIGIT: Final = rb"(?:[0-9A-Fa-f]|%3[0-9]|%[46][1-6])"
# The patterns of both kinds of double escapes begin with it, so that proofs try its lookahead once.
DOUBLED: Final = b"25(?=" + 2 * _DIGIT + rb"|(?:[Uu]|%[57]5)" + 4 * _DIGIT + b")"
"""Matches what follows the percent sign of a ``%25`` that begins a double escape."""


def both(range_of_characters: str) -> str:
    r"""Return the body of a character class over text that matches these ASCII characters, bare or escaped.

    >>> both("a-f")
    'a-f\udc61-\udc66'
    """
    written = re.sub("[^-]", lambda match: chr(ESCAPED + ord(match[0])), range_of_characters)
    return range_of_characters + written


PERCENT: Final = chr(ESCAPED + 0x25)
"""An escaped percent sign, in text."""
HEX: Final = both("0-9A-Fa-f")
END: Final = rb"(?=/|\Z)"
# (?:(?:[\x43\x63]|%[46]3)(?:[\x4f\x6f]|%[46][Ff])(?:[\x4e\x6e]|%[46][Ee])|...)(?=[/.: ;]|...|\Z)
DEVICE: Final = (
    b"(?:"
    + b"|".join(any_case(word) for word in ("con", "prn", "aux", "nul", "conin$", "conout$"))
    + b"|(?:"
    + any_case("com")
    + b"|"
    + any_case("lpt")
    + b")"
    + pattern_of(Characters.of("0123456789\u00b9\u00b2\u00b3"), Spelling.ANY)
    + b")(?=[/.: ;]|%(?:2[Ee]|3[AaBb]|20)|\\Z)"
)


def _letters(word: str) -> str:
    """Pattern over text for a word in upper or lower case."""
    return "".join(f"[{both(letter + letter.upper())}]" for letter in word)


_NUMBER: Final = f"[{both('0-9')}\u00b9\u00b2\u00b3]"
# Names that begin alike share an alternative, because the regex engine compares the first character of each.
DEVICE_TEXT: Final = (
    f"{_letters('co')}(?:{_letters('n')}(?:(?:{_letters('in')}|{_letters('out')})[{both('$')}])?+"
    f"|{_letters('m')}{_NUMBER})"
    f"|{_letters('prn')}|{_letters('aux')}|{_letters('nul')}|{_letters('lpt')}{_NUMBER}"
)
"""Pattern over text for the name of a device."""
SECOND_OR_THIRD: Final = rb"(?:(?<=/[AaCcLlNnPp]%..)|(?<=/[AaCcLlNnPp][A-Za-z]%..))"
"""Matches after an escape that stands for the second or third letter of a device name."""
# (?:[\x41-\x5a\x61-\x7a]|%(?:[46][123456789ABCDEFabcdef]|[57][0123456789Aa]))(?::|%3[Aa])(?=/|\Z)
DRIVE: Final = octets_pattern([(0x41, 0x5A), (0x61, 0x7A)], Spelling.ANY) + rb"(?::|%3[Aa])" + END
DIRECTIONS: Final = Characters.of("\u061c", (0x200E, 0x200F), (0x202A, 0x202E), (0x2066, 0x2069))
NONCHARACTERS: Final = Characters.of(
    (0xFDD0, 0xFDEF), *((plane + 0xFFFE, plane + 0xFFFF) for plane in range(0, 0x110000, 0x10000))
)
LOOKALIKES: Final = Characters.of(
    "\u2024\u2025\ufe30\ufe52\uff0e"  # dot leaders, small and fullwidth full stop
    "\u2044\u2215\u29f8\uff0f"  # fraction, division, big and fullwidth solidus
    "\u2100\u2101\u2105\u2106"  # account of, addressed to, care of, cada una: NFKC expands them with "/"
    "\u2216\u29f5\u29f9\ufe68\uff3c"  # set minus, reverse solidi
    "\u037e\ufe14\ufe54\uff1b"  # Greek question mark (is ";" in NFC), semicolons
    "\u2047\u2048\u2049\ufe16\ufe56\uff1f"  # question marks
    "\ufe5f\uff03\ufe6a\uff05"  # number and percent signs
)
# One octet stands outside the repetition, because the regex engine finds it faster.
NON_ASCII: Final = rb"[\x80-\xff][\x80-\xff]*+"
LONE_NEWLINE: Final = rb"(?:%0(?:[Dd](?!%0[Aa])|[Aa](?<!%0[Dd]%0[Aa])))"
"""Matches an escaped CR or LF that is not part of a CR LF.

It begins with a percent sign, so that the regex engine can compare one octet first.
"""
PLUS_TOO: Final = rb"(?:\+|" + MISSPELLED.pattern + b")"
MALFORMED_RUN: Final = rb"(?:" + MALFORMED_PERCENTS + rb"[0-9A-Za-z]{0,2})++"
# (?:[\udc80-\udcbf])++|(?:[\udcc0-\udcc1][\udc80-\udcbf]?+|...)++|...
ILL_FORMED_RUNS: Final = "|".join(
    "(?:" + re.sub(r"\\x([89a-f][0-9a-f])", r"\\udc\1", pattern.decode()) + ")++"
    for _, pattern in ILL_FORMED_CLASSES
)
"""Pattern over text for a run of ill-formed octets of one class."""
C1: Final = Characters.of((0x80, 0x9F))
INVISIBLE: Final = Characters.of("\u00ad\u200b\u2060\ufeff")
COMPOSING: Final = Characters.of(
    *((0, 0x2FF), (0x388, 0x482), (0x48A, 0x590)),  # Latin, Greek, Cyrillic, Armenian
    *((0x5D0, 0x5EA), (0x620, 0x64A), (0x671, 0x6D5)),  # letters of Hebrew and Arabic
    *((0x1E00, 0x1F70), (0x2002, 0x20CF), (0x2190, 0x2328)),  # letters with accents, punctuation, symbols
    *((0x3030, 0x3098), (0x309B, 0x9FFF), (0xAC00, 0xD7A3)),  # kana, Chinese characters, Hangul syllables
    (0x1F000, 0x1FAFF),  # emoji
).complement()
"""The characters that may compose with others or be written anew, and others that are rare.

Text without them is in NFC, because each other character is a starter whose quick check is "yes": UAX #15,
section 9.
"""
ILLEGAL: Final = ' "<>^`{|}'
_SEGMENT: Final = rb"[A-Za-z0-9._~!$'()*,-]++"
_SLASH: Final = rb"(?:/|%2[Ff])"
NOT_PLAINLY_LOCAL: Final = (
    # At most one leading slash, then segments, then a query without controls, blanks and backslashes. Each of
    # these parts may be missing.
    rb"(?!" + _SLASH + rb"?+"
    rb"(?:" + _SEGMENT + rb"(?:(?:" + _SLASH + rb"|(?:\+|%20)++)" + _SEGMENT + rb")*+" + _SLASH + rb"?+)?+"
    rb"(?:(?:\?|%3[Ff])(?:[A-Za-z0-9._~!$'()*,/:;=?@-]|%2[1-9A-Fa-f]|%3[0-9A-Fa-f])*+)?+"
    rb"(?:&|\Z))"
)
"""Matches at the start of every value that may lead to another site, and of some other values."""

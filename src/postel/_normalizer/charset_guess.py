"""Guess the charset of a value that is not UTF-8. Only advice uses the guess; no judgement depends on it."""

from __future__ import annotations

import re
from typing import Final

from postel._alphabet.percent import percent_decode

WESTERN: Final = "windows-1252"
_MARKS: Final = frozenset(
    "\u20ac\u00a3\u00a7\u00b0\u00ab\u00bb\u00a1\u00bf\u00b7"  # signs, guillemets, inverted marks
    "\u201a\u201e\u2026\u2018\u2019\u201c\u201d\u2013\u2014"  # quotation marks, dashes, an ellipsis
)
"""Characters other than letters that occur in texts in Western languages."""
_UTF8: Final = re.compile("[^\x00-\x7f\udc80-\udcff]")
"""Matches a well-formed non-ASCII character in text that also holds ill-formed octets."""
_CUT: Final = re.compile("[a-z][\u00c2\u00c3]\\Z")
"""Matches text that is probably UTF-8 and was cut after the first octet of its last character."""


def guessed_charset(value: bytes) -> str | None:
    """Return the probable charset of a value; ``None`` if it could be in several charsets or is cut UTF-8.

    Text in windows-1252 rarely has more letters beyond ASCII than letters of ASCII; Greek or Cyrillic text
    usually does. For a value that also holds UTF-8, the guess is ``None``.

    >>> guessed_charset(b"%C4rzteblatt"), guessed_charset(b"%CF%F0%E8%E2%E5%F2")
    ('windows-1252', None)
    """
    octets = percent_decode(value)
    try:
        text = octets.decode(WESTERN)
    except UnicodeDecodeError:
        return None
    beyond = [character for character in text if not character.isascii()]
    letters = sum(map(str.isalpha, beyond))
    fits = (
        _UTF8.search(octets.decode("utf-8", "surrogateescape")) is None
        and all(each.isalpha() or each in _MARKS for each in beyond)
        and max(1, letters) <= sum(map(str.isalpha, text)) - letters
        and _CUT.search(text) is None
    )
    return WESTERN if fits else None

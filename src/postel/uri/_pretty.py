"""Pretty: write a URI for people to read, so that cleaning it gives the same URI again.

An escape is shown as its character only if readers can see that character, and cannot mistake it for a
delimiter or for a part of its neighbour. In doubt, it stays escaped, which is never wrong.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from postel import Characters
from postel._alphabet.percent import percent_encode
from postel._alphabet.printable import BLANK
from postel.uri._classes import pattern_of
from postel.uri._errors import require_text

_MOST_MARKS: Final = 4
"""How many combining marks one letter may show: Unicode, UTS #39, section 5.4 (zalgo text)."""
_OVERLAY: Final = 1
"""The combining class of overlays, which strike through their letter: Unicode, section 4.3."""

_AUTHORITY: Final = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.\-]*+:)?//[^/?#]*+")
_ESCAPED: Final = re.compile(r"%[0-9A-Fa-f]{2}")
_RUN: Final = re.compile(r"(?>(?:%[89A-F][0-9A-F])+)")
"""A run of octets outside ASCII, escaped as ``clean`` escapes them."""

_EXCLUDED: Final = re.compile("%(?:20|22|3C|3E|5C|5E|60|7B|7C|7D)")
"""Characters that are illegal in a URI (RFC 2396, section 2.4.3), and that ``clean`` takes for data."""

_UNSHOWN_CATEGORIES: Final = frozenset(
    # Controls, format characters (bidi controls, joiners, tags), private use, surrogates,
    # unassigned and noncharacters; spaces and line ends; marks that enclose.
    ("Cc", "Cf", "Co", "Cs", "Cn", "Zs", "Zl", "Zp", "Me")
)
_LOOKALIKES: Final = Characters.of(
    # Punctuation and symbols that look like a delimiter (Unicode, UTS #39, confusables) although NFKC
    # does not turn them into one. Letters are not listed.
    "\u1735\u2041\u2044\u2215\u2571\u27c9\u27cb\u29f6\u29f8\u2afb\u2afd\u2e4a\u3033\u31d3"
    "\U0001d23a\U0001f67c"  # slashes
    "\u2216\u244a\u2572\u27c8\u27cd\u29f5\u29f7\u29f9\u31d4\U0001d20f\U0001d23b"
    "\U0001f67d"  # backslashes
    "\u02f8\u0589\u05c3\u0703\u0704\u1361\u16ec\u1803\u1804\u1809\u205a\u2236\u2237\u2254\u2255"
    "\u2982\ua6f4\ua789"  # colons
    "\u0701\u0702\ua60e\U00010a50\U0001d16d"  # dots
    "\u3002"  # ideographic full stop, at which IDNA splits labels (RFC 3490, section 3.1)
    "\u061b\u061f\u204f\u2e2e"  # mirrored semicolons and question marks
    "\u066a\u2052\u266f"  # percent and number signs
    "\u1400\u2e40\u30a0\ua4ff\ua78a"  # equals signs
    "\u02d6\u16ed\u2795"  # plus signs
)
_HIDDEN: Final = re.compile(pattern_of(BLANK | _LOOKALIKES))
_PUNCTUATION: Final = re.compile(r"[\x00-,./:-@\[-`{-\x7f]|" + _HIDDEN.pattern)
"""Matches ASCII except letters, digits and the hyphen, and characters that look like a delimiter."""


def pretty(uri: str, *, spaces: bool = False) -> str:
    r"""Write a URI for people to read: show escaped characters where that is safe.

    >>> pretty("http://example.com/Fran%C3%A7ois?q=%E6%BC%A2%E5%AD%97&r=%26%20%2F#%C3%84")
    'http://example.com/François?q=漢字&r=%26%20%2F#Ä'

    Letters, digits, marks, punctuation and symbols outside ASCII are shown. These stay escaped: all
    of ASCII, whose escapes stand for delimiters, spaces or controls, or would not be restored by
    :func:`clean`; ill-formed UTF-8; spaces, controls, bidi controls and everything else invisible,
    including joiners and variation selectors; private use, noncharacters and characters that Python's
    Unicode does not know yet; characters that look like a delimiter or become one by NFKC; the four
    padlocks, which browsers reserve for security; a combining mark that does not follow a letter or
    digit, and the fifth mark on one letter. The authority is not changed, because lookalike letters
    there are an attack that tables alone cannot detect.

    >>> pretty("/%E2%80%AE/%EF%BC%8F/%25/%C3%28/%CC%81")
    '/%E2%80%AE/%EF%BC%8F/%25/%C3%28/%CC%81'

    With ``spaces=True`` spaces and ``"<>\^`{|}`` are shown, too. No URI holds these bare, and readers
    other than :func:`clean` end a URL at some of them or read a slash, so use this for display only.
    A space at the end stays escaped, because it would be invisible.

    >>> pretty("/Fran%C3%A7ois%20Truffaut/%7B%22a%22%7D%20", spaces=True)
    '/François Truffaut/{"a"}%20'

    For every valid URI ``clean(pretty(uri)) == clean(uri)``, with spaces or without. Therefore an
    escape in lower-case hex stays; ``pretty(respell(uri))`` shows it. Right-to-left text is shown,
    so isolate a URI where you display it (RFC 3987, section 4). Accepts any text and never raises.
    RFC 3987, section 3.2; Unicode, UTR #36 and UTS #39.
    """
    require_text(uri)
    authority = _AUTHORITY.match(uri)
    head = authority[0] if authority else ""
    shown = _RUN.sub(_shown, uri[len(head) :])
    if not spaces:
        return head + shown
    end = len(shown)
    while shown.endswith("%20", 0, end):
        end -= 3
    return head + _EXCLUDED.sub(_bare, shown[:end]) + shown[end:]


def _bare(escape: re.Match[str]) -> str:
    return chr(int(escape[0][1:], 16))


def _shown(run: re.Match[str]) -> str:
    """Show the characters of a run of escapes that are safe; leave the others escaped."""
    room = _room_before(run)
    pieces: list[str] = []
    # An octet that is not UTF-8 becomes a surrogate, and surrogates are never shown.
    for character in bytes.fromhex(run[0].replace("%", "")).decode(errors="surrogateescape"):
        category = unicodedata.category(character)
        if category[0] == "M":
            shown = room > 0
            room -= 1
        else:
            shown = True
            room = _MOST_MARKS if category[0] in "LN" else 0
        if shown and _is_safe(character, category):
            pieces.append(character)
        else:
            octets = character.encode(errors="surrogateescape")
            pieces.append(percent_encode(octets).decode())
            room = 0  # a mark after it would combine with a hex digit
    return "".join(pieces)


def _room_before(run: re.Match[str]) -> int:
    """How many marks may follow the bare text before the run."""
    before = run.string[max(run.start() - 3, 0) : run.start()]
    if not before or _ESCAPED.fullmatch(before):
        return 0
    return _MOST_MARKS if unicodedata.category(before[-1])[0] in "LN" else 0


def _is_safe(character: str, category: str) -> bool:
    """Whether readers see a character outside ASCII, and cannot mistake it for a delimiter."""
    return (
        category not in _UNSHOWN_CATEGORIES
        and unicodedata.combining(character) != _OVERLAY
        and _HIDDEN.match(character) is None
        and _PUNCTUATION.search(unicodedata.normalize("NFKC", character)) is None
    )

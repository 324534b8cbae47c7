"""Pretty: a URI for people to read, from which cleaning makes the same URI again.

An escape is shown as its character only if nobody can take that character for anything else: not
for a delimiter, not for nothing at all, not for part of its neighbour. Everything in doubt stays
escaped, which is ugly and never wrong.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from postel import Characters
from postel._octets import percent_encode
from postel.uri._classes import pattern_of

MARKS: Final = 4
"""How many combining marks are shown on one letter: Unicode, UTS #39, section 5.4 (zalgo text)."""
_OVERLAY: Final = 1
"""The combining class of marks that strike through what they sit on: Unicode, section 4.3."""

_AUTHORITY: Final = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.\-]*+:)?//[^/?#]*+")
_ESCAPED: Final = re.compile(r"%[0-9A-Fa-f]{2}")
_RUN: Final = re.compile(r"(?>(?:%[89A-F][0-9A-F])+)")
"""Octets outside ASCII, escaped as ``clean`` escapes them."""

_EXCLUDED: Final = re.compile("%(?:20|22|3C|3E|5C|5E|60|7B|7C|7D)")
"""What no URI holds bare (RFC 2396, section 2.4.3), and where clean parts nothing."""

_UNSHOWN_CATEGORIES: Final = frozenset(
    # Controls, format characters (bidi controls, joiners, tags), private use, surrogates,
    # unassigned and noncharacters; spaces and line ends; marks that enclose.
    ("Cc", "Cf", "Co", "Cs", "Cn", "Zs", "Zl", "Zp", "Me")
)
BLANK: Final = Characters.of(
    # Not format characters, and yet nobody sees them: Unicode's Default_Ignorable_Code_Point, and
    # blanks.
    "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\U0001d159\U00016fe4",
    (0x180B, 0x180F),
    (0xFE00, 0xFE0F),
    (0xE0100, 0xE01EF),
    "\ufffc\ufffd",  # what stands for something that cannot be shown
    "\U0001f50f\U0001f510\U0001f512\U0001f513",  # padlocks, which browsers keep for what is secure
)
_LOOKALIKES: Final = Characters.of(
    # Punctuation and symbols that look like a delimiter (Unicode, UTS #39, confusables) and that
    # NFKC does not turn into one. Letters are letters first.
    "\u1735\u2041\u2044\u2215\u2571\u27c9\u27cb\u29f6\u29f8\u2afb\u2afd\u2e4a\u3033\u31d3"
    "\U0001d23a\U0001f67c"  # slashes
    "\u2216\u244a\u2572\u27c8\u27cd\u29f5\u29f7\u29f9\u31d4\U0001d20f\U0001d23b"
    "\U0001f67d"  # backslashes
    "\u02f8\u0589\u05c3\u0703\u0704\u1361\u16ec\u1803\u1804\u1809\u205a\u2236\u2237\u2254\u2255"
    "\u2982\ua6f4\ua789"  # colons
    "\u0701\u0702\ua60e\U00010a50\U0001d16d"  # dots
    "\u3002"  # ideographic full stop, at which IDNA parts labels (RFC 3490, section 3.1)
    "\u061b\u061f\u204f\u2e2e"  # semicolons and question marks, if the other way round
    "\u066a\u2052\u266f"  # percent and number signs
    "\u1400\u2e40\u30a0\ua4ff\ua78a"  # equals signs
    "\u02d6\u16ed\u2795"  # plus signs
)
_HIDDEN: Final = re.compile(pattern_of(BLANK | _LOOKALIKES))
_PUNCTUATION: Final = re.compile(r"[\x00-,./:-@\[-`{-\x7f]|" + _HIDDEN.pattern)
"""All of ASCII but letters, digits and the hyphen; and what looks like it."""


def pretty(uri: str, *, spaces: bool = False) -> str:
    r"""Write a URI for people to read: escaped characters are shown where that is safe.

    >>> pretty("http://example.com/Fran%C3%A7ois?q=%E6%BC%A2%E5%AD%97&r=%26%20%2F#%C3%84")
    'http://example.com/François?q=漢字&r=%26%20%2F#Ä'

    Shown are letters, digits, marks, punctuation and symbols outside ASCII. These stay escaped: all
    of ASCII (what a valid URI escapes there is a delimiter, a space, a control, or would not come
    back); octets that are not well-formed UTF-8; spaces, controls, bidi controls and everything
    else invisible, with joiners and variation selectors; private use, noncharacters and what
    Python's Unicode does not know yet; what looks like a delimiter or becomes one by NFKC; the four
    padlocks, which browsers keep for what is secure; a combining mark that does not follow a letter
    or digit, and the fifth on one letter. The authority stays as it is: there a letter that looks
    like another is an attack, and telling needs more than tables.

    >>> pretty("/%E2%80%AE/%EF%BC%8F/%25/%C3%28/%CC%81")
    '/%E2%80%AE/%EF%BC%8F/%25/%C3%28/%CC%81'

    With ``spaces=True`` spaces and ``"<>\^`{|}`` are shown, too, which no URI holds bare. Other
    readers than :func:`clean` take some of them for an end or a slash: that is for eyes alone. A
    space at the end stays escaped, since nobody would see it.

    >>> pretty("/Fran%C3%A7ois%20Truffaut/%7B%22a%22%7D%20", spaces=True)
    '/François Truffaut/{"a"}%20'

    For every valid URI ``clean(pretty(uri)) == clean(uri)``, with spaces or without. Therefore an
    escape in lower-case hex stays; ``pretty(respell(uri))`` shows it. Text from right to left is
    shown: isolate a URI where you display it (RFC 3987, section 4). Other text than a URI is taken
    as it is; nothing is an error. RFC 3987, section 3.2; Unicode, UTR #36 and UTS #39.
    """
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
    """A run of escaped characters, each shown or not."""
    room = _room_before(run)
    pieces: list[str] = []
    # An octet that is not UTF-8 becomes a surrogate, which is of no category that is shown.
    for character in bytes.fromhex(run[0].replace("%", "")).decode(errors="surrogateescape"):
        category = unicodedata.category(character)
        if category[0] == "M":
            shown = room > 0
            room -= 1
        else:
            shown = True
            room = MARKS if category[0] in "LN" else 0
        if shown and _is_safe(character, category):
            pieces.append(character)
        else:
            octets = character.encode(errors="surrogateescape")
            pieces.append(percent_encode(octets).decode())
            room = 0  # a mark would sit on a hex digit
    return "".join(pieces)


def _room_before(run: re.Match[str]) -> int:
    """How many marks may follow what stands bare before the run."""
    before = run.string[max(run.start() - 3, 0) : run.start()]
    if not before or _ESCAPED.fullmatch(before):
        return 0
    return MARKS if unicodedata.category(before[-1])[0] in "LN" else 0


def _is_safe(character: str, category: str) -> bool:
    """Whether a character outside ASCII, by itself, can be taken for nothing else."""
    return (
        category not in _UNSHOWN_CATEGORIES
        and unicodedata.combining(character) != _OVERLAY
        and _HIDDEN.match(character) is None
        and _PUNCTUATION.search(unicodedata.normalize("NFKC", character)) is None
    )

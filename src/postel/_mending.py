"""What REPAIR writes: for each way of mending, a function from the octets in fault to those in their place.

Each is given only the octets in fault. None of them writes URL syntax that was not there, save for the rows
whose mending says so (a backslash becomes a slash): what would be syntax is written escaped.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from postel._octets import UNRESERVED, Octets, percent_decode, percent_encode, respell
from postel._regex import compiled

_UNRESERVED: Final = rb"[A-Za-z0-9._~-]|%(?:2[DEde]|3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa]|5[Ff]|7[Ee])"
_TEXT: Final = compiled(
    b"(" + _UNRESERVED + rb")?+((?:[\x80-\xff]|%[89A-Fa-f][0-9A-Fa-f])++)"
    rb"|%(?:[0-9A-Fa-f]{2}|[uU][0-9A-Fa-f]{4})"  # any other escape is passed as a whole
)
"""Non-ASCII characters, with the unreserved one in front of them that a mark could stand on."""
_NOTHING: Final[Octets] = frozenset()
_UNIT: Final = re.compile(rb"%[uU]([0-9A-Fa-f]{4})")


def escape(octets: bytes) -> bytes:
    """Percent-encode octets that stand bare: ``{`` becomes ``%7B``."""
    return percent_encode(octets, frozenset(b"%"))


def escape_percent(octets: bytes) -> bytes:
    """Make each stray ``%`` a literal one: ``%zz`` becomes ``%25zz``, as the URL Standard reads it."""
    return octets.replace(b"%", b"%25")


def to_slashes(octets: bytes) -> bytes:
    r"""Write a slash for each backslash or escape: ``%5C\`` becomes ``//``."""
    return b"/" * (len(octets) - 2 * octets.count(b"%"))


def to_octets(octets: bytes) -> bytes:
    """Write UTF-16 units as escaped UTF-8: ``%u00e9`` becomes ``%C3%A9``; a lone surrogate stays ill-formed.

    Every octet is escaped, a letter too: bare, it could be the digit that a stray ``%`` in front waits for.

    ECMA-262, B.2.1.2 (unescape); RFC 3629, section 3.
    """
    units = b"".join(bytes.fromhex(unit.decode()) for unit in _UNIT.findall(octets))
    text = units.decode("utf-16-be", "surrogatepass")
    return percent_encode(text.encode("utf-8", "surrogatepass"), _NOTHING)


def respell_run(octets: bytes) -> bytes:
    """Spell escapes canonically, and a space written ``+`` as ``%20``."""
    return respell(octets.replace(b"+", b"%20"))


def compose(octets: bytes) -> bytes:
    """Put text into NFC, run by run, so that no reserved character is touched and no escape is made.

    What composing would make of a reserved character and the mark behind it stays undone, and so refused.
    """
    return _TEXT.sub(_composed, octets)


def many_marks(text: str) -> bool:
    """Whether there are more than 30 combining marks in a row: no text, and composing would take for ever.

    Unicode, UAX #15, section 13 (Stream-Safe Text Format).
    """
    run = 0
    for character in text:
        run = run + 1 if unicodedata.combining(character) else 0
        if run > 30:
            return True
    return False


def _composed(match: re.Match[bytes]) -> bytes:
    if match[2] is None:
        return match.group()
    text = percent_decode(match.group()).decode("utf-8", "surrogateescape")
    if many_marks(text) or unicodedata.is_normalized("NFC", text):
        return match.group()
    composed = unicodedata.normalize("NFC", text).encode("utf-8", "surrogateescape")
    # A letter that stays keeps its spelling: bare, it could be the digit that a stray "%" in front waits for.
    first = match[1] or b""
    letter = percent_decode(first)
    if not composed.startswith(letter):
        first = letter = b""
    return first + percent_encode(composed[len(letter) :], UNRESERVED)


def remove(_octets: bytes) -> bytes:
    """Write nothing."""
    return b""


def to_one_slash(_octets: bytes) -> bytes:
    """Write one slash for many."""
    return b"/"


def to_crlf(_octets: bytes) -> bytes:
    """Write an escaped CR and LF: HTML, form submission (newlines of an entry list)."""
    return b"%0D%0A"

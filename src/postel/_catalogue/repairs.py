"""What REPAIR writes: one function for each way to repair faulty octets.

Each function receives only the faulty octets. It escapes the delimiters that it writes, so it adds no URL
syntax, unless this is the purpose of the repair, such as to write a slash for a backslash.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import Final

from postel._alphabet.nfc import FAR_MARKS, NEAR_MARKS, Compose, to_nfc
from postel._alphabet.percent import (
    NEEDLESS,
    UNRESERVED,
    percent_decode,
    percent_encode,
    respell,
)
from postel._alphabet.regex import compiled
from postel._alphabet.writer import Writer

_BARE: Final = b"A-Za-z0-9._~-"
_UNRESERVED: Final = b"[" + _BARE + b"]|" + NEEDLESS.pattern
_TEXT: Final = rb"(?:[\x80-\xff]++|%[89A-Fa-f][0-9A-Fa-f])++"
_DIGITS: Final = b"[0-9A-Fa-f]{2}|[uU][0-9A-Fa-f]{4}"
_RESERVED: Final = b"[01][0-9A-Fa-f]|2[0-9A-CFa-cf]|3[A-Fa-f]|[46]0|5[B-Eb-e]|7[B-DFb-df]|[uU][0-9A-Fa-f]{4}"
"""Matches what follows the percent sign in an escape of a UTF-16 unit or of an ASCII character that is not
unreserved."""
_ESCAPED_ASCII: Final = tuple(b"%%%d" % digit for digit in range(8))
_WRITER: Final = Writer([percent_encode(bytes([octet]), UNRESERVED | {0}) for octet in range(256)])
"""Writes composed text; NUL, which separates two texts, stays."""
MARKS: Final = 30
"""The most combining marks in a row that are composed: Unicode, UAX #15, section 13 (Stream-Safe Text)."""
MARKS_OF_CLASS_0: Final = "\u0f73\u0f75\u0f81"
"""The characters of combining class 0 that decompose into marks: UAX #15, section 5."""
_FAR: Final = re.compile(f"[{FAR_MARKS}]")
_TOO_MANY: Final = re.compile(rb"[\1]{%d,}" % (MARKS + 1))
_LAST: Final = "\uffff"
"""The last character of 16 bits."""
STEP: Final = 8
"""To find long runs of marks, only every eighth character is examined at first."""
_IS_MARK: Final = b"\0" + b"\1" * 255
"""Maps combining classes to 1 for a mark and to 0 for other characters."""


@cache
def text_pattern() -> re.Pattern[bytes]:
    """Return a pattern for other octets and the run of non-ASCII text after them, or the end.

    The unreserved character before text belongs to its run, because a combining mark can compose with it.
    """
    text = rb"(?:[\x80-\xff]|%[89A-Fa-f][0-9A-Fa-f])"
    no_text = rb"%(?![89A-Fa-f][0-9A-Fa-f])"
    others = (
        rb"[^%\x80-\xff" + _BARE + b"]++",
        b"[" + _BARE + b"]+(?!" + text + b")",
        # Only for speed: no percent sign that the next two begin with stands before text.
        b"%+(?=%)",
        no_text + rb"[^%\x80-\xff]*+(?=" + no_text + rb")(?:%[^%\x80-\xff]*+(?=" + no_text + b"))*+",
        b"%(?:" + _RESERVED + b"|[0-7][0-9A-Fa-f](?!" + text + b")|(?!" + _DIGITS + b"))",
    )
    return compiled(b"((?:" + b"|".join(others) + b")*+)((?:" + _UNRESERVED + b")?+" + _TEXT + rb"|\Z)")


@cache
def three_marks() -> re.Pattern[str]:
    """Return a pattern for three or more characters that may be marks."""
    return re.compile(f"[{NEAR_MARKS}{FAR_MARKS}]{{3,}}+")


@cache
def all_marks() -> str:
    """Return all combining marks, and the characters that decompose into them."""
    return "".join(filter(unicodedata.combining, map(chr, range(0x300, 0x20000)))) + MARKS_OF_CLASS_0


@cache
def many_marks(least: int = MARKS + 1) -> re.Pattern[str]:
    """Return a pattern for ``least`` or more characters in a row that are marks, or that may be far ones."""
    mark = f"[{''.join(each for each in all_marks() if each <= _LAST)}{FAR_MARKS}]"
    # The lookbehind is there for speed: no run is searched again from its second mark on.
    return compiled(f"{mark}(?<!{mark}{{2}}){mark}{{{least - 1},}}+")


def to_slashes(octets: bytes) -> bytes:
    r"""Write a slash for each backslash or escape: ``%5C\`` becomes ``//``."""
    return b"/" * (len(octets) - 2 * octets.count(b"%"))


def respell_run(octets: bytes) -> bytes:
    """Spell escapes canonically, and a space written ``+`` as ``%20``."""
    return respell(octets.replace(b"+", b"%20"))


def composed_runs(octets: bytes, compose: Compose = to_nfc) -> tuple[list[bytes], list[bytes]]:
    """Split octets into other octets and runs of text, in turn; return these before and after NFC.

    ``compose`` puts a text into NFC.

    >>> composed_runs(b"caf%65%CC%81")
    ([b'caf', b'%65%CC%81', b'', b''], [b'caf', b'%C3%A9', b'', b''])
    """
    pieces = text_pattern().split(octets)
    del pieces[::3]  # nothing is between two matches
    # NUL can separate runs, because it is in no run and composes with nothing. Most runs occur repeatedly.
    runs = [*{*pieces[1::2]}]
    before = percent_decode(b"\0".join(runs)).decode("utf-8", "surrogateescape").split("\0")
    after = in_nfc(before, "\0", compose)
    changed = [place for place, text in enumerate(after) if text != before[place]]
    if not changed:
        return pieces, pieces
    written = "\0".join([after[place] for place in changed]).encode("utf-8", "surrogateescape")
    encoded = _WRITER.written(written).split(b"\0")
    composed = dict(zip(map(runs.__getitem__, changed), encoded, strict=True))
    for run in [run for run in composed if run.startswith(_ESCAPED_ASCII)]:
        composed[run] = _with_letter(run, composed[run])
    after_all = [*pieces]
    after_all[1::2] = map(composed.get, pieces[1::2], pieces[1::2])
    return pieces, after_all


def in_nfc(texts: Sequence[str], delimiter: str, compose: Compose = to_nfc) -> list[str]:
    r"""Put texts into NFC, except those with more than 30 combining marks in a row.

    ``delimiter`` is a character that is in no text, and that composes with nothing.

    >>> in_nfc(["e\u0301", "e" + 31 * "\u0301"], "\0") == ["\u00e9", "e" + 31 * "\u0301"]
    True
    """
    left = {place: text for place, text in enumerate(texts) if len(text) > MARKS and long_runs(text)}
    short = ["" if place in left else text for place, text in enumerate(texts)] if left else texts
    composed = compose(delimiter.join(short)).split(delimiter)
    for place, text in left.items():
        composed[place] = text
    return composed


def _with_letter(run: bytes, composed: bytes) -> bytes:
    """Return a composed run; its first letter, which is escaped, stays so if composing has not changed it.

    Without the escape, the letter could complete an escape after a stray ``%``.
    """
    letter = run[:3]
    return letter + composed[1:] if composed[:1] == percent_decode(letter) else composed


def long_runs(text: str) -> list[tuple[int, int]]:
    """Find runs of more than 30 combining marks, which would take very long to compose."""
    # Of 31 marks in a row, at least three are at indices divisible by 8, so most texts need no search.
    if three_marks().search(text[::STEP]) is None:
        return []
    found: list[tuple[int, int]] = []
    for may_be in many_marks().finditer(text):
        if _FAR.search(text, *may_be.span()) is None:  # all other characters of a match are marks
            found.append(may_be.span())
        else:
            spans = [match.span() for match in _TOO_MANY.finditer(_classes(may_be[0]))]
            found += [(may_be.start() + start, may_be.start() + end) for start, end in spans]
    return found


def _classes(text: str) -> bytes:
    """Return 1 for each combining mark, and 0 for each other character."""
    for each in MARKS_OF_CLASS_0:
        text = text.replace(each, "\u0301")
    return bytes(map(unicodedata.combining, text)).translate(_IS_MARK)


def remove(_octets: bytes) -> bytes:
    """Write nothing."""
    return b""


def to_one_slash(_octets: bytes) -> bytes:
    """Write one slash in place of several."""
    return b"/"


def to_crlf(octets: bytes) -> bytes:
    """Write CR and LF for each escaped CR or LF: HTML, form submission (newlines of an entry list)."""
    return b"%0D%0A" * (len(octets) // len(b"%0A"))

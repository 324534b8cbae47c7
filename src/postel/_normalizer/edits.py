"""Edits in bulk: a few passes over a component repair all faults of a stage.

Each function that edits takes octets and returns edited octets. It neither adds URL syntax nor completes an
escape after a stray ``%``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from json import loads
from typing import Final, TypeAlias

from postel._alphabet.percent import (
    MALFORMED_PERCENT,
    MISSPELLED,
    UNRESERVED,
    has_strays,
    joined,
    measure,
    respell,
    rewrite_strays,
    units,
)
from postel._alphabet.regex import compiled
from postel._alphabet.text import NO_TEXT
from postel._catalogue.repairs import respell_run
from postel._normalizer.source_map import Edit

Class: TypeAlias = tuple[re.Pattern[str], int]
"""A pattern for characters of a text, and how many octets each of these characters has."""

Text: TypeAlias = Callable[[], str]
"""Returns the text of some octets."""

MARK: Final = NO_TEXT
"""Stands for a dropped octet in a text."""
REST: Final = "\ud8fe"
"""Stands for the second and each later octet of a replaced character in a text."""
# The first escape of a run stands outside the repetition, because the regex engine finds it faster there.
_RUN: Final = compiled(rb"(%[uU][0-9A-Fa-f]{4}(?:%[uU][0-9A-Fa-f]{4})*+)")
_REPLACEMENT: Final = "%EF%BF%BD"
_FEW: Final = 16
"""Up to this many different matches, ``str.replace`` replaces each in turn."""
_REPLACED: Final = "\u0100"
_REMOVED: Final = "\u0200"
"""In ``_edited``, the octet 0 and the code 1 or 2, read together as UTF-16."""
_PLACES: Final = b"\1\2" + bytes(254)
"""Maps NUL to the code 1 (replace the unit), U+0001 to 2 (remove it), and all others to 0 (keep it)."""
_ESCAPES: Final = b"\x10" + bytes(255)
_OF_ESCAPES: Final = [(b"\x10", b"\0\0\0"), (b"\x11", b"\1\2\2"), (b"\x12", b"\2\2\2")]
"""Each pair is the code of an escape in ``_edited`` (kept, replaced, removed) and the codes of its octets."""
_KEPT: Final = b"\xff" + bytes(255)
_ONE_UNIT: Final = re.compile(rb"%[uU][0-9A-Fa-f]{4}")
_WAITING_FOR_UNIT: Final = re.compile(MALFORMED_PERCENT + rb"[0-9A-Za-z]{0,4}%[uU]")
"""Matches a stray percent sign and the UTF-16 unit after it that could complete an escape."""
_BETWEEN: Final = "\u0100"
"""Stands between a run of units and the octets beside it, in octets that are decoded as Latin-1."""
_MADE_ESCAPE: Final = re.compile(
    # The first lookahead is only for speed.
    f"%(?=[0-9A-FUa-fu{_BETWEEN}])"
    + MALFORMED_PERCENT.decode().removeprefix("%")
    + "B*(?:H|[uU]B*HB*HB*H)B*H".replace("H", "[0-9A-Fa-f]").replace("B", _BETWEEN)
)
"""Matches a stray percent sign and the octets that complete an escape, if these are in another piece."""
_REACH: Final = 5
"""How many octets of a piece can belong to an escape that begins or ends in the next piece."""
_UNRESERVED: Final = bytes(UNRESERVED)
_NOT_UTF_8: Final = b"\xff"
"""An octet that UTF-8 does not use: RFC 3629, section 3."""


def marked(classes: Iterable[Class], text: str, rest: str = MARK) -> str:
    """Replace each character of these classes with one mark for each of its octets.

    With ``rest=REST``, only the first octet gets the mark, and ``replaced`` replaces the whole character.
    """
    for each, width in classes:
        text = _written(each, MARK + (width - 1) * rest, text)
    return text


def without(octets: bytes, text: str) -> bytes:
    """Remove the octets that ``marked`` has marked in the text."""
    return _edited(octets, text.replace("\1", "\2").replace(MARK, "\1"))


def replaced(octets: bytes, text: str) -> bytes:
    """Replace each character that ``marked(..., rest=REST)`` has marked with an escaped U+FFFD."""
    text = text.replace("\0", "\2").replace("\1", "\2")
    return _edited(octets, text.replace(MARK, "\0").replace(REST, "\1"), _REPLACEMENT)


def _written(pattern: re.Pattern[str], written: str, text: str) -> str:
    """Replace each match of a pattern; ``str.replace`` is faster for the first few different texts."""
    place = 0
    for _ in range(_FEW):
        match = pattern.search(text, place)
        if match is None:
            return text
        text = text.replace(match[0], written)
        place = match.start()
    return pattern.sub(written, text)


def _edited(octets: bytes, text: str, replacement: str = "\0") -> bytes:
    """Remove each unit for which the text has U+0001, and replace each unit for which it has NUL."""
    places = text.encode("utf-8", "replace").translate(_PLACES)
    codes = either(places, units(octets).translate(_ESCAPES))
    for code, of_escape in _OF_ESCAPES:
        codes = codes.replace(code, of_escape)
    kept = int.from_bytes(codes.translate(_KEPT), "big") & int.from_bytes(octets, "big")
    both = bytearray(2 * len(octets))
    both[::2] = kept.to_bytes(len(octets), "big")
    both[1::2] = codes
    edited = both.decode("utf-16-le").replace(_REMOVED, "").replace(_REPLACED, replacement)
    return edited.encode("latin-1")


def either(one: bytes, other: bytes) -> bytes:
    """Return the bitwise or of two byte strings of the same length."""
    return (int.from_bytes(one, "big") | int.from_bytes(other, "big")).to_bytes(len(one), "big")


def escaped(octets: bytes, bare: bytes) -> bytes:
    """Escape each bare occurrence of some ASCII octets."""
    for octet in bare:
        if octet in octets:
            octets = octets.replace(b"%c" % octet, b"%%%02X" % octet)
    return octets


def literal_percents(octets: bytes) -> bytes:
    """Write each stray percent sign as ``%25``."""
    return rewrite_strays(octets, "%25", with_units=True)


def _all_escaped(octets: bytes) -> bytes:
    return b"%" + octets.hex("%").upper().encode()


def unescaping(octets: bytes, *, bare: bool = True) -> tuple[bytes, Callable[[], Iterable[Edit]]]:
    """Write UTF-16 units as escaped UTF-8: ``%u00e9`` becomes ``%C3%A9``.

    ``bare`` leaves unreserved characters bare, unless that would complete an escape after a stray ``%``. A
    lone surrogate stays ill-formed. The second result is a function that returns the edits one by one.
    ECMA-262, B.2.1.2 (unescape); RFC 3629, section 3.

    >>> octets, edits = unescaping(b"a%u00e9")
    >>> octets, list(edits())
    (b'a%C3%A9', [(1, 7, b'%C3%A9')])
    """
    before, after = _unescaped(octets, bare=bare)

    def edits() -> Iterable[Edit]:
        ends = list(accumulate(map(len, before)))
        return zip(ends[::2], ends[1::2], after[1::2], strict=False)

    return b"".join(after), edits


def _unescaped(octets: bytes, *, bare: bool) -> tuple[list[bytes], list[bytes]]:
    """Split octets into runs of units and the octets between them; return both as received and as edited."""
    pieces = _RUN.split(octets)
    if len(pieces) == 1:
        return pieces, pieces
    decoded = _of_units(pieces[1::2])
    escaped, separator = _all_escaped(decoded), _all_escaped(_NOT_UTF_8)
    bares = bare and decoded.translate(None, _UNRESERVED) != decoded
    edited = list(pieces)
    edited[1::2] = (respell(escaped) if bares else escaped).split(separator)
    # Only a bare character can complete an escape, and only if a stray percent sign is close before it.
    tails = [piece[-_REACH:] for piece in pieces[:-1:2]]
    if not bares or _WAITING_FOR_UNIT.search(b"%uFFFF".join([*tails, b""])) is None:
        return pieces, edited
    return pieces, _without_completed_escapes(edited, escaped.split(separator))


def _without_completed_escapes(edited: list[bytes], others: Sequence[bytes]) -> list[bytes]:
    """Replace edited runs, which are at odd places, with ``others`` if they complete an escape."""
    # An escape that a run completes does not reach far into the octets beside the run.
    near = [*edited]
    near[::2] = [
        each if len(each) <= 2 * _REACH else each[:_REACH] + b"." + each[-_REACH:] for each in edited[::2]
    ]
    text = _BETWEEN.join([each.decode("latin-1") for each in near])
    run = place = 0
    # In each completed escape, only the last run is replaced.
    for match in _MADE_ESCAPE.finditer(text):
        run += text.count(_BETWEEN, place, match.end())
        place = match.end()
        last = run - 1 + run % 2  # the last run that begins before this place
        edited[last] = others[last >> 1]
    return edited


def _of_units(runs: list[bytes]) -> bytes:
    """Return runs of units in UTF-8, with ``_NOT_UTF_8`` between them."""
    # In JSON, units are written ``\uXXXX`` (RFC 8259, section 7); Python decodes it in C.
    texts: list[str] = loads(b'["' + b'","'.join(runs).lower().replace(b"%u", b"\\u") + b'"]')
    return _NOT_UTF_8.join([each.encode("utf-8", "surrogatepass") for each in texts])


def _escapes_in(octets: bytes) -> int:
    """Count the escapes of octets and of UTF-16 units."""
    has_units = b"%u" in octets or b"%U" in octets
    return (len(octets) - measure(octets)) // 2 + (len(_ONE_UNIT.findall(octets)) if has_units else 0)


_WAITING: Final = re.compile(rb"%(?![0-9A-Fa-f]{2})[^%]{0,5}%")
"""Matches a stray percent sign that might begin an escape once an escape close after it is respelled."""
_MISSPELLED: Final = compiled(b"(" + MISSPELLED.pattern + b"(?:" + MISSPELLED.pattern + b")*+)")
_MISSPELLED_OR_PLUS: Final = compiled(
    rb"((?:\+|" + MISSPELLED.pattern + rb")(?:\+|" + MISSPELLED.pattern + b")*+)"
)


def respelled(octets: bytes, *, plus: bool) -> bytes:
    """Spell escapes canonically; with ``plus``, also write a space spelled ``+`` as ``%20``."""
    written = respell(octets.replace(b"+", b"%20") if plus else octets)
    if written == octets or not has_strays(octets) or _WAITING.search(octets) is None:
        return written
    signs = octets.count(b"+") if plus else 0
    needless = (len(octets) + 2 * signs - len(written)) // 2  # each became two octets shorter
    if _escapes_in(written) == _escapes_in(octets) + signs - needless:
        return written  # no escape was completed
    pieces = (_MISSPELLED_OR_PLUS if plus else _MISSPELLED).split(octets)
    edited = list(pieces)
    edited[1::2] = respell_run(b"\0".join(pieces[1::2])).split(b"\0")  # no run has a bare NUL
    return joined(_without_completed_escapes(edited, pieces[1::2]))

"""Bare octets of non-ASCII text: find and escape them, also beside ill-formed octets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, final

from postel._alphabet.percent import escape_non_ascii, units
from postel._alphabet.text import ILL_FORMED_TEXT
from postel._normalizer.edits import Text, either

_ESCAPES: Final = b"\x10" + bytes(255)
_HIGH: Final = bytes(octet > 0x7F for octet in range(256))
"""A table that maps octets above ASCII to 1, and all others to 0."""
_BARE: Final = bytes(0xFF * (octet > 0x7F) for octet in range(256))
_TOP: Final = bytes(octet & 0x80 for octet in range(256))
_TOP_WITHOUT_FLAG: Final = bytes(0x80 * (octet == 0x80) for octet in range(256))
_MARKED: Final = re.compile(rb"\x01++")


@final
class RunsOfText:
    r"""The runs of bare non-ASCII octets that hold a well-formed character, if other octets are ill-formed.

    >>> from postel._alphabet.text import text_of
    >>> runs = RunsOfText(b"\xff-%FF\xff\xc3\xa9", text_of(b"\xff-%FF\xff\xc3\xa9"))
    >>> list(runs.spans())
    [(5, 8)]
    """

    __slots__ = ("_runs", "_shape")

    def __init__(self, octets: bytes, text: str) -> None:
        """Find the octets of well-formed characters; ``text`` is the text of the octets."""
        self._shape = units(octets)
        self._runs = _runs_of_text(self._shape, text)

    def spans(self) -> Iterator[tuple[int, int]]:
        """Yield the start and end of each run."""
        shape, offset, last = self._shape, 0, 0
        for run in _MARKED.finditer(self._runs):
            start, end = run.span()
            offset += start - last + 2 * shape.count(0, last, start)
            yield offset, offset + end - start  # a bare octet is one unit
            offset, last = offset + end - start, end

    def __bool__(self) -> bool:
        """Whether there is a run."""
        return 1 in self._runs


def _is_well_formed(octets: bytes) -> bool:
    """Whether octets are well-formed UTF-8 before any escape is decoded."""
    try:
        octets.decode()
    except UnicodeDecodeError:
        return False
    return True


def is_ill_formed(text: str) -> bool:
    """Whether a text has ill-formed octets."""
    return ILL_FORMED_TEXT.search(text) is not None


def has_raw(octets: bytes, text: str) -> bool:
    """Whether a run of bare non-ASCII octets holds a well-formed character."""
    return bool(RunsOfText(octets, text)) if is_ill_formed(text) else not octets.isascii()


def raw_escaped(octets: bytes, of_octets: Text) -> bytes:
    """Escape each run of bare non-ASCII octets that holds a well-formed character.

    ``of_octets`` returns a text with the same units as the octets.
    """
    if _is_well_formed(octets):
        return escape_non_ascii(octets)
    text = of_octets()
    if not is_ill_formed(text):
        return escape_non_ascii(octets)
    shape = units(octets)
    runs = _runs_of_text(shape, text)
    if 1 not in runs:
        return octets
    # The flag of an escape, 0x10, becomes three: one for each of its octets. An escape is in no run.
    flags = either(runs, shape.translate(_ESCAPES)).replace(b"\x10", b"\0\0\0")
    # The other octets above ASCII lose their top bit, so that they are not escaped, and then get it back.
    tops = either(flags, octets.translate(_TOP)).translate(_TOP_WITHOUT_FLAG)
    others = int.from_bytes(octets, "big") ^ int.from_bytes(tops, "big")
    escaped = escape_non_ascii(others.to_bytes(len(octets), "big"))
    return either(escaped, either(flags, tops).replace(b"\1", b"\0\0\0"))


def _runs_of_text(shape: bytes, text: str) -> bytes:
    r"""Return 1 for each unit in a run of bare octets above ASCII that holds a well-formed character.

    Other units become 0. ``shape`` is the result of ``units``.

    >>> _runs_of_text(b"\xff\xc3\xa9\xff\0\xffa\xc3\xa9", "\udcff\u00e9\udcff%\udcffa\u00e9")
    b'\x01\x01\x01\x01\x00\x00\x00\x01\x01'
    """
    bare, whole = shape.translate(_BARE), text.encode("utf-8", "replace").translate(_HIGH)
    # The octets of a run are 0xFF. One added to an octet changes it and, by the carry, all octets before it
    # in the run; with the octets in reverse order, all octets after it.
    runs, reverse = int.from_bytes(bare, "big"), int.from_bytes(bare, "little")
    after = reverse & reverse + (reverse & int.from_bytes(whole, "little"))
    left = runs & runs + (runs & int.from_bytes(whole, "big"))
    left &= int.from_bytes(after.to_bytes(len(bare), "little"), "big")
    return (left ^ runs).to_bytes(len(bare), "big").translate(_HIGH)

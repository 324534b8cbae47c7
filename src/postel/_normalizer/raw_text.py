"""Bare octets of non-ASCII text: find, count and escape them, also beside ill-formed octets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal, final

from postel._alphabet.percent import escape_non_ascii, units
from postel._alphabet.text import ILL_FORMED_TEXT
from postel._normalizer.edits import Text, either

_ESCAPES: Final = b"\x10" + bytes(255)
HIGH: Final = bytes(octet > 0x7F for octet in range(256))
"""A table that maps octets above ASCII to 1, and all others to 0."""
_TOP: Final = bytes(octet & 0x80 for octet in range(256))
_TOP_WITHOUT_FLAG: Final = bytes(0x80 * (octet == 0x80) for octet in range(256))
_TWICE: Final = bytes(2 * (octet > 0x7F) for octet in range(256))
_IS_TEXT: Final = bytes(octet == 3 for octet in range(256))
_ONES: Final = bytes(0xFF * (octet & 1) for octet in range(256))
_ORDERS: Final[tuple[Literal["big", "little"], ...]] = ("big", "little")
_OF_TEXT: Final = re.compile(rb"\x03[\x01\x03]*+")
"""Matches flags of ``_raw``, from the first octet of a well-formed character to the end of its run."""


@final
class RunsOfText:
    r"""The runs of bare non-ASCII octets that hold a well-formed character, if other octets are ill-formed.

    >>> from postel._alphabet.text import text_of
    >>> runs = RunsOfText(b"\xff-%FF\xff\xc3\xa9", text_of(b"\xff-%FF\xff\xc3\xa9"))
    >>> list(runs.spans()), runs.count()
    ([(5, 8)], 1)
    """

    __slots__ = ("_raw", "_shape")

    def __init__(self, octets: bytes, text: str) -> None:
        """Find the octets of well-formed characters; ``text`` is the text of the octets."""
        self._shape = units(octets)
        self._raw = _raw(self._shape, text)

    def spans(self) -> Iterator[tuple[int, int]]:
        """Yield the start and end of each run."""
        shape, raw = self._shape, self._raw
        offset = last = 0
        for run in _OF_TEXT.finditer(raw):
            start, end = run.span()
            start = last + len(raw[last:start].rstrip(b"\1"))
            offset += start - last + 2 * shape.count(0, last, start)
            yield offset, offset + end - start  # a bare octet is one unit
            offset, last = offset + end - start, end

    def count(self) -> int:
        """Count the runs."""
        return count_runs(self._raw.translate(_IS_TEXT, b"\1"))  # ill-formed octets are left out


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


def count_raw(octets: bytes, text: str) -> int:
    """Count the runs of bare non-ASCII octets that hold a well-formed character."""
    return RunsOfText(octets, text).count() if is_ill_formed(text) else count_runs(octets.translate(HIGH))


def count_runs(marks: bytes) -> int:
    """Count the runs of ones among zeros."""
    return marks.count(b"\0\1") + marks.startswith(b"\1")


def _raw(shape: bytes, text: str) -> bytes:
    """Return flags for each unit: 1 for a bare octet above ASCII, 2 for an octet of a non-ASCII character.

    A bare octet of a well-formed character has both flags, which is 3. ``shape`` is the result of ``units``.
    """
    whole = text.encode("utf-8", "replace").translate(_TWICE)
    return either(whole, shape.translate(HIGH))


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
    raw = _raw(shape, text)
    if 3 not in raw:
        return octets
    # The flag of an escape, 0x10, becomes three: one for each of its octets. An escape is in no run.
    flags = either(_runs_with_text(raw), shape.translate(_ESCAPES)).replace(b"\x10", b"\0\0\0")
    # The other octets above ASCII lose their top bit, so that they are not escaped, and then get it back.
    tops = either(flags, octets.translate(_TOP)).translate(_TOP_WITHOUT_FLAG)
    others = int.from_bytes(octets, "big") ^ int.from_bytes(tops, "big")
    escaped = escape_non_ascii(others.to_bytes(len(octets), "big"))
    return either(escaped, either(flags, tops).replace(b"\1", b"\0\0\0"))


def _runs_with_text(raw: bytes) -> bytes:
    r"""Return 1 for each octet of a run of bare octets that holds a well-formed character; ``raw`` is flags.

    >>> _runs_with_text(b"\1\3\3\1\2\1\0\3\3")
    b'\x01\x01\x01\x01\x00\x00\x00\x01\x01'
    """
    runs, text = raw.translate(_ONES), raw.translate(_IS_TEXT)
    left = int.from_bytes(runs, "big")
    for order in _ORDERS:
        # The octets of a run are 0xFF. One added to an octet changes it and, by the carry, all octets behind
        # it in the run.
        ones = int.from_bytes(runs, order)
        kept = ones & ones + int.from_bytes(text, order)
        left &= int.from_bytes(kept.to_bytes(len(raw), order), "big")
    return (left ^ int.from_bytes(runs, "big")).to_bytes(len(raw), "big").translate(HIGH)

"""Readings: the faults in Cookie and Referer, in each way in which readers decode them.

Every field of a request is read together: ampersands separate the cookies, or the Referer fields, and these
have no other ampersands. A reading has one octet for each octet that a reader decodes, and a map to the
received octets, which is made when the first fault is located.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import compress
from typing import Final, TypeAlias, final

from postel._alphabet.ill_formed import ILL_FORMED_CLASSES
from postel._alphabet.percent import percent_decode, units
from postel._alphabet.regex import compiled
from postel._catalogue.kinds import Kind
from postel._http.cookies import Span, undone

Fault: TypeAlias = tuple[Kind, Span]
Faults: TypeAlias = Callable[[int], Iterator[Fault]]
"""Yields the faults in order of offset; may leave out those that end before the given offset."""
Starts: TypeAlias = Callable[[], Sequence[int]]
"""Returns, for each octet of a reading and for its end, where the received octets for it begin."""

_FINE: Final = (b"%09", b"%0A", b"%0a", b"%0D", b"%0d", b"%26")
"""Escaped controls that are not faults, and an escaped ampersand, which separates nothing."""
_FREED: Final = bytes.maketrans(b"\0?", b"?.")
"""Replaces NUL by a question mark, which frees NUL for characters without a fault."""
_MASK: Final = bytes(0xFF if octet == ord("?") else 0x7F * (octet < 0x80) for octet in range(256))
"""Maps a question mark to all bits, other ASCII to the bits of ASCII, and what is beyond ASCII to none."""
_FAULTY: Final = rb"?\x01-\x1f\x7f-\xff"
JUDGED: Final = (Kind.NUL, Kind.CONTROL, Kind.ILL_FORMED_UTF8)
"""The kinds that are judged in Cookie and Referer, in the order of the groups of ``faults_pattern``."""
_MARKS: Final = bytes(octet if octet == ord("&") else ord("!") for octet in range(256))
_CLEAN: Final = bytes(octet for octet in range(0x7F) if octet == 0 or (octet >= 0x20 and octet != ord("?")))
_NO_MARKS: Final = bytes.maketrans(b"&", b"\0")
_TOUCHING: Final = compiled(rb"[\x80-\xff]%[89A-Fa-f][0-9A-Fa-f]|%[89A-Fa-f][0-9A-Fa-f][\x80-\xff]")
"""A bare octet beyond ASCII next to an escaped one."""
_BEFORE: Final = 16
"""The search for the faults after an offset begins this many octets before it."""
_FAR: Final = 32
"""If a fault of the second reading ends more than this many octets before the known fault does, the search
continues at the end of the known fault."""


@cache
def faults_pattern() -> re.Pattern[bytes]:
    """Return a pattern for a run of octets with the same fault, and the octets in front of it.

    The run is in the group of its kind.
    """
    ill_formed = b"|".join(b"(?:" + pattern + b")++" for _, pattern in ILL_FORMED_CLASSES)
    return compiled(rb"[^%b]*+(?:(\?++)|([\x01-\x1f\x7f]++)|(%b))" % (_FAULTY, ill_formed))


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Reading:
    """The octets of a reading, and where the received octets for each of them begin."""

    octets: bytes
    """The decoded octets that have a fault, NUL as a question mark. All others are ASCII without a fault."""
    starts: Starts
    end: int
    """Where the last fault ends."""

    def faults(self, begin: int = 0) -> Iterator[Fault]:
        """Yield the faults of this reading; those that end at or before ``begin`` are left out."""
        starts = self.starts()
        # A run that begins before this index is found from there on, and begins before ``begin``, too.
        index = max(0, bisect_left(starts, begin) - _BEFORE)
        for match in faults_pattern().finditer(self.octets, index, self.end):
            group = match.lastindex or 0
            span = starts[match.start(group)], starts[match.end(group)]
            if span[1] > begin:
                yield JUDGED[group - 1], span


def readings(received: bytes, *, cookies: bool) -> tuple[list[Reading], Faults]:
    """Return the readings, and a function that yields their faults.

    Of faults that overlap, it yields only the fault of the earlier reading.

    Pieces are read as received and, if they are cookies, first with their quoted octets unescaped. Some
    readers decode UTF-8 before they undo percent-encoding: they never join ``%C3`` and a bare octet after it.
    So octets with an escape next to a bare octet are also read without decoding their escapes.
    """
    whole = len(received) + 1
    spellings: list[tuple[bytes, Starts]] = [(received, lambda: range(whole))]
    if cookies and b"\\" in received:
        spellings.insert(0, undone(received))
    found: list[Reading] = []
    united: list[Faults] = []
    for octets, starts in spellings:
        found.append(_reading(octets, cache(partial(_decoded_starts, octets, starts))))
        united.append(found[-1].faults)
        if _TOUCHING.search(octets) is not None:
            found.append(_reading(octets.replace(b"%", b"."), starts))
            united[-1] = partial(_united, united[-1], found[-1].faults)
    return found, united[0] if len(united) == 1 else partial(_united, united[0], united[1])


def faulty(octets: bytes) -> bytes:
    r"""Return an octet for each piece of a reading: 1 if it has a fault, and otherwise 0.

    >>> faulty(b"a&\xff\xff&&?")
    b'\x00\x01\x00\x01'
    """
    marks = octets.translate(_MARKS, _CLEAN.replace(b"&", b"")) + b"&"
    return marks.replace(b"!&", b"\1").translate(_NO_MARKS, b"!")


def _reading(octets: bytes, starts: Starts) -> Reading:
    judged = _judged(octets)
    return Reading(judged, starts, len(judged.rstrip(_CLEAN)))


def _judged(octets: bytes) -> bytes:
    r"""Decode octets; NUL becomes a question mark, and octets beyond ASCII without a fault become NUL.

    >>> _judged(b"%C3%A9?\0%0A\xff")
    b'\x00\x00.?.\xff'
    """
    if b"%" in octets:
        for escape in _FINE:
            octets = octets.replace(escape, b"%2E")
    octets = percent_decode(octets).translate(_FREED)
    if octets.isascii():
        return octets
    # "replace" writes a question mark for each octet that is not a part of well-formed UTF-8.
    mask = octets.decode("utf-8", "surrogateescape").encode("utf-8", "replace").translate(_MASK)
    faults = int.from_bytes(octets, "little") & int.from_bytes(mask, "little")
    return faults.to_bytes(len(octets), "little")


def _decoded_starts(octets: bytes, starts: Starts) -> Sequence[int]:
    """Return where the units of octets begin; ``starts`` returns where the octets begin."""
    if b"%" not in octets:
        return starts()
    lasts = units(octets).replace(b"\0", b"\0\0\1")
    return [0, *compress(starts()[1:], lasts)]


def _united(first: Faults, second: Faults, begin: int) -> Iterator[Fault]:
    """Merge the faults of two readings by offset; of two that overlap, keep the one of the first reading."""
    known = 0
    kept = first(begin)
    ahead = next(kept, None)
    others = second(begin)
    while (fault := next(others, None)) is not None:
        start, end = fault[1]
        while ahead is not None and ahead[1][0] < end:
            known = ahead[1][1]
            yield ahead
            ahead = next(kept, None)
        if known <= start:
            yield fault
        elif known - end > _FAR:
            others = second(known)
    if ahead is not None:
        yield ahead
    yield from kept

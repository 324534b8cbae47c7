"""Patterns for the spellings of characters in a URL.

A URL can write the same octet bare, or escaped in upper-case or lower-case hex. ``pattern_of`` turns a set of
characters into a pattern over received octets, so a match is at its offset in these octets.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import Final

from postel._alphabet.characters import LAST, NON_ASCII, Characters, Range
from postel._alphabet.ill_formed import ILL_FORMED_CLASSES


@enum.unique
class Spelling(enum.Enum):
    """How an octet is written in a URL."""

    BARE = "bare"
    """As itself."""
    ESCAPED = "escaped"
    """As ``%`` and two hex digits of either case."""
    UPPER = "upper"
    """As ``%`` and two upper-case hex digits."""
    ANY = "any"
    """Bare or escaped."""


def pattern_of(characters: Characters, spelling: Spelling) -> bytes:
    """A bytes pattern for one character of the set, in UTF-8, spelled as in a URL.

    Alternatives share their leading octets, so that large sets stay fast.
    """
    return _pattern(characters.ranges, spelling)


@lru_cache(maxsize=256)  # most policies have the same sets
def _pattern(ranges: tuple[Range, ...], spelling: Spelling) -> bytes:
    sequences = [sequence for first, last in ranges for sequence in _sequences(first, last)]
    return _alternatives(sequences, spelling, split=spelling is Spelling.ANY)


def _sequences(first: int, last: int) -> Iterator[tuple[Range, ...]]:
    """Sequences of octet ranges that encode the code points from first to last: RFC 3629, section 4."""
    for low, high in ((0, 0x7F), (0x80, 0x7FF), (0x800, 0xD7FF), (0xE000, 0xFFFF), (0x10000, LAST)):
        if first <= high and low <= last:
            yield from _aligned(max(first, low), min(last, high))


def _aligned(first: int, last: int) -> Iterator[tuple[Range, ...]]:
    """Split a range of code points into parts; the UTF-8 of a part has one octet range for each position."""
    start, end = chr(first).encode(), chr(last).encode()
    for place in range(1, len(start)):
        mask = (1 << 6 * place) - 1
        if first >> 6 * place != last >> 6 * place:
            if first & mask:
                yield from _aligned(first, first | mask)
                yield from _aligned((first | mask) + 1, last)
                return
            if last & mask != mask:
                yield from _aligned(first, (last & ~mask) - 1)
                yield from _aligned(last & ~mask, last)
                return
    yield tuple(zip(start, end, strict=True))


def _alternatives(sequences: list[tuple[Range, ...]], spelling: Spelling, *, split: bool = False) -> bytes:
    """One pattern for all sequences, which shares their leading octets as a trie does.

    ``split`` separates bare and escaped leading octets, so that the first octet decides between them.
    """
    tails: dict[tuple[tuple[Range, ...], ...], list[Range]] = {}
    heads: dict[Range, list[tuple[Range, ...]]] = {}
    for head, *tail in sequences:
        heads.setdefault(head, []).append(tuple(tail))
    for head, rest in heads.items():
        tails.setdefault(tuple(rest), []).append(head)
    branches = [
        (ranges, b"" if rest == ((),) else _alternatives(list(rest), spelling))
        for rest, ranges in sorted(tails.items(), key=_breadth, reverse=True)
    ]
    if split and len(branches) > 1:
        escaped = [octets_pattern(head, Spelling.ESCAPED)[1:] + tail for head, tail in branches]
        bare = [octets_pattern(head, Spelling.BARE) + tail for head, tail in branches]
        return b"(?:%(?:" + b"|".join(escaped) + b")|" + b"|".join(bare) + b")"
    written = [octets_pattern(head, spelling) + tail for head, tail in branches]
    return written[0] if len(written) == 1 else b"(?:" + b"|".join(written) + b")"


def _breadth(branch: tuple[object, list[Range]]) -> int:
    """Sort key: the number of octets that a branch can begin with; common branches are tried first."""
    return sum(last - first + 1 for first, last in branch[1])


def octets_pattern(ranges: Collection[Range], spelling: Spelling) -> bytes:
    r"""A bytes pattern for one octet of the ranges, in the given spelling.

    >>> octets_pattern([(0x2E, 0x2E)], Spelling.ANY)
    b'(?:[\\x2e]|%2[Ee])'
    """
    bare = b"[" + b"".join(_bare(low, high) for low, high in ranges) + b"]"
    if spelling is Spelling.BARE:
        return bare
    rows: dict[tuple[int, ...], list[int]] = {}
    octets = sorted({octet for low, high in ranges for octet in range(low, high + 1)})
    for high in sorted({octet >> 4 for octet in octets}):
        lows = tuple(octet & 15 for octet in octets if octet >> 4 == high)
        rows.setdefault(lows, []).append(high)
    upper = spelling is Spelling.UPPER
    branches = [_digits(highs, upper) + _digits(lows, upper) for lows, highs in rows.items()]
    escaped = b"%" + (branches[0] if len(branches) == 1 else b"(?:" + b"|".join(branches) + b")")
    return b"(?:" + bare + b"|" + escaped + b")" if spelling is Spelling.ANY else escaped


def _bare(low: int, high: int) -> bytes:
    return b"\\x%02x" % low if low == high else b"\\x%02x-\\x%02x" % (low, high)


def _digits(values: Iterable[int], upper: bool) -> bytes:  # noqa: FBT001 - two callers, both above
    digits = "".join(f"{value:X}" for value in values)
    digits += "" if upper else "".join(digit.lower() for digit in digits if digit.isalpha())
    return digits.encode() if len(digits) == 1 else b"[" + digits.encode() + b"]"


def spelled(pattern: bytes, spelling: Spelling) -> bytes:
    r"""Rewrite the classes ``[\xHH-\xHH]`` of a pattern, so that it matches octets spelled as in a URL."""
    return _CLASS.sub(lambda m: octets_pattern([(int(m[1], 16), int(m[2] or m[1], 16))], spelling), pattern)


_CLASS: Final = re.compile(rb"\[\\x([0-9a-f]{2})(?:-\\x([0-9a-f]{2}))?\]")

ILL_FORMED_PATTERN: Final = b"|".join(
    (b"(?:(?!" + pattern_of(NON_ASCII, Spelling.ANY) + b")(?:" if name == "truncated" else b"(?:(?:")
    + spelled(pattern, Spelling.ANY)
    + b"))++"
    for name, pattern in ILL_FORMED_CLASSES
)
"""Pattern for a run of ill-formed UTF-8 of one class, spelled as in a URL."""

"""Characters: immutable sets of Unicode code points, and patterns for how a URL spells them.

Checks search for sets of characters, and ``Policy.accepting`` takes one. A URL can write the same octet bare,
or escaped in upper-case or lower-case hex. ``Characters.pattern`` turns a set into a pattern over received
octets, so a match is at its offset in these octets.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias, final

from postel._alphabet.ill_formed import ILL_FORMED

Range: TypeAlias = tuple[int, int]
"""The first and the last code point (or octet), both included."""

LAST: Final = 0x10FFFF
SURROGATES: Final[Range] = (0xD800, 0xDFFF)


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


@final
@dataclass(frozen=True, slots=True)
class Characters:
    """An immutable set of Unicode code points without surrogates, stored as ranges.

    Build one from characters and ranges, combine with ``|``, ``-`` and ``&``:

    >>> vowels = Characters.of("aeiou")
    >>> greek = Characters.of((0x370, 0x3FF))
    >>> "\N{GREEK SMALL LETTER ALPHA}" in greek, "a" in (vowels | greek), "a" in (vowels - vowels)
    (True, True, False)
    >>> str(Characters.of("az", (0x370, 0x3FF)))
    'U+0061,U+007A,U+0370-03FF'

    Raises ``ValueError`` for a range that is out of order or beyond U+10FFFF.
    """

    ranges: tuple[Range, ...]
    """The first and the last code point of each range, in order, with gaps between ranges."""

    def __post_init__(self) -> None:
        """Raise unless the ranges are canonical, so that equal sets compare equal."""
        if _canonical(self.ranges) != self.ranges:
            raise ValueError(f"{self.ranges!r} are not canonical ranges; write Characters.of(...)")

    @classmethod
    def of(cls, *members: str | Range) -> Characters:
        """Build a set from the characters of texts and from (first, last) ranges, in any order."""
        return cls(tuple(_scalar(_merged(_spans(members)))))

    @classmethod
    def parse(cls, text: str) -> Characters:
        """Read the notation that ``str`` writes, such as ``U+0041-005A,U+00E4``, but no empty text.

        >>> Characters.parse("U+0061-0063") == Characters.of("abc")
        True
        """
        spans: list[Range] = []
        for item in text.split(","):
            match = re.fullmatch(r"U\+([0-9A-Fa-f]{4,6})(?:-([0-9A-Fa-f]{4,6}))?", item.strip())
            if match is None:
                raise ValueError(f"{item.strip()!r} is not a range; write U+0041 or U+0041-005A")
            spans.append((int(match[1], 16), int(match[2] or match[1], 16)))
        return cls.of(*spans)

    def __or__(self, other: Characters) -> Characters:
        """The union of two sets."""
        return Characters(_merged([*self.ranges, *ranges_of(other)]))

    def __sub__(self, other: Characters) -> Characters:
        """The characters of this set that are not in the other."""
        return Characters(_shared(self.ranges, _gaps(ranges_of(other))))

    def __and__(self, other: Characters) -> Characters:
        """The intersection of two sets."""
        return Characters(_shared(self.ranges, ranges_of(other)))

    def complement(self) -> Characters:
        """All other code points except surrogates."""
        return Characters(_gaps(self.ranges))

    def __contains__(self, character: str) -> bool:
        """Whether one character is in the set."""
        point = ord(character)
        return any(first <= point <= last for first, last in self.ranges)

    def __bool__(self) -> bool:
        """Whether the set is not empty."""
        return bool(self.ranges)

    def __str__(self) -> str:
        """The ranges in Unicode's notation, which ``parse`` reads."""
        return ",".join(
            f"U+{first:04X}" if first == last else f"U+{first:04X}-{last:04X}" for first, last in self.ranges
        )

    def text(self) -> str:
        """All characters of the set, in order; for small sets."""
        return "".join(chr(point) for a, b in self.ranges for point in range(a, b + 1))

    def pattern(self, spelling: Spelling) -> bytes:
        """A bytes pattern for one character of the set, in UTF-8, spelled as in a URL.

        Alternatives share their leading octets, so that large sets stay fast.
        """
        return _pattern(self.ranges, spelling)


def ranges_of(given: object) -> tuple[Range, ...]:
    """The ranges of a set of characters. Raises TypeError for anything else."""
    if isinstance(given, Characters):
        return given.ranges
    advice = repr(given) if isinstance(given, str) else "..."
    raise TypeError(f"{given!r} is not a set of characters; write Characters.of({advice})")


@lru_cache(maxsize=256)  # most policies have the same sets
def _pattern(ranges: tuple[Range, ...], spelling: Spelling) -> bytes:
    sequences = [sequence for first, last in ranges for sequence in _sequences(first, last)]
    return _alternatives(sequences, spelling, split=spelling is Spelling.ANY)


@lru_cache(maxsize=1024)
def _canonical(ranges: tuple[Range, ...]) -> tuple[Range, ...]:
    return tuple(_scalar(_merged(_spans(ranges))))


@lru_cache(maxsize=1024)
def _shared(ranges: tuple[Range, ...], others: tuple[Range, ...]) -> tuple[Range, ...]:
    """The ranges that two lists of ranges have in common."""
    shared: list[Range] = []
    index = other_index = 0
    while index < len(ranges) and other_index < len(others):
        first, last = ranges[index]
        other_first, other_last = others[other_index]
        if max(first, other_first) <= min(last, other_last):
            shared.append((max(first, other_first), min(last, other_last)))
        if last < other_last:
            index += 1
        else:
            other_index += 1
    return tuple(shared)


@lru_cache(maxsize=1024)
def _gaps(ranges: tuple[Range, ...]) -> tuple[Range, ...]:
    """The ranges of all other code points except surrogates."""
    gaps: list[Range] = []
    start = 0
    for first, last in (*_merged([*ranges, SURROGATES]), (LAST + 1, LAST + 1)):
        if start < first:
            gaps.append((start, first - 1))
        start = last + 1
    return tuple(gaps)


def _spans(members: Iterable[str | Range]) -> Iterator[Range]:
    for member in members:
        match member:
            case str():
                yield from ((ord(character), ord(character)) for character in member)
            case (int(first), int(last)) if 0 <= first <= last <= LAST:
                yield (first, last)
            case _:
                wanted = f"0 <= first <= last <= {LAST:#x} must hold, as in (0x41, 0x5A)"
                raise ValueError(f"{member!r} is not a range: {wanted}")


def _scalar(ranges: Iterable[Range]) -> Iterator[Range]:
    """The ranges without surrogates, which are not characters."""
    below, above = SURROGATES[0] - 1, SURROGATES[1] + 1
    for first, last in ranges:
        if first <= below:
            yield (first, min(last, below))
        if last >= above:
            yield (max(first, above), last)


def _merged(spans: Iterable[Range]) -> tuple[Range, ...]:
    """Sort the spans, and merge those that overlap or touch."""
    merged: list[Range] = []
    for first, last in sorted(spans):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return tuple(merged)


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

NON_ASCII: Final = Characters.of((0x80, LAST))

ILL_FORMED_PATTERN: Final = b"|".join(
    (b"(?:(?!" + NON_ASCII.pattern(Spelling.ANY) + b")(?:" if name == "truncated" else b"(?:(?:")
    + spelled(pattern, Spelling.ANY)
    + b"))++"
    for name, pattern in ILL_FORMED
)
"""Pattern for a run of ill-formed UTF-8 of one class, spelled as in a URL."""

NO_CHARACTERS: Final = Characters(())
ASCII: Final = Characters.of((0x20, 0x7E))
"""The printable characters of ASCII."""

LATIN: Final = ASCII | Characters.of(
    (0xA0, 0xAC),
    (0xAE, 0x24F),  # Latin-1 letters and signs without the soft hyphen; Latin Extended-A and -B
    (0x1E00, 0x1EFF),  # Latin Extended Additional
    (0x300, 0x36F),  # combining marks, for decomposed text
    (0x2010, 0x2027),  # dashes, quotation marks, ellipsis
    (0x20A0, 0x20C0),  # currency signs
)
"""The characters of text in Latin script: letters, digits, signs, and the punctuation of ASCII."""

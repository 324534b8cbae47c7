"""Characters: immutable sets of Unicode code points. Checks search for them, and policies accept them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias, cast, final

Range: TypeAlias = tuple[int, int]
"""The first and the last code point (or octet), both included."""

LAST: Final = 0x10FFFF
SURROGATES: Final[Range] = (0xD800, 0xDFFF)


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

    Raises ``ValueError`` for a range that is out of order or beyond U+10FFFF, and ``TypeError`` if ``ranges``
    is not a tuple.
    """

    ranges: tuple[Range, ...]
    """The first and the last code point of each range, in order, with gaps between ranges."""

    def __post_init__(self) -> None:
        """Raise unless the ranges are canonical, so that equal sets compare equal."""
        if not isinstance(cast("object", self.ranges), tuple):
            raise TypeError(f"Characters({self.ranges!r}): write Characters.of(...)")
        if _canonical(self.ranges) != self.ranges:
            raise ValueError(f"{self.ranges!r} are not canonical ranges; write Characters.of(...)")

    @classmethod
    def of(cls, *members: str | Range) -> Characters:
        """Build a set from the characters of texts and from (first, last) ranges, in any order."""
        return cls(tuple(_scalar(_merged(_spans(members)))))

    @classmethod
    def parse(cls, text: str) -> Characters:
        """Read the notation that ``str`` writes, such as ``U+0041-005A,U+00E4``.

        Raises ``ValueError`` for anything else, also for an empty text.

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
        if not isinstance(cast("object", character), str) or len(character) != 1:
            raise TypeError(f"{character!r} is not one character")
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


def ranges_of(given: object) -> tuple[Range, ...]:
    """The ranges of a set of characters. Raises TypeError for anything else."""
    if isinstance(given, Characters):
        return given.ranges
    advice = repr(given) if isinstance(given, str) else "..."
    raise TypeError(f"{given!r} is not a set of characters; write Characters.of({advice})")


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


NON_ASCII: Final = Characters.of((0x80, LAST))

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

"""A census of the characters of a text: find the kinds that are present in bulk, also pair by pair.

Each kind has a code of one octet. The text is translated into codes in bulk, and methods of ``bytes`` look
for each code. If a kind is defined by a pattern, the text is searched only if it has a character with
which a match can begin. No character is in runs of two kinds, so each kind can be looked for separately.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterable, Iterator
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Final, TypeAlias, final

from postel._alphabet.regex import compiled
from postel._catalogue.kinds import Kind

_LAST: Final = 0xFFFF
"""The last code point of 16 bits."""
_LEADS: Final = range(0xE1, 0xED)
"""The first octets in UTF-8 of U+1000 to U+CFFF; each begins a block of 4,096 characters."""
_OF_SURROGATES: Final = 0xED
"""The first octet in UTF-8 of U+D000 to U+DFFF, a block that holds all surrogates."""
_SEEN: Final = 0xFE
"""The code of ``_MARK``, which replaces a match of a pattern."""
_BETWEEN: Final = 0xFF
"""The code of the ampersand between two pairs."""
_MARK: Final = "\ud8fd"
"""Replaces each match of a pattern; no text holds this character."""
_EVERY: Final = bytes(range(256))
_CODES: Final = frozenset(range(1, 256))
_Page: TypeAlias = tuple[int, bytes, bytes, frozenset[int]]
"""A page of 256 characters: its number, a table of only this number, the codes, and all different codes."""
_MEMBER: Final = re.compile(r"(?:\\u([0-9a-f]{4})|\\U([0-9a-f]{8})|(.))(-)?", re.DOTALL)


@final
class Census:
    """Looks for the characters of some kinds."""

    __slots__ = ("_classes", "_moves", "_patterns", "_planes")

    def __init__(self, rows: Iterable[tuple[Kind, str]]) -> None:
        """``rows`` are kinds, each with a class body for the characters with which its matches begin."""
        codes = {ord("&"): _BETWEEN, ord(_MARK): _SEEN}
        self._classes: list[tuple[Kind, int]] = []
        self._patterns: list[tuple[Kind, int, re.Pattern[str]]] = []
        of_classes: dict[str, int] = {}
        for kind, held in rows:
            code = of_classes.setdefault(held, len(of_classes) + 1)
            codes.update(dict.fromkeys(_points_of(held), code))
            if kind.check.text:
                pattern = compiled("|".join(kind.check.text.values()), re.DOTALL)
                self._patterns.append((kind, code, pattern))
            else:
                self._classes.append((kind, code))
        # Python encodes surrogates slowly in UTF-32. So they are moved to a block in which no character has a
        # code, and the characters of that block are moved to another such block.
        leads = {0xE0 | point >> 12 for point in codes if point <= _LAST}
        there, away = [lead for lead in _LEADS if lead not in leads][:2]
        self._moves = [(bytes([there]), bytes([away])), (bytes([_OF_SURROGATES]), bytes([there]))]
        moved = (there - _OF_SURROGATES) << 12
        tables: dict[int, bytearray] = {}  # all other characters have the code 0
        for point, code in codes.items():
            place = point + moved * (point <= _LAST and 0xE0 | point >> 12 == _OF_SURROGATES)
            tables.setdefault(place >> 8, bytearray(256))[place & 0xFF] = code
        alike: dict[tuple[int, bytes], list[int]] = {}
        for number, table in tables.items():
            alike.setdefault((number & 0xFF, bytes(table)), []).append(number >> 8)
        pages: dict[tuple[int, ...], list[_Page]] = {}
        for (page, of_page), planes in alike.items():
            pages.setdefault(tuple(planes), []).append((page, _only([page]), of_page, frozenset(of_page)))
        self._planes = [(0 in planes, _only(planes), rows) for planes, rows in pages.items()]
        """Whether the first plane of Unicode is among some planes, a table of only these, and their pages."""

    def present(self, text: str, start: int, codes: bytes | None) -> frozenset[Kind]:
        """Return the kinds that have a match from ``start`` on."""
        octets = self.codes(text[start:]) if codes is None else codes[start:]
        found = [kind for kind, code in self._classes if code in octets]
        # A pattern with groups is tried at every index, so the search begins at the first possible match.
        found += [
            kind
            for kind, code, pattern in self._patterns
            if code in octets and pattern.search(text, start + octets.index(code)) is not None
        ]
        return frozenset(found)

    def beginnings(self, kinds: Container[Kind], codes: bytes) -> bytes:
        """Return 1 for each character with which a match of these kinds may begin, otherwise 0.

        ``codes`` are those of the text.
        """
        is_wanted = bytearray(256)
        for kind, code in chain(self._classes, ((kind, code) for kind, code, _ in self._patterns)):
            is_wanted[code] |= kind in kinds
        return codes.translate(is_wanted)

    def first(self, text: str, start: int, kinds: Collection[Kind]) -> int:
        """Return the index of the first run of these kinds; there must be such a run."""
        octets = self.codes(text[start:])
        places = [
            start + octets.index(code) for kind, code in self._classes if kind in kinds and code in octets
        ]
        matches = [
            pattern.search(text, start + octets.index(code))
            for kind, code, pattern in self._patterns
            if kind in kinds and code in octets
        ]
        return min([*places, *(match.start() for match in matches if match is not None)])

    def parts(self, text: str, kinds: Collection[Kind], codes: bytes | None = None) -> list[bytes]:
        """Return, for each pair, the codes of its matches of these kinds; empty octets if it has no match."""
        wanted = {_BETWEEN, _SEEN, *(code for kind, code in self._classes if kind in kinds)}
        for kind, code, pattern in self._patterns:
            if kind is Kind.ILL_FORMED_UTF8:  # each character that begins its pattern is faulty
                wanted |= {code} if kind in kinds else set()
            elif kind in kinds and (codes is None or code in codes):
                text, codes = pattern.sub(_MARK, text), None
        others = _EVERY.translate(None, bytes(wanted))
        octets = self.codes(text, wanted) if codes is None else codes
        return octets.translate(None, others).split(b"\xff")

    def by_kind(self, text: str, kinds: Collection[Kind], octets: bytes) -> Iterator[tuple[Kind, bytes]]:
        """Yield each kind with an octet for each pair: 1 if it has a match of this kind, otherwise 0.

        ``octets`` are the codes of the text.
        """
        for kind, code in self._classes:
            if kind in kinds and code in octets:
                yield (
                    kind,
                    _held(octets.translate(None, _EVERY.translate(None, bytes([code, _BETWEEN]))), code),
                )
        for kind, code, _ in self._patterns:
            if kind in kinds and code in octets:
                yield kind, bytes(map(bool, self.parts(text, [kind], octets)))

    def codes(self, text: str, wanted: AbstractSet[int] = _CODES) -> bytes:
        """Return the code of each character; other methods take it, so that a text is looked up once.

        Characters with codes that are not ``wanted`` may become 0.
        """
        units = self._units(text)
        low, high, planes = units[::4], units[1::4], units[2::4]
        is_beyond = planes != bytes(len(planes))
        codes = 0
        for has_first, only_planes, pages in self._planes:
            if not (is_beyond or has_first):
                continue
            found = 0
            for page, only_page, of_page, held in pages:
                if page in high and not held.isdisjoint(wanted):
                    here = int.from_bytes(high.translate(only_page), "little")
                    found |= here & int.from_bytes(low.translate(of_page), "little")
            if is_beyond:
                found &= int.from_bytes(planes.translate(only_planes), "little")
            codes |= found
        return codes.to_bytes(len(low), "little")

    def _units(self, text: str) -> bytes:
        """Encode the text in UTF-32, with surrogates moved to another block."""
        octets = text.encode("utf-8", "surrogatepass")
        for lead, other in self._moves:
            octets = octets.replace(lead, other)
        return octets.decode().encode("utf-32-le")


def _held(codes: bytes, code: int) -> bytes:
    """Return 1 for each pair that has a code, and 0 for others; ``codes`` has no other codes."""
    one, between = bytes([code]), b"\xff"
    while 2 * one in codes:
        codes = codes.replace(2 * one, one)
    return (between + codes).replace(between + one, b"\1").replace(between, b"\0")


def _only(octets: Iterable[int]) -> bytes:
    """Return a table that maps some octets to 0xFF, and all others to 0."""
    held = frozenset(octets)
    return bytes(0xFF * (octet in held) for octet in range(256))


def _points_of(held: str) -> Iterator[int]:
    """Yield the code points in the body of a character class."""
    first = None
    for match in _MEMBER.finditer(held):
        digits = match[1] or match[2]
        point = int(digits, 16) if digits else ord(match[3])
        if match[4]:
            first = point
        else:
            yield from range(point if first is None else first, point + 1)
            first = None

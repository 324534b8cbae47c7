"""A census of the characters of a text: count the runs of each kind in bulk.

Each kind has a code of one octet. The text is translated into codes in bulk, and methods of ``bytes`` count
the runs of each code. If a kind is defined by a pattern, the text is searched only if it has a character with
which a match can begin. No character is in runs of two kinds, so each kind can be counted separately.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Final, final

from postel._alphabet.regex import compiled
from postel._catalogue.kinds import Kind

_LAST: Final = 0xFFFF
"""The last code point of 16 bits."""
_STANDING_FOR: Final = 0xD900
"""The stand-in for a character beyond 16 bits is this plus the code of the character; no text holds it."""
_BEYOND: Final = re.compile("[\U00010000-\U0010ffff]")
_FEW: Final = 8
"""Up to this many different characters, ``str.replace`` replaces each in turn."""
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
_MEMBER: Final = re.compile(r"(?:\\u([0-9a-f]{4})|\\U([0-9a-f]{8})|(.))(-)?", re.DOTALL)


@final
class Census:
    """Counts the characters of some kinds."""

    __slots__ = ("_beyond", "_classes", "_moves", "_pages", "_patterns")

    def __init__(self, rows: Iterable[tuple[Kind, str]]) -> None:
        """``rows`` are kinds, each with a class body for the characters with which its matches begin."""
        codes = {ord("&"): _BETWEEN, ord(_MARK): _SEEN}
        self._classes: list[tuple[Kind, int, bytes]] = []
        self._patterns: list[tuple[Kind, int, re.Pattern[str]]] = []
        of_classes: dict[str, int] = {}
        for kind, held in rows:
            code = of_classes.setdefault(held, len(of_classes) + 1)
            codes.update(dict.fromkeys(_points_of(held), code))
            if kind.check.text:
                pattern = "|".join(_found(each, held) for each in kind.check.text.values())
                self._patterns.append((kind, code, compiled(pattern, re.DOTALL)))
            else:
                self._classes.append((kind, code, _only(code, 1)))
        beyond: dict[int, list[str]] = {}
        for point, code in codes.items():
            if point > _LAST:
                beyond.setdefault(code, []).append(chr(point))
        codes |= {_STANDING_FOR + code: code for code in beyond}
        # A stand-in with the same code replaces each character of more than 16 bits.
        self._beyond = [
            # The engine passes other text fastest if a pattern begins with a class of one range.
            *(
                (re.compile(f"{_BEYOND.pattern}(?<=[{''.join(held)}])"), chr(_STANDING_FOR + code))
                for code, held in beyond.items()
            ),
            (_BEYOND, chr(_STANDING_FOR)),
        ]
        # Python encodes surrogates slowly in UTF-16. So they are moved to a block in which no character has a
        # code, and the characters of that block are moved to another such block.
        leads = {0xE0 | point >> 12 for point in codes if point <= _LAST}
        there, away = [lead for lead in _LEADS if lead not in leads][:2]
        self._moves = [(bytes([there]), bytes([away])), (bytes([_OF_SURROGATES]), bytes([there]))]
        moved = (there - _OF_SURROGATES) << 12
        codes = {
            point + moved * (0xE0 | point >> 12 == _OF_SURROGATES): code for point, code in codes.items()
        }
        pages: dict[int, bytearray] = {}  # all other characters have the code 0
        for point, code in codes.items():
            if point <= _LAST:
                pages.setdefault(point >> 8, bytearray(256))[point & 0xFF] = code
        self._pages = [(page, bytes(table), _only(page, 0xFF)) for page, table in sorted(pages.items())]

    def counts(self, text: str, start: int, *, exact: bool) -> dict[Kind, int]:
        """Count the runs of each kind from ``start`` on; unless ``exact``, a count of 1 may mean more."""
        octets = self._translated(text, start)
        counts: dict[Kind, int] = {}
        for kind, code, table in self._classes:
            if code in octets:
                marks = octets.translate(table) if exact else b"\1"
                counts[kind] = marks.count(b"\0\1") + marks.startswith(b"\1")
        for kind, code, pattern in self._patterns:
            # A pattern with groups is tried at every index, so the search begins at the first possible match.
            if code in octets and pattern.search(text, begins := start + octets.index(code)) is not None:
                # No pattern looks behind a place, and subn() keeps no list of the matches.
                counts[kind] = pattern.subn("", text[begins:])[1] if exact else 1
        return counts

    def first(self, text: str, start: int, kinds: Collection[Kind]) -> int:
        """Return the index of the first run of these kinds; there must be such a run."""
        octets = self._translated(text, start)
        places = [
            start + octets.index(code) for kind, code, _ in self._classes if kind in kinds and code in octets
        ]
        matches = [
            pattern.search(text, start + octets.index(code))
            for kind, code, pattern in self._patterns
            if kind in kinds and code in octets
        ]
        return min([*places, *(match.start() for match in matches if match is not None)])

    def parts(self, text: str, kinds: Collection[Kind]) -> list[bytes]:
        """Return, for each pair, the codes of its matches of these kinds; empty octets if it has no match."""
        wanted = [_BETWEEN, _SEEN, *(code for kind, code, _ in self._classes if kind in kinds)]
        for kind, code, pattern in self._patterns:
            if kind is Kind.ILL_FORMED_UTF8:  # each character that begins its pattern is faulty
                wanted += [code] if kind in kinds else []
            elif kind in kinds:
                text = pattern.sub(_MARK, text)
        others = _EVERY.translate(None, bytes(wanted))
        return self._translated(text, 0).translate(None, others).split(b"\xff")

    def _translated(self, text: str, start: int) -> bytes:
        """Return the code of each character from ``start`` on.

        Each page is a table of the codes of 256 characters. Pages without codes are not looked up.
        """
        units = self._units(self._without_beyond(text[start:]))
        low, high = units[::2], units[1::2]
        codes = 0
        for page, of_low, of_high in self._pages:
            if page in high:
                here = int.from_bytes(high.translate(of_high), "little")
                codes |= here & int.from_bytes(low.translate(of_low), "little")
        return codes.to_bytes(len(low), "little")

    def _without_beyond(self, text: str) -> str:
        """Replace characters beyond 16 bits with stand-ins, at first all equal characters at once."""
        place = 0
        for _ in range(_FEW):
            match = _BEYOND.search(text, place)
            if match is None:
                return text
            place = match.start()
            stand_in = next(stand_in for held, stand_in in self._beyond if held.match(match[0]))
            text = text.replace(match[0], stand_in)
        for held, stand_in in self._beyond:
            text = held.sub(stand_in, text)
        return text

    def _units(self, text: str) -> bytes:
        """Encode the text in UTF-16, with surrogates moved to another block."""
        octets = text.encode("utf-8", "surrogatepass")
        for lead, other in self._moves:
            octets = octets.replace(lead, other)
        return octets.decode().encode("utf-16-le")


def _only(octet: int, value: int) -> bytes:
    """Return a table that maps one octet to a value, and all others to 0."""
    return bytes(octet) + bytes([value]) + bytes(0xFF - octet)


def _found(pattern: str, held: str) -> str:
    """Return a faster form of a pattern for runs, with the first character outside the repetition.

    If the pattern has several alternatives, each match extends to the next character that can begin a match.
    """
    if "++|" in pattern:
        return f"(?:{pattern})[^{held}]*+"
    one = pattern.removesuffix("++")
    return f"{one}{one}*+"


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

"""A census of the characters of a text: how many runs of each kind there are, without a look at each.

Every kind of characters is given an octet, and the text is translated into octets; runs of one octet are
counted by what every octet says of itself. A kind that is said by a pattern is looked for only where one of
its first characters stands. No character is in runs of two kinds, so that each kind is counted by itself.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Final, final

from postel._alphabet.regex import compiled
from postel._alphabet.text import ESCAPED
from postel._catalogue.kinds import Kind

_OTHER: Final = 0
_SEEN: Final = 0xFE
"""What says that a pattern has seen something."""
_BETWEEN: Final = 0xFF
"""What says that a pair ends."""
_MARK: Final = "\ud8fd"
"""A character that no text has: what a pattern has seen becomes one."""
_EVERY: Final = bytes(range(256))
_MEMBER: Final = re.compile(r"(?:\\u([0-9a-f]{4})|\\U([0-9a-f]{8})|(.))(-)?", re.DOTALL)


@final
class _Codes(dict[int, int]):
    """The octet of each character; of most, the one that says nothing."""

    def __missing__(self, point: int) -> int:
        return _OTHER


@final
class Census:
    """Counts the characters of some kinds."""

    __slots__ = ("_classes", "_codes", "_patterns")

    def __init__(self, rows: Iterable[tuple[Kind, str]]) -> None:
        """``rows`` are kinds, each with the members of the class that its first character is of."""
        self._codes = _Codes(dict.fromkeys([*range(0x250), *range(ESCAPED, ESCAPED + 0x100)], _OTHER))
        self._classes: list[tuple[Kind, int, bytes]] = []
        self._patterns: list[tuple[Kind, int, re.Pattern[str]]] = []
        self._codes[ord("&")] = _BETWEEN
        self._codes[ord(_MARK)] = _SEEN
        codes: dict[str, int] = {}
        for kind, held in rows:
            code = codes.setdefault(held, len(codes) + 1)
            self._codes.update(dict.fromkeys(_points_of(held), code))
            if kind.check.text:
                pattern = compiled("|".join(f"(?:{each})" for each in kind.check.text.values()), re.DOTALL)
                self._patterns.append((kind, code, pattern))
            else:
                self._classes.append((kind, code, bytes(octet == code for octet in range(256))))

    def counts(self, text: str, start: int, *, exact: bool) -> dict[Kind, int]:
        """How many runs of each kind there are from ``start`` on; unless it is ``exact``, 1 is any number."""
        octets = self._translated(text, start)
        counts: dict[Kind, int] = {}
        for kind, code, table in self._classes:
            if code in octets:
                marks = octets.translate(table) if exact else b"\1"
                counts[kind] = marks.count(b"\0\1") + marks.startswith(b"\1")
        for kind, code, pattern in self._patterns:
            # A search for a group tries every place, and is told where the first can be.
            if code in octets and pattern.search(text, begins := start + octets.index(code)) is not None:
                counts[kind] = len(pattern.findall(text, begins)) if exact else 1
        return counts

    def first(self, text: str, start: int, kinds: Collection[Kind]) -> int:
        """Where the first run of some kinds begins, of which there is one."""
        octets = self._translated(text, start)
        places = [
            start + octets.index(code) for kind, code, _ in self._classes if kind in kinds and code in octets
        ]
        matches = [
            pattern.search(text, start)
            for kind, code, pattern in self._patterns
            if kind in kinds and code in octets
        ]
        return min([*places, *(match.start() for match in matches if match is not None)])

    def parts(self, text: str, kinds: Collection[Kind]) -> list[bytes]:
        """For each pair of a text what is seen in it of some kinds: empty, if that is nothing."""
        wanted = [_BETWEEN, _SEEN, *(code for kind, code, _ in self._classes if kind in kinds)]
        for kind, code, pattern in self._patterns:
            if kind is Kind.ILL_FORMED_UTF8:  # whatever its pattern begins with is in fault
                wanted += [code] if kind in kinds else []
            elif kind in kinds:
                text = pattern.sub(_MARK, text)
        others = _EVERY.translate(None, bytes(wanted))
        return self._translated(text, 0).translate(None, others).split(b"\xff")

    def _translated(self, text: str, start: int) -> bytes:
        translated = text.translate(self._codes)
        return (translated[start:] if start else translated).encode("latin-1")


def _points_of(held: str) -> Iterator[int]:
    """The code points of the members of a class of a pattern."""
    first = None
    for match in _MEMBER.finditer(held):
        digits = match[1] or match[2]
        point = int(digits, 16) if digits else ord(match[3])
        if match[4]:
            first = point
        else:
            yield from range(point if first is None else first, point + 1)
            first = None

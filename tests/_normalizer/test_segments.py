"""The scanner of segments finds the same as trying each row at each place."""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Iterator
from typing import Final

from postel import Component, Kind
from postel._alphabet.regex import compiled
from postel._catalogue.check import Family
from postel._normalizer.scanner import Match, kinds_of_family
from postel._normalizer.segments import at_segments

KINDS: Final = kinds_of_family(Component.PATH, Family.SEGMENT)
ROWS: Final = [
    (kind, re.compile(pattern, re.DOTALL)) for kind in KINDS for pattern in kind.check.text.values()
]
PIECES: Final = [
    *("/", "/", "//", ".", "..", ";", ":", "::", "$", "\\", " ", "a", "c", "con", "C", "nul", "aux.", "com1"),
    *("\udc2e", "\udc3b", "\udc3a", "\udc24", "\udc20", "\udc63", "\udc2f", "conin$", "x", "1"),
]  # fmt: skip


def _one_by_one(text: str, start: int, asked: Collection[Kind]) -> Iterator[Match]:
    """Try the rows in order at each place. A match of a row that is not wanted is skipped as a whole."""
    while start < len(text):
        found = [(kind, match) for kind, row in ROWS if (match := row.match(text, start)) is not None]
        kept = [(kind, match) for kind, match in found if kind in asked]
        if kept and kept[0] == found[0]:
            kind, match = kept[0]
            yield kind, start, match.end()
        start = max(start + 1, found[0][1].end() if found else 0)


def test_the_scanner_equals_trying_each_row_at_each_place() -> None:
    chance = random.Random(3)  # noqa: S311 - inputs, no secrets
    matches = 0
    for _ in range(60):
        asked = frozenset(kind for kind in KINDS if chance.random() < 0.6)
        scanner = at_segments(asked)
        for _ in range(150):
            text = "/" + "".join(chance.choices(PIECES, k=chance.choice((1, 2, 3, 4, 6, 9))))
            start = max(0, text.rfind("/", 0, 3))
            found = scanner.scan(text, start)
            assert found == list(_one_by_one(text, start, asked)), (text, asked)
            assert scanner.present(text, start) == {kind for kind, _, _ in found}, (text, asked)
            matches += len(found)
            assert _is_read_once(scanner.pattern, text), (text, asked)
    assert matches > 1000


def _is_read_once(pattern: str, text: str) -> bool:
    """Whether each match begins where the one before it ends; a search for a later start takes long."""
    spans = [match.span() for match in compiled(pattern, re.DOTALL).finditer(text)]
    ends = [0, *(end for _, end in spans)]
    return all(start == end for (start, _), end in zip(spans, ends, strict=False))

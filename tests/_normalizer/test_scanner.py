"""Scanners: their matches are in order, begin at the given place, and are counted as they are listed."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import Final

import pytest

from postel import Component, Kind
from postel._normalizer.scanner import Match, Scanner, at_characters

NUL, SLASHES, FRAGMENT = Kind.NUL, Kind.EMPTY_SEGMENT, Kind.FRAGMENT


def _fragments(octets: bytes) -> list[tuple[int, int]]:
    """Find each number sign with the octet after it."""
    return [(place, place + 2) for place, octet in enumerate(octets) if octet == ord("#")]


SCANNER: Final = Scanner([NUL], rb".*?()(?:0()|\Z)", finds={FRAGMENT: _fragments})
ALONE: Final = Scanner([NUL], rb"[^0]*+()(?:0++()|\Z)", alone={SLASHES: b"/"})

# Each row: a scanner, octets, and all matches.
MATCHES: Final = [
    pytest.param(ALONE, b"", [], id="nothing"),
    pytest.param(ALONE, b"//a/", [(SLASHES, 0, 1), (SLASHES, 1, 2), (SLASHES, 3, 4)], id="a character"),
    pytest.param(
        ALONE, b"/00\n/0", [(SLASHES, 0, 1), (NUL, 1, 3), (SLASHES, 4, 5), (NUL, 5, 6)], id="a line feed"
    ),
    pytest.param(SCANNER, b"#a\n0#b", [(FRAGMENT, 0, 2), (NUL, 3, 4), (FRAGMENT, 4, 6)], id="a function"),
    pytest.param(SCANNER, b"#0", [(FRAGMENT, 0, 2), (NUL, 1, 2)], id="two that overlap"),
]


@pytest.mark.parametrize(("scanner", "octets", "matches"), MATCHES)
def test_matches_are_found_in_order_and_counted_from_each_place(
    scanner: Scanner[bytes], octets: bytes, matches: list[Match]
) -> None:
    assert list(islice(scanner.walk(octets), 99)) == matches
    assert scanner.scan(octets) == matches
    assert scanner.scan(octets, most=1) == matches[:1]
    assert scanner.counts(octets) == Counter(kind for kind, _, _ in matches)
    for _, start, _ in matches:
        rest = [each for each in matches if each[1] >= start]
        assert scanner.scan(octets, start) == rest
        assert scanner.counts(octets, start) == Counter(kind for kind, _, _ in rest)
        for kind in {kind for kind, _, _ in rest}:
            assert scanner.first(octets, start, [kind]) == next(each for each in rest if each[0] is kind)


def test_a_scanner_for_no_kinds_finds_nothing() -> None:
    for text in ("", "a%00", "\ud8ff\udc00\x00"):
        scanner = at_characters(Component.QUERY, [])
        assert scanner.scan(text) == []
        assert scanner.counts(text) == {}

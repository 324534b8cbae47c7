"""How octets are written: bare text and escapes that are not canonical, as their patterns find them."""

from __future__ import annotations

import random
import re

import pytest

from postel import Action, Component, Kind
from postel._alphabet.text import text_of
from postel._normalizer.findings import MOST, NOTHING, Matches, changes_octets
from postel._normalizer.scanner import Match
from postel._normalizer.writing import WRITTEN, Writing

PIECES = [
    b"%7e",
    b"%c3%a9",
    b"%C3%A9",
    b"+",
    b"%20",
    b"a",
    b"%41",
    b"\xc3\xa9",
    b"\xff",
    b"=",
    b"&",
    b"%",
    b"-",
]
REPAIRED = tuple(Action.REPAIR if kind in WRITTEN else Action.ALLOW for kind in Kind)
REPORTED = tuple(Action.REPORT if kind is Kind.SPELLING else Action.ALLOW for kind in Kind)


def expected(octets: bytes, component: Component, start: int) -> list[Match]:
    """Find the matches with the patterns alone; runs of ill-formed octets are left out."""
    found = [
        (kind, *match.span())
        for kind in WRITTEN
        for match in re.compile(kind.check.patterns[component]).finditer(octets, start)
        if kind is Kind.SPELLING or not re.fullmatch("[\udc80-\udcff]+", text_of(match[0]))
    ]
    return sorted(found, key=lambda match: match[1])


def located(matches: Matches, most: int) -> list[Match]:
    return [(kind, start, end) for _, kind, start, end in matches.first(most)]


@pytest.mark.parametrize("component", [Component.PATH, Component.QUERY], ids=str)
@pytest.mark.parametrize("length", [6, 600])
def test_matches_are_those_of_the_patterns(component: Component, length: int) -> None:
    chance = random.Random(length)  # noqa: S311 - inputs, no secrets
    writing = Writing(component, frozenset(WRITTEN))
    many = 0
    for _ in range(150):
        pieces = chance.choices(PIECES, k=chance.randint(1, 6))
        octets = b"".join(chance.choices(pieces, k=chance.randint(1, length)))
        start = chance.choice([0, 0, min(2, len(octets))]) if octets.isascii() else 0
        text = text_of(octets)
        matches, wanted = writing.judge(octets, text, start, REPAIRED), expected(octets, component, start)
        assert located(matches, length) == wanted
        assert located(matches, 3) == wanted[:3]
        assert matches.actions == ({Action.REPAIR} if wanted else set())
        if matches.have(changes_octets):
            assert matches.find(changes_octets)[1:] == wanted[0]
        spelled = [match for match in wanted if match[0] is Kind.SPELLING]
        only = writing.judge(octets, text, start, REPORTED)
        assert located(only, length) == spelled
        assert (only is NOTHING) is (not spelled)
        many += len(wanted) > MOST
    assert bool(many) is (length > 2 * MOST)


def test_a_plus_before_other_misspelled_octets_is_the_first_match() -> None:
    octets = b"q=a+b" + b"&%7e+" * (MOST + 1)
    matches = Writing(Component.QUERY, frozenset(WRITTEN)).judge(octets, "", 0, REPAIRED)
    assert located(matches, 2) == [(Kind.SPELLING, 3, 4), (Kind.SPELLING, 6, 10)]
    assert matches.find(changes_octets) == (Action.REPAIR, Kind.SPELLING, 3, 4)


@pytest.mark.parametrize(("component", "piece"), [(Component.QUERY, "\u00e9a"), (Component.PATH, "\u00e9+")])
def test_nothing_else_is_found_beside_very_much_bare_text(component: Component, piece: str) -> None:
    text = piece * (MOST + 1)
    writing = Writing(component, frozenset(WRITTEN))
    matches = writing.judge(text.encode(), text, 0, REPORTED)
    assert matches is NOTHING


def test_a_first_octet_that_is_misspelled_is_found_beside_very_much_bare_text() -> None:
    text = "%7e" + "\u00e9a" * (MOST + 1)
    matches = Writing(Component.PATH, frozenset(WRITTEN)).judge(text.encode(), text, 0, REPORTED)
    assert located(matches, 9) == [(Kind.SPELLING, 0, 3)]


def test_kinds_that_are_not_active_are_not_found() -> None:
    octets = b"+\xc3\xa9"
    for active, kind in (({Kind.SPELLING}, Kind.SPELLING), ({Kind.RAW_NON_ASCII}, Kind.RAW_NON_ASCII)):
        writing = Writing(Component.QUERY, frozenset(active))
        found = writing.judge(octets, text_of(octets), 0, REPAIRED)
        assert [match[0] for match in located(found, 9)] == [kind]

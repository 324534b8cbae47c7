"""Scanners: their matches are in order, and begin at the given place."""

from __future__ import annotations

import random
import re
from functools import partial
from itertools import islice, product
from typing import Final

import pytest

from _normalizer.test_dropped_at_once import PIECES
from laws.checks import steps_of
from postel import Component, Kind, Policy
from postel._alphabet.regex import compiled
from postel._alphabet.text import text_of
from postel._catalogue.check import Family
from postel._normalizer.scanner import (
    Match,
    Scanner,
    at_characters,
    at_octets,
    class_of,
    judged,
    kinds_of_family,
    places_of,
    rest_after_run,
)
from postel._policy.actions import actions_by_kind

NUL, SLASHES, FRAGMENT = Kind.NUL, Kind.EMPTY_SEGMENT, Kind.FRAGMENT


def _fragments(octets: bytes) -> list[tuple[int, int]]:
    """Find each number sign with the octet after it."""
    return [(place, place + 2) for place, octet in enumerate(octets) if octet == ord("#")]


SCANNER: Final = Scanner([NUL], rb".*?()(?:0.?()|\Z)", finds={FRAGMENT: _fragments})
ALONE: Final = Scanner([NUL], rb"[^0]*+()(?:0++()|\Z)", finds={SLASHES: partial(places_of, b"/")})

# Each row: a scanner, octets, and all matches.
MATCHES: Final = [
    pytest.param(ALONE, b"", [], id="nothing"),
    pytest.param(ALONE, b"//a/", [(SLASHES, 0, 1), (SLASHES, 1, 2), (SLASHES, 3, 4)], id="a character"),
    pytest.param(
        ALONE, b"/00\n/0", [(SLASHES, 0, 1), (NUL, 1, 3), (SLASHES, 4, 5), (NUL, 5, 6)], id="a line feed"
    ),
    pytest.param(SCANNER, b"#a\n0b#b", [(FRAGMENT, 0, 2), (NUL, 3, 5), (FRAGMENT, 5, 7)], id="a function"),
    pytest.param(SCANNER, b"#0", [(FRAGMENT, 0, 2), (NUL, 1, 2)], id="two that overlap"),
    pytest.param(SCANNER, b"a0\n0", [(NUL, 1, 3), (NUL, 3, 4)], id="a match with a line feed"),
]


@pytest.mark.parametrize(("scanner", "octets", "matches"), MATCHES)
def test_matches_are_found_in_order_from_each_place(
    scanner: Scanner[bytes], octets: bytes, matches: list[Match]
) -> None:
    assert list(islice(scanner.walk(octets), 99)) == matches
    assert scanner.scan(octets) == matches
    assert scanner.scan(octets, most=1) == matches[:1]
    assert scanner.present(octets) == {kind for kind, _, _ in matches}
    for _, start, _ in matches:
        rest = [each for each in matches if each[1] >= start]
        assert scanner.scan(octets, start) == rest
        assert scanner.present(octets, start) == {kind for kind, _, _ in rest}
        for kind in {kind for kind, _, _ in rest}:
            assert scanner.first(octets, start, [kind]) == next(each for each in rest if each[0] is kind)


def test_a_scanner_for_no_kinds_finds_nothing() -> None:
    for text in ("", "a%00", "\ud8ff\udc00\x00"):
        scanner = at_characters(Component.QUERY, [])
        assert scanner.scan(text) == []
        assert scanner.present(text) == set()


@pytest.mark.parametrize("component", [Component.PATH, Component.QUERY], ids=str)
def test_no_search_begins_anew_in_clean_text(component: Component) -> None:
    """Otherwise the time for many clean characters that resemble faulty ones would be quadratic."""
    kinds = kinds_of_family(component, Family.CHARACTER)
    pieces = ["", "a", "2e", "u0041", "%", "%u00e9", "\udc25", "\udcc3", "\n", "\u202e"]
    pieces += ["\U0001f600", "\U0001fffe"]
    for asked in (kinds, kinds[::2], kinds[1::2]):
        pattern = compiled(at_characters(component, asked).pattern, re.DOTALL)
        for each in product(pieces, repeat=4):
            starts, ends = zip(*(match.span() for match in pattern.finditer("".join(each))), strict=True)
            assert starts == (0, *ends[:-1]), ascii(each)


@pytest.mark.parametrize("component", [Component.PATH, Component.QUERY], ids=str)
def test_the_class_in_front_passes_every_character_with_which_no_match_begins(component: Component) -> None:
    kinds = kinds_of_family(component, Family.CHARACTER)
    pattern = at_characters(component, kinds).pattern
    front = re.compile(pattern[: pattern.index("]*+")] + "]")
    begins = re.compile(f"[{''.join(class_of(component, kind) for kind in kinds)}]")
    for character in map(chr, range(0x10000)):
        assert (front.match(character) is None) == (begins.match(character) is not None), ascii(character)


@pytest.mark.parametrize(
    ("held", "pattern", "behind"),
    [
        pytest.param("%", "(?:[%](?:[01][A-F]|[2]0))++", "[01][A-F]|[2]0", id="other characters"),
        pytest.param("%", "(?:[%](?:[01][A-F]|[2]%))++", "[01][A-F]|[2]%", id="the same one, but later"),
        pytest.param("%", "(?:[%](?:[^/]A|[2]0))++", "", id="perhaps the same one"),
        pytest.param("%", "(?:[%](?:[01]A|[^/]0))++", "", id="perhaps the same one in another branch"),
        pytest.param("%", "(?:[%](?:[01]A|20))++", "", id="a branch without a class in front"),
        pytest.param("%", "(?:%(?:[01]A))++", "", id="a match does not begin with a class"),
        pytest.param("%", "(?:[%](?:[01]A)?)++", "", id="nothing may follow"),
        pytest.param("%", "(?:%[uU][0-9A-F]{4})++", "[uU][0-9A-F]{4}", id="the character without a class"),
        pytest.param("%", "(?:%[uU]|%[01])++", "", id="branches without a class"),
        pytest.param("%", "(?:%%*[uU])++", "", id="a run without a class"),
        pytest.param("%&", "(?:[%&](?:[01]A))++", "", id="several first characters"),
    ],
)
def test_what_follows_the_first_character_of_a_match(held: str, pattern: str, behind: str) -> None:
    assert rest_after_run(held, pattern) == behind


def test_codes_that_are_known_are_not_looked_up_again() -> None:
    scanner = at_characters(Component.QUERY, [Kind.NUL, Kind.CONTROL])
    text = "\0a" * 40 + "\1"
    _, present = judged(
        scanner, text, 0, actions_by_kind(Policy.STRICT, Component.QUERY), codes=lambda: b"\0" * 81
    )
    assert present == {Kind.NUL}  # the first matches are found without codes


@pytest.mark.parametrize("component", [Component.QUERY, Component.FORM], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_a_leap_finds_what_a_walk_finds(seed: int, component: Component) -> None:
    chance = random.Random(seed)  # noqa: S311 - inputs, no secrets
    kinds = kinds_of_family(component, Family.CHARACTER)
    scanner = at_characters(component, kinds)
    for _ in range(300):
        text = text_of(b"".join(chance.choices([*PIECES, b"a", b"&", b"="], k=chance.choice([3, 20, 200]))))
        wanted = chance.sample(kinds, chance.choice([1, 2, 5]))
        start = chance.choice([0, 0, 1, len(text) // 2])
        leapt = scanner.leap(text, start, wanted, scanner.census.codes(text))
        assert list(leapt) == list(scanner.walk(text, start, wanted)), text


def test_a_leap_ends_behind_a_character_that_only_seems_to_begin_a_match() -> None:
    scanner = at_characters(Component.QUERY, [Kind.NUL, Kind.UNICODE_ESCAPE])
    text = "\0%zz"
    assert list(scanner.leap(text, 0, [Kind.UNICODE_ESCAPE], scanner.census.codes(text))) == []


def test_a_leap_looks_at_no_match_of_another_kind() -> None:
    scanner = at_characters(Component.QUERY, [Kind.NUL, Kind.TAB])
    text = "\ta" * 4000 + "\0"
    calls = steps_of(lambda: list(scanner.leap(text, 0, [Kind.NUL], scanner.census.codes(text))))
    assert calls < 100


@pytest.mark.parametrize("component", [Component.QUERY, Component.FORM], ids=str)
def test_a_scanner_over_pairs_finds_what_each_pattern_finds(component: Component) -> None:
    kinds = kinds_of_family(component, Family.PAIR)
    scanner = at_octets(component, kinds)
    pieces = (b"", b"=", b"&", b"a", b"]", b"+", b"|", b"[", b"%0A", b"%0D", b"%0D%0A", b"\xff")
    patterns = [(kind, pattern) for kind in kinds if (pattern := kind.check.patterns.get(component))]
    for octets in {b"".join(each) for each in product(pieces, repeat=4)}:
        found = {(kind, *each.span()) for kind, pattern in patterns for each in re.finditer(pattern, octets)}
        assert {*scanner.walk(octets)} == found, octets

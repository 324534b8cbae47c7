"""Pairs: where each begins and ends, what its name is, and which are empty or over a limit."""

from __future__ import annotations

import pytest

from postel import Kind, Limits
from postel._alphabet.text import text_of
from postel._normalizer.pairs import Pairs

# Each row: octets, then the start, the end of the name and the end of each pair, and the decoded names.
PLACES = [
    pytest.param(b"", [(0, 0, 0)], [""], id="nothing"),
    pytest.param(b"a", [(0, 1, 1)], ["a"], id="a name alone"),
    pytest.param(b"a=b=c", [(0, 1, 5)], ["a"], id="two equals signs"),
    pytest.param(b"=a", [(0, 0, 2)], [""], id="no name"),
    pytest.param(b"a=1&b", [(0, 1, 3), (4, 5, 5)], ["a", "b"], id="two"),
    pytest.param(b"&a=&", [(0, 0, 0), (1, 2, 3), (4, 4, 4)], ["", "a", ""], id="empty ones around"),
    pytest.param(b"a%5B=1&b+c=2", [(0, 4, 6), (7, 10, 12)], ["a[", "b c"], id="escapes and a plus"),
    pytest.param(b"%C3%A4&%FF=", [(0, 6, 6), (7, 10, 11)], ["ä", "\udcff"], id="text and ill-formed octets"),
]


@pytest.mark.parametrize(("octets", "places", "names"), PLACES)
def test_places(octets: bytes, places: list[tuple[int, int, int]], names: list[str]) -> None:
    pairs = Pairs(octets)
    assert pairs.starts == [start for start, _, _ in places]
    for number, (start, middle, end) in enumerate(places):
        assert pairs.span(number) == (start, end)
        assert pairs.name_end(number) == middle
        assert pairs.name(number) == names[number]
        assert pairs.name_at(start) == names[number]
        assert pairs.at(end) == number, "an ampersand is the end of the pair before it"
    assert pairs.name_ends == [middle for _, middle, _ in places]
    assert pairs.ends == [end for _, _, end in places]
    # The same again, when the ends and the names of all are known.
    assert [pairs.name_end(number) for number in range(len(places))] == pairs.name_ends
    assert pairs.names(text_of(octets)) == names
    assert [pairs.name(number) for number in range(len(places))] == names


@pytest.mark.parametrize(
    ("octets", "empty"),
    [
        (b"a", []),
        (b"a&b", []),
        (b"&a", [0]),
        (b"a&", [1]),
        (b"a&&b", [1]),
        (b"&", [0, 1]),
        (b"&&a&&", [0, 1, 3, 4]),
    ],
)
def test_empty_pairs(octets: bytes, empty: list[int]) -> None:
    pairs = Pairs(octets)
    assert list(pairs.empty()) == empty
    assert sorted([*pairs.filled(), *empty]) == list(range(len(pairs.starts)))


@pytest.mark.parametrize(
    ("octets", "limits", "over"),
    [
        (b"a&b", Limits(pairs=2), 0),
        (b"a&b&c&d", Limits(pairs=2), 4),
        (b"a&b", Limits(pairs=1), 2),
    ],
)
def test_too_many_pairs(octets: bytes, limits: Limits, over: int) -> None:
    assert Pairs(octets).too_many(limits) == over


LIMITS = Limits(name=4, value=3, depth=2)


@pytest.mark.parametrize(
    ("octets", "beyond"),
    [
        (b"abcd=123", []),
        (b"abcde=123", [(Kind.LONG_NAME, 0, 5)]),
        (b"x&abcde", [(Kind.LONG_NAME, 2, 7)]),
        (b"abcd=1234", [(Kind.LONG_VALUE, 5, 9)]),
        (b"abcde=1234&a=1234", [(Kind.LONG_NAME, 0, 5), (Kind.LONG_VALUE, 6, 10), (Kind.LONG_VALUE, 13, 17)]),
        (b"[[=1", []),
        (b"[[[=1", [(Kind.TOO_DEEP, 0, 3)]),
        (b"%5b%5b%5b=1", [(Kind.TOO_DEEP, 0, 9)]),
        (b"%5B%5B%5B=1", [(Kind.TOO_DEEP, 0, 9)]),
        (b"%61%62%63%64=1", []),
        (b"%61%62%63%64%65=1", [(Kind.LONG_NAME, 0, 15)]),
        (b"a=[[[", []),
        (b"[=[[&[=[[", []),
    ],
)
def test_beyond(octets: bytes, beyond: list[tuple[Kind, int, int]]) -> None:
    assert list(Pairs(octets).beyond(LIMITS)) == beyond


def test_a_short_name_is_too_long_beside_a_deep_one() -> None:
    limits = Limits(name=2, value=50, depth=5)
    assert list(Pairs(b"abc&[[[[[[").beyond(limits)) == [
        (Kind.LONG_NAME, 0, 3),
        (Kind.LONG_NAME, 4, 10),
        (Kind.TOO_DEEP, 4, 10),
    ]

"""Pairs: their places and names, and which are empty or over a limit."""

from __future__ import annotations

import pytest

from postel._normalizer.pairs import Pairs

# Each row: octets; for each pair its start, the end of its name and its end; and the decoded names.
PLACES = [
    pytest.param(b"", [(0, 0, 0)], [""], id="nothing"),
    pytest.param(b"a", [(0, 1, 1)], ["a"], id="a name alone"),
    pytest.param(b"a=b=c", [(0, 1, 5)], ["a"], id="two equals signs"),
    pytest.param(b"=a", [(0, 0, 2)], [""], id="no name"),
    pytest.param(b"a=1&b", [(0, 1, 3), (4, 5, 5)], ["a", "b"], id="two pairs"),
    pytest.param(
        b"&a=&", [(0, 0, 0), (1, 2, 3), (4, 4, 4)], ["", "a", ""], id="empty pairs in front and at the end"
    ),
    pytest.param(b"a%5B=1&b+c=2", [(0, 4, 6), (7, 10, 12)], ["a[", "b c"], id="escapes and a plus"),
    pytest.param(b"%C3%A4&%FF=", [(0, 6, 6), (7, 10, 11)], ["ä", "\udcff"], id="text and ill-formed octets"),
]


@pytest.mark.parametrize(("octets", "places", "names"), PLACES)
def test_pairs_have_spans_and_decoded_names(
    octets: bytes, places: list[tuple[int, int, int]], names: list[str]
) -> None:
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
    # The results are the same after all ends and names have been computed.
    assert [pairs.name_end(number) for number in range(len(places))] == pairs.name_ends
    assert pairs.names == names
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
def test_empty_pairs_are_found(octets: bytes, empty: list[int]) -> None:
    pairs = Pairs(octets)
    assert list(pairs.empty()) == empty
    assert sorted([*pairs.filled(), *empty]) == list(range(len(pairs.starts)))

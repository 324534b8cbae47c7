"""Pairs: their places and names, and which are empty or over a limit."""

from __future__ import annotations

import pytest

from postel import Component, Kind
from postel._alphabet.text import IN_NAME, text_of
from postel._normalizer.name_characters import NameCharacters
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
    # The results are the same after all names have been computed.
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


def test_an_empty_component_has_no_empty_pair() -> None:
    assert list(Pairs(b"").empty()) == []


@pytest.mark.parametrize(("position", "number"), [(0, 0), (1, 0), (2, 1), (3, 1), (4, 2), (7, 2)])
def test_the_pair_of_an_octet_is_found_at_once(position: int, number: int) -> None:
    assert Pairs(b"a&b&c=1").at(position) == number
    assert Pairs(b"a&b&c=1").name_at(position) == "abc"[number]


def test_names_values_and_beginnings_have_spans() -> None:
    octets = b"ab=cd&e=&&fgh"
    for pairs in (Pairs(octets), Pairs(octets)):
        assert [pairs.name_span(number) for number in range(4)] == [(0, 2), (6, 7), (9, 9), (10, 13)]
        assert [pairs.value_span(number) for number in range(2)] == [(3, 5), (8, 8)]
        assert [pairs.beginning(number) for number in range(4)] == [(0, 1), (6, 7), (9, 10), (10, 11)]
        assert [pairs.name_end(number) for number in range(4)] == [2, 7, 9, 13]
    assert Pairs(b"").beginning(0) == (0, 0)
    assert Pairs(b"a&").beginning(1) == (2, 2)


def test_some_pairs_are_joined_with_ampersands() -> None:
    pairs = Pairs(b"a=%41&b=2&%43=3")
    assert pairs.joined([0, 2]) == b"a=%41&%43=3"
    assert pairs.joined([1]) == b"b=2"
    assert pairs.joined(range(3)) == b"a=%41&b=2&%43=3"
    assert pairs.joined_texts([0, 2]) == "a=\udc41&\udc43=3"
    assert pairs.joined_texts([1]) == "b=2"
    assert pairs.joined_texts(range(3)) == pairs.text == "a=\udc41&b=2&\udc43=3"


@pytest.mark.parametrize(
    ("octets", "marked"),
    [
        (b"%0A=%0A=%0A&%0A", ["\n", "", "", "\n"]),
        (b"a=%0A&b=%0D%09", ["", "", ""]),
        (b"&%09a%0D=%0A&=%0A&c=1%09", ["\t", "\r", "", "", ""]),
        (b"a=b", []),
    ],
)
def test_characters_are_marked_in_names_and_not_in_values(octets: bytes, marked: list[str]) -> None:
    text = text_of(octets)
    places = [place for place, each in enumerate(text) if each in "\udc09\udc0a\udc0d"]
    assert len(places) == len(marked)
    for place, each in zip(places, marked, strict=True):
        character = chr(IN_NAME + ord(each)) if each else text[place]
        text = text[:place] + character + text[place + 1 :]
    assert NameCharacters(Component.QUERY, frozenset(Kind)).marked(text_of(octets)) == text


@pytest.mark.parametrize(
    ("active", "marked"),
    [
        pytest.param([], "a\udc0a=\udc0a", id="no kind"),
        pytest.param([Kind.NAME_LINE_BREAK], "a\ud80a=\udc0a", id="the kind in names"),
        pytest.param([Kind.LINE_BREAK], "a\ud80a=\udc0a", id="only the kind in values"),
        pytest.param([Kind.LINE_BREAK, Kind.NUL], "a\ud80a=\udc0a", id="two kinds in values"),
        pytest.param([Kind.ENCODED_EQUALS], "a\udc0a=\udc0a", id="another kind in names"),
    ],
)
def test_characters_are_marked_if_an_active_kind_has_them(active: list[Kind], marked: str) -> None:
    assert NameCharacters(Component.QUERY, active).marked("a\udc0a=\udc0a") == marked


def test_marked_characters_of_names_are_decoded() -> None:
    feed, tab, end = (chr(IN_NAME + ord(each)) for each in "\n\t\r")
    first, second = f"{tab}a{feed}{feed}b", f"c{end}"
    text = first + "=\udc0a&" + second
    pairs = Pairs(b"%09a%0A%0Ab=%0A&c%0D", text)
    assert pairs.text == text
    assert pairs.texts == [first + "=\udc0a", second]
    assert pairs.name_texts == [first, second]
    assert pairs.names == ["\ta\n\nb", "c\r"]

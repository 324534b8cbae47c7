"""Judging many references together gives the same results as judging each alone.

What counts as local is tested in toolkit/test_local.py.
"""

from __future__ import annotations

import random
import sys
from unicodedata import normalize

import pytest

from postel._alphabet.local import _LIGATURES, _LONGEST, leaving, leaving_paths
from postel.uri import is_local
from toolkit.test_local import ORDINARY, PAYLOADS, generated

DEEP = [
    *(
        "%u0025",
        "0A",
        "%250A",
        "%0a",
        "%u000a",
        "%25",
        "2F",
        "/",
        "//",
        "..",
        "a",
        ".",
        "%3A",
        "%253A",
        ";",
        "é",
    ),
    *("\u0301", "%CC%81", "\u200b", "%ff", "%u2024", "\uff0f", "%uD800", "\n", "?", "#", "%2e", ""),
]


@pytest.mark.parametrize("seed", range(5))
def test_many_references_have_the_same_result_as_each_alone(seed: int) -> None:
    dice = random.Random(seed)  # noqa: S311 - references, not secrets
    deep = ["".join(dice.choices(DEEP, k=dice.randrange(8))) for _ in range(2_000)]
    references = [*deep, *generated(500, seed), *ORDINARY, *PAYLOADS]
    dice.shuffle(references)
    alone = {number for number, each in enumerate(references) if each and not is_local(each)}
    for most in (len(references), 7):
        found = {
            start + number
            for start in range(0, len(references), most)
            for number in leaving(references[start : start + most])
        }
        assert found == alone


def test_an_empty_list_is_accepted() -> None:
    assert leaving([]) == set()
    assert leaving(["//h", "https:h"]) == {0, 1}
    assert leaving_paths([]) == set()


def test_an_escaped_line_break_does_not_shift_other_results() -> None:
    for disguised in ("a%0Ab", "a%250ab", "%u000a", "%u00250A", "%25u000A", "a\nb", "%%30A"):
        assert leaving(["/a", disguised, "/b", "//h", "/c"]) == {1, 3}, disguised


@pytest.mark.parametrize("mark", ["\u0301", "\u0f73", "\uff9e"])
def test_characters_that_nfkc_turns_into_combining_marks_are_dropped_like_them(mark: str) -> None:
    """A reader drops combining marks before NFKC, which would need long to sort many of them."""
    assert not is_local(f"/{mark}/example.com")
    assert is_local(f"/a{mark}")


def test_no_other_character_becomes_as_long_by_nfkc() -> None:
    """Very many of them would take long to fold, so they are read as one letter."""
    folded = {each: normalize("NFKC", each) for each in map(chr, range(sys.maxunicode + 1))}
    assert {each for each, text in folded.items() if len(text) > 6} == set(_LIGATURES)
    for each in _LIGATURES:
        words = folded[each].split(" ")
        assert all(map(str.isalpha, words))
        assert is_local(f"/{each}")
        assert not is_local(f"//{each}")
        assert not is_local(f"/{each}/\uff0f/..")


@pytest.mark.parametrize("point", [0xD800, 0xD8FF, 0xDC80, 0xDFFF])
def test_a_surrogate_is_not_local(point: int) -> None:
    assert leaving(["/a", f"/a?{chr(point)}", "/b"]) == {1}


@pytest.mark.parametrize("last", ["\u00e9", "%C3%A9", ";x"])
def test_a_long_path_with_several_readings_is_not_local(last: str) -> None:
    most = "/" + (_LONGEST - 1 - len(last)) * "a" + last
    assert leaving(["/b", most, most + "a", "/c"]) == {2}
    assert [is_local(each) for each in (most, most + "a", f"/?{most}{most}")] == [True, False, True]


def test_a_long_path_with_one_reading_is_local() -> None:
    assert is_local("/" + "a-b/" * _LONGEST)
    assert not is_local("/" + "a-b/" * _LONGEST + "/../")

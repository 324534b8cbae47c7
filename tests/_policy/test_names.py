"""Names of pairs: what a pattern matches, compared with brute force, in time linear in the name."""

from __future__ import annotations

import fnmatch
import re
from itertools import product
from typing import Any, Final

import pytest

from postel import PolicyError
from postel._policy.names import NamePattern, name_patterns

MATCHES: Final = [
    pytest.param("q", ["q"], ["", "Q", "qq", "q ", "*"], id="exact"),
    pytest.param("", [""], ["a", " "], id="the empty name"),
    pytest.param("*", ["", "a", "a=b&c", "\n", "ä"], [], id="any name"),
    pytest.param("utm_*", ["utm_", "utm_source", "utm_*"], ["utm", "xutm_", "UTM_a"], id="front"),
    pytest.param("*_id", ["_id", "user_id", "_id_id"], ["id", "_ids"], id="end"),
    pytest.param("a*z", ["az", "abz", "azz"], ["a", "z", "azb", "za"], id="both ends"),
    pytest.param("aa*aa", ["aaaa", "aabaa"], ["aaa", "aa"], id="ends that must not overlap"),
    pytest.param("*a*", ["a", "xax", "aa"], ["", "x"], id="somewhere"),
    pytest.param("a*b*c", ["abc", "axbxc", "abbc"], ["acb", "ac", "abcd"], id="parts in order"),
    pytest.param("a*bc*bc", ["abcbc", "abcbcbc"], ["abc", "abcb"], id="the end is not matched twice"),
    pytest.param("**", ["", "a"], [], id="two asterisks"),
    pytest.param("a**b", ["ab", "axb"], ["a"], id="two asterisks side by side"),
    pytest.param("filter[*]", ["filter[]", "filter[a][b]"], ["filtera", "filter["], id="brackets"),
    pytest.param("a.c", ["a.c"], ["abc"], id="a dot is a dot"),
    pytest.param("a?", ["a?"], ["ab", "a"], id="a question mark is a question mark"),
    pytest.param("^a$", ["^a$"], ["a"], id="anchors are characters"),
    pytest.param(r"a\*", ["a\\", "a\\b"], ["a*"], id="a backslash escapes nothing"),
    pytest.param("ä*", ["ä", "äb"], ["a\u0308"], id="not normalized"),
    pytest.param("a*", ["a\nb", "a\n"], ["\na"], id="across lines"),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "matching", "other"), MATCHES)
def test_which_names_a_pattern_matches(pattern: str, matching: list[str], other: list[str]) -> None:
    name_pattern = NamePattern(pattern)
    assert [name for name in matching if not name_pattern.matches(name)] == []
    assert [name for name in other if name_pattern.matches(name)] == []


def test_a_pattern_matches_what_fnmatch_matches() -> None:
    names = ["".join(letters) for length in range(6) for letters in product("ab", repeat=length)]
    for length in range(6):
        for letters in product("ab*", repeat=length):
            pattern = "".join(letters)
            matching = re.compile(fnmatch.translate(pattern)).match
            mine = NamePattern(pattern)
            for name in names:
                assert mine.matches(name) is bool(matching(name)), (pattern, name)
            assert list(map(bool, mine.among()(names))) == [mine.matches(name) for name in names], pattern


def test_many_asterisks_do_not_backtrack() -> None:
    # Twenty asterisks over a thousand octets. With backtracking, this test would not end.
    assert not NamePattern("a*" * 20 + "b").matches("a" * 1000)


def test_many_patterns_are_tried_one_after_the_other() -> None:
    assert list(filter(NamePattern("a*b*").matcher(), ["ab", "b", "a\nb", "ba"])) == ["ab", "a\nb"]


# -- arguments -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "patterns"),
    [
        pytest.param(None, None, id="no names"),
        pytest.param(["q"], ("q",), id="a list"),
        pytest.param(("a", "b*"), ("a", "b*"), id="a tuple"),
        pytest.param((each for each in "ab"), ("a", "b"), id="a generator"),
        pytest.param(["b", "a", "b"], ("b", "a"), id="one name twice"),
        pytest.param([""], ("",), id="the empty name"),
        pytest.param({"a": 1}, ("a",), id="keys of a dict"),
    ],
)
def test_a_list_of_names_becomes_patterns(names: Any, patterns: tuple[str, ...] | None) -> None:
    expected = None if patterns is None else tuple(map(NamePattern, patterns))
    assert name_patterns(names) == expected


@pytest.mark.parametrize(
    ("names", "message"),
    [
        pytest.param("utm_*", "names='utm_*': give a list; write names=['utm_*']", id="text"),
        pytest.param("", "names='': give a list; write names=['']", id="empty text"),
        pytest.param(b"q", "names=b'q': give a list; write names=['q']", id="octets for a list"),
        pytest.param([], "names=[]: give at least one name, such as names=['q']", id="no name"),
        pytest.param([b"q"], "names=[b'q']: a name is text, such as 'utm_*'", id="octets"),
        pytest.param(["q", None], "names=[None]: a name is text, such as 'utm_*'", id="None"),
        pytest.param([5], "names=[5]: a name is text, such as 'utm_*'", id="a number"),
    ],
)
def test_invalid_lists_of_names_are_refused(names: Any, message: str) -> None:
    with pytest.raises(PolicyError, match=f"^{re.escape(message)}$"):
        name_patterns(names)

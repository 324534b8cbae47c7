from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from postel import form, uri
from postel.uri import BuildError, DecodeError


@pytest.mark.parametrize(
    ("segments", "path"),
    [
        pytest.param([], "", id="no segments"),
        pytest.param([""], "/", id="root"),
        pytest.param(["a", "b"], "/a/b", id="two segments"),
        pytest.param(["a", ""], "/a/", id="slash at the end"),
        pytest.param(["a", "", "b"], "/a//b", id="an empty segment in the middle"),
        pytest.param(["é ?#%", ";=,+"], "/%C3%A9%20%3F%23%25/%3B%3D%2C%2B", id="characters that are escaped"),
        pytest.param(["...", ".a", "a."], "/.../.a/a.", id="dots that are names"),
        pytest.param(["%2F", "%2e%2e"], "/%252F/%252e%252e", id="escapes are data"),
        pytest.param(["\\", "\0"], "/%5C/%00", id="octets that some servers misread"),
    ],
)
def test_a_path_is_built_and_parsed(segments: list[str], path: str) -> None:
    assert uri.build_path(segments) == path
    assert uri.build_path(iter(segments)) == path
    assert uri.parse_path(path) == segments


@pytest.mark.parametrize("value", [["1", "2"], ("1", "2"), []])
def test_a_list_as_a_value_is_refused_with_the_remedy(value: object) -> None:
    pairs: Any = [("a", value)]
    with pytest.raises(
        TypeError, match=f"^{re.escape(f'{value!r} is not text; write one pair for each value')}$"
    ):
        uri.build_query(pairs)


@pytest.mark.parametrize(
    ("segments", "what", "index", "advice"),
    [
        (["a", "b/c"], "encoded-slash", 1, "split it, or pass slashes=True"),
        (["a", ".."], "dot-segment", 1, "dot_segments=True"),
        (["."], "dot-segment", 0, "dot_segments=True"),
        (["..;x=1"], "dot-segment", 0, "dot_segments=True"),
        (["", "a"], "leading-slashes", 0, "leave out the empty first segment"),
        (["", ""], "leading-slashes", 0, "leave out the empty first segment"),
    ],
)
def test_paths_that_cannot_be_built(segments: list[str], what: str, index: int, advice: str) -> None:
    with pytest.raises(BuildError, match=advice) as caught:
        uri.build_path(segments)
    assert (caught.value.what, caught.value.index) == (what, index)
    assert caught.value.excerpt == segments[index]


@pytest.mark.parametrize(
    ("path", "what", "offset", "excerpt"),
    [
        ("a/b", "missing-slash", 0, "a"),
        ("//a", "leading-slashes", 0, "//"),
        ("/a?b", "illegal-character", 2, "?"),
        ("/a#b", "illegal-character", 2, "#"),
        ("/a/b%2fc", "encoded-slash", 4, "%2f"),
        ("/a/..", "dot-segment", 3, ".."),
        ("/a/%2e/b", "dot-segment", 3, "%2e"),
        ("/..%3Bx", "dot-segment", 1, "..%3Bx"),
        ("/a/%zz", "malformed-escape", 3, "%zz"),
        ("/é/%C3", "ill-formed-utf8", 3, "%C3"),
        ("/a/\ud800", "lone-surrogate", 3, "\ud800"),
    ],
)
def test_paths_that_cannot_be_parsed(path: str, what: str, offset: int, excerpt: str) -> None:
    with pytest.raises(DecodeError) as caught:
        uri.parse_path(path)
    error = caught.value
    assert (error.what, error.offset, error.excerpt) == (what, offset, excerpt)


def test_with_the_option_slashes_a_slash_is_data() -> None:
    assert uri.build_path(["a/b", "c"], slashes=True) == "/a%2Fb/c"
    assert uri.parse_path("/a%2Fb/c", slashes=True) == ["a/b", "c"]


def test_a_segment_with_slashes_is_judged_like_its_parts() -> None:
    with pytest.raises(BuildError, match="dot-segment"):
        uri.build_path(["a/../b"], slashes=True)
    with pytest.raises(DecodeError, match="dot-segment"):
        uri.parse_path("/a%2F..%2Fb", slashes=True)


def test_dot_segments_are_written_on_request() -> None:
    assert uri.build_path(["a", "..", "b"], dot_segments=True) == "/a/../b"
    assert uri.parse_path("/a/%2E%2E/b", dot_segments=True) == ["a", "..", "b"]


NO_LISTS = [
    ("segments", uri.build_path, "abc", "a str is one text; pass a list of segments"),
    ("pairs", uri.build_query, "abc", "a str is one text; pass a list of pairs"),
    ("a form", form.serialize, "abc", "a str is one text; pass a list of pairs"),
    ("a mapping as segments", uri.build_path, {"a": "1"}, "a mapping is not a list; pass a list of segments"),
    (
        "a mapping as pairs",
        uri.build_query,
        {"a": "1"},
        "a mapping is not a list; pass a list of pairs, such as [*given.items()]",
    ),
    ("two characters", uri.build_query, ["ab"], "'ab' is not a pair; write (name, value)"),
    ("three characters", uri.build_query, ["abc"], "'abc' is not a pair; write (name, value)"),
    ("two octets", uri.build_query, [b"ab"], "b'ab' is not a pair; write (name, value)"),
    ("three texts", uri.build_query, [("a", "b", "c")], "('a', 'b', 'c') is not a pair; write (name, value)"),
    ("a number", uri.build_query, [1], "1 is not a pair; write (name, value)"),
    ("two characters in a form", form.serialize, ["ab"], "'ab' is not a pair; write (name, value)"),
]


@pytest.mark.parametrize(
    ("function", "given", "message"), [pytest.param(*row, id=name) for name, *row in NO_LISTS]
)
def test_what_is_not_a_list_of_segments_or_pairs_is_not_accepted(
    function: Callable[[object], str], given: object, message: str
) -> None:
    with pytest.raises(TypeError) as raised:
        function(given)
    assert str(raised.value) == message


def test_a_pair_may_be_a_list_as_in_json() -> None:
    pairs: Any = [["a", "b"]]
    assert uri.build_query(pairs) == "a=b"


@pytest.mark.parametrize(
    ("pairs", "query"),
    [
        pytest.param([], "", id="none"),
        pytest.param([("", "")], "=", id="empty"),
        pytest.param([("a", "1"), ("a", "2")], "a=1&a=2", id="twice the same"),
        pytest.param([("a=b", "c=d&e")], "a%3Db=c%3Dd%26e", id="delimiters"),
        pytest.param([("é+;", " '#[]")], "%C3%A9%2B%3B=%20%27%23%5B%5D", id="escaped"),
        pytest.param([("back_uri", "/a?b=c")], "back_uri=/a?b%3Dc", id="a URL in a value"),
    ],
)
def test_a_query_is_built_and_parsed(pairs: list[tuple[str, str]], query: str) -> None:
    assert uri.build_query(pairs) == query
    assert uri.build_query(iter(pairs)) == query
    assert uri.parse_query(query) == pairs
    assert uri.parse_query(query, plus=False) == pairs


@pytest.mark.parametrize(
    ("value", "written"),
    [("/a?b=c", "v=/a?b=c"), ("%3D=%253D", "v=%253D=%25253D"), ("==", "v==="), ("é=", "v=%C3%A9=")],
)
def test_an_equals_sign_in_a_value_is_left_bare_on_request(value: str, written: str) -> None:
    assert uri.build_query([("v", value)], equals=True) == written
    assert uri.parse_query(written) == [("v", value)]
    assert uri.build_query([("a=b", "")], equals=True) == "a%3Db="


def test_a_plus_in_a_query_can_be_a_space() -> None:
    assert uri.build_query([("a b", "c d")], plus=True) == "a+b=c+d"
    assert uri.parse_query("a+b=c%20d") == [("a b", "c d")]
    assert uri.parse_query("a+b=c%20d", plus=False) == [("a+b", "c d")]


def test_how_parsers_read_bare_names_and_empty_queries() -> None:
    assert uri.parse_query("a&&b=&=c&") == [("a", ""), ("b", ""), ("", "c")]


@pytest.mark.parametrize(
    ("query", "what", "offset", "excerpt"),
    [
        ("a=b#c", "illegal-character", 3, "#"),
        ("a=1&b%=2", "malformed-escape", 5, "%"),
        ("a=1&b=%C3", "ill-formed-utf8", 6, "%C3"),
        ("&&%FF", "ill-formed-utf8", 2, "%FF"),
        ("é=é%ff", "ill-formed-utf8", 3, "%ff"),
    ],
)
def test_queries_that_cannot_be_parsed(query: str, what: str, offset: int, excerpt: str) -> None:
    with pytest.raises(DecodeError) as caught:
        uri.parse_query(query)
    error = caught.value
    assert (error.what, error.offset, error.excerpt) == (what, offset, excerpt)

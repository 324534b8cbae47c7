"""Targets: the decoded views of a path and of a query, which the application reads."""

from __future__ import annotations

from typing import Final

import pytest

from postel import Target

# Each row: a path, the escapes that are preserved, its decoded octets, and its segments.
PATHS: Final = [
    pytest.param(b"/", b"", b"/", ("",), id="root"),
    pytest.param(b"", b"", b"", ("",), id="nothing"),
    pytest.param(b"/a/b", b"", b"/a/b", ("a", "b"), id="two segments"),
    pytest.param(b"/a/", b"", b"/a/", ("a", ""), id="a slash at the end"),
    pytest.param(b"/a//b", b"", b"/a//b", ("a", "", "b"), id="an empty segment"),
    pytest.param(b"/caf%C3%A9", b"", "/café".encode(), ("café",), id="UTF-8"),
    pytest.param(b"/a+b", b"", b"/a+b", ("a+b",), id="plus is plus"),
    pytest.param(b"/a%2Fb", b"", b"/a/b", ("a/b",), id="a slash in a segment"),
    pytest.param(b"/a%2Fb", b"%/", b"/a%2Fb", ("a/b",), id="a slash preserved"),
    pytest.param(b"/a%2fb", b"%/", b"/a%2Fb", ("a/b",), id="preserved in upper case"),
    pytest.param(b"/a%252Fb", b"%/", b"/a%252Fb", ("a%2Fb",), id="a percent sign preserved"),
    pytest.param(b"/a%252Fb", b"", b"/a%2Fb", ("a%2Fb",), id="a percent sign"),
    pytest.param(
        b"/%C3%A9%2F%3F", b"%/", "/é%2F?".encode(), ("é/?",), id="other escapes beside a preserved slash"
    ),
    pytest.param(b"/%41%2F", b"%/", b"/A%2F", ("A/",), id="an unreserved escape beside a preserved slash"),
    pytest.param(b"/ab", b"%/", b"/ab", ("ab",), id="nothing to preserve"),
    pytest.param(b"/50%", b"", b"/50%", ("50%",), id="a stray percent sign"),
    pytest.param(
        b"/a%%32Fb", b"%/", b"/a%252Fb", ("a%2Fb",), id="a percent sign that decoding would complete"
    ),
    pytest.param(
        b"/a%%32fb",
        b"%/",
        b"/a%252fb",
        ("a%2fb",),
        id="a percent sign that decoding would complete in lower case",
    ),
    pytest.param(b"/a%%%32F", b"%/", b"/a%25%252F", ("a%%2F",), id="two such percent signs"),
    pytest.param(b"/%c3%a9%3F", b"?", "/é%3F".encode(), ("é?",), id="a question mark preserved"),
    pytest.param(
        b"/50%zz%2F", b"%/", b"/50%25zz%2F", ("50%zz/",), id="a stray percent sign beside a preserved slash"
    ),
]


@pytest.mark.parametrize(("path", "preserved", "decoded", "segments"), PATHS)
def test_a_path_is_decoded_as_a_whole_and_by_segments(
    path: bytes, preserved: bytes, decoded: bytes, segments: tuple[str, ...]
) -> None:
    target = Target(path, preserved=preserved)
    assert target.path_octets == decoded
    assert target.path_text == decoded.decode()
    assert target.segments == segments


QUERIES: Final = [
    pytest.param(b"", (), id="nothing"),
    pytest.param(b"a=1", (("a", "1"),), id="one pair"),
    pytest.param(b"a=1&b=2", (("a", "1"), ("b", "2")), id="two pairs"),
    pytest.param(b"a", (("a", ""),), id="a bare name"),
    pytest.param(b"a=", (("a", ""),), id="an empty value"),
    pytest.param(b"=b", (("", "b"),), id="an empty name"),
    pytest.param(b"=", (("", ""),), id="an empty name and an empty value"),
    pytest.param(b"&a=1&&", (("a", "1"),), id="empty pairs are not read"),
    pytest.param(b"a=1=2", (("a", "1=2"),), id="the first equals sign splits"),
    pytest.param(b"a=1&a=2", (("a", "1"), ("a", "2")), id="one name twice, in order"),
    pytest.param(b"a+b=c+d", (("a b", "c d"),), id="plus is a space"),
    pytest.param(b"a=%2B", (("a", "+"),), id="an escaped plus is a plus"),
    pytest.param(b"a=%26%3D%3B", (("a", "&=;"),), id="escaped delimiters are data"),
    pytest.param(b"a;b=1;c", (("a;b", "1;c"),), id="a semicolon splits nothing"),
    pytest.param(b"q=%C3%A9", (("q", "é"),), id="UTF-8"),
    pytest.param(b"%C3=%A9", (("\udcc3", "\udca9"),), id="octets do not join over a delimiter"),
    pytest.param(b"q=%2541", (("q", "%41"),), id="escapes are decoded once"),
    pytest.param(b"q=50%", (("q", "50%"),), id="a stray percent sign"),
]


@pytest.mark.parametrize(("query", "pairs"), QUERIES)
def test_a_query_is_decoded_to_pairs(query: bytes, pairs: tuple[tuple[str, str], ...]) -> None:
    assert Target(query=query).pairs == pairs


def test_each_ill_formed_octet_becomes_one_surrogate() -> None:
    target = Target(b"/%C4a", b"q=%C4a")
    assert target.path_text == "/\udcc4a"
    assert target.segments == ("\udcc4a",)
    assert target.pairs == (("q", "\udcc4a"),)
    assert target.path_text.encode(errors="surrogateescape") == target.path_octets


def test_targets_compare_by_value() -> None:
    assert Target(b"/a", b"q") == Target(path=b"/a", query=b"q", prefix=b"", host=None)
    assert hash(Target(b"/a")) == hash(Target(b"/a"))
    with pytest.raises(AttributeError):
        Target().path = b"/b"  # The assignment must fail.

"""Dropping and replacing: which removals would join the rest, and how many U+FFFD stand for a fault."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Final

import pytest

from postel._alphabet.percent import percent_encode
from postel._alphabet.text import Reading, text_of
from postel._normalizer.dropping import Segments, drops, replaced, segment_drops
from postel._normalizer.edits import MARK
from postel._normalizer.path_edits import first_loss

Spans = list[tuple[int, int]]


def between(octets: bytes, delimiters: bytes) -> Callable[[int], tuple[int, int]]:
    """Return, for each octet, the span of its part between delimiters."""

    def part_at(position: int) -> tuple[int, int]:
        start = max((octets.rfind(bytes([each]), 0, position) for each in delimiters), default=-1) + 1
        ends = [octets.find(bytes([each]), position) for each in delimiters]
        return start, min((end for end in ends if end >= 0), default=len(octets))

    return part_at


# Each row: octets in which each asterisk is to be dropped, the delimiters, the spans whose removal would join
# the octets on both sides, and the other spans.
DROPPED: Final = [
    pytest.param(b"", b"&", [], [], id="nothing"),
    pytest.param(b"abc", b"&", [], [], id="nothing to drop"),
    pytest.param(b"*", b"&", [], [(0, 1)], id="everything"),
    pytest.param(b"*ab", b"&", [], [(0, 1)], id="at the front"),
    pytest.param(b"ab*", b"&", [], [(2, 3)], id="at the end"),
    pytest.param(b"a*b", b"&", [(1, 2)], [], id="in the middle"),
    pytest.param(b"a**b", b"&", [(1, 3)], [], id="two octets in a row"),
    pytest.param(b"*a*", b"&", [], [(0, 1), (2, 3)], id="at both ends"),
    pytest.param(b"a&*", b"&", [], [(2, 3)], id="after a delimiter"),
    pytest.param(b"*&a", b"&", [], [(0, 1)], id="before a delimiter"),
    pytest.param(b"a&*&b", b"&", [], [(2, 3)], id="between two delimiters"),
    pytest.param(b"a&*b", b"&", [], [(2, 3)], id="at the front of a part"),
    pytest.param(b"a*&b", b"&", [], [(1, 2)], id="at the end of a part"),
    pytest.param(b"a=*b", b"&", [(2, 3)], [], id="after an equals sign"),
    pytest.param(b"a=*b", b"&=", [], [(2, 3)], id="after an equals sign that delimits"),
    pytest.param(b"a*b&*c&d*", b"&", [(1, 2)], [(4, 5), (8, 9)], id="each part by itself"),
    pytest.param(b"/a*b/*", b"/", [(2, 3)], [(5, 6)], id="in a path"),
]


@pytest.mark.parametrize(("octets", "delimiters", "joining", "free"), DROPPED)
def test_drops_are_divided_by_whether_they_would_join_the_rest(
    octets: bytes, delimiters: bytes, joining: Spans, free: Spans
) -> None:
    spans = [(place, place + 1) for place, octet in enumerate(octets) if octet == ord("*")]
    assert drops(spans, between(octets, delimiters)) == (joining, free)
    assert drops(reversed(spans), between(octets, delimiters)) == (joining, free)


@pytest.mark.parametrize(
    ("spans", "joining"),
    [
        pytest.param([(1, 3), (2, 5)], [(1, 5)], id="overlapping"),
        pytest.param([(1, 5), (2, 3)], [(1, 5)], id="one inside another"),
        pytest.param([(2, 3), (1, 2)], [(1, 3)], id="touching, in another order"),
        pytest.param([(1, 2), (3, 4)], [(1, 2), (3, 4)], id="apart"),
    ],
)
def test_spans_are_merged(spans: Spans, joining: Spans) -> None:
    assert drops(spans, between(b"abcdefgh", b"&")) == (joining, [])


def test_drops_at_the_ends_of_parts_join_nothing() -> None:
    for letters in product(b"a&*", repeat=7):
        octets = bytes(letters)
        spans = [(place, place + 1) for place, octet in enumerate(octets) if octet == ord("*")]
        joining, free = drops(spans, between(octets, b"&"))
        assert sorted(place for span in (*joining, *free) for place in range(*span)) == [
            place for place, _ in spans
        ]
        # The asterisks at the ends of the parts can be dropped without joining anything.
        gone = {place for span in free for place in range(*span)}
        kept = bytes(octet for place, octet in enumerate(octets) if place not in gone)
        assert kept == b"&".join(piece.strip(b"*") for piece in octets.split(b"&"))


# Each row: a path in which each asterisk is to be dropped, the spans for which it is refused, and the others.
IN_SEGMENTS: Final = [
    pytest.param(b"/", [], [], id="nothing"),
    pytest.param(b"/a*", [], [(2, 3)], id="the end of a segment"),
    pytest.param(b"/*a/b", [], [(1, 2)], id="the front"),
    pytest.param(b"/a*b", [(2, 3)], [], id="the middle"),
    pytest.param(b"/x/a*b*c", [(4, 5), (6, 7)], [], id="twice in the middle"),
    pytest.param(b"/*", [], [(1, 2)], id="the last segment"),
    pytest.param(b"/*/a", [(1, 2)], [], id="a segment that is not the last"),
    pytest.param(b"/a/*/b/*", [(3, 4)], [(7, 8)], id="one of two"),
    pytest.param(b"/.*", [(2, 3)], [], id="after a dot"),
    pytest.param(b"/*.*", [(1, 2), (3, 4)], [], id="on both sides of a dot"),
    pytest.param(b"/*..", [(1, 2)], [], id="before two dots"),
    pytest.param(b"/%2e*.", [(4, 5)], [], id="between two dots"),
    pytest.param(b"/%2E.*/a", [(5, 6)], [], id="after two dots, one escaped"),
    pytest.param(b"/..;x*", [(5, 6)], [], id="after dots with a parameter"),
    pytest.param(b"/..%3Bx*", [(7, 8)], [], id="after dots with an escaped parameter"),
    pytest.param(b"/...*", [], [(4, 5)], id="after three dots"),
    pytest.param(b"/*a*/c*d/*", [(6, 7)], [(1, 2), (3, 4), (9, 10)], id="each segment by itself"),
    pytest.param(b"*", [], [(0, 1)], id="no slash"),
]


@pytest.mark.parametrize(("octets", "refused", "free"), IN_SEGMENTS)
def test_drops_in_a_segment_are_refused_if_they_would_join_the_rest(
    octets: bytes, refused: Spans, free: Spans
) -> None:
    spans = [(place, place + 1) for place, octet in enumerate(octets) if octet == ord("*")]
    assert segment_drops(octets, spans) == (refused, free)
    assert segment_drops(octets, reversed(spans)) == (refused, free)
    first = first_loss(text_of(octets).replace("*", MARK))
    assert (first if first is None else Reading(octets).offset(first)) == next(iter(refused), [None])[0]


def test_segments_agree_with_splitting_at_slashes() -> None:
    for letters in product(b"ab/", repeat=6):
        octets = bytes(letters)
        segments = Segments(octets)
        for place, octet in enumerate(octets):
            if octet != ord("/"):
                assert segments.at(place) == between(octets, b"/")(place)


# Each row: faulty octets, and the number of U+FFFD for them (Unicode, tables 3-8 to 3-11).
REPLACED: Final = [
    pytest.param(b"%00", 1, id="a character"),
    pytest.param(b"%00%00", 2, id="two characters"),
    pytest.param(b"\0", 1, id="bare"),
    pytest.param(b"%E2%80%AE", 1, id="a character of three octets"),
    pytest.param(b"%C4", 1, id="a lead alone"),
    pytest.param(b"%E2%82", 1, id="cut short"),
    pytest.param(b"%E2%82%00", 2, id="cut short before a character"),
    pytest.param(b"%F0%9F%98", 1, id="cut short after three"),
    pytest.param(b"%C0%AF", 2, id="overlong in two"),
    pytest.param(b"%E0%80%AF", 3, id="overlong in three"),
    pytest.param(b"%F0%80%80%AF", 4, id="overlong in four"),
    pytest.param(b"%ED%A0%80", 3, id="surrogate"),
    pytest.param(b"%F4%90%80%80", 4, id="out of range"),
    pytest.param(b"%80%BF", 2, id="strays"),
    pytest.param(b"%e2\x82", 1, id="partly bare, lower case"),
    # Table 3-11: E1 80, E2, F0 91 92 and F1 BF become one U+FFFD each.
    pytest.param(b"%E1%80%E2%F0%91%92%F1%BF", 4, id="the example of the standard"),
    pytest.param(b"", 0, id="nothing"),
]


@pytest.mark.parametrize(("octets", "count"), REPLACED)
def test_how_many_replacement_characters_stand_for_a_fault(octets: bytes, count: int) -> None:
    assert replaced(octets) == percent_encode("\ufffd".encode()) * count

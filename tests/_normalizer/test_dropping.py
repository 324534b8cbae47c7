"""Dropping and replacing: which removals would join the rest, and how many U+FFFD stand for a fault."""

from __future__ import annotations

from typing import Final

import pytest

from postel._alphabet.percent import percent_encode
from postel._alphabet.text import Reading
from postel._normalizer.character_edits import replaced_run
from postel._normalizer.edits import MARK
from postel._normalizer.path_edits import undroppable

# Each row: a path in which each asterisk is to be dropped, and where runs of those begin that cannot be
# dropped.
IN_SEGMENTS: Final = [
    pytest.param(b"/", [], id="nothing"),
    pytest.param(b"/a*", [], id="the end of a segment"),
    pytest.param(b"/*a/b", [], id="the front"),
    pytest.param(b"/a*b", [2], id="the middle"),
    pytest.param(b"/x/a*b*c", [4, 6], id="twice in the middle"),
    pytest.param(b"/*", [], id="the last segment"),
    pytest.param(b"/*/a", [1], id="a segment that is not the last"),
    pytest.param(b"/a/*/b/*", [3], id="one of two"),
    pytest.param(b"/.*", [2], id="after a dot"),
    pytest.param(b"/*.*", [1, 3], id="on both sides of a dot"),
    pytest.param(b"/*..", [1], id="before two dots"),
    pytest.param(b"/%2e*.", [4], id="between two dots"),
    pytest.param(b"/%2E.*/a", [5], id="after two dots, one escaped"),
    pytest.param(b"/..;x*", [5], id="after dots with a parameter"),
    pytest.param(b"/..%3Bx*", [7], id="after dots with an escaped parameter"),
    pytest.param(b"/...*", [], id="after three dots"),
    pytest.param(b"/*a*/c*d/*", [6], id="each segment by itself"),
    pytest.param(b"/*..;x**y*/**/", [1, 6, 9, 11], id="several in a row"),
    pytest.param(b"*", [], id="no slash"),
]


@pytest.mark.parametrize(("octets", "refused"), IN_SEGMENTS)
def test_drops_in_a_segment_are_refused_if_they_would_join_the_rest(
    octets: bytes, refused: list[int]
) -> None:
    reading = Reading(octets)
    text = reading.text.replace("*", MARK)
    assert [reading.offset(place) for place in undroppable(text)] == refused


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
    assert replaced_run(octets) == percent_encode("\ufffd".encode()) * count

"""Source maps: the octets after edits, and the place in the received octets from which each of them comes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final

import pytest

from postel._normalizer.source_map import Edit, Mapped

# Each row: the received octets, the edits of each round, and the result.
SPLICED: Final = [
    pytest.param(b"abc", [[]], b"abc", id="no edit"),
    pytest.param(b"abc", [[(1, 2, b"X")]], b"aXc", id="one octet replaced by one"),
    pytest.param(b"abc", [[(1, 2, b"XYZ")]], b"aXYZc", id="one octet replaced by several"),
    pytest.param(b"abc", [[(1, 2, b"")]], b"ac", id="an octet removed"),
    pytest.param(b"abc", [[(1, 1, b"X")]], b"aXbc", id="an insertion"),
    pytest.param(b"abc", [[(0, 3, b"")]], b"", id="everything removed"),
    pytest.param(b"abc", [[(3, 3, b"X")]], b"abcX", id="an insertion at the end"),
    pytest.param(b"", [[(0, 0, b"/")]], b"/", id="an insertion into nothing"),
    pytest.param(b"abcd", [[(3, 4, b"Y"), (0, 1, b"X")]], b"XbcY", id="edits in any order"),
    pytest.param(b"abcd", [[(1, 2, b""), (2, 3, b"X")]], b"aXd", id="edits side by side"),
    pytest.param(b"abcd", [[(1, 1, b"X"), (1, 2, b"")]], b"aXcd", id="an insertion and a removal"),
    pytest.param(b"abcd", [[(0, 1, b"")], [(0, 1, b"X")]], b"Xcd", id="two rounds of edits"),
]  # fmt: skip


@pytest.mark.parametrize(("received", "rounds", "octets"), SPLICED)
def test_splicing_applies_edits_and_keeps_the_received_octets(
    received: bytes, rounds: list[list[Edit]], octets: bytes
) -> None:
    mapped = Mapped(received)
    for edits in rounds:
        mapped = mapped.splice(edits)
    assert mapped.octets == octets
    assert mapped.received == received


def test_without_edits_the_same_object_is_returned() -> None:
    mapped = Mapped(b"abc").splice([(0, 1, b"X")])
    assert mapped.splice([]) is mapped
    assert mapped.splice(iter([])) is mapped


def test_a_splice_does_not_change_the_old_map() -> None:
    first = Mapped(b"abc")
    first.splice([(0, 3, b"")])
    assert first.octets == b"abc"
    assert first.origin(1, 2) == (1, 2)


# Each row: the received octets, the edits of each round, a span of the result, and its span in the received
# octets.
ORIGINS: Final = [
    pytest.param(b"abc", [], (1, 2), (1, 2), id="untouched"),
    pytest.param(b"a%zzb", [[(1, 2, b"%25")]], (0, 1), (0, 1), id="before an edit"),
    pytest.param(b"a%zzb", [[(1, 2, b"%25")]], (6, 7), (4, 5), id="after an edit that adds octets"),
    pytest.param(b"a%zzb", [[(1, 2, b"%25")]], (1, 4), (1, 2), id="all that an edit wrote"),
    pytest.param(b"a%zzb", [[(1, 2, b"%25")]], (2, 3), (1, 2), id="the middle of what an edit wrote"),
    pytest.param(b"a%zzb", [[(1, 2, b"%25")]], (3, 5), (1, 3), id="across the end of an edit"),
    pytest.param(b"a%zzb", [[(1, 2, b"%25")]], (0, 2), (0, 2), id="across the beginning of an edit"),
    pytest.param(b"a%zzb", [[(1, 2, b"%25")]], (0, 7), (0, 5), id="everything"),
    pytest.param(b"/x/../y", [[(0, 2, b""), (2, 5, b"")]], (0, 2), (5, 7), id="after removed octets"),
    pytest.param(b"a%00b", [[(1, 4, b"")]], (0, 2), (0, 5), id="across removed octets"),
    pytest.param(b"a%00b", [[(1, 4, b"")]], (1, 2), (4, 5), id="only the octet after removed octets"),
    pytest.param(b"a%00b", [[(1, 4, b"")]], (1, 1), (4, 4), id="an empty span at removed octets"),
    pytest.param(b"%00", [[(0, 3, b"")]], (0, 0), (3, 3), id="an empty span, everything removed"),
    pytest.param(b"abc", [[(0, 1, b"XY")], [(0, 1, b"")]], (0, 1), (0, 1), id="through two rounds"),
    pytest.param(b"abc", [[(1, 2, b"%00")], [(1, 4, b"")]], (0, 2), (0, 3), id="written and then removed"),
    pytest.param(b"http://h", [[(0, 8, b"/")]], (0, 1), (0, 8), id="a slash in place of scheme and host"),
    pytest.param(b"abcdef", [[(1, 2, b"BB"), (4, 5, b"")]], (1, 5), (1, 4), id="across two edits"),
]


@pytest.mark.parametrize(("received", "rounds", "span", "origin"), ORIGINS)
def test_a_span_is_traced_to_the_received_octets(
    received: bytes, rounds: list[list[Edit]], span: tuple[int, int], origin: tuple[int, int]
) -> None:
    mapped = Mapped(received)
    for edits in rounds:
        mapped = mapped.splice(edits)
    assert mapped.origin(*span) == origin


def test_kept_octets_keep_their_origin_whatever_is_edited_around_them() -> None:
    # All eight octets differ, so each can be recognised: kept, dropped, or doubled.
    received = b"01234567"
    for fates in product(["keep", "drop", "double"], repeat=len(received)):
        edits = [
            (place, place + 1, b"" if fate == "drop" else b"xx")
            for place, fate in enumerate(fates)
            if fate != "keep"
        ]
        mapped = Mapped(received).splice(edits)
        again = mapped.splice([(0, 0, b"-")])
        for place, octet in enumerate(mapped.octets):
            start, end = mapped.origin(place, place + 1)
            assert again.origin(place + 1, place + 2) == (start, end)
            if octet in received:
                assert received[start:end] == bytes([octet])
            else:
                assert end - start == 1
                assert fates[start] == "double"


def test_origins_are_in_order_and_inside_the_received_octets() -> None:
    received = b"/a%zz/b%u0041/%00c"
    mapped = Mapped(received).splice([(2, 3, b"%25"), (7, 13, b"%41"), (14, 17, b"")])
    mapped = mapped.splice([(9, 12, b"A")]).splice([(0, 0, b"/")])
    spans = [mapped.origin(place, place + 1) for place in range(len(mapped.octets))]
    assert spans == sorted(spans)
    assert all(0 <= start <= end <= len(received) for start, end in spans)


@pytest.mark.parametrize("place", range(6))
def test_a_place_in_respelled_octets_is_traced_by_its_unit(place: int) -> None:
    received = b"a%c3\xa9%41% "
    units = [(0, 1), (1, 4), (4, 5), (5, 8), (8, 9), (9, 10)]
    written = [(0, 1), (1, 4), (4, 7), (7, 8), (8, 11), (11, 14)]
    mapped = Mapped(received).respelled(b"a%C3%A9A%25%20")
    assert mapped.origin(*written[place]) == units[place]
    assert mapped.origin(written[0][0], written[place][1]) == (0, units[place][1])


def test_respelling_without_a_change_returns_the_same_map() -> None:
    mapped = Mapped(b"a")
    assert mapped.respelled(b"a") is mapped


_BULK: Final = 129
"""One more edit in bulk than are traced."""


def _escaped(number: int) -> tuple[Mapped, Mapped, list[Edit]]:
    """Escape that many octets, one by one and in bulk; the list holds the edits located in bulk so far."""
    received = b"a<" * number + b"a"
    edits = [(place, place + 1, b"%3C") for place in range(1, len(received), 2)]
    located: list[Edit] = []

    def some() -> Iterator[Edit]:
        for edit in edits:
            located.append(edit)
            yield edit

    in_bulk = Mapped(received).rewritten(b"a%3C" * number + b"a", some)
    return Mapped(received).splice(edits), in_bulk, located


def test_a_place_behind_few_edits_in_bulk_is_traced_as_through_single_edits() -> None:
    one_by_one, in_bulk, _ = _escaped(_BULK - 1)
    for place in range(len(in_bulk.octets)):
        assert in_bulk.origin(place, place + 1) == one_by_one.origin(place, place + 1)


def test_a_place_behind_very_many_edits_in_bulk_is_not_traced() -> None:
    one_by_one, in_bulk, _ = _escaped(_BULK)
    begins = len(b"a%3C") * (_BULK - 1) - len(b"%3C")  # the last edit that is traced begins here
    for place in range(len(in_bulk.octets)):
        traced = one_by_one.origin(place, place + 1) if place + 1 < begins else (0, 0)
        assert in_bulk.origin(place, place + 1) == traced


def test_edits_in_bulk_are_located_as_far_as_they_are_needed() -> None:
    _, in_bulk, located = _escaped(10 * _BULK)
    assert not located
    in_bulk.origin(0, 1)
    assert len(located) == 8
    in_bulk.origin(len(in_bulk.octets) - 1, len(in_bulk.octets))
    assert len(located) == _BULK

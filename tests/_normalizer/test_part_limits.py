"""The limits of segments and pairs: how many, and how long."""

from __future__ import annotations

from itertools import product

import pytest

from laws.checks import steps_of
from postel import Kind, Limits
from postel._normalizer import part_limits
from postel._normalizer.part_limits import PairLimits, SegmentLimits


@pytest.mark.parametrize(
    ("octets", "limits", "many", "long"),
    [
        (b"/a/b", Limits(segments=2), False, []),
        (b"/a/b/", Limits(segments=2), True, []),
        (b"/abc", Limits(segment=None), False, []),
        (b"/abc/d", Limits(segment=3), False, []),
        (b"abcd/e", Limits(segment=3), False, [(0, 4)]),
        (b"/abcd/%C3%A9c/abcde", Limits(segment=3), False, [(1, 5), (14, 19)]),
    ],
)
def test_too_many_and_too_long_segments_are_found(
    octets: bytes, limits: Limits, many: bool, long: list[tuple[int, int]]
) -> None:
    segments = SegmentLimits(limits)
    assert segments.many(octets) == ((Kind.TOO_MANY_SEGMENTS, 0, 0) if many else None)
    assert list(segments.long(octets)) == [(Kind.LONG_SEGMENT, *span) for span in long]
    assert segments.hold(octets) is not (many or bool(long))


def test_the_authority_in_front_of_a_path_is_not_a_segment() -> None:
    segments = SegmentLimits(Limits(segments=1, segment=3))
    octets = b"http://example.org/a"
    assert (segments.many(octets, 18), list(segments.long(octets, 18))) == (None, [])
    assert segments.many(octets) is not None


@pytest.mark.parametrize(
    ("octets", "limits", "over"),
    [
        (b"a&b", Limits(pairs=2), None),
        (b"a&b&c&d", Limits(pairs=2), 4),
        (b"a&b", Limits(pairs=1), 2),
    ],
)
def test_too_many_pairs_are_found(octets: bytes, limits: Limits, over: int | None) -> None:
    found = PairLimits(limits).many(octets)
    assert found == (None if over is None else (Kind.TOO_MANY_PAIRS, over, over))
    assert PairLimits(limits).hold(octets) is (found is None)


LIMITS = Limits(name=4, value=3, depth=2)


@pytest.mark.parametrize(
    ("octets", "long"),
    [
        (b"abcd=123", []),
        (b"a=1&b=2", []),
        (b"abcde=123", [(Kind.LONG_NAME, 0, 5)]),
        (b"x&abcde", [(Kind.LONG_NAME, 2, 7)]),
        (b"x&y&abcde", [(Kind.LONG_NAME, 4, 9)]),
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
        (b"[[=1&[[[=1&[[=1", [(Kind.TOO_DEEP, 5, 8)]),
    ],
)
def test_long_names_long_values_and_deep_names_are_found(
    octets: bytes, long: list[tuple[Kind, int, int]]
) -> None:
    limits = PairLimits(LIMITS)
    assert list(limits.long(octets)) == long
    assert limits.hold(octets) is (not long)


def test_a_long_name_and_a_deep_name_are_both_found() -> None:
    limits = Limits(name=2, value=50, depth=5)
    assert list(PairLimits(limits).long(b"abc&[[[[[[")) == [
        (Kind.LONG_NAME, 0, 3),
        (Kind.LONG_NAME, 4, 10),
        (Kind.TOO_DEEP, 4, 10),
    ]


@pytest.mark.parametrize("short", [0, 64], ids=["place by place", "divided"])
def test_long_names_are_found_wherever_they_are(short: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part_limits, "_SHORT", short)
    for length, most in product(range(10), [1, 2, 3, 4, 9]):
        limits = PairLimits(Limits(name=most, value=most))
        for octets in map(bytes, product(b"&a", repeat=length)):
            names = octets.split(b"&")
            assert [end - start for _, start, end in limits.long(octets)] == [
                len(name) for name in names if len(name) > most
            ], octets
            assert limits.leave_room(octets) is all(len(name) <= most // 3 for name in names), octets


def test_a_part_that_may_be_too_long_is_looked_for_in_few_steps() -> None:
    limits = PairLimits(Limits())
    assert steps_of(lambda: limits.hold(b"a" * 1500 + b"&" + b"a" * 2000)) < 40

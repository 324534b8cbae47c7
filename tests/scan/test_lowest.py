"""The sample: exact while it holds everything, uniform afterwards, and independent of how it was taken."""

from __future__ import annotations

import pickle
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postel.scan._lowest import Lowest, mark_of


def lowest(things: list[int], most: int = 8) -> Lowest[int]:
    made: Lowest[int] = Lowest(most)
    for thing in things:
        made.add(mark_of(b"%d" % thing), thing)
    return made


@given(st.lists(st.integers(0, 60), max_size=200), st.lists(st.integers(0, 200), max_size=6), st.randoms())
def test_the_order_does_not_matter(things: list[int], cuts: list[int], source: random.Random) -> None:
    whole = lowest(things)
    shuffled = source.sample(things, len(things))
    parts = [
        lowest(shuffled[begin:end])
        for begin, end in zip([0, *sorted(cuts)], [*sorted(cuts), 300], strict=True)
    ]
    source.shuffle(parts)
    summed = parts[0]
    for part in parts[1:]:
        summed.update(pickle.loads(pickle.dumps(part)))  # noqa: S301 - pickled in this test
    assert summed == whole
    counts = Counter(things)
    assert dict(whole) == {
        thing: counts[thing] for thing in sorted(counts, key=lambda t: mark_of(b"%d" % t))[:8]
    }
    assert whole.is_whole == (len(counts) <= 8)
    assert len(whole) == min(8, len(counts))


def test_the_size_is_bounded() -> None:
    sizes = [len(pickle.dumps(lowest(list(range(count)), 64))) for count in (200, 20_000)]
    assert sizes[1] <= sizes[0] * 1.2


@pytest.mark.parametrize("count", [0, 5, 256, 257, 5_000, 100_000])
def test_the_estimate_of_distinct_items_is_within_four_standard_errors(count: int) -> None:
    made = lowest(list(range(count)), 256)
    # Four standard errors. The marks are deterministic, so this test always passes or always fails.
    assert made.distinct == pytest.approx(count, rel=0 if count <= 256 else 4 / 254**0.5)


def test_only_items_below_the_highest_mark_are_wanted() -> None:
    made = lowest(list(range(100)))
    assert len(made) == 8
    assert not made.wants(2**64 - 1)
    assert made.wants(0)
    assert made != 8

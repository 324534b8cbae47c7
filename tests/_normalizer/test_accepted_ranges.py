"""Accepted ranges for the values of pairs with certain names."""

from __future__ import annotations

import pytest

from postel import LATIN, Accepted, Kind, Normalizer, Policy, Target
from postel._normalizer.accepted_ranges import NamedRanges
from postel._policy.names import NamePattern

RANGES = NamedRanges(
    enumerate(map(NamePattern, ["q", "utm_*", "*e", "q", "utm_source"])),
)


@pytest.mark.parametrize(
    ("names", "covered"),
    [
        ([], {}),
        (["a", "Q"], {}),
        (["q", "a", "q"], {0: [0, 2], 3: [0, 2]}),
        (["utm", "utm_"], {1: [1]}),
        (["e", "utm_source", "qe"], {1: [1], 2: [0, 1, 2], 4: [1]}),
    ],
)
def test_the_pairs_that_ranges_cover_are_found(names: list[str], covered: dict[int, list[int]]) -> None:
    found = RANGES.covered(range(len(names)), names)
    assert {place: pairs for place, pairs in found if pairs} == covered


def test_names_without_a_star_need_no_search() -> None:
    exact = NamedRanges([(0, NamePattern("q")), (1, NamePattern("p"))])
    assert dict(exact.covered([3, 5], ["x", "p"])) == {1: [5]}


@pytest.mark.parametrize(
    ("query", "accepted"),
    [
        ("q=é", True),
        ("q=д", False),
        ("utm_a=д", False),
        ("utm_a=é&q=é", True),
        ("x=д", True),
        ("utm_a=é&q=é&utm_b=д", False),
    ],
)
def test_ranges_hold_for_the_values_of_their_names(query: str, accepted: bool) -> None:
    policy = Policy.STANDARD.accepting(LATIN, names=["q", "utm_*"]).rejecting(Kind.OUTSIDE_ACCEPTED_RANGE)
    outcome = Normalizer(policy).normalize(Target(query=query.encode()))
    assert isinstance(outcome, Accepted) == accepted

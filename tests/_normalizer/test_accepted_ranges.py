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
        (set(), {}),
        ({"a", "Q"}, {}),
        ({"q", "a"}, {"q": [0, 3]}),
        ({"utm_", "utm"}, {"utm_": [1]}),
        ({"utm_source", "e", "qe"}, {"utm_source": [4, 1, 2], "e": [2], "qe": [2]}),
    ],
)
def test_the_ranges_that_cover_a_name_are_found(names: set[str], covered: dict[str, list[int]]) -> None:
    assert RANGES.covering(names) == covered


def test_names_without_a_star_need_no_search() -> None:
    exact = NamedRanges([(0, NamePattern("q")), (1, NamePattern("p"))])
    assert exact.covering({"p", "x"}) == {"p": [1]}


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

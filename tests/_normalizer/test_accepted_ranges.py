"""Accepted ranges for the values of pairs with certain names."""

from __future__ import annotations

import pytest

from postel import LATIN, Accepted, Characters, Kind, Normalizer, Policy, Target
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


DIGITS = Policy.STANDARD.accepting(Characters.of("0123456789"), names=["id"])
"""Accepts no equals sign in the value of ``id``."""
LETTERS = Policy.STANDARD.accepting(Characters.of("abcdefghijklmnopqrstuvwxyz"))
"""Accepts no equals sign in any name or value, except the sign between the two."""


@pytest.mark.parametrize(
    ("policy", "query", "excerpt"),
    [
        (DIGITS, b"id=1", None),
        (DIGITS, b"id=1=1", b"="),
        (DIGITS, b"x==&id==", b"="),
        (DIGITS, b"id=1&id=1%3D=x", b"%3D=x"),
        (DIGITS, b"id=&x=1=1", None),
        (LETTERS, b"a=b&c=d&e", None),
        (LETTERS, b"a=b&c=d=", b"="),
        (LETTERS, b"a=b%3D", b"%3D"),
        (Policy.STANDARD.accepting(Characters.of("a=")), b"a=a=a", None),
    ],
)
def test_only_the_first_equals_sign_of_a_pair_is_syntax(
    policy: Policy, query: bytes, excerpt: bytes | None
) -> None:
    outcome = Normalizer(policy).normalize(Target(query=query))
    assert [each.excerpt for each in outcome.findings] == ([] if excerpt is None else [excerpt])
    assert isinstance(outcome, Accepted) == (excerpt is None)


def test_equals_signs_in_very_many_values_are_found() -> None:
    query = b"&".join([b"id=1=%d" % number for number in range(40)])
    outcome = Normalizer(DIGITS.reporting(Kind.OUTSIDE_ACCEPTED_RANGE)).normalize(Target(query=query))
    assert [each.offset for each in outcome.findings] == [
        query.index(b"=%d&" % number) for number in range(32)
    ]

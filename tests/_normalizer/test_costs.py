"""Targets of 8 KiB that once cost far more than others of this length; steps are calls, of Python and of C."""

from __future__ import annotations

import pytest

from laws.checks import steps_of
from postel import Kind, Normalizer, Policy, Target

STANDARD, LENIENT = Policy.STANDARD, Policy.LENIENT


def numbered(piece: bytes) -> bytes:
    """Return 8 KiB of one piece, each time with another number behind it."""
    return b"".join(piece + b"%d" % number for number in range(8190 // (len(piece) + 3)))


@pytest.mark.parametrize(
    ("policy", "query", "most"),
    [
        pytest.param(
            STANDARD.dropping_pairs(Kind.ILL_FORMED_UTF8, names=[f"n{number}" for number in range(700)]),
            numbered(b"=%ff&n"),
            9000,
            id="a rule for each of very many names",
        ),
    ],
)
def test_a_query_takes_few_steps(policy: Policy, query: bytes, most: int) -> None:
    normalizer = Normalizer(policy)
    assert steps_of(lambda: normalizer.normalize(Target(b"/", query))) < most

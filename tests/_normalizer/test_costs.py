"""Targets of 8 KiB that once cost far more than others of this length.

Steps are calls, of Python and of C.
"""

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
        pytest.param(
            STANDARD.repairing(Kind.UNICODE_ESCAPE),
            b"%F0%9F%98%80" + b"%4%u00e9&a=%uDE00" * 480,
            9000,
            id="units of UTF-16 in values, after one in a name",
        ),
    ],
)
def test_a_query_takes_few_steps(policy: Policy, query: bytes, most: int) -> None:
    normalizer = Normalizer(policy)
    assert steps_of(lambda: normalizer.normalize(Target(b"/", query))) < most


def test_very_many_parameters_of_one_segment_are_cut_at_once() -> None:
    normalizer = Normalizer(LENIENT.repairing(Kind.PATH_PARAMETER))
    assert steps_of(lambda: normalizer.normalize(Target(b"/" + b";" * 8190))) < 1500

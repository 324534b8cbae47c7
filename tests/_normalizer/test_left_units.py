"""A unit of UTF-16 that a stage leaves, and a later stage decodes, is seen by the edits of that stage."""

from __future__ import annotations

import random
from typing import Final

import pytest

from postel import Accepted, Forms, Kind, Normalizer, Policy, Target
from postel._bodies.urlencoded import FormRules

LENIENT: Final = Policy.LENIENT
EDITED: Final = (Kind.NUL, Kind.CONTROL, Kind.ILL_FORMED_UTF8, Kind.NONCHARACTER, Kind.INVISIBLE)
REPLACING: Final = Policy.STANDARD.replacing(*EDITED).repairing(Kind.UNICODE_ESCAPE, Kind.MALFORMED_ESCAPE)
POLICIES: Final = {
    "lenient": LENIENT,
    "dropping": LENIENT.dropping(*EDITED).repairing(Kind.UNICODE_ESCAPE),
    "replacing": REPLACING,
    "dropping pairs": LENIENT.dropping_pairs(*EDITED, names=["a*"]).replacing(*EDITED, names=["b"]),
    "names": LENIENT.allowing(Kind.UNICODE_ESCAPE, names=["a"]).dropping(*EDITED, names=["b"]),
    "NFC": LENIENT.repairing(Kind.NOT_NFC, Kind.SPELLING).dropping(*EDITED),
}
PIECES: Final = [
    *(
        b"%u",
        b"%u",
        b"%",
        b"%u0",
        b"0",
        b"4",
        b"%u0034",
        b"%u0034",
        b"%u0030",
        b"%u00e9",
        b"%uFFFE",
        b"%u0000",
    ),
    *(b"%01", b"%FF", b"\xff", b"%EF%BF%BE", b"%E2%80%8B", b"%CC%81", b"a=", b"b=", b"&", b"&", b"utm_x="),
    *(b"%u%u00340%u00340", b"%u0%u00300%u0034"),
]


@pytest.mark.parametrize(
    ("policy", "query", "canonical"),
    [
        pytest.param(
            LENIENT,
            b"a=%01&b=%u%u00340%u00340&c=%ff",
            b"b=%25u40%340&c=",
            id="a pair is dropped, then octets",
        ),
        pytest.param(
            REPLACING,
            b"%u0%u00300%u0034%u%EF%BF%BE%u0034",
            b"%25u000%34%25u%EF%BF%BD4",
            id="stray percent signs are repaired, then a character is replaced",
        ),
    ],
)
def test_a_unit_that_a_former_stage_left(policy: Policy, query: bytes, canonical: bytes) -> None:
    for outcome in (
        Normalizer(policy).normalize(Target(b"/", query)),
        FormRules(policy, Forms()).judge(query),
    ):
        assert (outcome.target.query if isinstance(outcome, Accepted) else outcome.octets) == canonical


@pytest.mark.parametrize("name", POLICIES)
def test_random_units_beside_stray_percent_signs(name: str) -> None:
    normalizer, rules = Normalizer(POLICIES[name]), FormRules(POLICIES[name], Forms())
    chance = random.Random(name)  # noqa: S311 - inputs, no secrets
    accepted = 0
    for _ in range(500):
        some = [*chance.sample(PIECES, 7), b"%u", b"%u0034", b"0"]
        octets = b"".join(chance.choices(some, k=chance.choice((5, 8, 12, 40))))
        judged = rules.judge(octets).octets
        assert judged is None or rules.judge(judged).octets == judged, octets
        for target in (Target(b"/", octets), Target(b"/" + octets.replace(b"&", b"/"))):
            outcome = normalizer.normalize(target)
            examined = normalizer.examine(target)
            assert type(examined) is type(outcome), octets
            if isinstance(outcome, Accepted):
                accepted += 1
                again = normalizer.normalize(outcome.target)
                assert isinstance(again, Accepted), octets
                assert again.target == outcome.target, octets
                assert isinstance(examined, Accepted), octets
                assert examined.target == outcome.target, octets
    assert accepted > 100

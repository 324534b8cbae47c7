"""Units of UTF-16 beside stray percent signs: one stage decodes all of them, and completes no escape."""

from __future__ import annotations

import random
import re
from typing import Final

import pytest

from postel import Accepted, Forms, Kind, Normalizer, Policy, Target
from postel._alphabet.percent import percent_decode
from postel._bodies.urlencoded import FormRules
from postel._normalizer.edits import unescaping

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

TOKEN: Final = re.compile(rb"(?P<units>(?:%[uU][0-9A-Fa-f]{4})+)|%(?P<octet>[0-9A-Fa-f]{2})|.", re.DOTALL)
UNIT: Final = re.compile(rb"%[uU][0-9A-Fa-f]{4}")


def decoded(match: re.Match[bytes]) -> bytes:
    """Decode one token on its own: a run of units, an escape or a bare octet."""
    if match["units"]:
        digits = re.sub(rb"%[uU]", b"", match["units"])
        text = bytes.fromhex(digits.decode()).decode("utf-16-be", "surrogatepass")
        return text.encode("utf-8", "surrogatepass")
    return bytes.fromhex(match["octet"].decode()) if match["octet"] else match[0]


@pytest.mark.parametrize("bare", [True, False])
def test_every_unit_is_decoded_and_no_escape_is_completed(*, bare: bool) -> None:
    pieces = [b"%", b"%u", b"%U", b"%4", b"%u0", b"%u00", b"0", b"00", b"a", b"z", b"\xc3", b"%41", b"%u0041"]
    pieces += [b"%u0034", b"%u0075", b"%u0025", b"%u00e9", b"%uD83D", b"%u0030%u0031"]
    chance = random.Random(209)  # noqa: S311 - inputs, no secrets
    for _ in range(20_000):
        octets = b"".join(chance.choices(pieces, k=chance.randint(1, 12)))
        edited, _ = unescaping(octets, bare=bare)
        assert UNIT.search(edited) is None, octets
        assert percent_decode(edited) == b"".join(map(decoded, TOKEN.finditer(octets))), octets


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
def test_a_unit_that_would_complete_an_escape(policy: Policy, query: bytes, canonical: bytes) -> None:
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

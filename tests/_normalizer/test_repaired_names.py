"""A rule applies to the name that an edit makes: no spelling of a name evades it."""

from __future__ import annotations

import random
from typing import Final

import pytest

from postel import Accepted, Action, Component, Kind, Normalizer, Policy, PolicyError, Rejected, Target
from postel._alphabet.percent import percent_decode
from postel._policy.names import NamePattern

NAMES: Final = [
    *(b"a", b"a", b"b", b"%61", b"%u0061", b"%u0062", b"\0", b"%00", b"%FF", b"\xc3", b"%E2%80%8B", b"%0A"),
    *(
        "e\u0301".encode(),
        b"e%CC%81",
        b"%u00e9",
        "é".encode(),
        b"%C3%A9",
        b";",
        b"[",
        b"]",
        b"%",
        b"%4",
        b"+",
    ),
    *(b"%u0000", b"%uD83D", b"%2561", b"%0D%0A", b"|", b"%EF%BF%BE"),
]
VALUES: Final = [
    *(
        b"1",
        b"%00",
        b"\0",
        b"%u0000",
        b"%FF",
        b"\xa9",
        b"%zz",
        b"%",
        b"%E2%80%AE",
        b"%u202e",
        b"%u0041",
        b";",
    ),
    *("é".encode(), b"e%CC%81", b"%0A", b"%C2%85", b"|", b"%7e"),
]
PATTERNS: Final = ["a", "b", "a*", "*a", "é", "*", "ab", "a*b", "aé", "a;", "a[]"]
KINDS: Final = [
    *(Kind.NUL, Kind.ILL_FORMED_UTF8, Kind.MALFORMED_ESCAPE, Kind.UNICODE_ESCAPE, Kind.BIDI_CONTROL),
    *(Kind.SEMICOLON, Kind.RAW_NON_ASCII, Kind.NOT_NFC, Kind.C1_CONTROL, Kind.SPELLING),
]
EDITS: Final = ["repairing", "dropping", "replacing", "reporting", "allowing", "dropping_pairs"]


def _policy(chance: random.Random) -> Policy:
    """Return a policy that edits much; some of its edits are rules for other names."""
    policy = chance.choice([Policy.LENIENT, Policy.LENIENT.repairing(Kind.NOT_NFC)])
    for _ in range(chance.randint(0, 4)):
        names = {"names": [chance.choice(PATTERNS)]} if chance.random() < 0.3 else {}
        try:
            policy = getattr(policy, chance.choice(EDITS))(
                chance.choice([*KINDS, *KINDS, *Kind]), on=Component.QUERY, **names
            )
        except PolicyError:  # the kind has no such action, or another rule beside this one
            continue
    return policy


@pytest.mark.parametrize("seed", range(2))
def test_a_rule_that_refuses_values_applies_to_every_spelling_of_its_names(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - inputs, no secrets
    matched = 0
    for _ in range(60):
        kind, text, policy = chance.choice(KINDS), chance.choice(PATTERNS), _policy(chance)
        try:
            ruled = Normalizer(policy.rejecting(kind, names=[text], on=Component.QUERY))
            always = Normalizer(policy.rejecting(kind, on=Component.QUERY))
        except PolicyError:
            continue
        for _ in range(250):
            name = b"".join(chance.choices(NAMES, k=chance.randint(1, 4)))
            value = b"".join(chance.choices(VALUES, k=chance.randint(1, 3)))
            outcome = ruled.normalize(Target(query=name + b"=" + value))
            if isinstance(outcome, Rejected):
                continue
            left = outcome.target.query.partition(b"=")[0]
            decoded = percent_decode(left.replace(b"+", b" ")).decode("utf-8", "surrogateescape")
            if not left or not NamePattern(text).matches(decoded):
                continue
            matched += left != name
            alone = always.normalize(Target(query=b"x=" + value))
            refused = {each.kind for each in alone.findings if each.action is Action.REJECT}
            assert isinstance(alone, Accepted) or kind not in refused, (str(policy), kind, text, name, value)
    assert matched > 100


@pytest.mark.parametrize(
    ("name", "other"),
    [
        pytest.param(b"q", b"r", id="plain"),
        pytest.param(b"q%FF", b"qu%FF", id="ill-formed"),
        pytest.param(b"%u0071", b"%u0072", id="a unit"),
        pytest.param(b"%u0071%FF", b"%u0072%FF", id="a unit and ill-formed"),
        pytest.param(b"q%0", b"q%1", id="not a name after all"),
    ],
)
def test_a_fault_is_judged_by_the_rule_for_the_repaired_name(name: bytes, other: bytes) -> None:
    normalizer = Normalizer(Policy.LENIENT.rejecting(Kind.TAB, names=["q"]))
    outcome = normalizer.normalize(Target(query=name + b"=%09"))
    assert isinstance(outcome, Accepted) == name.endswith(b"%0")
    assert isinstance(normalizer.normalize(Target(query=other + b"=%09")), Accepted)


def test_a_name_that_only_another_rule_makes_is_refused() -> None:
    policy = (
        Policy.LENIENT.allowing(Kind.NUL).dropping(Kind.NUL, names=["q*"]).rejecting(Kind.TAB, names=["q"])
    )
    outcome = Normalizer(policy).normalize(Target(query=b"b=1&q%00=2"))
    assert isinstance(outcome, Rejected)
    last = outcome.findings[-1]
    assert (last.kind, last.offset, last.excerpt, last.name) == (Kind.NUL, 4, b"q", "q")
    assert last.detail == "other rules apply to the repaired name"
    assert isinstance(Normalizer(policy).normalize(Target(query=b"b=1&qu%00=2")), Accepted)

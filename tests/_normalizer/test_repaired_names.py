"""A rule applies to the name that an edit makes: no spelling of a name evades it."""

from __future__ import annotations

import random
from typing import Final

import pytest

from postel import Accepted, Action, Component, Kind, Normalizer, Policy, PolicyError, Rejected, Target
from postel._alphabet.percent import percent_decode
from postel._bodies.form_settings import Forms
from postel._bodies.urlencoded import FormRules
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


@pytest.mark.no_cover
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


L, S = Policy.LENIENT, Policy.STANDARD
FOREIGN: Final = Kind.FOREIGN_REFERENCE
UNLESS_TEXT: Final = L.rejecting(Kind.TAB, names=["*"]).allowing(Kind.TAB, names=["t"])
LINES: Final = L.allowing(Kind.NAME_LINE_BREAK).repairing(Kind.LONE_NEWLINE)
ALONE: Final = [
    # Of two rules, the stricter one applies to a faulty name, whichever comes last.
    pytest.param(L.local(names=["*"]).allowing(FOREIGN, names=["url"]), b"url%FF=//h", None, id="dropped"),
    pytest.param(L.local(names=["*"]).allowing(FOREIGN, names=["url"]), b"%u0075rl=//h", None, id="a unit"),
    pytest.param(UNLESS_TEXT, b"t%FF=%09", None, id="every name"),
    pytest.param(
        L.rejecting(Kind.TAB, names=["*"]).allowing(Kind.TAB, names=["t"]),
        b"t=%09",
        b"t=%09",
        id="not faulty",
    ),
    pytest.param(
        S.repairing(Kind.UNICODE_ESCAPE).local(names=["next"]).allowing(FOREIGN, names=["*%*"]),
        b"%u006eext=//h",
        None,
        id="an exemption for a percent sign",
    ),
    pytest.param(
        L.repairing(Kind.NOT_NFC).local(names=["é*"]).allowing(FOREIGN, names=["e*"]),
        b"e%CC%81=//h",
        None,
        id="an exemption for the first character",
    ),
    pytest.param(
        L.dropping(Kind.NUL).rejecting(Kind.NUL, names=["q"]).allowing(Kind.NUL, names=["*7*"]),
        b"%u0071=%00",
        None,
        id="an exemption for a digit",
    ),
    # An exemption does not survive the name that it is for.
    pytest.param(
        L.repairing(Kind.NOT_NFC, names=["e*"]).allowing(Kind.NUL, names=["e\u0301"]),
        b"e%CC%81=%00",
        b"",
        id="an exemption for a name that a rule composes",
    ),
    pytest.param(
        L.allowing(Kind.INVISIBLE)
        .dropping(Kind.INVISIBLE, names=["q*"])
        .allowing(Kind.NUL, names=["q\u200b*"]),
        b"q%E2%80%8B=%00",
        None,
        id="an exemption for a name that a rule shortens",
    ),
    # Names that a repair makes are not faulty for their values alone.
    pytest.param(
        S.repairing(Kind.UNICODE_ESCAPE).allowing(Kind.ILL_FORMED_UTF8, names=["legacy"]),
        b"%u006cegacy=%uD83D",
        None,
        id="an exemption for a name in UTF-16",
    ),
    pytest.param(L.rejecting(Kind.NUL, names=[""]), b"q=%00", b"", id="a rule for no name"),
    pytest.param(
        L.dropping_pairs(Kind.NUL).rejecting(Kind.SPELLING, names=[""]),
        b"q=%00",
        b"",
        id="a rule for no name, about writing",
    ),
    pytest.param(
        S.dropping(Kind.INVISIBLE, names=["*"]).allowing(Kind.ILL_FORMED_UTF8, names=["legacy"]),
        b"legacy%E2%80%8B=1",
        b"legacy=1",
        id="a milder rule for the repaired name",
    ),
    pytest.param(
        S.repairing(Kind.NOT_NFC, names=["*"]).local(names=["é"]),
        b"e%CC%81=1",
        b"%C3%A9=1",
        id="a stricter rule for the composed name, which finds nothing",
    ),
    pytest.param(
        L.repairing(Kind.NOT_NFC).allowing(Kind.ILL_FORMED_UTF8).rejecting(Kind.TAB, names=["é*"]),
        b"e%CC%81%FF=%09",
        b"e%CC%81%FF=%09",
        id="an ill-formed name, which is not composed",
    ),
]


@pytest.mark.parametrize(("policy", "octets", "left"), ALONE)
def test_other_pairs_do_not_change_which_rules_apply(
    policy: Policy, octets: bytes, left: bytes | None
) -> None:
    for beside in (b"", b"&x=%00", b"&x=%09", b"&utm_x=%FF"):
        alone = Normalizer(policy).normalize(Target(query=beside[1:]))
        if isinstance(alone, Rejected):
            continue
        wanted = left if left is None else b"&".join(filter(None, (left, alone.target.query)))
        outcome = Normalizer(policy).normalize(Target(query=octets + beside))
        assert (outcome.target.query if isinstance(outcome, Accepted) else None) == wanted, beside
        rules = FormRules(policy, Forms())
        whole = rules.judge(octets + beside).octets
        assert (whole is None) == (wanted is None)
        for block in (1, 5, 12):
            assert rules.judge(octets + beside, block=block).octets == whole, (beside, block)


@pytest.mark.parametrize(
    ("policy", "form", "left"),
    [
        pytest.param(L.rejecting(Kind.NUL, names=["q"]), b"q#x=%00&a", b"a", id="a number sign in a form"),
        pytest.param(
            L.allowing(Kind.NAME_LINE_BREAK)
            .repairing(Kind.LONE_NEWLINE)
            .rejecting(Kind.NUL, names=["a\r\nb"]),
            b"a%0Ab=1&x=1%00",
            b"a%0D%0Ab=1",
            id="a line end in another name",
        ),
        pytest.param(
            L.allowing(Kind.NAME_LINE_BREAK)
            .repairing(Kind.LONE_NEWLINE)
            .rejecting(Kind.NUL, names=["a\r\nb"]),
            b"a%0Ab=%00",
            None,
            id="a line end in the name of the rule",
        ),
    ],
)
def test_rules_for_names_in_forms(policy: Policy, form: bytes, left: bytes | None) -> None:
    rules = FormRules(policy, Forms())
    assert {rules.judge(form, block=block).octets for block in (1, 5, 1000)} == {left}


@pytest.mark.parametrize(("kind", "held"), [(Kind.TAB, b"%09"), (Kind.MALFORMED_ESCAPE, b"%zz")])
def test_a_name_for_which_another_rule_makes_a_rule_stricter_is_refused(kind: Kind, held: bytes) -> None:
    policy = L.allowing(Kind.NUL).dropping(Kind.NUL, names=["q*"])
    policy = policy.reporting(kind, on=Component.QUERY).rejecting(kind, names=["q"], on=Component.QUERY)
    outcome = Normalizer(policy).normalize(Target(query=b"b=1&q%00=" + held))
    assert isinstance(outcome, Rejected)
    last = outcome.findings[-1]
    assert (last.kind, last.offset, last.excerpt, last.name) == (kind, 4, b"q", "q")
    assert last.detail == "a stricter rule for the repaired name"
    for accepted in (b"qu%00=" + held, b"b=" + held + b"&q%00=1"):
        assert isinstance(Normalizer(policy).normalize(Target(query=accepted)), Accepted)


@pytest.mark.parametrize("composes", [False, True])
def test_a_rule_applies_to_the_composed_name_only_if_names_are_composed(*, composes: bool) -> None:
    policy = Policy.LENIENT.rejecting(Kind.TAB, names=["é"])
    policy = policy.repairing(Kind.NOT_NFC) if composes else policy
    outcome = Normalizer(policy).normalize(Target(query=b"e%CC%81=%09&b%7F=1"))
    assert isinstance(outcome, Rejected if composes else Accepted)


def test_a_rule_for_a_composed_name_applies_beside_an_ill_formed_name() -> None:
    policy = Policy.LENIENT.repairing(Kind.NOT_NFC).allowing(Kind.ILL_FORMED_UTF8)
    ruled = Normalizer(policy.rejecting(Kind.NUL, names=["\u00e9"], on=Component.QUERY))
    for query in (b"e%CC%81=%00", b"e%CC%81=%00&%FF=1"):
        assert isinstance(ruled.normalize(Target(query=query)), Rejected)
        assert isinstance(Normalizer(policy).normalize(Target(query=query)), Accepted)

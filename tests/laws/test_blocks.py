"""Blocks: a form judged as a whole and in blocks of any size comes to the same, and so does a query."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laws.strategies import form_policies, forms, with_rule
from postel import Accepted, Action, Component, Finding, Kind, Normalizer, Policy, Target
from postel._forms import FormRules, Forms, JudgedForm

LENIENT = Policy.LENIENT
WESTERN = Forms(charsets=["windows-1252", "shift_jis"])
WHOLE = 1 << 20

# Each row: a policy, a form, and what comes of it, whole or in blocks.
EDITED = [
    pytest.param(
        LENIENT.repairing(Kind.EMPTY_PAIR), b"&&a=%00&z", b"z", id="empty pairs before one that goes"
    ),
    pytest.param(LENIENT.repairing(Kind.EMPTY_PAIR), b"&&z", b"z", id="two empty pairs in front"),
    pytest.param(LENIENT.repairing(Kind.EMPTY_PAIR), b"z&&a=%00&&", b"z", id="and behind"),
    pytest.param(LENIENT.repairing(Kind.EMPTY_PAIR), b"a=%00&&b=%00", b"", id="between two that go"),
    pytest.param(LENIENT.repairing(Kind.EMPTY_PAIR), b"x&a=%00&&b=%00&y", b"x&y", id="among others"),
    pytest.param(LENIENT, b"x&a=%00&&b=%00&y", b"x&&y", id="an empty pair that stays"),
    pytest.param(LENIENT, b"&a=%00&c", b"&c", id="in front of one that goes"),
    pytest.param(LENIENT, b"a=%00&&b=%00&c", b"&c", id="which is then the first"),
    pytest.param(LENIENT, b"c&a=%00&", b"c&", id="behind one that goes"),
    pytest.param(LENIENT, b"a=%00&b=%00&c", b"c", id="without one"),
    pytest.param(LENIENT, b"a&b=%u0041&c=%zz", b"a&b=A&c=%25zz", id="a stray percent sign in another pair"),
    pytest.param(
        LENIENT.repairing(Kind.EMPTY_PAIR, names=["b"]), b"b&a=%00&&c", b"b&&c", id="no rule of a neighbour"
    ),
    pytest.param(
        LENIENT.repairing(Kind.EMPTY_PAIR, names=["*"]), b"b&a=%00&&c", b"b&c", id="a rule for every name"
    ),
    pytest.param(
        LENIENT.repairing(Kind.EMPTY_PAIR, Kind.DUPLICATE_NAME), b"a&&a=1&b&&", b"a&b", id="and names twice"
    ),
]


@pytest.mark.parametrize(("policy", "octets", "edited"), EDITED)
def test_an_empty_pair_has_one_meaning(policy: Policy, octets: bytes, edited: bytes) -> None:
    rules = FormRules(policy, Forms())
    assert rules.judge(octets).octets == edited
    for block in range(1, len(octets) + 1):
        assert rules.judge(octets, block=block).octets == edited
    outcome = Normalizer(policy).normalize(Target(query=octets))
    assert isinstance(outcome, Accepted)
    assert outcome.target.query == edited


EMPTY = [
    pytest.param(b"&a", [(0, b"&")], id="in front"),
    pytest.param(b"a&&b", [(2, b"&")], id="between"),
    pytest.param(b"a&", [(2, b"")], id="behind"),
    pytest.param(b"&&a&&&b&", [(0, b"&"), (1, b"&"), (4, b"&"), (5, b"&"), (8, b"")], id="everywhere"),
]


@pytest.mark.parametrize(("octets", "places"), EMPTY)
@pytest.mark.parametrize("action", [Action.REPORT, Action.REPAIR, Action.REJECT])
def test_each_empty_pair_is_noted_once_where_it_is(
    octets: bytes, places: list[tuple[int, bytes]], action: Action
) -> None:
    policy = with_rule(Policy.STANDARD, Kind.EMPTY_PAIR, Component.FORM, action, None)
    judged = FormRules(policy, Forms()).judge(octets + b"&" * octets.endswith(b"&&"))
    assert [(each.offset, each.excerpt, each.name) for each in judged.findings] == [
        (*place, "") for place in places
    ]


def told(judged: JudgedForm) -> set[Finding]:
    return set(judged.findings)


@given(form_policies.map(str), forms, st.integers(1, 40))
def test_whole_and_in_blocks_it_is_the_same(text: str, octets: bytes, block: int) -> None:
    rules = FormRules(Policy.parse(text), Forms())
    whole, parts = rules.judge(octets, block=WHOLE), rules.judge(octets, block=block)
    assert whole.octets == parts.octets
    if len(whole.findings) + whole.omitted <= 32:
        assert told(whole) == told(parts)
        assert whole.omitted == parts.omitted


@given(
    form_policies.map(str), forms, st.integers(1, 40), st.sampled_from(["utf-8", "cp1252", "cp932", "utf-16"])
)
def test_in_any_charset(text: str, octets: bytes, block: int, codec: str) -> None:
    rules = FormRules(Policy.parse(text), WESTERN)
    codec_or_none = None if codec == "utf-16" else codec
    whole = rules.judge(octets, codec_or_none, block=WHOLE)
    parts = rules.judge(octets, codec_or_none, block=block)
    assert (whole.octets, whole.recoded) == (parts.octets, parts.recoded)
    if len(whole.findings) + whole.omitted <= 32:
        assert told(whole) == told(parts)


@given(form_policies.map(str), forms)
def test_a_query_is_judged_as_a_form_is(text: str, octets: bytes) -> None:
    octets = octets.replace(b"#", b"")  # which ends a query, and is an illegal character in a form
    policy = Policy.parse(text)
    for kind in Kind:
        if Component.QUERY in kind.check.presets and Component.FORM in kind.check.presets:
            policy = with_rule(policy, kind, Component.QUERY, policy.action(kind, Component.FORM), None)
    for rule in policy.rules:
        if rule.component is Component.FORM and Component.QUERY in rule.kind.check.presets:
            policy = with_rule(policy, rule.kind, Component.QUERY, rule.action, [rule.pattern.text])
    policy = policy.allowing(Kind.LONE_NEWLINE)
    if b"_charset_" in octets or any(each.component is Component.FORM for each in policy.acceptances):
        return
    judged = FormRules(policy, Forms()).judge(octets)
    outcome = Normalizer(policy).examine(Target(query=octets))
    assert (outcome.target.query if isinstance(outcome, Accepted) else None) == judged.octets

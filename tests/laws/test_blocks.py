"""A form has the same result as a whole and in blocks of any size, and the same as a query."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laws.strategies import form_policies, forms, with_rule
from postel import Accepted, Action, Component, Finding, Kind, Normalizer, Policy, Target
from postel._alphabet.steps import finished
from postel._bodies.form_blocks import blocks_of
from postel._bodies.form_settings import Forms
from postel._bodies.urlencoded import FormRules, JudgedForm
from sampling import EVERY, sample

LENIENT = Policy.LENIENT
WESTERN = Forms(charsets=["windows-1252", "shift_jis"])
WHOLE = 1 << 20

# Each row: a policy, a form, and the result, as a whole or in blocks.
EDITED = [
    pytest.param(
        LENIENT.repairing(Kind.EMPTY_PAIR), b"&&a=%00&z", b"z", id="empty pairs before a dropped one"
    ),
    pytest.param(LENIENT.repairing(Kind.EMPTY_PAIR), b"&&z", b"z", id="two empty pairs in front"),
    pytest.param(LENIENT.repairing(Kind.EMPTY_PAIR), b"z&&a=%00&&", b"z", id="empty pairs at the end"),
    pytest.param(
        LENIENT.repairing(Kind.EMPTY_PAIR), b"a=%00&&b=%00", b"", id="an empty pair between two dropped ones"
    ),
    pytest.param(
        LENIENT.repairing(Kind.EMPTY_PAIR),
        b"x&a=%00&&b=%00&y",
        b"x&y",
        id="an empty pair between dropped ones, among others",
    ),
    pytest.param(LENIENT, b"x&a=%00&&b=%00&y", b"x&&y", id="an allowed empty pair between dropped ones"),
    pytest.param(LENIENT, b"&a=%00&c", b"&c", id="an allowed empty pair before a dropped one"),
    pytest.param(LENIENT, b"a=%00&&b=%00&c", b"&c", id="an allowed empty pair that becomes the first"),
    pytest.param(LENIENT, b"c&a=%00&", b"c&", id="an allowed empty pair after a dropped one"),
    pytest.param(LENIENT, b"a=%00&b=%00&c", b"c", id="no empty pair"),
    pytest.param(LENIENT, b"a&b=%u0041&c=%zz", b"a&b=A&c=%25zz", id="a stray percent sign in another pair"),
    pytest.param(
        LENIENT.repairing(Kind.EMPTY_PAIR, names=["b"]),
        b"b&a=%00&&c",
        b"b&&c",
        id="a rule for the name of a neighbour",
    ),
    pytest.param(
        LENIENT.repairing(Kind.EMPTY_PAIR, names=["*"]), b"b&a=%00&&c", b"b&c", id="a rule for every name"
    ),
    pytest.param(
        LENIENT.dropping_pairs(Kind.SEMICOLON, names=["*"]),
        b"a;b=c;d&z=%FF;&a;b=c",
        b"a%3Bb=c%3Bd&a%3Bb=c",
        id="a rule that is no stricter, for a faulty name",
    ),
    pytest.param(
        LENIENT.allowing(Kind.SEMICOLON, names=["a*"]),
        b"a;b=c;d&a=c;d&z=%FF",
        b"a%3Bb=c%3Bd&a=c;d&z=",
        id="a milder rule, for a faulty name",
    ),
    pytest.param(
        LENIENT.repairing(Kind.EMPTY_PAIR, Kind.DUPLICATE_NAME),
        b"a&&a=1&b&&",
        b"a&b",
        id="empty pairs and repeated names",
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
    pytest.param(b"a&", [(2, b"")], id="at the end"),
    pytest.param(b"&&a&&&b&", [(0, b"&"), (1, b"&"), (4, b"&"), (5, b"&"), (8, b"")], id="everywhere"),
]


@pytest.mark.parametrize(("octets", "places"), EMPTY)
@pytest.mark.parametrize("action", [Action.REPORT, Action.REPAIR, Action.REJECT])
def test_each_empty_pair_has_one_finding_at_its_place(
    octets: bytes, places: list[tuple[int, bytes]], action: Action
) -> None:
    policy = with_rule(Policy.STANDARD, Kind.EMPTY_PAIR, Component.FORM, action, None)
    judged = FormRules(policy, Forms()).judge(octets + b"&" * octets.endswith(b"&&"))
    assert [(each.offset, each.excerpt, each.name) for each in judged.findings] == [
        (*place, "") for place in places
    ]


def told(judged: JudgedForm) -> set[Finding]:
    return set(judged.findings)


def same(rules: FormRules, octets: bytes, block: int, codec: str | None = None) -> None:
    """Judge a form as a whole and in blocks, and compare."""
    whole, parts = rules.judge(octets, codec, block=WHOLE), rules.judge(octets, codec, block=block)
    assert (whole.octets, whole.recoded) == (parts.octets, parts.recoded), octets
    if not whole.truncated:  # If there are more findings, the listed ones may differ.
        assert (told(whole), parts.truncated) == (told(parts), False), octets


SOME = st.lists(st.tuples(forms, st.integers(1, 40)), min_size=20, max_size=20)


@given(form_policies.map(str), SOME)
def test_the_whole_form_and_its_blocks_have_the_same_result(text: str, some: list[tuple[bytes, int]]) -> None:
    rules = FormRules(Policy.parse(text), Forms())
    for octets, block in some:
        same(rules, octets, block)


@given(form_policies.map(str), SOME, st.sampled_from([None, "utf-8", "cp1252", "cp932"]))
def test_in_any_charset(text: str, some: list[tuple[bytes, int]], codec: str | None) -> None:
    rules = FormRules(Policy.parse(text), WESTERN)
    for octets, block in some:
        same(rules, octets, block, codec)


def refusing(policy: Policy) -> Policy:
    """Return a policy that refuses a form wherever this one edits it, and has no limit for pairs."""
    for kind in Kind:
        if Component.FORM in kind.check.presets and policy.action(kind, Component.FORM).edits:
            policy = with_rule(policy, kind, Component.FORM, Action.REJECT, None)
    rules = [replace(each, action=Action.REJECT) if each.action.edits else each for each in policy.rules]
    return replace(policy, rules=tuple(rules)).limiting(pairs=10_000)


@given(form_policies.map(str), SOME)
def test_a_form_that_is_written_block_by_block_has_the_result_of_its_blocks(
    text: str, some: list[tuple[bytes, int]]
) -> None:
    rules = FormRules(refusing(Policy.parse(text)), Forms())
    for octets, size in some:
        joined, many = rules.judge(octets, block=size), list(blocks_of(octets, size))
        blocks = [(start, partial(octets.__getitem__, slice(start, end))) for start, end in many]
        written = finished(rules.judging_unedited(blocks))
        assert (written.octets is None, written.findings) == (joined.octets is None, joined.findings), octets
        assert written.truncated == joined.truncated


@pytest.mark.parametrize("between", [b"&", b"&&", b"&&&&&"])
@pytest.mark.parametrize("size", [1, 7, 100])
def test_no_block_is_longer_than_its_size_and_a_pair(between: bytes, size: int) -> None:
    pair = b"a=" + b"b" * 20
    octets = between.join([pair] * 50)
    blocks = list(blocks_of(octets, size))
    assert b"&".join(octets[start:end] for start, end in blocks) == octets
    assert max(end - start for start, end in blocks) <= size + len(between) + len(pair)


TANGLED = [
    Policy.LENIENT,
    Policy.LENIENT.repairing(Kind.EMPTY_PAIR),
    Policy.LENIENT.repairing(Kind.EMPTY_PAIR, names=["b"]).dropping(Kind.NUL, on=Component.FORM),
    Policy.STANDARD.reporting(Kind.EMPTY_PAIR).dropping_pairs(Kind.NUL).repairing(Kind.LONE_NEWLINE),
    Policy.STRICT.dropping_pairs(Kind.NUL, names=["a"]).allowing(Kind.EMPTY_PAIR, names=["*"]),
    Policy.LENIENT.dropping_pairs(Kind.SEMICOLON, names=["*"]),
    Policy.LENIENT.allowing(Kind.SEMICOLON, names=["b*"]).dropping_pairs(Kind.MALFORMED_ESCAPE, names=["*"]),
]


@EVERY
@pytest.mark.parametrize("policy", TANGLED, ids=str)
def test_every_short_form(policy: Policy, every: int) -> None:
    rules, normalizer = FormRules(policy, Forms()), Normalizer(_of_queries(policy))
    shapes = product([b"&", b"&&", b"a=%00", b"b", b"%u0041", b"%", b"=%0A", b"b;=;"], repeat=4)
    for pieces in sample(shapes, every):
        octets = b"".join(pieces)
        same(rules, octets, 1)
        if b"%0A" not in octets:
            outcome = normalizer.examine(Target(query=octets))
            edited = outcome.target.query if isinstance(outcome, Accepted) else None
            assert edited == rules.judge(octets).octets


@given(form_policies.map(str), SOME)
def test_a_query_is_judged_like_a_form(text: str, some: list[tuple[bytes, int]]) -> None:
    policy = _of_queries(Policy.parse(text)).allowing(Kind.LONE_NEWLINE)
    if any(each.component is Component.FORM for each in policy.acceptances):
        return
    rules, normalizer = FormRules(policy, Forms()), Normalizer(policy)
    for form, _ in some:
        octets = form.replace(b"#", b"")  # "#" ends a query, and is an illegal character in a form.
        outcome = normalizer.examine(Target(query=octets))
        edited = outcome.target.query if isinstance(outcome, Accepted) else None
        if b"_charset_" not in octets:
            assert edited == rules.judge(octets).octets, octets


def _of_queries(policy: Policy) -> Policy:
    """Return a policy with the same actions in queries as in forms."""
    for kind in Kind:
        if Component.QUERY in kind.check.presets and Component.FORM in kind.check.presets:
            policy = with_rule(policy, kind, Component.QUERY, policy.action(kind, Component.FORM), None)
    for rule in policy.rules:
        if rule.component is Component.FORM and Component.QUERY in rule.kind.check.presets:
            policy = with_rule(policy, rule.kind, Component.QUERY, rule.action, [rule.pattern.text])
    return policy

"""Limits: their defaults, invalid values, and the effect of one more octet, segment or pair."""

from __future__ import annotations

import re
from typing import Any, Final

import pytest

from laws.checks import total_and_lawful
from postel import (
    Accepted,
    Action,
    Component,
    Forms,
    Kind,
    Limits,
    Normalizer,
    Policy,
    PolicyError,
    Rejected,
    Target,
    policy_table,
)
from postel._bodies.urlencoded import FormRules
from postel._errors import shown
from postel._normalizer.advice import Adviser
from together import together

DEFAULTS: Final = {
    "octets": 8192, "segments": 256, "segment": None, "pairs": 1000, "name": 2048, "value": 8192,
    "form_value": 65_536, "depth": 32, "fields": 1000, "field": 32_768,
}  # fmt: skip
SUCH_AS: Final = {**DEFAULTS, "segment": "255, or None for no limit"}


def test_limits_have_their_documented_defaults() -> None:
    assert Limits() == Limits(**DEFAULTS)
    assert set(DEFAULTS) == set(Limits.__slots__)


def test_limits_compare_by_value() -> None:
    assert Limits(pairs=5) == Limits(pairs=5) != Limits(pairs=6)
    assert hash(Limits(pairs=5)) == hash(Limits(pairs=5))
    with pytest.raises(AttributeError):
        Limits().pairs = 5  # The assignment must fail.


def test_limits_are_keyword_only() -> None:
    with pytest.raises(TypeError):
        Limits(8192)  # The name says which limit a number is.


@together("limit", DEFAULTS)
@together(
    "value",
    [
        pytest.param(0, id="zero"),
        pytest.param(-1, id="below zero"),
        pytest.param(1.5, id="a fraction"),
        pytest.param(10.0, id="a float"),
        pytest.param(True, id="a boolean"),
        pytest.param("10", id="text"),
        pytest.param(None, id="None"),
        pytest.param(float("nan"), id="not a number"),
        pytest.param(2**63, id="beyond 64 bits"),
        pytest.param(-(10**5000), id="more digits than Python writes"),
    ],
)
def test_invalid_limits_are_refused_with_a_valid_example(limit: str, value: Any) -> None:
    if value is DEFAULTS[limit] is None:
        assert Limits(**{limit: value}) == Policy.STANDARD.limiting(**{limit: value}).limits == Limits()
        return
    setting = f"{limit}={shown(value)}"
    words = f"({setting}): a limit is a whole number from 1 to 2**63 - 1, such as {SUCH_AS[limit]}"
    with pytest.raises(PolicyError, match=f"^Limits{re.escape(words)}$"):
        Limits(**{limit: value})
    with pytest.raises(PolicyError, match=f"^limiting{re.escape(words)}$"):
        Policy.STANDARD.limiting(**{limit: value})


# Each row: the limits, a target that just satisfies them, one that does not, and the place of its finding.
EDGES: Final = [
    pytest.param(
        {"octets": 5}, Target(b"/abcd"), Target(b"/abcde"),
        (Kind.TOO_LONG, Component.PATH, 0, b"/abcde"), id="octets of a path",
    ),
    pytest.param(
        {"octets": 5}, Target(b"/", b"abcd"), Target(b"/", b"abcde"),
        (Kind.TOO_LONG, Component.QUERY, 0, b"abcde"), id="octets of a query and a path",
    ),
    pytest.param(
        {"octets": 5}, Target(b"/", b"%2B%2Bcd"), Target(b"/", b"%2B%2Bcde"),
        (Kind.TOO_LONG, Component.QUERY, 0, b"%2B%2Bcde"), id="an escape counts as one octet",
    ),
    pytest.param(
        {"segments": 2}, Target(b"/a/b"), Target(b"/a/b/c"),
        (Kind.TOO_MANY_SEGMENTS, Component.PATH, 0, b""), id="segments",
    ),
    pytest.param(
        {"segments": 2}, Target(b"/a/"), Target(b"/a/b/"),
        (Kind.TOO_MANY_SEGMENTS, Component.PATH, 0, b""), id="an empty segment at the end counts",
    ),
    pytest.param(
        {"segment": 3}, Target(b"/abc/d"), Target(b"/a/abcd/e"),
        (Kind.LONG_SEGMENT, Component.PATH, 3, b"abcd"), id="segment",
    ),
    pytest.param(
        {"segment": 3}, Target(b"/abc"), Target(b"/abcd"),
        (Kind.LONG_SEGMENT, Component.PATH, 1, b"abcd"), id="the last segment",
    ),
    pytest.param(
        {"segment": 3}, Target(b"/%C3%A9c"), Target(b"/%C3%A9cd"),
        (Kind.LONG_SEGMENT, Component.PATH, 1, b"%C3%A9cd"), id="an escape in a segment counts as one octet",
    ),
    pytest.param(
        {"segment": 255}, Target(b"/" + b"a" * 255, b"a=" + b"b" * 300), Target(b"/" + b"a" * 256),
        (Kind.LONG_SEGMENT, Component.PATH, 1, b"a" * 48), id="a value may be longer than a segment",
    ),
    pytest.param(
        {"pairs": 2}, Target(query=b"a=1&b=2"), Target(query=b"a=1&b=2&c=3"),
        (Kind.TOO_MANY_PAIRS, Component.QUERY, 8, b""), id="pairs",
    ),
    pytest.param(
        {"pairs": 2}, Target(query=b"a&"), Target(query=b"a&&"),
        (Kind.TOO_MANY_PAIRS, Component.QUERY, 3, b""), id="empty pairs count",
    ),
    pytest.param(
        {"name": 3}, Target(query=b"x=1&abc=1234"), Target(query=b"x=1&abcd=1"),
        (Kind.LONG_NAME, Component.QUERY, 4, b"abcd"), id="name",
    ),
    pytest.param(
        {"name": 3}, Target(query=b"%2B%2Bc=1"), Target(query=b"%2B%2Bcd=1"),
        (Kind.LONG_NAME, Component.QUERY, 0, b"%2B%2Bcd"), id="an escape in a name counts as one octet",
    ),
    pytest.param(
        {"name": 3}, Target(query=b"abc"), Target(query=b"abcd"),
        (Kind.LONG_NAME, Component.QUERY, 0, b"abcd"), id="a name without a value",
    ),
    pytest.param(
        {"value": 3}, Target(query=b"abcdef=123"), Target(query=b"abcdef=1234"),
        (Kind.LONG_VALUE, Component.QUERY, 7, b"1234"), id="value",
    ),
    pytest.param(
        {"value": 3}, Target(query=b"a=%2B%2B3"), Target(query=b"a=%2B%2B34"),
        (Kind.LONG_VALUE, Component.QUERY, 2, b"%2B%2B34"), id="an escape in a value counts as one octet",
    ),
    pytest.param(
        {"value": 3}, Target(query=b"a=1=2"), Target(query=b"a=1==2"),
        (Kind.LONG_VALUE, Component.QUERY, 2, b"1==2"), id="an equals sign in a value counts",
    ),
    pytest.param(
        {"depth": 2}, Target(query=b"a[b][c]=[[["), Target(query=b"a[b][c][d]=1"),
        (Kind.TOO_DEEP, Component.QUERY, 0, b"a[b][c][d]"), id="depth",
    ),
    pytest.param(
        {"depth": 1}, Target(query=b"a%5Bb%5D=1"), Target(query=b"a%5Bb%5D%5b%5D=1"),
        (Kind.TOO_DEEP, Component.QUERY, 0, b"a%5Bb%5D%5b%5D"), id="escaped brackets count",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("limits", "within", "beyond", "sight"), EDGES)
def test_one_more_than_the_limit_is_refused(
    limits: dict[str, int], within: Target, beyond: Target, sight: tuple[Kind, Component, int, bytes]
) -> None:
    normalizer = Normalizer(Policy.STANDARD.limiting(**limits).allowing(Kind.SPELLING))
    for judge in (normalizer.normalize, normalizer.examine):
        assert judge(within) == Accepted(within)
        refused = judge(beyond)
        assert isinstance(refused, Rejected)
        assert [(f.kind, f.component, f.offset, f.excerpt) for f in refused.findings] == [sight]
        [(name, most)] = limits.items()
        assert refused.findings[0].detail == f"more than Limits.{name}, {most}"
    assert not normalizer.is_clean(beyond.path, beyond.query)


@pytest.mark.parametrize("limit", DEFAULTS)
def test_limiting_keeps_the_other_limits(limit: str) -> None:
    policy = Policy.STANDARD.limiting(pairs=7, value=9).limiting(**{limit: 5})
    assert policy.limits == Limits(**{"pairs": 7, "value": 9, limit: 5})


def test_a_target_that_is_too_long_is_not_read_to_its_end() -> None:
    refused = Normalizer(Policy.STANDARD.limiting(octets=4)).normalize(Target(b"/%00%00", b"a=%00"))
    assert isinstance(refused, Rejected)
    assert [finding.kind for finding in refused.findings] == [Kind.TOO_LONG]


def test_too_many_pairs_do_not_hide_other_reasons() -> None:
    refused = Normalizer(Policy.STANDARD.limiting(pairs=2)).normalize(Target(query=b"a&b&c=%00"))
    assert {finding.kind for finding in refused.findings} == {Kind.TOO_MANY_PAIRS, Kind.NUL}


def test_the_finding_for_length_names_its_component() -> None:
    normalizer = Normalizer(Policy.STANDARD.limiting(octets=4))
    refused = normalizer.normalize(Target(b"/abc", b"d"))
    assert isinstance(refused, Rejected)
    [finding] = refused.findings
    assert (finding.kind, finding.component, finding.action) == (
        Kind.TOO_LONG,
        Component.QUERY,  # The path is as long as the limit allows.
        Action.REJECT,
    )


@pytest.mark.parametrize("target", [Target(b"/\xff"), Target(b"/", b"\xff"), Target(b"/", b"q=\xff")])
def test_what_a_replacement_makes_too_long_is_refused_at_once(target: Target) -> None:
    policy = Policy.LENIENT.replacing(Kind.ILL_FORMED_UTF8).limiting(octets=len(target.path + target.query))
    outcome = Normalizer(policy).normalize(target)
    assert isinstance(outcome, Rejected)
    assert outcome == Normalizer(policy).examine(target)
    assert [finding.kind for finding in outcome.findings] == [Kind.ILL_FORMED_UTF8, Kind.TOO_LONG]
    last = outcome.findings[-1]
    assert (last.offset, last.detail) == (0, f"more than Limits.octets, {policy.limits.octets}")
    longer = Normalizer(policy.limiting(octets=policy.limits.octets + 2)).normalize(target)
    assert isinstance(longer, Accepted)


def test_what_a_replacement_makes_too_long_is_refused_although_a_pair_would_be_dropped() -> None:
    policy = Policy.LENIENT.replacing(Kind.ILL_FORMED_UTF8).limiting(octets=11)
    refused = Normalizer(policy).examine(Target(b"/", b"q=\xff&a%00=\xff"))
    assert isinstance(refused, Rejected)
    last = refused.findings[-1]
    assert (last.kind, last.component, last.offset) == (Kind.TOO_LONG, Component.QUERY, 0)
    assert last.excerpt == b"q=\xff&a%00=\xff"


@pytest.mark.parametrize(
    ("target", "found"),
    [
        (Target(b"/", b"b=1&aa=\xff"), (Kind.LONG_VALUE, 7, b"\xff", "aa")),
        (Target(b"/", b"b=1&a\xff=1"), (Kind.LONG_NAME, 4, b"a\xff", "a\ufffd")),
        (Target(b"/b/a\xff"), (Kind.LONG_SEGMENT, 3, b"a\xff", None)),
    ],
)
def test_the_part_that_a_replacement_makes_too_long_is_named(
    target: Target, found: tuple[Kind, int, bytes, str | None]
) -> None:
    policy = Policy.LENIENT.replacing(Kind.ILL_FORMED_UTF8).limiting(value=2, name=2, segment=2)
    refused = Normalizer(policy).normalize(target)
    assert isinstance(refused, Rejected)
    last = refused.findings[-1]
    assert (last.kind, last.offset, last.excerpt, last.name) == found


def test_a_replacement_in_a_form_may_exceed_the_limit_of_a_target() -> None:
    policy = Policy.LENIENT.replacing(Kind.ILL_FORMED_UTF8, on=Component.FORM).limiting(octets=4)
    assert FormRules(policy, Forms()).judge(b"q=%FF%FF").octets == b"q=" + b"%EF%BF%BD" * 2


@pytest.mark.parametrize(
    ("query", "kind"), [(b"%2B" * 4, Kind.MISSING_SLASH), (b"%2B" * 4 + b"a", Kind.TOO_LONG)]
)
def test_an_escape_counts_as_one_octet(query: bytes, kind: Kind) -> None:
    refused = Normalizer(Policy.STANDARD.limiting(octets=4)).examine(Target(b"", query))
    assert [finding.kind for finding in refused.findings] == [kind]


def test_escapes_beyond_the_limit_of_octets_are_proven_and_repaired_like_others() -> None:
    normalizer = Normalizer(Policy.STANDARD.limiting(octets=9))
    assert normalizer.is_clean(b"/%E4%BD%A0", b"%E4%BD%A0=")
    assert not normalizer.is_clean(b"/%E4%BD%A0", b"%E4%BD%A0=12")
    for query in (b"%e4%bd%a0=", b"%e4%bd%a0=12", b"%E4%BD%A0=|", b"%E4%BD%A0=||"):
        target = Target(b"/%E4%BD%A0", query)
        assert normalizer.normalize(target) == normalizer.examine(target)


# Each row: a policy with a limit of 3, a path, and the resulting path, or None for a refusal.
SEGMENT: Final = [
    pytest.param(Policy.STANDARD, "/ä|".encode(), b"/%C3%A4%7C", id="a repaired octet counts as one"),
    pytest.param(Policy.STANDARD, "/ää".encode(), None, id="text is counted in octets"),
    pytest.param(Policy.LENIENT, b"/ab%", b"/ab%25", id="a stray percent sign is one octet"),
    pytest.param(Policy.LENIENT, b"/ab%zz", None, id="two letters after a stray percent sign"),
    pytest.param(Policy.LENIENT, b"/ab/../abc//d", b"/abc/d", id="each segment is counted by itself"),
    pytest.param(Policy.LENIENT, b"http://example.com/abc", b"/abc", id="scheme and authority do not count"),
    pytest.param(Policy.LENIENT, b"http://example.com/abcd", None, id="a long segment after an authority"),
    pytest.param(Policy.LENIENT, b"/ab%2Fc", None, id="an escaped slash is part of a segment"),
    pytest.param(
        Policy.STANDARD.replacing(Kind.ILL_FORMED_UTF8),
        b"/a%C4",
        None,
        id="a replacement counts as three octets",
    ),
    pytest.param(
        Policy.STANDARD.replacing(Kind.ILL_FORMED_UTF8),
        b"/%C4",
        b"/%EF%BF%BD",
        id="a replacement up to the limit",
    ),
    pytest.param(Policy.LENIENT, b"/", b"/", id="the root"),
    pytest.param(Policy.LENIENT, b"/abc" * 200, b"/abc" * 200, id="many segments"),
]


@pytest.mark.parametrize(("policy", "path", "written"), SEGMENT)
def test_a_segment_beyond_its_limit_is_refused(policy: Policy, path: bytes, written: bytes | None) -> None:
    outcome = total_and_lawful(Normalizer(policy.limiting(segment=3)), Target(path))
    if written is None:
        assert isinstance(outcome, Rejected)
        refusing = [each.kind for each in outcome.findings if each.action is Action.REJECT]
        assert refusing == [Kind.LONG_SEGMENT]
    else:
        assert isinstance(outcome, Accepted)
        assert outcome.target.path == written
    assert isinstance(Normalizer(policy).normalize(Target(path)), Accepted), (
        "a segment of any length passes without a limit"
    )


@together("limit", DEFAULTS)
def test_the_highest_limit_has_a_text_form(limit: str) -> None:
    policy = Policy.STANDARD.limiting(**{limit: 2**63 - 1})
    assert Policy.parse(str(policy)) == policy
    for digits in (str(2**63), "1" * 5000):
        with pytest.raises(PolicyError):
            Policy.parse(f"standard limit.{limit.replace('_', '-')}={digits}")
    zeros = "0" * 5000
    assert Policy.parse(f"standard limit.{limit.replace('_', '-')}={zeros}{2**63 - 1}") == policy


def test_the_limit_of_a_segment_has_a_text_form() -> None:
    policy = Policy.STANDARD.limiting(segment=255)
    assert str(policy) == "standard limit.segment=255"
    assert Policy.parse(str(policy)) == policy
    assert Policy.parse("standard limit.segment=255 limit.segment=none") == Policy.STANDARD
    assert policy.limiting(segment=None) == Policy.STANDARD
    with pytest.raises(PolicyError, match=r"limit\.pairs cannot be 'none'; only limit\.segment can"):
        Policy.parse("standard limit.pairs=none")
    assert re.search(r"^limit\.segment +255\*$", policy_table(policy), re.MULTILINE)
    assert re.search(r"^limit\.segment +none$", policy_table(Policy.STANDARD), re.MULTILINE)


def test_short_paths_pass_the_proof_of_segment_lengths() -> None:
    normalizer = Normalizer(Policy.STANDARD.limiting(segment=255))
    assert normalizer.is_clean(b"/static/" + b"a" * 255, b"v=" + b"1" * 255)
    assert normalizer.is_clean(b"/" + b"%C3%A9" * 127 + b"/a")
    assert not normalizer.is_clean(b"/" + b"%C3%A9" * 128)
    assert not normalizer.is_clean(b"/a/" + b"a" * 256 + b"/b")


def test_a_prefix_is_limited_too() -> None:
    normalizer = Normalizer(Policy.STANDARD.limiting(segment=3))
    assert isinstance(normalizer.normalize(Target(b"/a", prefix=b"/abc")), Accepted)
    refused = normalizer.normalize(Target(b"/a", prefix=b"/abcd"))
    assert isinstance(refused, Rejected)
    assert [(each.kind, each.detail) for each in refused.findings] == [(Kind.PREFIX_MISMATCH, "long-segment")]


def test_the_advice_raises_the_limit() -> None:
    policy = Policy.STANDARD.limiting(segment=255)
    target = Target(b"/" + b"a" * 300)
    outcome = Normalizer(policy).normalize(target)
    [[advice]] = Adviser(policy).advise(target, outcome)
    assert advice.clause == "limit.segment=510"
    assert isinstance(Normalizer(Policy.parse(f"{policy} {advice.clause}")).normalize(target), Accepted)


def test_a_higher_limit_is_not_advised_if_it_does_not_help() -> None:
    policy, target = Policy.STANDARD.limiting(pairs=3), Target(query=b"&&\xff&")
    outcome = Normalizer(policy).examine(target)
    advised = zip(outcome.findings, Adviser(policy).advise(target, outcome), strict=True)
    assert [advice for finding, advice in advised if finding.kind is Kind.TOO_MANY_PAIRS] == [[]]

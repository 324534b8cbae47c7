"""Proofs in front of the full judgement: they accept targets up to each limit, and allow bulk repair."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Final

import pytest

from laws.checks import steps_of
from postel import Accepted, Action, Component, Finding, Kind, Normalizer, Policy, Rejected, Target

STANDARD: Final = Policy.STANDARD

# Each row: a policy with one limit, and targets that reach it and that exceed it by one.
LIMITS: Final = [
    pytest.param(
        STANDARD.limiting(octets=9), Target(b"/abcdefgh"), Target(b"/abcdefghi"), id="octets of a path"
    ),
    pytest.param(
        STANDARD.limiting(octets=9),
        Target(b"/abc", b"q=abc"),
        Target(b"/abcd", b"q=abc"),
        id="octets of a path and a query",
    ),
    pytest.param(STANDARD.limiting(segments=3), Target(b"/aa/bb/cc"), Target(b"/a/b/c/d"), id="segments"),
    pytest.param(
        STANDARD.limiting(pairs=2), Target(b"/", b"aa=1&bb=2"), Target(b"/", b"a=1&b=2&c=3"), id="pairs"
    ),
    pytest.param(
        STANDARD.limiting(name=3), Target(b"/", b"q=12345&abc=1"), Target(b"/", b"abcd=1"), id="a name"
    ),
    pytest.param(
        STANDARD.limiting(value=3), Target(b"/", b"abcde=123&q"), Target(b"/", b"a=1&q=1234"), id="a value"
    ),
    pytest.param(
        STANDARD.limiting(depth=2), Target(b"/", b"a[b][c]=1"), Target(b"/", b"a[b][c][d]=1"), id="depth"
    ),
    pytest.param(
        STANDARD.limiting(depth=2),
        Target(b"/", b"a%5Bb%5Bc=1"),
        Target(b"/", b"a%5Bb%5Bc%5B=1"),
        id="depth, escaped",
    ),
    pytest.param(
        STANDARD.limiting(depth=2),
        Target(b"/", b"a%5bb%5bc=1"),
        Target(b"/", b"a%5bb%5bc%5b=1"),
        id="depth, escaped in lower case",
    ),
    pytest.param(
        STANDARD.limiting(depth=2),
        Target(b"/", b"a[b%5Bc=1"),
        Target(b"/", b"a[b%5Bc%5b=1"),
        id="brackets in every spelling",
    ),
    pytest.param(
        STANDARD.limiting(depth=2, segments=1),
        Target(b"/", b"a[b][c]=1"),
        Target(b"/", b"a[b][c][d]=1"),
        id="depth, in a query longer than the limit of segments",
    ),
    pytest.param(
        STANDARD.limiting(octets=9, segments=1),
        Target(b"/abcdefgh"),
        Target(b"/abcdefghi"),
        id="octets, in a path longer than the limit of segments",
    ),
]


@pytest.mark.parametrize(("policy", "within", "beyond"), LIMITS)
def test_targets_within_a_limit_pass_the_proof_and_others_are_refused(
    policy: Policy, within: Target, beyond: Target
) -> None:
    normalizer = Normalizer(policy)
    assert normalizer.is_clean(within.path, within.query)
    assert normalizer.examine(within) == normalizer.normalize(within) == Accepted(within)
    assert not normalizer.is_clean(beyond.path, beyond.query)
    assert isinstance(normalizer.examine(beyond), Rejected)
    assert isinstance(normalizer.normalize(beyond), Rejected)


def test_a_path_without_a_query_is_measured_alone() -> None:
    normalizer = Normalizer(STANDARD.limiting(octets=3))
    assert normalizer.is_clean(b"/ab")
    assert not normalizer.is_clean(b"/abc")
    assert Normalizer(STANDARD.limiting(octets=1)).is_clean(b"/")


def test_brackets_in_a_short_query_pass_the_proof() -> None:
    assert Normalizer().is_clean(b"/", b"a[b]=1")
    assert Normalizer().is_clean(b"/", b"a%5Bb%5D=1")


REPAIRED: Final = [
    pytest.param(b"/a b", b"", False, id="a path"),
    pytest.param(b"/a", b"q=50% off", False, id="a query"),
    pytest.param(b"/a b", b"q=a b", False, id="both"),
    pytest.param(b"/%C3%A9 \xc3\xa9", b"q=\xc3\xa9&a;b", False, id="text"),
    pytest.param(b"/" + b"a b" * 32, b"", False, id="as many findings as are kept, in a path"),
    pytest.param(b"/", b"q=" + b"a b" * 32, False, id="as many findings as are kept, in a query"),
    pytest.param(b"/" + b"a b" * 33, b"", True, id="one finding more, in a path"),
    pytest.param(b"/" + b"a b" * 32, b"q=a b", True, id="one finding more, in a query"),
    pytest.param(b"/", b"q=" + b"%zz " * 16 + b"\xc3\xa9", True, id="one finding more, of another sort"),
    pytest.param(b"/" + b"a b" * 40, b"", True, id="more findings than are kept, in a path"),
    pytest.param(b"/", b"q=" + b"a b" * 40, True, id="more findings than are kept, in a query"),
    pytest.param(b"/" + b"a b" * 20, b"q=" + b"a b" * 20, True, id="more findings than are kept, in both"),
]


@pytest.mark.parametrize("policy", [Policy.STANDARD, Policy.LENIENT], ids=["standard", "lenient"])
@pytest.mark.parametrize("host", [None, b"h"])
@pytest.mark.parametrize(("path", "query", "truncated"), REPAIRED)
def test_bulk_repair_equals_the_full_judgement(
    policy: Policy, host: bytes | None, path: bytes, query: bytes, truncated: bool
) -> None:
    normalizer = Normalizer(policy)
    outcome = normalizer.normalize(Target(path, query, host=host))
    assert outcome == normalizer.examine(Target(path, query, host=host))
    assert isinstance(outcome, Accepted)
    assert outcome.target.host == host
    assert outcome.truncated == truncated
    assert normalizer.normalize(outcome.target) == replace(outcome, findings=(), truncated=False)


@pytest.mark.parametrize(("path", "query", "truncated"), REPAIRED)
def test_bulk_repair_runs_before_the_full_judgement(path: bytes, query: bytes, truncated: bool) -> None:
    normalizer, target = Normalizer(), Target(path, query)
    proven, looked_at = partial(normalizer.normalize, target), partial(normalizer.examine, target)
    assert steps_of(proven) < steps_of(looked_at)


# With and without bulk repair, the limits apply to the received octets, and an escape counts as one octet.
GROWING: Final = [
    pytest.param(STANDARD.limiting(octets=4), Target(b"/a b"), True, id="as many octets as allowed"),
    pytest.param(STANDARD.limiting(octets=3), Target(b"/a b"), False, id="one octet more"),
    pytest.param(
        STANDARD.limiting(octets=9), Target(b"/a b", b"q=c d"), True, id="as many octets as allowed in both"
    ),
    pytest.param(STANDARD.limiting(octets=8), Target(b"/a b", b"q=c d"), False, id="one octet more in both"),
    pytest.param(STANDARD.limiting(value=3), Target(b"/", b"q=a b"), True, id="as long a value as allowed"),
    pytest.param(STANDARD.limiting(value=2), Target(b"/", b"q=a b"), False, id="a longer value"),
    pytest.param(STANDARD.limiting(segments=2), Target(b"/a b/c"), True, id="as many segments as allowed"),
    pytest.param(STANDARD.limiting(segments=1), Target(b"/a b/c"), False, id="one segment more"),
    pytest.param(
        STANDARD.limiting(pairs=1), Target(b"/a b", b"a&b"), False, id="too many pairs beside a repair"
    ),
    pytest.param(
        STANDARD.rejecting(Kind.SEMICOLON),
        Target(b"/a b", b"a;b"),
        False,
        id="a refused fault beside a repair",
    ),
]


@pytest.mark.parametrize(("policy", "target", "accepted"), GROWING)
def test_repaired_targets_are_within_the_limits(policy: Policy, target: Target, accepted: bool) -> None:
    normalizer = Normalizer(policy)
    outcome = normalizer.normalize(target)
    assert isinstance(outcome, Accepted) is accepted
    assert isinstance(normalizer.examine(target), Accepted) is accepted
    assert outcome.findings == normalizer.examine(target).findings


# The server's prefix is decoded data. Each row: a prefix, and its faults.
PREFIXES: Final = [
    pytest.param(b"/sub", None, id="a segment"),
    pytest.param(b"/a/b", None, id="two segments"),
    pytest.param(b"/caf\xc3\xa9", None, id="text"),
    pytest.param(b"/a b+c", None, id="a space and a plus"),
    pytest.param(b"/sub/", "it ends in a slash", id="a slash at the end"),
    pytest.param(b"sub", "missing-slash", id="no slash in front"),
    pytest.param(b"/a/..", "dot-segment", id="dots"),
    pytest.param(b"/\xc4", "ill-formed-utf8", id="ill-formed octets"),
    pytest.param(b"http://h/sub", "absolute-form", id="a URL"),
]


@pytest.mark.parametrize(("prefix", "detail"), PREFIXES)
@pytest.mark.parametrize("path", [b"/a", b"/a b"], ids=["clean", "repaired"])
def test_a_prefix_is_judged_and_kept(path: bytes, prefix: bytes, detail: str | None) -> None:
    outcome = Normalizer().normalize(Target(path, prefix=prefix))
    if detail is None:
        assert isinstance(outcome, Accepted)
        assert outcome.target.prefix == prefix
        assert outcome.target.path == path.replace(b" ", b"%20")
        return
    assert isinstance(outcome, Rejected)
    finding = Finding(Kind.PREFIX_MISMATCH, Component.PATH, 0, b"", Action.REJECT, detail=detail)
    assert outcome.findings[0] == finding


def test_a_prefix_that_is_the_whole_path_may_end_in_a_slash() -> None:
    assert isinstance(Normalizer().normalize(Target(b"", prefix=b"/sub/")), Accepted)


# Faults that are repaired in a path are refused in a prefix, because postel never rewrites a prefix.
REPAIRED_IN_PATHS: Final = [
    pytest.param(Policy.LENIENT, b"//sub", "leading-slashes", id="slashes in front"),
    pytest.param(Policy.LENIENT, b"/a//b", "empty-segment", id="slashes side by side"),
    pytest.param(Policy.LENIENT, b"/a\\b", "encoded-backslash", id="a backslash"),
    pytest.param(Policy.LENIENT, b"/a\\b\0", "encoded-backslash", id="a backslash before NUL"),
    pytest.param(Policy.LENIENT, b"/a\0b\\", "nul", id="NUL before a backslash"),
    pytest.param(
        STANDARD.preserving(Kind.ENCODED_DELIMITER), b"/a?b", None, id="a delimiter that is preserved"
    ),
    pytest.param(
        STANDARD.rejecting(Kind.ENCODED_DELIMITER),
        b"/a?b",
        "encoded-delimiter",
        id="a delimiter that is refused",
    ),
    pytest.param(STANDARD, b"/a?b", None, id="a delimiter that is reported"),
]


@pytest.mark.parametrize(("policy", "prefix", "detail"), REPAIRED_IN_PATHS)
def test_no_prefix_is_repaired(policy: Policy, prefix: bytes, detail: str | None) -> None:
    outcome = Normalizer(policy).normalize(Target(b"/a", prefix=prefix))
    assert [finding.detail for finding in outcome.findings] == ([] if detail is None else [detail])
    assert isinstance(outcome, Accepted) is (detail is None)


# U+0958 is composed to two characters, and grows from three octets to six.
GROWN: Final = b"%E0%A5%98"


def test_a_result_that_exceeds_a_limit_is_refused_with_all_findings() -> None:
    composing = Policy.LENIENT.repairing(Kind.NOT_NFC)
    target = Target(b"/" + b"a " * 40 + GROWN)
    within = Normalizer(composing.limiting(octets=87)).normalize(target)
    assert isinstance(within, Accepted)
    assert (len(within.findings), within.truncated) == (32, True)
    beyond = Normalizer(composing.limiting(octets=86)).normalize(target)
    assert isinstance(beyond, Rejected)
    assert (len(beyond.findings), beyond.truncated) == (32, True)
    assert beyond.findings[-1].kind is Kind.TOO_LONG


TOO_LONG: Final = [
    pytest.param(4, Target(b"/abcd"), Component.PATH, b"/abcd", id="the path"),
    pytest.param(
        4, Target(b"/abc", b"q=1"), Component.QUERY, b"q=1", id="the query, after as long a path as allowed"
    ),
    pytest.param(4, Target(b"/abcd", b"q"), Component.PATH, b"/abcd", id="the path, before a query"),
]


@pytest.mark.parametrize(("most", "target", "component", "excerpt"), TOO_LONG)
def test_long_components_are_named(most: int, target: Target, component: Component, excerpt: bytes) -> None:
    outcome = Normalizer(STANDARD.limiting(octets=most)).normalize(target)
    assert isinstance(outcome, Rejected)
    detail = f"more than Limits.octets, {most}"
    assert outcome.findings == (Finding(Kind.TOO_LONG, component, 0, excerpt, Action.REJECT, detail=detail),)


def test_an_escape_is_measured_as_one_octet() -> None:
    target = Target(b"", b"%C3%A9", prefix=b"/sub")
    assert isinstance(Normalizer(STANDARD.limiting(octets=2)).normalize(target), Accepted)
    assert isinstance(Normalizer(STANDARD.limiting(octets=1)).normalize(target), Rejected)

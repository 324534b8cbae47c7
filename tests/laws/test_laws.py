"""Laws 1 to 6 for random policies and random targets, and law 8 by the steps that long targets take."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laws.checks import steps, total_and_lawful
from laws.strategies import (
    PRESETS,
    RULES,
    charset_policies,
    legacy_targets,
    policies,
    targets,
    with_rule,
)
from postel import LATIN, Accepted, Action, Component, Kind, Normalizer, Policy, Rejected, Target
from postel._normalizer.writing import RESPELLED
from together import together

NORMALIZERS = {name: Normalizer(policy) for name, policy in PRESETS.items()}


@pytest.mark.parametrize("preset", PRESETS)
@given(target=targets)
def test_presets_keep_laws_1_to_5(preset: str, target: Target) -> None:
    total_and_lawful(NORMALIZERS[preset], target)


@given(policy=policies(), some=st.lists(targets, min_size=8, max_size=8))
def test_any_policy_keeps_laws_1_to_5(policy: Policy, some: list[Target]) -> None:
    normalizer = Normalizer(policy)
    for target in some:
        total_and_lawful(normalizer, target)


@given(policy=charset_policies(), some=st.lists(legacy_targets, min_size=8, max_size=8))
def test_any_policy_with_charsets_keeps_laws_1_to_5(policy: Policy, some: list[Target]) -> None:
    normalizer = Normalizer(policy)
    for target in some:
        outcome = total_and_lawful(normalizer, target)
        if isinstance(outcome, Accepted) and not outcome.findings:
            assert outcome.target.query == target.query


@given(policy=policies(), rule=st.sampled_from(RULES), some=st.lists(targets, min_size=8, max_size=8))
def test_law_6_a_stricter_rule_never_accepts_what_was_refused(
    policy: Policy, rule: tuple[Kind, Component, Action], some: list[Target]
) -> None:
    kind, component, action = rule
    present = policy.action(kind, component)
    stricter = with_rule(policy, kind, component, action, None)
    if present.rank == action.rank or any(each.kind is kind for each in policy.rules):
        return
    if present.rank > action.rank:
        policy, stricter = stricter, policy
    before, after = Normalizer(policy), Normalizer(stricter)
    for target in some:
        refused = before.examine(target)
        if isinstance(refused, Rejected) and not _is_refused_for_a_stray_percent_sign(refused):
            assert isinstance(after.examine(target), Rejected), (kind, component, target)


def _is_refused_for_a_stray_percent_sign(refused: Rejected) -> bool:
    """Whether a target is refused only for a stray percent sign that another action would repair."""
    refusing = [each for each in refused.findings if each.action is Action.REJECT]
    return {each.detail for each in refusing} == {RESPELLED}


# Each row: a fault, and policies that refuse it whatever their action for another kind.
PATH = Component.PATH
COMPOSING = Policy.LENIENT.repairing(Kind.NOT_NFC)
STRAY = Policy.STRICT.allowing(Kind.MALFORMED_ESCAPE)
DROPPING = Policy.STANDARD.dropping(Kind.NUL, on=PATH)
ALIKE = [
    pytest.param(
        Target(query=b"a=%00%3D%CC%B8"),
        [COMPOSING.allowing(Kind.NUL), COMPOSING.reporting(Kind.NUL), COMPOSING.dropping_pairs(Kind.NUL)],
        id="a mark that cannot be composed, in a dropped pair",
    ),
    pytest.param(
        Target(query=b"b=1&b=%4%31"),
        [STRAY.allowing(Kind.DUPLICATE_NAME), STRAY.repairing(Kind.DUPLICATE_NAME)],
        id="an escape that cannot be respelled, in a dropped pair",
    ),
    pytest.param(
        Target(b"/a;x%00y"),
        [DROPPING.allowing(Kind.PATH_PARAMETER), DROPPING.repairing(Kind.PATH_PARAMETER)],
        id="a NUL that cannot be dropped, in a dropped parameter",
    ),
    pytest.param(
        Target(b"/x%00y/../b"),
        [DROPPING.allowing(Kind.DOT_SEGMENT), DROPPING.repairing(Kind.DOT_SEGMENT)],
        id="a NUL that cannot be dropped, in a removed segment",
    ),
    pytest.param(
        Target(b"/x%00y#z"),
        [DROPPING, DROPPING.repairing(Kind.FRAGMENT)],
        id="a NUL that cannot be dropped, before a fragment",
    ),
    pytest.param(
        Target(b"/a/%00/b"),
        [DROPPING.allowing(Kind.EMPTY_SEGMENT), DROPPING.repairing(Kind.EMPTY_SEGMENT)],
        id="a NUL whose segment would be empty, and then merged",
    ),
]


def test_law_6_except_for_a_stray_percent_sign_that_would_begin_an_escape() -> None:
    target = Target(b"/%C%33")
    left = Normalizer(Policy.STANDARD.reporting(Kind.MALFORMED_ESCAPE)).examine(target)
    assert isinstance(left, Rejected)
    assert _is_refused_for_a_stray_percent_sign(left)
    repaired = Normalizer(Policy.STANDARD.repairing(Kind.MALFORMED_ESCAPE)).examine(target)
    assert isinstance(repaired, Accepted)
    assert repaired.target.path == b"/%25C3"


def test_law_6_except_for_a_value_that_an_edit_makes_readable_in_its_charset() -> None:
    policy = Policy.STANDARD.charset("windows-1252", names=["q"]).dropping(Kind.C1_CONTROL)
    target = Target(query=b"q=%C2%81%E4x")
    left = Normalizer(policy.allowing(Kind.ILL_FORMED_UTF8)).examine(target)
    assert isinstance(left, Rejected)
    assert [each.detail for each in left.findings if each.action is Action.REJECT] == ["after a repair"]
    dropped = Normalizer(policy.dropping(Kind.ILL_FORMED_UTF8)).examine(target)
    assert isinstance(dropped, Accepted)
    assert dropped.target.query == b"q=x"


@pytest.mark.parametrize(("target", "policies"), ALIKE)
def test_law_6_no_edit_removes_a_fault_that_must_be_refused(target: Target, policies: list[Policy]) -> None:
    for policy in policies:
        assert isinstance(total_and_lawful(Normalizer(policy), target), Rejected), str(policy)


# Each is the name "é" for a lenient reader that composes text.
SPELLINGS = [
    b"%C3%A9", b"%c3%a9", "é".encode(), b"e%CC%81", b"%65%CC%81", "e\u0301".encode(), b"%u00e9", b"e%u0301",
    b"%C3%A9%FF", b"\xff%C3%A9",
]  # fmt: skip
IN_VALUES = [
    pytest.param(kind, kind.check.example[Component.QUERY].removeprefix(b"q="), id=kind.slug)
    for kind in Kind
    if Action.REJECT in kind.check.actions.get(Component.QUERY, ())
    and kind.check.example[Component.QUERY].startswith(b"q=")
    and len(kind.check.example[Component.QUERY]) < 100
]


@together(("kind", "value"), IN_VALUES)
@together("name", SPELLINGS, ids=ascii)
def test_a_rule_for_a_name_applies_to_every_spelling_of_it(kind: Kind, value: bytes, name: bytes) -> None:
    policy = COMPOSING.accepting(LATIN) if kind is Kind.OUTSIDE_ACCEPTED_RANGE else COMPOSING
    normalizer = Normalizer(policy.rejecting(kind, on=Component.QUERY, names=["é"]))
    assert isinstance(total_and_lawful(normalizer, Target(query=name + b"=" + value)), Rejected)


HOSTILE = {
    "dots": b"/..", "percent": b"%", "dot run": b"....", "semicolons": b";", "ampersands": b"&",
    "equals": b"=", "raw octets": b"\xff", "brackets": b"[", "escapes": b"%C0%AF",
    "mixture": b"%00%zz<%E2%80%AE%u00e9;%C4&", "slashes": b"/", "spaces": b" ", "plus": b"+",
    "kept slashes": b"%2F..", "backslashes": b"\\..",
}  # fmt: skip


@together("preset", PRESETS)
@together("piece", HOSTILE.values(), ids=HOSTILE)
@together("component", [Component.PATH, Component.QUERY], ids=lambda each: each.value)
def test_law_1_long_hostile_targets_are_judged(preset: str, piece: bytes, component: Component) -> None:
    policy = PRESETS[preset].limiting(
        octets=100_000, segments=100_000, pairs=100_000, depth=100_000, name=100_000, value=100_000
    )
    octets = piece * (16_384 // len(piece))
    target = Target(b"/" + octets) if component is Component.PATH else Target(query=octets)
    outcome = total_and_lawful(Normalizer(policy), target)
    assert len(outcome.findings) <= 32
    assert isinstance(outcome, Accepted | Rejected)


def _query(octets: bytes) -> Target:
    return Target(query=octets)


UNLIMITED = dict.fromkeys(("octets", "segments", "pairs", "depth", "name", "value"), 10_000_000)


LONG: list[tuple[str, Policy, Callable[[bytes], Target], bytes]] = [
    ("drops in one segment", DROPPING, Target, b"a%00"),
    ("drops that end segments", DROPPING, Target, b"/a%00"),
    ("drops that empty segments", DROPPING, Target, b"/%00"),
    ("drops that leave dots", DROPPING, Target, b"/%00.%00"),
    ("marks on one letter", COMPOSING, Target, b"%CC%81"),
    ("marks in the wrong order", COMPOSING, Target, b"%CC%81%CC%A7"),
    ("letters to compose", COMPOSING, Target, b"e%CC%81"),
    ("names to compose", COMPOSING, _query, b"&e%CC%81=e%CC%81"),
    ("duplicates", Policy.STANDARD.repairing(Kind.DUPLICATE_NAME), _query, b"&a"),
    ("faulty names", Policy.STANDARD.rejecting(Kind.NUL, names=["a*"]), _query, b"&a|=|"),
    ("digits after a percent sign", STRAY, Target, b"%%34"),
    ("digits after a percent sign in a query", STRAY, _query, b"%%34"),
    ("raw octets", Policy.LENIENT, _query, b"\xff\xc3\xa9"),
    ("kept slashes", Policy.LENIENT, Target, b"a%2Fb"),
]


@pytest.mark.parametrize(
    ("policy", "target", "piece"), [each[1:] for each in LONG], ids=[each[0] for each in LONG]
)
def test_law_8_sixteen_times_as_long_takes_sixteen_times_the_steps(
    policy: Policy, target: Callable[[bytes], Target], piece: bytes
) -> None:
    normalizer = Normalizer(policy.limiting(**UNLIMITED))
    short, long = (target(b"/a" + piece * count) for count in (250, 4_000))
    assert steps(normalizer, long) <= 20 * steps(normalizer, short)

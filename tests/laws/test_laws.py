"""Laws 1 to 6 with random policies and random targets; law 8 by counting what a scan does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laws.checks import total_and_lawful
from laws.strategies import PRESETS, RULES, policies, targets, with_rule
from postel import Accepted, Component, Normalizer, Policy, Rejected, Target

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


@given(policy=policies(), rule=st.sampled_from(RULES), some=st.lists(targets, min_size=8, max_size=8))
def test_law_6_a_stricter_rule_never_accepts_what_was_refused(
    policy: Policy, rule, some: list[Target]
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
        if isinstance(before.examine(target), Rejected):
            assert isinstance(after.examine(target), Rejected), (kind, component, target)


HOSTILE = {
    "dots": b"/..", "percent": b"%", "dot run": b"....", "semicolons": b";", "ampersands": b"&", "equals": b"=",
    "raw octets": b"\xff", "brackets": b"[", "escapes": b"%C0%AF", "mixture": b"%00%zz<%E2%80%AE%u00e9;%C4&",
    "slashes": b"/", "spaces": b" ", "plus": b"+", "kept slashes": b"%2F..", "backslashes": b"\\..",
}  # fmt: skip


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("component", [Component.PATH, Component.QUERY], ids=lambda each: each.value)
def test_law_1_long_hostile_targets_are_judged(preset: str, piece: bytes, component: Component) -> None:
    policy = PRESETS[preset].limiting(
        octets=100_000, segments=100_000, pairs=100_000, depth=100_000, name=100_000, value=100_000
    )
    octets = piece * (16_384 // len(piece))
    target = Target(b"/" + octets) if component is Component.PATH else Target(query=octets)
    outcome = total_and_lawful(Normalizer(policy), target)
    assert len(outcome.findings) <= 32
    assert isinstance(outcome, Accepted | Rejected)

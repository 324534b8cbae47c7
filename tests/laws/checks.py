"""The laws as functions that raise if a target violates one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from types import FrameType

from postel import Accepted, Action, Component, Normalizer, Rejected, Target


def total_and_lawful(normalizer: Normalizer, target: Target) -> Accepted | Rejected:
    """Check laws 1 to 5 for one target."""
    outcome = normalizer.examine(target)
    agrees(normalizer, target, outcome)
    points(target, outcome)
    if isinstance(outcome, Accepted):
        is_idempotent(normalizer, outcome)
    else:
        assert any(finding.action is Action.REJECT for finding in outcome.findings), outcome
    return outcome


def agrees(normalizer: Normalizer, target: Target, outcome: Accepted | Rejected) -> None:
    """Check law 2: a proof accepts only targets for which the full judgement has no finding and no edit."""
    assert normalizer.normalize(target) == outcome, target
    if target.prefix or not normalizer.is_clean(target.path, target.query):
        return
    assert isinstance(outcome, Accepted), (target, outcome)
    assert outcome.findings == (), (target, outcome)
    assert replace(outcome.target, preserved=target.preserved) == target
    assert outcome.target.path_octets == replace(target, preserved=b"").path_octets


def points(target: Target, outcome: Accepted | Rejected) -> None:
    """Check law 5: the excerpt of a finding is at its offset in the received octets."""
    received = {Component.PATH: target.path, Component.QUERY: target.query}
    for finding in outcome.findings:
        octets = received[finding.component]
        assert octets[finding.offset : finding.offset + len(finding.excerpt)] == finding.excerpt, finding
        assert 0 <= finding.offset <= len(octets)
        text = str(finding)
        assert text.isascii()
        assert text.isprintable()


def is_idempotent(normalizer: Normalizer, outcome: Accepted) -> None:
    """Check laws 3 and 4: an accepted result is accepted again unchanged, with nothing left to edit."""
    again = normalizer.examine(outcome.target)
    assert isinstance(again, Accepted), (outcome, again)
    assert again.target == outcome.target, (outcome, again)
    for finding in again.findings:
        assert finding.action in {Action.REPORT, Action.PRESERVE}, (outcome, again)


class Steps:
    """Counts calls while it is the profile function."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        self.count += event in {"call", "c_call"}


def steps(normalizer: Normalizer, target: Target) -> int:
    return steps_of(lambda: normalizer.examine(target))


def repeated(shape: tuple[bytes, bytes, bytes], octets: int) -> bytes:
    """Join a front, as many pieces as fit into this number of octets, and an end."""
    front, piece, end = shape
    return front + piece * (octets // len(piece)) + end


def steps_of(act: Callable[[], object]) -> int:
    """Count the calls, of Python and of C, that a function makes."""
    counter = Steps()
    sys.setprofile(counter)
    try:
        act()
    finally:
        sys.setprofile(None)
    return counter.count

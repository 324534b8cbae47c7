"""Judging what was received: the normalizer's verdict, and what only the comparison of two views can tell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import final

from postel._catalogue import Finding, Kind
from postel._check import Action, Component
from postel._normalizer import Normalizer
from postel._policy import COMPONENTS
from postel._received import Received
from postel._report import Report
from postel._target import Accepted


@final
class Judge:
    """A normalizer for what servers hand over; never raises."""

    __slots__ = ("_enforced", "normalizer")

    def __init__(self, normalizer: Normalizer, *, enforced: bool) -> None:
        """``enforced`` is said in every report."""
        self.normalizer = normalizer
        self._enforced = enforced

    def report(self, received: Received, method: str, client: str) -> Report:
        """The report on one request."""
        outcome = self.normalizer.normalize(received.target)
        findings, omitted = outcome.findings, outcome.omitted
        if received.raw is not None:
            raw = self.normalizer.examine(received.raw)
            known = {finding.kind for finding in raw.findings}
            # The findings of the view point nowhere in what was received.
            findings = (
                *raw.findings,
                *(
                    replace(each, offset=0, excerpt=b"", detail="in the server's view")
                    for each in findings
                    if each.kind not in known or each.action is Action.REJECT
                ),
            )
            omitted += raw.omitted
        findings += tuple(self._of_views(received))
        refused = any(finding.action is Action.REJECT for finding in findings)
        target = outcome.target if isinstance(outcome, Accepted) and not refused else None
        return Report(
            received.seen,
            target,
            findings,
            omitted,
            received.prefix,
            received.verbatim,
            received.blind,
            self._enforced,
            method,
            client,
        )

    def _of_views(self, received: Received) -> Iterable[Finding]:
        if received.disagrees:
            yield from self._noted(Kind.VIEWS_DISAGREE, "")
        if received.replaced:
            yield from self._noted(Kind.ILL_FORMED_UTF8, "U+FFFD in the server's view")

    def _noted(self, kind: Kind, detail: str) -> Iterable[Finding]:
        action = self.normalizer.policy.table[COMPONENTS.index(Component.PATH)][kind.index]
        if action is not Action.ALLOW:
            yield Finding(kind, Component.PATH, 0, b"", action, None, detail)

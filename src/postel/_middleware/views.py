"""Judge two views of a target, the raw one and the server's decoded one, and combine their outcomes."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final, TypeAlias

from postel._alphabet.percent import percent_decode
from postel._alphabet.printable import quoted_octets
from postel._catalogue.check import Action, Component
from postel._catalogue.finding import EXCERPT, Finding
from postel._catalogue.kinds import Kind
from postel._http.received import Received
from postel._normalizer.routes import RoutedNormalizer
from postel._normalizer.target import Accepted, Rejected, Target
from postel._policy.policy import Policy

Outcome: TypeAlias = Accepted | Rejected

_LOSSY: Final = frozenset({Action.REPLACE, Action.DROP, Action.DROP_PAIR})


def judged_views(received: Received, normalizer: RoutedNormalizer, policy: Policy) -> tuple[Outcome, bool]:
    """Judge both views of a target, and a root_path that is not part of its path.

    Returns the outcome, and whether both views have the same result. ``policy`` is the policy of the route.
    """
    outcome = normalizer.normalize(received.target)
    views_agree, disagree = True, received.disagree
    if received.raw is not None:
        sent = normalizer.examine(received.raw)
        views_agree = _agree(sent, outcome)
        if views_agree:
            # The server made the same repair that the policy would make.
            outcome, disagree = sent, ()
        else:
            outcome = _combined(sent, outcome)
    more: list[Finding] = []
    if disagree:
        more += _unplaced(policy, Kind.VIEWS_DISAGREE, disagree)
    if received.replaced:
        more += _unplaced(policy, Kind.ILL_FORMED_UTF8, [Component.PATH], "replaced by U+FFFD")
    if received.mount:
        more += normalizer.examine(Target(b"", prefix=received.mount)).findings
        if isinstance(outcome, Accepted) and _is_cut(percent_decode(outcome.target.path), received.mount):
            more.append(_cut_prefix(received.mount))
    return (with_findings(outcome, more) if more else outcome), views_agree


def with_findings(outcome: Outcome, more: Iterable[Finding]) -> Outcome:
    """The outcome with more findings; Rejected if one of them rejects."""
    findings = (*outcome.findings, *more)
    if isinstance(outcome, Accepted) and not any(each.action is Action.REJECT for each in findings):
        return replace(outcome, findings=findings)
    return Rejected(findings, truncated=outcome.truncated)


def _is_cut(path: bytes, mount: bytes) -> bool:
    """Whether some reader cuts the root_path from a decoded path that does not include it.

    Quart and the WSGI bridges of asgiref and a2wsgi read ``/apiadmin`` as ``/admin`` under ``/api``, and
    Starlette reads ``/api/admin`` so, which a repair may have written. Litestar cuts the root_path anywhere.
    """
    return path.startswith(mount) or (mount in path and "litestar" in sys.modules)


def _cut_prefix(mount: bytes) -> Finding:
    return _about_prefix(f"{_shown(mount)} is not in front of the path, but some frameworks would cut it out")


def of_prefix(prefix: bytes, expected: str | None) -> Finding:
    """The finding about a prefix that is not the one of the setting ``prefix=``."""
    named = f"the server names {_shown(prefix) if prefix else 'no prefix'}"
    return _about_prefix(f"{named}; prefix= is {expected!a}")


def _about_prefix(detail: str) -> Finding:
    """The finding about a prefix. It has no excerpt, because the path need not contain the prefix."""
    return Finding(Kind.PREFIX_MISMATCH, Component.PATH, 0, b"", Action.REJECT, detail=detail)


def _shown(prefix: bytes) -> str:
    return quoted_octets(prefix[:EXCERPT])


def _agree(sent: Outcome, view: Outcome) -> bool:
    """Whether the raw view and the decoded view have the same result."""
    return (
        isinstance(sent, Accepted)
        and isinstance(view, Accepted)
        and sent.target.query == view.target.query
        and percent_decode(sent.target.path) == percent_decode(view.target.path)
    )


def _combined(sent: Outcome, view: Outcome) -> Outcome:
    """Combine two outcomes. A finding in the decoded view alone gets offset 0: its place is unknown."""
    known = {(each.kind, each.component, each.action) for each in sent.findings}
    shown = {(each.kind, each.component) for each in view.findings}
    findings = [
        # The server has already changed these octets, so dropping them from the raw target has no effect.
        replace(each, action=Action.REJECT, detail="the server's view hides it")
        if each.action in _LOSSY and (each.kind, each.component) not in shown
        else each
        for each in sent.findings
    ] + [
        replace(each, offset=0, excerpt=b"", detail="in the server's view")
        for each in view.findings
        if (each.kind, each.component, each.action) not in known
    ]
    truncated = sent.truncated or view.truncated
    return with_findings(replace(view, findings=(), truncated=truncated), findings)


def _unplaced(
    policy: Policy, kind: Kind, components: Iterable[Component], detail: str = ""
) -> Iterator[Finding]:
    """Yield a finding for each component, at offset 0, because the place is unknown."""
    for component in components:
        action = policy.action(kind, component)
        if action is Action.DROP:
            action = Action.REJECT  # the octets to drop are unknown
        yield Finding(kind, component, 0, b"", action, detail=detail)

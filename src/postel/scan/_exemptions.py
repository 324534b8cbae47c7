"""Exemptions: for a request that is refused, the narrowest clause that lets it pass and loses the least.

A clause is tried on the request before it is given. One that keeps what the application reads today comes
first; then one that drops the whole pair; then one that reads the path in another way. Clauses that take
single characters out of a text, or put others there, are never proposed: a search for another word is no
repair.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, final

from postel import Accepted, Action, Component, Finding, Kind, Normalizer, Policy, Rejected, Target
from postel._advice import Advice, Adviser, effect
from postel._octets import percent_decode
from postel.scan._tally import Excerpt, Place

_MOST: Final = 5
"""Names or routes up to which each gets a clause of its own."""
_RARE: Final = 0.02
"""Clauses for a smaller share of these requests are left out."""
_PREFIX: Final = re.compile(r"(?:/(?!\.{1,3}(?:/|\Z))[A-Za-z0-9._~-]+)+(?=/|\Z)")
"""The plain segments in front; three dots say that a route goes on."""
_NAME: Final = re.compile(r"\[.*\](?==)")
_ORDER: Final = (
    *(Action.PRESERVE, Action.REPAIR, Action.ALLOW, Action.REPORT),
    *(Action.DROP_PAIR, Action.REPAIR),
)
"""The first REPAIR is one that keeps what is read: it only escapes what stood bare."""
_KEEPING_REPAIR: Final = 1


@final
@dataclass(frozen=True, slots=True)
class Clause:
    """An exemption."""

    clause: str
    """In the text form of policies."""
    route: str
    """The prefix that it is for; empty where it is for all."""
    effect: str
    guarantee: str
    """What whoever adds it must then guarantee."""


@final
class Exempter:
    """Finds exemptions from one policy."""

    __slots__ = ("_adviser", "_normalizer", "policy")

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self._adviser = Adviser(policy)
        self._normalizer = Normalizer(policy)

    def refused(self, excerpts: Iterable[tuple[Excerpt, int]]) -> Iterator[tuple[Excerpt, int]]:
        """Those of some requests that are whole and refused."""
        for excerpt, count in excerpts:
            if excerpt.whole and isinstance(self._normalizer.normalize(target_of(excerpt)), Rejected):
                yield excerpt, count

    def clauses(self, tried: Iterable[tuple[Excerpt, int]]) -> dict[Place, list[Clause]]:
        """The clauses that refused requests need, for each reason that they are refused for."""
        votes: dict[Place, Counter[Clause]] = {}
        for excerpt, count in tried:
            for finding, clause in self.reasons(excerpt):
                if clause is not None:
                    votes.setdefault((finding.kind, finding.component), Counter())[clause] += count
        return {place: list(_chosen(counted)) for place, counted in votes.items()}

    def reasons(self, excerpt: Excerpt) -> Iterator[tuple[Finding, Clause | None]]:
        """Each reason to refuse a request, with the clause that would let it pass, if there is one."""
        target = target_of(excerpt)
        outcome = self._normalizer.normalize(target)
        advised = zip(outcome.findings, self._adviser.advise(target, outcome), strict=True)
        for finding, advice in advised:
            if finding.action is not Action.REJECT:
                continue
            route = _prefix(excerpt.route) if finding.component is Component.PATH else ""
            yield finding, self._clause(finding, advice, route, target, outcome)

    def _clause(
        self, finding: Finding, advice: list[Advice], route: str, target: Target, outcome: Accepted | Rejected
    ) -> Clause | None:
        if not advice:
            return None
        first = advice[0]
        subject, _, word = first.clause.rpartition("=")
        if word.isdigit():  # a limit
            return Clause(first.clause, "", first.effect, first.guarantee)
        found = self._best(finding, subject, target, outcome)
        if found is None:
            return None
        return Clause(f"{subject}={found.value}", route, effect(finding.kind, found), _asked(finding, found))

    def _best(
        self, finding: Finding, subject: str, target: Target, outcome: Accepted | Rejected
    ) -> Action | None:
        """The first action with which the finding's place refuses no longer, and nothing else instead."""
        supported = finding.kind.check.actions[finding.component]
        before = _rejecting(outcome) - {(finding.kind, finding.component)}
        for number, action in enumerate(_ORDER):
            # What cuts a fragment makes a search for C of one for C#.
            if action not in supported or (finding.kind is Kind.FRAGMENT and action is Action.REPAIR):
                continue
            # Without a name: other parameters may be refused for the same, and get a clause of their own.
            after = self._adviser.normalizer(_general(f"{subject}={action.value}")).normalize(target)
            if _rejecting(after) <= before and (
                number != _KEEPING_REPAIR or (isinstance(after, Accepted) and _keeps(target, after.target))
            ):
                return action
        return None


def target_of(excerpt: Excerpt) -> Target:
    """The target of a request that was kept."""
    path, _, query = excerpt.target.partition(b"?")
    return Target(path, query)


def _rejecting(outcome: Accepted | Rejected) -> set[Place]:
    return {(each.kind, each.component) for each in outcome.findings if each.action is Action.REJECT}


def _keeps(before: Target, after: Target) -> bool:
    """Whether both are the same octets once they are decoded."""
    return percent_decode(before.path) == percent_decode(after.path) and (
        _decoded(before.query) == _decoded(after.query)
    )


def _decoded(query: bytes) -> list[bytes]:
    return [percent_decode(each.replace(b"+", b" ")) for each in query.split(b"&")]


def _asked(finding: Finding, action: Action) -> str:
    check = finding.kind.check
    return "" if action is Action.PRESERVE else check.if_repaired if action.edits else check.if_allowed


def _chosen(votes: Counter[Clause]) -> Iterator[Clause]:
    """The clauses of one place that enough requests need."""
    least = _RARE * votes.total()
    chosen = [clause for clause, count in votes.most_common() if count >= least]
    if len(chosen) > _MOST:
        chosen = [Clause(_general(each.clause), "", each.effect, each.guarantee) for each in chosen]
    return _narrowed(chosen)


def _narrowed(chosen: Iterable[Clause]) -> Iterator[Clause]:
    """Clauses without those that another one makes needless, since it holds everywhere."""
    once = list(dict.fromkeys(chosen))
    everywhere = {each.clause for each in once if not each.route and each.clause == _general(each.clause)}
    for each in once:
        if _general(each.clause) not in everywhere or (each.clause in everywhere and not each.route):
            yield each


def _general(clause: str) -> str:
    return _NAME.sub("", clause)


def _prefix(route: str) -> str:
    match = _PREFIX.match(route)
    return match[0] if match else ""

"""Exemptions: for a refused request, the narrowest clause that accepts it and changes the least.

Each clause is tried on the request before it is suggested. Clauses that lose nothing come first: a charset
for a parameter, and clauses under which the application reads what it reads today. Clauses that drop the
whole pair or change the path come next. Two sorts of clauses are never suggested: those that drop or replace
single characters, because the application would then search for another word; and those that leave a fault
unchanged that only attacks and broken links have, such as a NUL character.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, final

from postel import Accepted, Action, Component, Finding, Kind, Normalizer, Policy, Rejected, Target
from postel._alphabet.percent import percent_decode
from postel._normalizer.advice import Advice, Adviser, effect, guarantee, refused_kinds
from postel.scan._tally import Excerpt, KindInComponent

_MOST: Final = 5
"""Up to this many names or routes get one clause each. If there are more, one clause covers all."""
_RARE: Final = 0.02
"""A clause is left out if a smaller share of the requests needs it."""
_PREFIX: Final = re.compile(r"(?:/(?!\.{1,3}(?:/|\Z))[A-Za-z0-9._~-]+)+(?=/|\Z)")
"""Matches the leading plain segments of a route; ``...`` stands for more segments."""
_NAME: Final = re.compile(r"\[.*\](?==)")
_CHARSET: Final = "charset["
"""The start of a clause for a charset."""
_ORDER: Final = (
    *(Action.PRESERVE, Action.REPAIR, Action.ALLOW, Action.REPORT),
    *(Action.DROP_PAIR, Action.REPAIR),
)
"""The actions in the order in which they are tried.

The first REPAIR is used only if the application then decodes the same octets as before.
"""
_KEEPING_REPAIR: Final = 1
"""The index of the first REPAIR."""


@final
@dataclass(frozen=True, slots=True)
class Exemption:
    """A clause that accepts refused requests, for a route or the whole application."""

    clause: str
    """The clause in the text form of policies."""
    route: str
    """The prefix of the paths to which the clause applies; empty for the whole application."""
    effect: str
    """What the clause does to the fault, in a few words."""
    guarantee: str
    """What the deployer must guarantee before using the clause."""

    @property
    def below(self) -> str:
        """The words that name the route after the clause; empty for the whole application."""
        return f" below {self.route}" if self.route else ""


@final
class Exempter:
    """Finds exemptions from one policy."""

    __slots__ = ("_adviser", "_normalizer", "policy")

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self._adviser = Adviser(policy)
        self._normalizer = Normalizer(policy)

    def refused(self, excerpts: Iterable[tuple[Excerpt, int]]) -> Iterator[tuple[Excerpt, int]]:
        """Yield the requests that are complete and refused."""
        for excerpt, count in excerpts:
            if excerpt.whole and isinstance(self._normalizer.normalize(target_of(excerpt)), Rejected):
                yield excerpt, count

    def clauses(self, tried: Iterable[tuple[Excerpt, int]]) -> dict[KindInComponent, list[Exemption]]:
        """Return the clauses that refused requests need, by kind and component."""
        votes: dict[KindInComponent, Counter[Exemption]] = {}
        for excerpt, count in tried:
            for finding, clause in self.reasons(excerpt):
                if clause is not None:
                    votes.setdefault((finding.kind, finding.component), Counter())[clause] += count
        return {place: list(self._chosen(_by_charset(counted))) for place, counted in votes.items()}

    def _chosen(self, votes: Counter[Exemption]) -> Iterator[Exemption]:
        """Yield the clauses for one kind and component that enough requests need."""
        least = _RARE * votes.total()
        chosen = [clause for clause, count in votes.most_common() if count >= least]
        if len(chosen) > _MOST:
            chosen = [self._for_all(each) for each in chosen]
        return _narrowed(chosen)

    def _for_all(self, clause: Exemption) -> Exemption:
        """Return a clause for all names and routes, or as it is if that would undo rules for names."""
        general = _general(clause.clause)
        if self._adviser.normalizer(general) is None:
            return clause
        return Exemption(general, "", clause.effect, clause.guarantee)

    def reasons(self, excerpt: Excerpt) -> Iterator[tuple[Finding, Exemption | None]]:
        """Yield each reason for the refusal, with the clause that would accept it or ``None``."""
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
    ) -> Exemption | None:
        if not advice:
            return None
        first = advice[0]
        subject, _, word = first.clause.rpartition("=")
        if word.isdigit() or subject.startswith(_CHARSET):
            # A clause for a limit or a charset has no other action to try. ``Adviser`` has tried the clause.
            return Exemption(first.clause, "", first.effect, first.guarantee)
        found = self._best(finding, subject, target, outcome)
        if found is None:
            return None
        return Exemption(
            f"{subject}={found.value}", route, effect(finding.kind, found), guarantee(finding.kind, found)
        )

    def _best(
        self, finding: Finding, subject: str, target: Target, outcome: Accepted | Rejected
    ) -> Action | None:
        """Return the first action that removes this reason for the refusal and adds no other."""
        supported = finding.kind.check.actions[finding.component]
        before = refused_kinds(outcome.findings) - {(finding.kind, finding.component)}
        for number, action in enumerate(_ORDER):
            # Cutting a fragment would turn a search for C# into one for C.
            if action not in supported or (finding.kind is Kind.FRAGMENT and action is Action.REPAIR):
                continue
            if not action.edits and finding.component in finding.kind.check.never_meant:
                continue
            # Try it for all names, because other parameters with the same fault get clauses of their own.
            clause = f"{subject}={action.value}"
            normalizer = self._adviser.normalizer(_general(clause), clause)
            after = outcome if normalizer is None else normalizer.normalize(target)
            if refused_kinds(after.findings) <= before and (
                number != _KEEPING_REPAIR or (isinstance(after, Accepted) and _keeps(target, after.target))
            ):
                return action
        return None


def target_of(excerpt: Excerpt) -> Target:
    """Return the target of an excerpt."""
    path, _, query = excerpt.target.partition(b"?")
    return Target(path, query)


def _keeps(before: Target, after: Target) -> bool:
    """Whether both targets decode to the same octets."""
    return percent_decode(before.path) == percent_decode(after.path) and (
        _decoded(before.query) == _decoded(after.query)
    )


def _decoded(query: bytes) -> list[bytes]:
    return [percent_decode(each.replace(b"+", b" ")) for each in query.split(b"&")]


def _by_charset(votes: Counter[Exemption]) -> Counter[Exemption]:
    """Suggest one clause for a parameter: the charset that fits most of its requests."""
    named = {_name_of(each.clause): each for each in votes if each.clause.startswith(_CHARSET)}
    given: Counter[Exemption] = Counter()
    for clause, count in votes.items():
        charset = named.get(_name_of(clause.clause), clause)
        given[charset if votes[charset] >= count else clause] += count
    return given


def _name_of(clause: str) -> str:
    match = _NAME.search(clause)
    return match.group() if match else ""


def _narrowed(chosen: Iterable[Exemption]) -> Iterator[Exemption]:
    """Leave out clauses that another clause without a route already covers."""
    once = list(dict.fromkeys(chosen))
    everywhere = {each.clause for each in once if not each.route and each.clause == _general(each.clause)}
    for each in once:
        if _general(each.clause) not in everywhere or (each.clause in everywhere and not each.route):
            yield each


def _general(clause: str) -> str:
    """Return the clause for all names: without names in brackets, or with ``[*]`` if it is for a charset."""
    return _NAME.sub("[*]" if clause.startswith(_CHARSET) else "", clause)


def _prefix(route: str) -> str:
    match = _PREFIX.match(route)
    return match[0] if match else ""

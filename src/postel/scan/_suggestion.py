"""A suggestion: the policy with the exemptions that people need, each as narrow as the requests allow.

Every clause has been tried on the requests that it is for.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, final

from postel import Accepted, Action, Component, Normalizer, Policy, Target
from postel._advice import Advice, Adviser
from postel.scan._tally import Excerpt, Place, Row

_TRIED: Final = 64
"""Requests of each row that clauses are looked for in."""
_MOST: Final = 5
"""Names or routes up to which each gets a clause of its own."""
_RARE: Final = 0.02
"""Clauses for a smaller share of these requests are left out."""
_PREFIX: Final = re.compile(r"(?:/(?!\.{1,2}(?:/|\Z))[A-Za-z0-9._~-]+)+(?=/|\Z)")
_NAME: Final = re.compile(r"\[.*\](?==)")


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
@dataclass(frozen=True, slots=True)
class Suggestion:
    """A policy to begin with, and the routes that need another one."""

    policy: str
    routes: dict[str, str] = field(default_factory=dict[str, str])
    """By prefix, the text of its policy: ``routes=`` of the middleware."""
    clauses: list[Clause] = field(default_factory=list[Clause])
    tried: int = 0
    """Refused requests, probably of people, that the suggestion was tried on."""
    passing: int = 0
    """Those of them that it lets pass."""

    @property
    def code(self) -> str:
        """What to paste into the application."""
        routes = "".join(f'    "{route}": Policy.parse({text!r}),\n' for route, text in self.routes.items())
        return f"policy = Policy.parse({self.policy!r})" + (f"\nroutes = {{\n{routes}}}" if routes else "")


def suggest(policy: Policy, rows: Iterable[tuple[Place, Row]]) -> Suggestion:
    """The policy with what lets pass the requests of these rows."""
    adviser, normalizer = Adviser(policy), Normalizer(policy)
    found: dict[tuple[str, str], Clause] = {}
    refused: list[tuple[Excerpt, int]] = []
    for place, row in rows:
        tried = list(islice(_refused(row, normalizer), _TRIED))
        refused += tried
        for clause in _clauses(place, tried, adviser, normalizer):
            found[clause.route, clause.clause] = clause
    clauses = list(found.values())
    text = " ".join([str(policy), *(each.clause for each in clauses if not each.route)])
    everywhere = Policy.parse(text)
    routes = {
        route: Policy.parse(" ".join([text, *(each.clause for each in clauses if each.route == route)]))
        for route in sorted({each.route for each in clauses if each.route})
    }
    return Suggestion(
        str(everywhere),
        {route: str(each) for route, each in routes.items()},
        clauses,
        sum(count for _, count in refused),
        _passing(refused, Normalizer(everywhere), {each: Normalizer(routes[each]) for each in routes}),
    )


def _refused(row: Row, normalizer: Normalizer) -> Iterator[tuple[Excerpt, int]]:
    for excerpt, count in row.excerpts:
        if excerpt.whole and not isinstance(normalizer.normalize(_target(excerpt)), Accepted):
            yield excerpt, count


def _target(excerpt: Excerpt) -> Target:
    path, _, query = excerpt.target.partition(b"?")
    return Target(path, query)


def _clauses(
    place: Place, tried: list[tuple[Excerpt, int]], adviser: Adviser, normalizer: Normalizer
) -> Iterator[Clause]:
    votes: Counter[Clause] = Counter()
    for excerpt, count in tried:
        target = _target(excerpt)
        route = _prefix(excerpt.route) if place[1] is Component.PATH else ""
        for advice in _advice(place, target, adviser, normalizer):
            votes[Clause(advice.clause, route, advice.effect, advice.guarantee)] += count
    least = _RARE * votes.total()
    chosen = [clause for clause, count in votes.most_common() if count >= least]
    if len(chosen) > _MOST:
        chosen = [Clause(_general(each.clause), "", each.effect, each.guarantee) for each in chosen]
    # One that holds everywhere makes those for single names or routes needless.
    everywhere = {each.clause for each in chosen if not each.route and each.clause == _general(each.clause)}
    for each in dict.fromkeys(chosen):
        if _general(each.clause) not in everywhere or (each.clause in everywhere and not each.route):
            yield each


def _general(clause: str) -> str:
    return _NAME.sub("", clause)


def _advice(place: Place, target: Target, adviser: Adviser, normalizer: Normalizer) -> Iterator[Advice]:
    outcome = normalizer.normalize(target)
    for finding, advice in zip(outcome.findings, adviser.advise(target, outcome), strict=True):
        if (finding.kind, finding.component) == place and finding.action is Action.REJECT and advice:
            yield advice[-1]  # an edit, where there is one: what stands behind then reads nothing odd


def _prefix(route: str) -> str:
    match = _PREFIX.match(route)
    return match[0] if match else ""


def _passing(
    refused: Iterable[tuple[Excerpt, int]], everywhere: Normalizer, routes: dict[str, Normalizer]
) -> int:
    passing = 0
    for excerpt, count in refused:
        target = _target(excerpt)
        path = target.path.decode("latin-1")
        below = [route for route in routes if path == route or path.startswith(f"{route}/")]
        normalizer = routes[max(below, key=len)] if below else everywhere
        if isinstance(normalizer.normalize(target), Accepted):
            passing += count
    return passing

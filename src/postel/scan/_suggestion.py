"""A suggestion: the policy with the exemptions that people need, each as narrow as the requests allow.

It is tried on the requests that it is for. Where these are a sample, what is said of all of them is an
estimate, and says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Final, TypeAlias, final

from postel import Accepted, Normalizer, Policy
from postel.scan._exemptions import Clause, Exempter, target_of
from postel.scan._tally import Excerpt, Row

_TRIED: Final = 64
"""Requests of each row that clauses are looked for in."""

Rows: TypeAlias = Sequence[Row]
"""Requests that are refused, each in one row."""


@final
@dataclass(frozen=True, slots=True)
class Suggestion:
    """A policy to begin with, and the routes that need another one."""

    policy: str
    routes: dict[str, str] = field(default_factory=dict[str, str])
    """By prefix, the text of its policy: ``routes=`` of the middleware."""
    clauses: list[Clause] = field(default_factory=list[Clause])
    people: int = 0
    """Refused requests that look like people's."""
    tried: int = 0
    """Those of them that the suggestion was tried on."""
    passing: int = 0
    """Those of the tried ones that it lets pass."""
    estimate: int = 0
    """Those of all of them that it lets pass: counted where all were tried, else estimated."""
    unclear: int = 0
    """Refused requests that may be anybody's; nothing in the policy is for them."""
    if_yours: list[Clause] = field(default_factory=list[Clause])
    """The clauses that would let these pass, for whoever knows that they are legitimate."""

    @property
    def is_exact(self) -> bool:
        """Whether it was tried on all requests that it is for."""
        return self.tried == self.people

    @property
    def code(self) -> str:
        """What to paste into the application."""
        routes = "".join(f'    "{route}": Policy.parse({text!r}),\n' for route, text in self.routes.items())
        return f"policy = Policy.parse({self.policy!r})" + (f"\nroutes = {{\n{routes}}}" if routes else "")


def suggest(policy: Policy, people: Rows, unclear: Rows) -> Suggestion:
    """The policy with what lets pass the requests of people, and what else would be needed."""
    exempter = Exempter(policy)
    clauses = _clauses(exempter, people)
    text = " ".join([str(policy), *(each.clause for each in clauses if not each.route)])
    everywhere = Policy.parse(text)
    routes = {
        route: Policy.parse(" ".join([text, *(each.clause for each in clauses if each.route == route)]))
        for route in sorted({each.route for each in clauses if each.route})
    }
    normalizers = {route: Normalizer(each) for route, each in routes.items()}
    tried = passing = 0
    estimate = 0.0
    for row in people:
        sample = [(excerpt, count) for excerpt, count in row.excerpts if excerpt.whole]
        count = sum(count for _, count in sample)
        passed = _passing(sample, Normalizer(everywhere), normalizers)
        tried += count
        passing += passed
        estimate += row.requests * passed / max(1, count)
    return Suggestion(
        str(everywhere),
        {route: str(each) for route, each in routes.items()},
        clauses,
        sum(row.requests for row in people),
        tried,
        passing,
        round(estimate),
        sum(row.requests for row in unclear),
        [each for each in _clauses(exempter, unclear) if each not in clauses],
    )


def _clauses(exempter: Exempter, rows: Rows) -> list[Clause]:
    found: dict[tuple[str, str], Clause] = {}
    for row in rows:
        clauses = exempter.clauses(islice(exempter.refused(row.excerpts), _TRIED))
        for clause in chain.from_iterable(clauses.values()):
            found[clause.route, clause.clause] = clause
    return list(found.values())


def _passing(
    refused: Sequence[tuple[Excerpt, int]], everywhere: Normalizer, routes: dict[str, Normalizer]
) -> int:
    passing = 0
    for excerpt, count in refused:
        target = target_of(excerpt)
        path = target.path.decode("latin-1")
        below = [route for route in routes if path == route or path.startswith(f"{route}/")]
        normalizer = routes[max(below, key=len)] if below else everywhere
        if isinstance(normalizer.normalize(target), Accepted):
            passing += count
    return passing

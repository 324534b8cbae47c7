"""A suggested policy: the given policy with the narrowest exemptions that accept people's requests.

The suggestion is tried on these requests. If only a sample of them was kept, the figures for all requests are
estimates and marked as such.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Final, TypeAlias, final

from postel import Accepted, Normalizer, Policy
from postel.scan._exemptions import Exempter, Exemption, target_of
from postel.scan._tally import Excerpt, Row

_TRIED: Final = 64
"""At most this many refused requests of each row are asked which clauses they need."""

Rows: TypeAlias = Sequence[Row]
"""Rows of refused requests; each request is in one row."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """The suggested policy, and policies for the routes that need another one."""

    policy: str
    """The suggested policy, in text form."""
    routes: dict[str, str]
    """The policies of routes in text form, by prefix of the path, for ``routes=`` of the middleware."""
    clauses: list[Exemption]
    """The clauses that the suggestion adds."""
    people: int
    """How many refused requests are probably from people."""
    tried: int
    """How many of people's refused requests the suggestion was tried on."""
    passing: int
    """How many of the tried requests the suggestion accepts."""
    estimate: int
    """How many of people's requests the suggestion accepts; an estimate unless all were tried."""
    unclear: int
    """How many refused requests are unclear; the policy does not exempt them."""
    if_yours: list[Exemption]
    """The clauses that would accept the unclear requests, if you know that they are legitimate."""

    @property
    def is_exact(self) -> bool:
        """Whether the suggestion was tried on all requests that are probably from people."""
        return self.tried == self.people

    @property
    def code(self) -> str:
        """Python code to paste into the application."""
        routes = "".join(f'    "{route}": Policy.parse({text!r}),\n' for route, text in self.routes.items())
        return f"policy = Policy.parse({self.policy!r})" + (f"\nroutes = {{\n{routes}}}" if routes else "")


def suggest(policy: Policy, people: Rows, unclear: Rows) -> Suggestion:
    """Suggest a policy that accepts people's requests, and clauses for unclear ones."""
    exempter = Exempter(policy)
    clauses = _clauses(exempter, people)
    # A clause for all names would undo one for single names in front of it.
    added = sorted((each.clause for each in clauses if not each.route), key=lambda clause: "[" in clause)
    text = " ".join([str(policy), *added])
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
        policy=str(everywhere),
        routes={route: str(each) for route, each in routes.items()},
        clauses=clauses,
        people=sum(row.requests for row in people),
        tried=tried,
        passing=passing,
        estimate=round(estimate),
        unclear=sum(row.requests for row in unclear),
        if_yours=[each for each in _clauses(exempter, unclear) if each not in clauses],
    )


def _clauses(exempter: Exempter, rows: Rows) -> list[Exemption]:
    found: dict[tuple[str, str], Exemption] = {}
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

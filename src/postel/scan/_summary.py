"""A summary of a tally: the figures of the report, in the order in which they are shown.

All texts hold plain data without markup. Received octets are text with one character U+0000 to U+00FF for
each octet.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Final, final

from postel import Policy
from postel.scan._conclusion import conclusion
from postel.scan._exemptions import Exempter
from postel.scan._kind_rows import POLICIES, KindRow, kind_row_of
from postel.scan._line import Unreadable
from postel.scan._refusals import Refusal, refusals
from postel.scan._sender import PEOPLE, SENDERS, UNCLEAR, settled
from postel.scan._suggestion import Suggestion, suggest
from postel.scan._tally import KindInComponent, Row, Tally

_EXAMPLES: Final = 3
_ROUTES: Final = 10
"""How many routes are shown."""
_UNREAD: Final = 0.1
"""A log is readable if at most this share of its lines could not be read."""


@final
@dataclass(frozen=True, slots=True)
class Route:
    """What the policy would change below one route."""

    route: str
    refused: int
    redirected: int
    edited: int


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The figures of a tally.

    >>> from postel.scan import Tally
    >>> Summary.of(Tally()).refused
    {'policy': 0, 'strict': 0, 'standard': 0, 'lenient': 0}
    """

    policy: str
    """The policy, in text form."""
    lines: int
    """How many lines are not empty."""
    requests: int
    """How many of these were read as requests."""
    clean: int
    """How many requests have no findings under the policy."""
    clients: int
    """How many addresses sent requests."""
    clients_exact: bool
    """Whether clients are counted exactly; otherwise they are estimated from a sample."""
    edited: int
    """How many requests the policy accepts after edits."""
    refused: dict[str, int]
    """How many requests each policy would refuse."""
    redirected: dict[str, int]
    """How many requests each policy would redirect to the same path with its slashes merged."""
    refused_senders: dict[str, int]
    """The refused requests by sender: ``people``, ``unclear``, ``scanners``."""
    unreadable: dict[str, int]
    """How many lines are not requests, by reason."""
    unreadable_examples: list[dict[str, str]]
    """Some of these lines, clipped, each with its reason."""
    formats: dict[str, int]
    """How many lines each format has."""
    blind: dict[str, list[str]]
    """The kinds that each format cannot show."""
    hides: dict[str, list[str]]
    """What else each format does not show, in words."""
    routes: list[Route]
    """The routes with the most changes."""
    routes_left_out: str
    """How many more routes there are, in words; empty if all are shown."""
    kinds: list[KindRow]
    """The findings by kind and component, the most refused first."""
    refusals: list[Refusal]
    """Some refused requests in full: those probably from people first, then unclear ones."""
    suggestion: Suggestion
    """The policy with exemptions for requests that are probably from people."""

    @classmethod
    def of(cls, tally: Tally) -> Summary:
        """Return the summary of a tally."""
        exempter = Exempter(Policy.parse(tally.policy))
        places = {*tally.rows, *(reason[1:] for reason in (*tally.would_refuse, *tally.would_redirect))}
        kinds = [kind_row_of(place, tally, exempter) for place in places]
        kinds.sort(key=_importance)
        groups: dict[str, list[Row]] = {sender: [] for sender in SENDERS}
        for (_, sender), row in sorted(tally.refusals.items(), key=_order):
            groups[settled(sender, row)].append(row)
        routes = _routes(tally)
        return cls(
            policy=tally.policy,
            lines=tally.lines,
            requests=tally.requests,
            clean=tally.clean,
            clients=tally.clients.distinct,
            clients_exact=tally.clients.is_whole,
            edited=tally.edited,
            refused={name: tally.refused[name] for name in POLICIES},
            redirected={name: tally.redirected[name] for name in POLICIES},
            refused_senders={sender: sum(row.requests for row in rows) for sender, rows in groups.items()},
            unreadable=_ordered(tally.unreadable),
            unreadable_examples=[
                {"reason": reason, "line": line.decode("latin-1")} for (reason, line), _ in tally.unread
            ][:_EXAMPLES],
            formats=_ordered(tally.formats),
            blind=_blind(tally),
            hides=_hides(tally),
            routes=routes[:_ROUTES],
            routes_left_out=_left_out(len(routes) - _ROUTES, tally),
            kinds=kinds,
            refusals=refusals(exempter, [(sender, groups[sender]) for sender in (PEOPLE, UNCLEAR)]),
            suggestion=suggest(exempter.policy, groups[PEOPLE], groups[UNCLEAR]),
        )

    @property
    def outcomes(self) -> dict[str, int]:
        """The requests by outcome; each request has one outcome."""
        refused, redirected = self.refused["policy"], self.redirected["policy"]
        return {
            "clean": self.clean,
            "reported": self.requests - self.clean - self.edited - redirected - refused,
            "edited": self.edited,
            "redirected": redirected,
            "refused": refused,
        }

    @property
    def cut_off(self) -> int:
        """How many compressed logs are damaged."""
        return self.unreadable.get(Unreadable.CUT_OFF.value, 0)

    @property
    def unread(self) -> int:
        """How many lines could not be read; they may or may not be requests."""
        known = self.cut_off + self.unreadable.get(Unreadable.NO_REQUEST.value, 0)
        return sum(self.unreadable.values()) - known

    @property
    def is_mostly_unread(self) -> bool:
        """Whether an unusually large share of the lines could not be read."""
        return self.unread > _UNREAD * self.lines

    @property
    def is_readable(self) -> bool:
        """Whether enough was read to suggest a policy."""
        return not self.cut_off and not self.is_mostly_unread

    @property
    def code(self) -> str:
        """The suggestion as Python code; empty if too little was read."""
        return self.suggestion.code if self.requests and self.is_readable else ""

    def as_json(self) -> dict[str, object]:
        """The summary as one object for ``json.dumps``."""
        return {**asdict(self), "code": self.code, "conclusion": list(conclusion(self))}


def _routes(tally: Tally) -> list[Route]:
    counted: dict[str, Counter[str]] = {}
    for (outcome, route), count in tally.changes:
        counted.setdefault(route, Counter())[outcome] += count
    routes = [
        Route(route, counts["refused"], counts["redirected"], counts["edited"])
        for route, counts in counted.items()
    ]
    return sorted(routes, key=lambda each: (-each.refused, -each.redirected, -each.edited, each.route))


def _left_out(more: int, tally: Tally) -> str:
    if not tally.changes.is_whole:
        return f"more than {tally.changes.most:,} routes; others are not counted, even if they are frequent"
    return f"{more:,} more route{'s' * (more > 1)}" if more > 0 else ""


def _blind(tally: Tally) -> dict[str, list[str]]:
    blind: dict[str, list[str]] = {}
    for format_, kind in sorted(tally.blind, key=lambda each: (each[0], each[1].index)):
        blind.setdefault(format_, []).append(kind.slug)
    return blind


def _hides(tally: Tally) -> dict[str, list[str]]:
    hides: dict[str, list[str]] = {}
    for format_, words in sorted(tally.hides):
        hides.setdefault(format_, []).append(words)
    return hides


def _importance(row: KindRow) -> tuple[int, int, int, str, str]:
    refused, redirected = row.refused_by["policy"], row.redirected_by["policy"]
    return -refused, -redirected, -row.requests, row.kind, row.component


def _order(refusal: tuple[tuple[KindInComponent, str], Row]) -> tuple[int, str, str]:
    (kind, component), sender = refusal[0]
    return kind.index, component.value, sender


def _ordered(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0])))

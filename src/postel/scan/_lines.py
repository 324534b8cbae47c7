"""Lines of a report: what there is to tell of one kind in one component."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import Final, final

from postel import Action
from postel.scan._counting import PRESETS
from postel.scan._exemptions import Clause, Exempter
from postel.scan._likeness import evidence, hits
from postel.scan._line import ABSENT
from postel.scan._senders import SENDERS
from postel.scan._tally import Excerpt, Place, Row, Tally

POLICIES: Final = ("policy", *PRESETS)
"""The names of the policies that are judged by: the one that was asked for, and the presets."""
_TOP: Final = 5
_EXAMPLES: Final = 3
_TRIED: Final = 32
"""Requests of each row that exemptions are looked for in."""


@final
@dataclass(frozen=True, slots=True)
class Top:
    """One of the most frequent texts of a row."""

    text: str
    requests: int


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One kind in one component."""

    kind: str
    component: str
    summary: str
    requests: int
    """The requests in which the policy notes it; 0 where only a preset would refuse it."""
    share: float
    """Of all requests, from 0 to 1."""
    actions: dict[str, int]
    refused_by: dict[str, int]
    """By policy, the requests that it would refuse for this."""
    redirected_by: dict[str, int]
    """By policy, the requests that it would redirect for this."""
    clients: int
    clients_exact: bool
    hits: dict[str, int]
    """By whose they look like (``people``, ``unclear``, ``scanners``), the requests."""
    who: str
    """Whose most of them look like."""
    reason: str
    """What the log tells of them."""
    sent_by: str
    """Who usually sends this; empty where that is not known."""
    exemptions: list[Clause]
    """What would let the refused and the redirected ones pass as they are, each as narrow as can be."""
    tops_exact: bool
    """Whether routes, agents and referers are counted; else estimated from a sample."""
    routes: list[Top]
    agents: list[Top]
    referers: list[Top]
    examples: list[str]


def line_of(place: Place, tally: Tally, exempter: Exempter) -> Line:
    """The line of a place."""
    kind, component = place
    row = tally.rows.get(place, Row())
    whose = hits(row)
    tried = islice(exempter.refused(row.excerpts), _TRIED)
    return Line(
        kind=kind.slug,
        component=component.value,
        summary=kind.check.summary,
        requests=row.requests,
        share=row.requests / max(1, tally.requests),
        actions={action.value: row.actions[action] for action in Action if row.actions[action]},
        refused_by={name: tally.would_refuse[name, kind, component] for name in POLICIES},
        redirected_by={name: tally.would_redirect[name, kind, component] for name in POLICIES},
        clients=row.clients.distinct,
        clients_exact=row.clients.is_whole,
        hits=whose,
        who=max(whose, key=lambda who: whose[who]),
        reason=evidence(row),
        sent_by=SENDERS.get(kind, ""),
        exemptions=exempter.clauses(tried).get(place, []),
        tops_exact=row.excerpts.is_whole,
        routes=_top(row, _route),
        agents=_top(row, _agent),
        referers=_top(row, _referer),
        examples=_examples(row),
    )


def _route(excerpt: Excerpt) -> str:
    return excerpt.route


def _agent(excerpt: Excerpt) -> str:
    return _present(excerpt.agent)


def _referer(excerpt: Excerpt) -> str:
    return _present(excerpt.referer)


def _present(octets: bytes) -> str:
    return "" if octets in ABSENT else octets.decode("latin-1")


def _top(row: Row, text_of: Callable[[Excerpt], str]) -> list[Top]:
    """The most frequent texts, counted in what is kept; where that is a sample, scaled to all requests."""
    counts: Counter[str] = Counter()
    kept = 0
    for excerpt, count in row.excerpts:
        kept += count
        if text := text_of(excerpt):
            counts[text] += count
    scale = 1.0 if row.excerpts.is_whole else row.requests / max(1, kept)
    top = sorted(counts.items(), key=lambda each: (-each[1], each[0]))[:_TOP]
    return [Top(text, round(count * scale)) for text, count in top]


def _examples(row: Row) -> list[str]:
    """A few targets, of different routes if there are any."""
    targets: dict[str, list[str]] = {}
    for excerpt, _ in row.excerpts:
        targets.setdefault(excerpt.route, []).append(excerpt.target.decode("latin-1"))
    firsts = [found[0] for found in targets.values()]
    others = [target for found in targets.values() for target in found[1:]]
    return list(dict.fromkeys(firsts + others))[:_EXAMPLES]

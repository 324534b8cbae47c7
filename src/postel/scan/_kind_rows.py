"""Rows of a report: all figures for one kind in one component."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import Final, final

from postel import Action
from postel.scan._exemptions import Exempter, Exemption
from postel.scan._judging import PRESETS
from postel.scan._line import ABSENT
from postel.scan._sender import evidence, senders
from postel.scan._tally import Excerpt, KindInComponent, Row, Tally
from postel.scan._usual_senders import USUAL_SENDERS

POLICIES: Final = ("policy", *PRESETS)
"""The names of the policies that judge: the selected one and the presets."""
_TOP: Final = 5
_EXAMPLES: Final = 3
_TRIED: Final = 32
"""How many requests of each row are searched for exemptions."""


@final
@dataclass(frozen=True, slots=True)
class Top:
    """One of the most frequent texts of a row."""

    text: str
    requests: int


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class KindRow:
    """One kind in one component."""

    kind: str
    component: str
    summary: str
    requests: int
    """The requests in which the policy finds the fault; 0 if only a preset would refuse it."""
    share: float
    """The share of all requests, from 0 to 1."""
    actions: dict[str, int]
    refused_by: dict[str, int]
    """The requests that each policy would refuse for the fault."""
    redirected_by: dict[str, int]
    """The requests that each policy would redirect for the fault."""
    clients: int
    clients_exact: bool
    senders: dict[str, int]
    """The requests by sender: ``people``, ``unclear``, ``scanners``."""
    main_sender: str
    """The sender of most requests."""
    reason: str
    """What the log shows about the requests."""
    sent_by: str
    """Who usually sends the fault; empty if unknown."""
    exemptions: list[Exemption]
    """The narrowest clauses that would accept the refused and redirected requests."""
    tops_exact: bool
    """Whether routes, agents and referers are counted exactly; otherwise they are estimated from a sample."""
    routes: list[Top]
    agents: list[Top]
    referers: list[Top]
    examples: list[str]


def kind_row_of(place: KindInComponent, tally: Tally, exempter: Exempter) -> KindRow:
    """Return the row for a kind in a component."""
    kind, component = place
    row = tally.rows.get(place, Row())
    by_sender = senders(row)
    tried = islice(exempter.refused(row.excerpts), _TRIED)
    return KindRow(
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
        senders=by_sender,
        main_sender=max(by_sender, key=lambda sender: by_sender[sender]),
        reason=evidence(row),
        sent_by=USUAL_SENDERS.get(kind, ""),
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
    return field_text(excerpt.agent)


def _referer(excerpt: Excerpt) -> str:
    return field_text(excerpt.referer)


def field_text(octets: bytes) -> str:
    """Return a field of a log as text; empty if the log has none."""
    return "" if octets in ABSENT else octets.decode("latin-1")


def _top(row: Row, text_of: Callable[[Excerpt], str]) -> list[Top]:
    """Return the most frequent texts; counts in a sample are scaled to all requests."""
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
    """Return a few targets, from different routes if possible."""
    targets: dict[str, list[str]] = {}
    for excerpt, _ in row.excerpts:
        targets.setdefault(excerpt.route, []).append(excerpt.target.decode("latin-1"))
    firsts = [found[0] for found in targets.values()]
    others = [target for found in targets.values() for target in found[1:]]
    return list(dict.fromkeys(firsts + others))[:_EXAMPLES]

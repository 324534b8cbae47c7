"""A summary of a tally: the figures of the report, in the order in which they are shown.

All its texts are data. What was received is text with a character of U+0000 to U+00FF for each octet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Final, final

from postel import Action, Component, Kind, Policy
from postel.scan._counting import PRESETS
from postel.scan._guess import PEOPLE, guess
from postel.scan._line import ABSENT
from postel.scan._suggestion import Suggestion, suggest
from postel.scan._tally import Excerpt, Place, Row, Tally

_TOP: Final = 5
_EXAMPLES: Final = 3
POLICIES: Final = ("policy", *PRESETS)
"""The names of the policies that are judged by: the one that was asked for, and the presets."""


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
    clients: int
    clients_exact: bool
    who: str
    reason: str
    tops_exact: bool
    """Whether routes, agents and referers are counted; else estimated from a sample."""
    routes: list[Top]
    agents: list[Top]
    referers: list[Top]
    examples: list[str]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What there is to tell of a tally.

    >>> from postel.scan import Tally
    >>> Summary.of(Tally()).refused
    {'policy': 0, 'strict': 0, 'standard': 0, 'lenient': 0}
    """

    policy: str
    """The text form of the policy that was judged by."""
    lines: int
    """How many lines have something in them."""
    requests: int
    """How many of these were read as requests."""
    clean: int
    """How many requests the policy notes nothing in."""
    clients: int
    """How many addresses requests came from."""
    clients_exact: bool
    """Whether they are counted; else estimated from a sample."""
    refused: dict[str, int]
    """By policy, how many requests it would refuse."""
    unreadable: dict[str, int]
    """By reason, how many lines were read as no request."""
    unreadable_examples: list[dict[str, str]]
    """Some of these, clipped, each with its reason."""
    formats: dict[str, int]
    """By format, how many lines are written in it."""
    blind: dict[str, list[str]]
    """By format, the kinds that it cannot show."""
    kinds: list[Line]
    """What was found, the most refused first."""
    suggestion: Suggestion
    """The policy, with exemptions for what is probably people's."""

    @classmethod
    def of(cls, tally: Tally) -> Summary:
        """The summary of a tally."""
        policy = Policy.parse(tally.policy)
        places = {*tally.rows, *((kind, component) for _, kind, component in tally.would_refuse)}
        lines = [_line(place, tally.rows.get(place, Row()), tally) for place in places]
        lines.sort(key=lambda each: (-each.refused_by["policy"], -each.requests, each.kind, each.component))
        hit = [
            (
                (Kind.of(each.kind), Component(each.component)),
                tally.rows[Kind.of(each.kind), Component(each.component)],
            )
            for each in lines
            if each.refused_by["policy"] and each.who == PEOPLE
        ]
        return cls(
            policy=tally.policy,
            lines=tally.lines,
            requests=tally.requests,
            clean=tally.clean,
            clients=tally.clients.distinct,
            clients_exact=tally.clients.is_whole,
            refused={name: tally.refused[name] for name in POLICIES},
            unreadable=_ordered(tally.unreadable),
            unreadable_examples=[
                {"reason": reason, "line": line.decode("latin-1")} for (reason, line), _ in tally.unread
            ][:_EXAMPLES],
            formats=_ordered(tally.formats),
            blind=_blind(tally),
            kinds=lines,
            suggestion=suggest(policy, hit),
        )

    def as_json(self) -> dict[str, object]:
        """The same as one object for ``json.dumps``."""
        return {**asdict(self), "code": self.suggestion.code}


def _blind(tally: Tally) -> dict[str, list[str]]:
    order = list(Kind)
    blind: dict[str, list[str]] = {}
    for format_, kind in sorted(tally.blind, key=lambda each: (each[0], order.index(each[1]))):
        blind.setdefault(format_, []).append(kind.slug)
    return blind


def _ordered(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0])))


def _line(place: Place, row: Row, tally: Tally) -> Line:
    kind, component = place
    hunch = guess(row)
    return Line(
        kind=kind.slug,
        component=component.value,
        summary=kind.check.summary,
        requests=row.requests,
        share=row.requests / max(1, tally.requests),
        actions={action.value: row.actions[action] for action in Action if row.actions[action]},
        refused_by={name: tally.would_refuse[name, kind, component] for name in POLICIES},
        clients=row.clients.distinct,
        clients_exact=row.clients.is_whole,
        who=hunch.who,
        reason=hunch.reason,
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

"""Likeness: whose a request looks like. A guess, for clients say of themselves what they like.

Each request is judged by its own line, so that a few people are not lost among many scanners.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from postel.scan._agents import BROWSER, CRAWLER, NONE, PROGRAM, SCANNER
from postel.scan._line import ABSENT, Entry
from postel.scan._tally import Row

PEOPLE: Final = "people"
SCANNERS: Final = "scanners"
UNCLEAR: Final = "unclear"
LIKENESSES: Final[tuple[str, ...]] = (PEOPLE, UNCLEAR, SCANNERS)

_BUSY: Final = 100
"""Requests of one kind by one client: nobody clicks so often."""
_PASSING: Final = frozenset({401, 407, 408, 425, 429, 499})
"""Errors that say nothing of the target: not logged in, too slow, too often."""


def likeness(entry: Entry, agent: str | None) -> str:
    """``people``, ``scanners`` or ``unclear``; ``agent`` is the class of the agent, if the log has one.

    A known attack tool is a scanner. So is what came by no link and fails today already: refusing it takes
    nothing from anybody. A request that was served, and came by a link, from a browser or from a search
    engine, looks like people's. All else is unclear: programs may be an application of one's own.
    """
    if agent == SCANNER:
        return SCANNERS
    has_link = entry.referer is not None and entry.referer not in ABSENT
    if 400 <= entry.status < 500 and entry.status not in _PASSING:
        return UNCLEAR if has_link else SCANNERS
    if entry.status >= 500:
        return UNCLEAR
    return PEOPLE if has_link or agent in {BROWSER, CRAWLER} else UNCLEAR


def settled(who: str, row: Row) -> str:
    """Whose the requests of a row are taken for: of people's, those of very busy clients are unclear."""
    return UNCLEAR if who == PEOPLE and _is_busy(row) else who


def hits(row: Row) -> dict[str, int]:
    """By whose they look like, the requests of a row, if it is settled."""
    counts: dict[str, int] = dict.fromkeys(LIKENESSES, 0)
    for who, count in row.hits.items():
        counts[settled(who, row)] += count
    return counts


def _is_busy(row: Row) -> bool:
    clients = row.clients.distinct
    return clients > 0 and row.requests >= _BUSY * clients


def evidence(row: Row) -> str:
    """What the log tells of the requests of a row, for people to judge themselves."""
    return "; ".join(_facts(row)) or "the log has no agents, links or answers of them"


def _facts(row: Row) -> Iterator[str]:
    if row.referred:
        yield f"{_percent(row.referred, row.requests)} came by a link"
    told = row.agents.total()
    for agent, words in (
        (BROWSER, "say that they are browsers"),
        (CRAWLER, "are of search engines"),
        (PROGRAM, "are of programs, which may be your own"),
        (SCANNER, "are of known attack tools"),
        (NONE, "do not say what sent them"),
    ):
        if row.agents[agent]:
            yield f"{_percent(row.agents[agent], told)} {words}"
    if row.with_status:
        yield f"{_percent(row.served, row.with_status)} were served"
    if _is_busy(row):
        yield f"{row.requests // row.clients.distinct:,} requests a client, as nobody clicks"


def _percent(part: int, whole: int) -> str:
    share = 100 * part / max(1, whole)
    return "under 1 %" if 0 < share < 1 else f"{min(99, round(share)) if part < whole else 100} %"

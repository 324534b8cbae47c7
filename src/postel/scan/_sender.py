"""The sender of a request: guess whether it was people or scanners. Clients may lie about themselves.

Each request is classified by its own line, so that many scanners do not hide a few people.
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
SENDERS: Final[tuple[str, ...]] = (PEOPLE, UNCLEAR, SCANNERS)

_BUSY: Final = 100
"""If clients send this many requests of one kind on average, they are probably not people."""
_PASSING: Final = frozenset({401, 407, 408, 425, 429, 499})
"""Errors that do not depend on the target: not logged in, too slow, too often."""


def sender_of(entry: Entry, agent: str | None) -> str:
    """Return ``people``, ``scanners`` or ``unclear``; ``agent`` is the class of the agent, if logged.

    Known attack tools are scanners. So are requests without a referer that already fail today, because
    refusing them changes nothing. Served requests are probably from people if they have a referer, or come
    from a browser or a search engine. Everything else is unclear, because it may come from programs of your
    own.
    """
    if agent == SCANNER:
        return SCANNERS
    has_link = entry.referer is not None and entry.referer not in ABSENT
    if 400 <= entry.status < 500 and entry.status not in _PASSING:
        return UNCLEAR if has_link else SCANNERS
    if entry.status >= 500:
        return UNCLEAR
    return PEOPLE if has_link or agent in {BROWSER, CRAWLER} else UNCLEAR


def settled(sender: str, row: Row) -> str:
    """Return the final sender of the requests of a row.

    Requests probably from people are unclear if one client sends all of them without a referer, as a scanner
    does that claims to be a browser. They are also unclear if clients send very many.
    """
    return UNCLEAR if sender == PEOPLE and (_is_alone(row) or _is_busy(row)) else sender


def senders(row: Row) -> dict[str, int]:
    """Count the requests of a row by final sender."""
    counts: dict[str, int] = dict.fromkeys(SENDERS, 0)
    for sender, count in row.senders.items():
        counts[settled(sender, row)] += count
    return counts


def _is_alone(row: Row) -> bool:
    return row.clients.distinct == 1 and not row.referred


def _is_busy(row: Row) -> bool:
    clients = row.clients.distinct
    return clients > 0 and row.requests >= _BUSY * clients


def evidence(row: Row) -> str:
    """Return what the log shows about the requests of a row, so that readers can judge for themselves."""
    return "; ".join(_facts(row)) or "the log names no user agent, referer or status for these requests"


def _facts(row: Row) -> Iterator[str]:
    if row.referred:
        yield f"{_percent(row.referred, row.requests)} have a referer"
    with_agent = row.agents.total()
    for agent, words in (
        (BROWSER, "claim to be browsers"),
        (CRAWLER, "come from search engines"),
        (PROGRAM, "come from programs, which may be your own"),
        (SCANNER, "come from known attack tools"),
        (NONE, "have no agent"),
    ):
        if row.agents[agent]:
            yield f"{_percent(row.agents[agent], with_agent)} {words}"
    if row.with_status:
        yield f"{_percent(row.served, row.with_status)} were served"
    if row.requests > 1 and row.clients.distinct == 1:
        yield "all of them come from one client"
    if _is_busy(row):
        yield f"{row.requests // row.clients.distinct:,} requests per client, more than people click"


def _percent(part: int, whole: int) -> str:
    share = 100 * part / max(1, whole)
    return "under 1 %" if 0 < share < 1 else f"{min(99, round(share)) if part < whole else 100} %"

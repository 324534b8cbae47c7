"""A guess whether people are hit by what is found, or scanners; and why one would think so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, final

from postel.scan._agents import BROWSER, CRAWLER, NONE, PROGRAM
from postel.scan._tally import Row

PEOPLE: Final = "people"
SCANNERS: Final = "scanners"
UNCLEAR: Final = "unclear"

_MANY: Final = 0.5
_SOME: Final = 0.25
_HARDLY: Final = 0.1
_BUSY: Final = 100
"""Requests of one kind by one client: nobody clicks so often."""


@final
@dataclass(frozen=True, slots=True)
class Guess:
    """Who is probably hit; a guess, for clients say of themselves what they like."""

    who: str
    """``people``, ``scanners`` or ``unclear``."""
    reason: str


def guess(row: Row) -> Guess:
    """Guess by what a log tells: links, agents, answers, how many clients.

    What came by links, or was answered well in a browser, is taken for people. What says that it is a
    program, was refused by what is there today, or came from few clients all the time, is not.
    """
    people, scanners = list(_for_people(row)), list(_for_scanners(row))
    if len(people) > len(scanners):
        return Guess(PEOPLE, "; ".join(people))
    if len(scanners) > len(people):
        return Guess(SCANNERS, "; ".join(scanners))
    reasons = people + scanners
    return Guess(UNCLEAR, "; ".join(reasons) if reasons else "the log tells too little of them")


def _for_people(row: Row) -> Iterator[str]:
    if row.referred >= _SOME * row.requests:
        yield f"{_percent(row.referred, row.requests)} came by a link"
    told = row.agents.total()
    if told and row.agents[BROWSER] >= _MANY * told and row.served >= _MANY * max(1, row.with_status):
        yield (
            f"{_percent(row.agents[BROWSER], told)} say that they are browsers, "
            f"and {_percent(row.served, row.with_status)} were served"
        )
    if told and row.agents[CRAWLER] >= _SOME * told:
        yield f"{_percent(row.agents[CRAWLER], told)} are of search engines, so that there are links"


def _for_scanners(row: Row) -> Iterator[str]:
    told = row.agents.total()
    programs = row.agents[PROGRAM] + row.agents[NONE]
    if told and programs >= _MANY * told:
        yield f"{_percent(programs, told)} are of programs, or do not say of what"
    if row.with_status and row.served <= _HARDLY * row.with_status:
        yield f"{_percent(row.with_status - row.served, row.with_status)} are answered with an error already"
    clients = row.clients.distinct
    if clients and row.requests >= _BUSY * clients:
        yield f"{row.requests // clients} requests a client"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / max(1, whole):.0f} %"

"""The conclusion: what the figures of a summary say, and what nobody can know from them, in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Protocol

from postel.scan._likeness import PEOPLE, SCANNERS, UNCLEAR
from postel.scan._suggestion import Suggestion

_ALL_OF_ONE: Final = 100
"""Requests that one client alone may send without a remark."""


class Figures(Protocol):
    """What of a summary is concluded from."""

    @property
    def lines(self) -> int: ...
    @property
    def requests(self) -> int: ...
    @property
    def clients(self) -> int: ...
    @property
    def unread(self) -> int: ...
    @property
    def cut_off(self) -> int: ...
    @property
    def is_readable(self) -> bool: ...
    @property
    def refused(self) -> dict[str, int]: ...
    @property
    def redirected(self) -> dict[str, int]: ...
    @property
    def hits(self) -> dict[str, int]: ...
    @property
    def suggestion(self) -> Suggestion: ...


def conclusion(figures: Figures) -> Iterator[str]:
    """The sentences."""
    if figures.unread:
        yield (
            f"{figures.unread:,} of {figures.lines:,} lines ({share(figures.unread, figures.lines)}) could "
            "not be read: nothing is known of them."
        )
    if figures.cut_off:
        yield "A compressed log is cut off or damaged: nobody knows what would have followed."
    if not figures.requests:
        yield "No request was read, so nothing is suggested."
        return
    if figures.clients == 1 and figures.requests >= _ALL_OF_ONE:
        yield (
            f"All {figures.requests:,} requests are of one client: a proxy, perhaps, or the log has "
            "something else in its place. --log-format says what stands where."
        )
    if not figures.is_readable:
        yield "Too little is known to suggest a policy."
    yield from _refusals(figures)
    if count := figures.redirected["policy"]:
        yield (
            f"{_requests(count)} would be redirected (308) to the same path with its slashes merged; no log "
            "shows whether their clients follow."
        )


def _refusals(figures: Figures) -> Iterator[str]:
    refused = figures.refused["policy"]
    if not refused:
        yield f"Of the {_requests(figures.requests)} that were read, none would be refused."
        return
    people, unclear, scanners = (figures.hits[who] for who in (PEOPLE, UNCLEAR, SCANNERS))
    yield (
        f"Of {_requests(refused)} that would be refused, {people:,} look like people's, {scanners:,} like "
        f"scanners' or fail today already, and of {unclear:,} the log does not say whose they are."
    )
    if people and figures.is_readable:
        yield tried(figures.suggestion)
    if unclear:
        yield (
            f"Do not enforce yet: {unclear:,} refused requests ({share(unclear, refused)}) may be anybody's. "
            "Run the middleware with enforce=False, which shows each of them, and look whose they are."
        )
    elif not people:
        yield "None of them looks like people's; that is a guess from agents, links and answers."


def tried(suggestion: Suggestion) -> str:
    """How many of the requests of people the suggestion lets pass, and on how many it was tried."""
    people = f"Of the {suggestion.people:,} refused requests that look like people's, the suggestion lets"
    if suggestion.is_exact:
        return f"{people} {suggestion.passing:,} pass."
    return (
        f"{people} ~{suggestion.estimate:,} pass: an estimate from {suggestion.tried:,} that it was tried "
        f"on, of which {suggestion.passing:,} pass."
    )


def share(part: int, whole: int) -> str:
    """A percentage that rounds neither to none nor to all.

    >>> share(1, 3), share(1, 10**6), share(999_999, 10**6)
    ('33.3 %', 'under 0.1 %', 'over 99.9 %')
    """
    percent = 100 * part / max(1, whole)
    if 0 < percent < 0.1:
        return "under 0.1 %"
    if 99.9 < percent < 100:
        return "over 99.9 %"
    return f"{percent:.1f} %".replace(".0 %", " %")


def _requests(count: int) -> str:
    return f"{count:,} request" + ("s" if count != 1 else "")

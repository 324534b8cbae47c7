"""The conclusion: what the figures of a summary mean, and what they cannot show, in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Protocol

from postel.scan._sender import PEOPLE, SCANNERS, UNCLEAR
from postel.scan._suggestion import Suggestion

_ALL_OF_ONE: Final = 100
"""A log with a single client gets a remark if it has at least this many requests."""


class Figures(Protocol):
    """The figures of a summary that the conclusion uses."""

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
    def refused_senders(self) -> dict[str, int]: ...
    @property
    def suggestion(self) -> Suggestion: ...


def conclusion(figures: Figures) -> Iterator[str]:
    """Yield the sentences of the conclusion."""
    if figures.unread:
        yield (
            f"{figures.unread:,} of {figures.lines:,} lines ({share(figures.unread, figures.lines)}) could "
            "not be read, so nothing is known about them."
        )
    if figures.cut_off:
        yield "A compressed log is cut off or damaged; the rest of it is unknown."
    if not figures.requests:
        yield "No request was read, so no policy is suggested."
        return
    if figures.clients == 1 and figures.requests >= _ALL_OF_ONE:
        yield (
            f"All {figures.requests:,} requests come from one client. It may be a proxy, or the client field "
            "may hold something else; describe the fields with --log-format."
        )
    if not figures.is_readable:
        yield "Too little could be read to suggest a policy."
    yield from _refusals(figures)
    if count := figures.redirected["policy"]:
        yield (
            f"{_requests(count)} would be redirected (308) to the same path with its slashes merged. Logs do "
            "not show whether their clients follow redirects."
        )


def _refusals(figures: Figures) -> Iterator[str]:
    refused = figures.refused["policy"]
    if not refused:
        yield f"The policy would refuse none of {_requests(figures.requests)}."
        return
    people, unclear, scanners = (figures.refused_senders[sender] for sender in (PEOPLE, UNCLEAR, SCANNERS))
    yield (
        f"{_requests(refused)} would be refused: {people:,} probably from people, {scanners:,} from scanners "
        f"or already failing today, and {unclear:,} unclear."
    )
    if people and figures.is_readable:
        yield trial_sentence(figures.suggestion)
    if unclear:
        yield (
            f"Do not enforce yet: {unclear:,} refused {_noun(unclear)} ({share(unclear, refused)}) may come "
            "from anybody. Run the middleware with enforce=False and find out who sends them: its observer "
            "receives a report of each."
        )
    elif not people:
        yield "None of them seems to come from people. This is a guess from agents, referers and answers."


def trial_sentence(suggestion: Suggestion) -> str:
    """Return a sentence on how many of people's refused requests the suggestion accepts."""
    people = (
        f"Of the refused requests that are probably from people ({suggestion.people:,}), "
        "the suggestion accepts"
    )
    if suggestion.is_exact:
        return f"{people} {suggestion.passing:,}."
    return (
        f"{people} about {suggestion.estimate:,}. This is an estimate: it was tried on "
        f"{suggestion.tried:,} of them and accepts {suggestion.passing:,} of those."
    )


def share(part: int, whole: int) -> str:
    """Write a percentage, never rounded to 0 or 100.

    >>> share(1, 3), share(1, 10**6), share(999_999, 10**6)
    ('33.3 %', 'under 0.1 %', 'over 99.9 %')
    """
    percent = 100 * part / max(1, whole)
    if 0 < percent < 0.1:
        return "under 0.1 %"
    if 99.9 < percent < 100:
        return "over 99.9 %"
    return f"{percent:.1f} %".replace(".0 %", " %")


def exact_share(part: int, whole: int) -> str:
    """Write a percentage with three decimals, for columns.

    >>> exact_share(1, 3), exact_share(1, 10**6)
    ('33.333 %', '0.000 %')
    """
    return f"{100 * part / max(1, whole):.3f} %"


def _requests(count: int) -> str:
    return f"{count:,} {_noun(count)}"


def _noun(count: int) -> str:
    return "request" if count == 1 else "requests"

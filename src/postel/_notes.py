"""Notes: the findings of one request as they are made, never more than a bounded number of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, final

from postel._catalogue import EXCERPT, Finding, Kind
from postel._check import Action
from postel._draft import Draft
from postel._octets import classify_ill_formed, percent_decode

MOST: Final = 32
"""The most findings of a request that are kept; more are only counted, until there is a reason to refuse."""
NAME: Final = 64
"""The most characters of a pair's name that a finding quotes."""


@final
class Notes:
    """What has been noticed about one request so far.

    At least one finding that rejects is always among those kept.
    """

    __slots__ = ("findings", "omitted", "rejected", "steps")

    def __init__(self) -> None:
        """Begin with nothing noticed."""
        self.findings: list[Finding] = []
        self.omitted = 0
        self.rejected = False
        self.steps: list[tuple[int, tuple[Finding, ...], int]] = []
        """For each step: its number, and the findings and the count of omitted ones from before it."""

    def step(self, number: int) -> None:
        """Keep what was noted before a step, so that a later one can be left out of account."""
        self.steps.append((number, tuple(self.findings), self.omitted))

    def add(  # noqa: PLR0913 - what is said of a fault; the last two by name only, and seldom
        self,
        kind: Kind,
        action: Action,
        draft: Draft,
        span: tuple[int, int],
        *,
        name: str | None = None,
        detail: str = "",
    ) -> None:
        """Note a kind that is seen in a draft, at the place in the received octets where it came from.

        Not for what ``wanted`` counts.
        """
        rejects = action is Action.REJECT
        start, end = draft.origin(*span)
        excerpt = draft.received[start : min(end, start + EXCERPT)]
        if kind is Kind.ILL_FORMED_UTF8:
            detail = classify_ill_formed(percent_decode(draft.octets[slice(*span)]))
        name = None if name is None else name[:NAME]
        finding = Finding(kind, draft.component, start, excerpt, action, name, detail)
        if len(self.findings) < MOST:
            self.findings.append(finding)
        else:
            self.findings[-1] = finding
            self.omitted += 1
        self.rejected = self.rejected or rejects

    def wanted(self, actions: Sequence[Action]) -> Iterator[int]:
        """Which of the findings with these actions are to be added, in order; the others are counted here."""
        for index in range(len(actions)):
            if len(self.findings) < MOST:
                yield index
                continue
            left = len(actions) - index
            if not self.rejected and Action.REJECT in actions[index:]:
                counted = actions[index:].index(Action.REJECT)
                self.omitted += counted
                yield index + counted
                left -= counted + 1
            self.omitted += left
            return

    def suffices(self, actions: Sequence[Action]) -> bool:
        """Whether findings with these actions are more than are kept, and a reason to refuse.

        Nobody has to look any further then: what is refused is refused, however much more is wrong with it.
        """
        return len(self.findings) + len(actions) > MOST and (self.rejected or Action.REJECT in actions)

    def add_again(  # noqa: PLR0913 - as of add
        self,
        kind: Kind,
        action: Action,
        draft: Draft,
        span: tuple[int, int],
        *,
        name: str | None = None,
        detail: str = "",
    ) -> None:
        """Note what a look at an edited draft shows, unless it is known from an earlier look."""
        if len(self.findings) >= MOST and (self.rejected or action is not Action.REJECT):
            return  # counted when it was first seen
        start, _ = draft.origin(*span)
        if action is Action.REJECT or not any(
            each.kind is kind and each.offset == start and each.component is draft.component
            for each in self.findings
        ):
            self.add(kind, action, draft, span, name=name, detail=detail)

    def unsettled(self, draft: Draft, seen: Iterable[tuple[Action, Kind, int, int]]) -> bool:
        """Whether anything seen would still need an edit: that is refused.

        An edit of an edit is how second meanings begin.
        """
        for action, kind, start, end in seen:
            if action.edits and action is not Action.PRESERVE:
                self.add(kind, Action.REJECT, draft, (start, end), detail="after mending")
                return True
        return False

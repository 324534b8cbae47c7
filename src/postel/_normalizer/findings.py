"""Collect the findings of one request; at most ``MOST`` of them are kept."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Final, TypeAlias, final

from postel._alphabet.ill_formed import classify_ill_formed
from postel._alphabet.percent import percent_decode
from postel._catalogue.check import Action, Component
from postel._catalogue.finding import EXCERPT, Finding
from postel._catalogue.kinds import Kind
from postel._normalizer.source_map import Mapped
from postel._policy.limits import Limits, exceeded

MOST: Final = 32
"""The most findings that are kept for a request."""
DROPPING: Final = {Action.DROP_PAIR, Action.REPAIR}
"""The actions that drop a pair if the fault concerns the whole pair, such as a repeated name."""
UNLIMITED: Final = 1 << 32
"""A number greater than the length of any component."""
AGAIN: Final = 2 * MOST + 1
"""The most matches of one sort in an edited component that are examined one by one.

Even if ``MOST`` of them are known from before the edit, the others are more than can be kept.
"""
_SEQUENCE: Final = 18
"""The most octets of one ill-formed sequence as received: six escapes."""


JudgedMatch: TypeAlias = tuple[Action, Kind, int, int]
"""The action for a match, the kind of the match, and its start and end."""
SpanOf: TypeAlias = Callable[[int, int], tuple[int, int]]
"""Converts the start and end of a match from indices in a text to offsets in octets."""
NameOf: TypeAlias = Callable[[int], str] | None
"""Returns the name of the pair at an offset; ``None`` for components without pairs."""
Test: TypeAlias = Callable[[Action], bool]
"""A test of actions, such as ``rejects``."""


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Matches:
    """The matches of one sort, located only as far as they are needed; only ``NOTHING`` has no match."""

    find: Callable[[Test], JudgedMatch]
    """Returns the first match whose action passes a test; one of ``actions`` must pass it."""
    first: Callable[[int], Iterable[JudgedMatch]]
    """Returns the first matches in order, up to the given number."""
    detail: str = ""
    actions: frozenset[Action] = frozenset()
    """The actions for the matches."""
    dropped: Collection[int] = ()
    """The numbers of the pairs that are dropped, if the matches concern whole pairs."""
    few: bool = False
    """Whether there are no more matches than can be kept, so that ``first`` returns them at once."""

    def have(self, test: Test) -> bool:
        """Whether the action of some match passes a test."""
        return any(map(test, self.actions))


NOTHING: Final = Matches(dict[Test, JudgedMatch]().__getitem__, lambda _: (), few=True)
"""No matches: a sort without matches always has this very object."""


def listed(seen: Sequence[JudgedMatch], detail: str = "", span: SpanOf | None = None) -> Matches:
    """Create Matches from a list; ``span`` converts indices in the text to offsets when they are needed."""
    if not seen:
        return NOTHING

    placed: list[JudgedMatch] = []

    def every() -> Sequence[JudgedMatch]:
        if span is None:
            return seen
        if not placed:
            placed.extend([(action, kind, *span(start, end)) for action, kind, start, end in seen])
        return placed

    def find(test: Test) -> JudgedMatch:
        return next(each for each in every() if test(each[0]))

    def some(most: int) -> Iterable[JudgedMatch]:
        return every()[:most]

    actions = frozenset([action for action, _, _, _ in seen])
    return Matches(find, some, detail, actions, few=len(seen) <= MOST)


def together(each: Sequence[tuple[Matches, SpanOf]]) -> Matches:
    """Merge the matches of several groups in order; each group has a function that converts its positions."""
    each = [(matches, span) for matches, span in each if matches is not NOTHING]
    if not each:
        return NOTHING

    def placed(match: JudgedMatch, span: SpanOf) -> JudgedMatch:
        action, kind, start, end = match
        return (action, kind, *span(start, end))

    def find(test: Test) -> JudgedMatch:
        found = [placed(matches.find(test), span) for matches, span in each if matches.have(test)]
        return min(found, key=itemgetter(2))

    def first(most: int) -> list[JudgedMatch]:
        found = [placed(match, span) for matches, span in each for match in matches.first(most)]
        return sorted(found, key=itemgetter(2))[:most]

    return Matches(
        find,
        first,
        max(matches.detail for matches, _ in each),
        frozenset[Action]().union(*(matches.actions for matches, _ in each)),
    )


def rejects(action: Action) -> bool:
    """Whether an action refuses."""
    return action is Action.REJECT


def changes_octets(action: Action) -> bool:
    """Whether an action edits octets; PRESERVE does not."""
    return action.edits and action is not Action.PRESERVE


def edits_part(action: Action) -> bool:
    """Whether an action edits a part of a pair."""
    return changes_octets(action) and action is not Action.DROP_PAIR


@final
class Collector:
    """Collects the findings of one request.

    If some finding rejects, at least one such finding is kept.
    """

    __slots__ = ("_limits", "findings", "rejected", "steps", "truncated")

    def __init__(self, limits: Limits) -> None:
        """Begin without findings; ``limits`` are those of the policy, which findings name."""
        self._limits = limits
        self.findings: list[Finding] = []
        self.rejected = False
        self.truncated = False
        """Whether there are more findings than can be kept; then only one that rejects can be added."""
        self.steps: list[tuple[int, tuple[Finding, ...], bool]] = []
        """For each step: its number, the findings before it, and whether there were more of them."""

    def step(self, number: int) -> None:
        """Save the findings so far before the next step, so that callers can ignore later findings."""
        self.steps.append((number, tuple(self.findings), self.truncated))

    def add(  # noqa: PLR0913 - the parts of a finding; the last two are optional
        self,
        kind: Kind,
        action: Action,
        mapped: Mapped,
        span: tuple[int, int],
        *,
        name: str | None = None,
        detail: str = "",
    ) -> None:
        """Add a finding for a match, located in the received octets.

        If no more findings can be kept, the finding replaces the last one.
        """
        start, end = mapped.origin(*span)
        excerpt = mapped.received[start : min(end, start + EXCERPT)]
        if kind is Kind.ILL_FORMED_UTF8 and not detail:
            first = mapped.octets[span[0] : min(span[1], span[0] + _SEQUENCE)]
            detail = classify_ill_formed(percent_decode(first))
        elif kind.check.limit and not detail:
            in_form = mapped.component is Component.FORM
            detail = exceeded(self._limits, kind.check.limit, in_form=in_form)
        finding = Finding(kind, mapped.component, start, excerpt, action, name, detail)
        if len(self.findings) < MOST:
            self.findings.append(finding)
        else:
            self.findings[-1] = finding
            self.truncated = True
        self.rejected = self.rejected or action is Action.REJECT

    def take(self, matches: Matches, mapped: Mapped, name_of: NameOf = None) -> None:
        """Add findings for the first matches; if not all can be kept, also for one that rejects."""
        room = MOST - len(self.findings)
        found = list(matches.first(room + 1)) if room else []
        for match in found[:room]:
            self._add(matches, match, mapped, name_of)
        if len(found) > room or not room:
            self.truncated = True
            self._take_rejecting(matches, mapped, name_of)

    def take_again(self, matches: Matches, mapped: Mapped, name_of: NameOf = None) -> None:
        """Add findings for matches in an edited component, except those that were found before the edit."""
        if not self.truncated:
            found = [each for each in self.findings if each.component is mapped.component]
            # After an edit, other rules can apply to a name, so the same fault can have another action.
            known = {(each.kind, each.action, each.offset) for each in found}
            for match in matches.first(AGAIN):
                action, kind, *at = match
                place = kind, action, mapped.origin(*at)[0]
                if place not in known:
                    if len(self.findings) == MOST:
                        self.truncated = True
                        break
                    known.add(place)
                    self._add(matches, match, mapped, name_of)
        self._take_rejecting(matches, mapped, name_of)

    def _take_rejecting(self, matches: Matches, mapped: Mapped, name_of: NameOf) -> None:
        """Add a finding for the first match that rejects, unless there is such a finding already."""
        if not self.rejected and matches.have(rejects):
            self._add(matches, matches.find(rejects), mapped, name_of)

    def _add(self, matches: Matches, match: JudgedMatch, mapped: Mapped, name_of: NameOf) -> None:
        action, kind, start, end = match
        name = name_of and name_of(start)
        self.add(kind, action, mapped, (start, end), name=name, detail=matches.detail)

    def suffices(self, actions: Sequence[Action]) -> bool:
        """Whether the findings so far and these actions are more than can be kept, and one of them rejects.

        If so, the component need not be examined further.
        """
        return len(self.findings) + len(actions) > MOST and (self.rejected or Action.REJECT in actions)

    def refuse_unsettled(self, mapped: Mapped, matches: Matches | None) -> bool:
        """Refuse the component if some matches still need an edit; return whether it was refused.

        The component is not edited again, because another edit could create a second meaning.
        """
        if matches is None or not matches.have(changes_octets):
            return False
        _, kind, start, end = matches.find(changes_octets)
        self.add(kind, Action.REJECT, mapped, (start, end), detail="after a repair")
        return True

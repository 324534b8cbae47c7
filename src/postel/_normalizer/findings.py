"""Notes: the findings of one request as they are made, never more than a bounded number of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, final

from postel._alphabet.percent import classify_ill_formed, percent_decode
from postel._catalogue.check import Action, Component
from postel._catalogue.finding import EXCERPT, Finding
from postel._catalogue.kinds import Kind
from postel._normalizer.source_map import Mapped

MOST: Final = 32
"""The most findings of a request that are kept; more are only counted, until there is a reason to refuse."""
EVERY: Final = 1 << 32
"""More than there are octets in anything that is looked at."""
_AGAIN: Final = 2 * MOST
"""The most of what an edit has made that is looked at one by one, but for a reason to refuse."""
_SEQUENCE: Final = 18
"""The most octets of one ill-formed sequence: six, each of them escaped."""
NAME: Final = 64
"""The most characters of a pair's name that a finding quotes."""


JudgedMatch: TypeAlias = tuple[Action, Kind, int, int]
"""What is done about a kind, and where in the draft it is seen."""
NameOf: TypeAlias = Callable[[int], str] | None
"""The name of the pair that is at a place."""


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Matches:
    """What is seen of one sort, however much it is: how many, and a way to look at some of them."""

    count: int
    """How many there are; of what an edit has made, at least 1 where there are any."""
    rejecting: Callable[[], JudgedMatch] | None
    """Shows the first that rejects."""
    editing: Callable[[], JudgedMatch] | None
    """Shows the first that is edited."""
    first: Callable[[int], Iterable[JudgedMatch]]
    """At most so many of them, in order."""
    detail: str = ""


def listed(seen: Sequence[JudgedMatch], detail: str = "") -> Matches:
    """What is seen, where it is listed."""
    if not seen:
        return NOTHING

    def first(acts: Callable[[Action], bool]) -> Callable[[], JudgedMatch] | None:
        for each in seen:
            if acts(each[0]):
                return lambda: each
        return None

    return Matches(len(seen), first(rejects), first(edits), lambda most: seen[:most], detail)


def _nothing(_most: int) -> tuple[JudgedMatch, ...]:
    return ()


NOTHING: Final = Matches(0, None, None, _nothing)
"""Nothing is seen."""


def rejects(action: Action) -> bool:
    """Whether an action refuses."""
    return action is Action.REJECT


def edits(action: Action) -> bool:
    """Whether an action edits octets; preserving an escape edits none."""
    return action.edits and action is not Action.PRESERVE


@final
class Collector:
    """What has been noticed about one request so far.

    At least one finding that rejects is always among those kept.
    """

    __slots__ = ("_counted", "_places", "findings", "omitted", "rejected", "steps")

    def __init__(self) -> None:
        """Begin with nothing noticed."""
        self.findings: list[Finding] = []
        self.omitted = 0
        self.rejected = False
        self.steps: list[tuple[int, tuple[Finding, ...], int]] = []
        """For each step: its number, and the findings and the count of omitted ones from before it."""
        self._places: set[tuple[Kind, int]] = set()
        self._counted: tuple[int, Component | None] = (0, None)

    def step(self, number: int) -> None:
        """Keep what was noted before a step, so that a later one can be left out of account."""
        self.steps.append((number, tuple(self.findings), self.omitted))

    def add(  # noqa: PLR0913 - what is said of a fault; the last two by name only, and seldom
        self,
        kind: Kind,
        action: Action,
        mapped: Mapped,
        span: tuple[int, int],
        *,
        name: str | None = None,
        detail: str = "",
    ) -> None:
        """Note a kind that is seen in a draft, at the place in the received octets where it came from.

        Where no more can be kept, it takes the place of the last.
        """
        rejects = action is Action.REJECT
        start, end = mapped.origin(*span)
        excerpt = mapped.received[start : min(end, start + EXCERPT)]
        if kind is Kind.ILL_FORMED_UTF8:
            first = mapped.octets[span[0] : min(span[1], span[0] + _SEQUENCE)]
            detail = classify_ill_formed(percent_decode(first))
        name = None if name is None else name[:NAME]
        finding = Finding(kind, mapped.component, start, excerpt, action, name, detail)
        if len(self.findings) < MOST:
            self.findings.append(finding)
        else:
            self.findings[-1] = finding
            self.omitted += 1
        self.rejected = self.rejected or rejects

    def take(self, matches: Matches, mapped: Mapped, name_of: NameOf = None) -> None:
        """Note all that is seen: the first of it, and one that rejects; the rest is counted."""
        if matches is NOTHING:
            return
        room = max(0, min(MOST - len(self.findings), matches.count))
        if room:
            for action, kind, start, end in matches.first(room):
                self._add(matches, action, kind, mapped, (start, end), name_of)
        if left := matches.count - room:
            taken = self._take_rejecting(matches, mapped, name_of)
            self.omitted += left - taken

    def take_again(self, matches: Matches, mapped: Mapped, name_of: NameOf = None) -> None:
        """Note what a look at an edited draft shows, unless it is known from an earlier look.

        What cannot be kept was counted when it was first seen.
        """
        if matches is NOTHING:
            return
        if len(self.findings) < MOST:
            for action, kind, start, end in matches.first(_AGAIN):
                if action is Action.REJECT or (kind, mapped.origin(start, end)[0]) not in self._known(mapped):
                    self._add(matches, action, kind, mapped, (start, end), name_of)
                    if len(self.findings) == MOST:
                        break
        self._take_rejecting(matches, mapped, name_of)

    def _take_rejecting(self, matches: Matches, mapped: Mapped, name_of: NameOf) -> bool:
        """Note the first that rejects, where none is noted that does, and no more can be kept."""
        if self.rejected or matches.rejecting is None:
            return False
        action, kind, start, end = matches.rejecting()
        self._add(matches, action, kind, mapped, (start, end), name_of)
        return True

    def _add(  # noqa: PLR0913, PLR0917 - as of add
        self,
        matches: Matches,
        action: Action,
        kind: Kind,
        mapped: Mapped,
        span: tuple[int, int],
        name_of: NameOf,
    ) -> None:
        self.add(kind, action, mapped, span, name=name_of and name_of(span[0]), detail=matches.detail)

    def _known(self, mapped: Mapped) -> set[tuple[Kind, int]]:
        if self._counted != (len(self.findings), mapped.component):
            self._counted = (len(self.findings), mapped.component)
            found = (each for each in self.findings if each.component is mapped.component)
            self._places = {(each.kind, each.offset) for each in found}
        return self._places

    def suffices(self, actions: Sequence[Action]) -> bool:
        """Whether findings with these actions are more than are kept, and a reason to refuse.

        Nobody has to look any further then: what is refused is refused, however much more is wrong with it.
        """
        return len(self.findings) + len(actions) > MOST and (self.rejected or Action.REJECT in actions)

    def unsettled(self, mapped: Mapped, detected: Iterable[Matches]) -> bool:
        """Whether anything seen would still need an edit: that is refused.

        An edit of an edit is how second meanings begin.
        """
        for matches in detected:
            if matches.editing is not None:
                _, kind, start, end = matches.editing()
                self.add(kind, Action.REJECT, mapped, (start, end), detail="after a repair")
                return True
        return False

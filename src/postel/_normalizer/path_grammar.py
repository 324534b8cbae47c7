"""The grammar of a path: segments between slashes, perhaps after a scheme and authority.

The stages of editing are: the form of the target; repairs that may write a slash; structure, characters,
composition and spelling.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from itertools import islice
from operator import itemgetter
from typing import Final, final

from postel._alphabet.authority import same_site
from postel._alphabet.regex import compiled
from postel._alphabet.steps import Steps
from postel._alphabet.text import ESCAPED, Reading, text_of
from postel._catalogue.check import Action
from postel._catalogue.kinds import Kind
from postel._normalizer.column import Column
from postel._normalizer.composition import Composition, uncomposed_segments
from postel._normalizer.detected import Context, Detected, Stage
from postel._normalizer.edits import MARK
from postel._normalizer.findings import MOST, JudgedMatch, Matches, changes_octets, listed
from postel._normalizer.pair_actions import PairActions
from postel._normalizer.part_limits import SegmentLimits
from postel._normalizer.path_edits import PathEdits, undroppable
from postel._normalizer.scanner import FORMS, Match, Scanner, judged
from postel._normalizer.segments import SINGLE, at_segments
from postel._normalizer.source_map import Mapped
from postel._normalizer.writing import WRITTEN, latent_escapes

_ESCAPED_SLASH: Final = chr(ESCAPED + ord("/"))


@final
class PathGrammar:
    """Splits a path, and detects what is wrong in it."""

    __slots__ = (
        "_beside",
        "_column",
        "_edits",
        "_if_split",
        "_preserves",
        "_refused",
        "_structure",
        "limits",
        "stages",
    )

    def __init__(self, column: Column) -> None:
        """Compile the actions of a policy for the path."""
        self._column = column
        self.limits: SegmentLimits = SegmentLimits(column.limits)
        self._structure: Scanner[str] = at_segments(column.active)
        self._beside = {
            kind: compiled(f"(?<={_ESCAPED_SLASH}){character}|{character}(?={_ESCAPED_SLASH})")
            for kind, character in SINGLE.items()
        }
        """Patterns for faults of a single character beside an escaped slash."""
        self._if_split = {kind: _if_split(kind, column.actions[kind.index]) for kind in column.active}
        """The actions for faults that appear if preserved slashes split segments."""
        refused = {kind for kind, action in self._if_split.items() if action is Action.REJECT}
        self._refused: Scanner[str] = at_segments(refused)
        self._edits = PathEdits(column)
        self.stages: tuple[Stage, ...] = self._edits.stages
        self._preserves = column.actions[Kind.ENCODED_SLASH.index] is Action.PRESERVE

    def split(self, octets: bytes, context: Context) -> Detected:
        """Find the form of the target, and where the path begins."""
        detected = Detected(Reading(octets), composition=Composition("/"))
        if not octets.startswith(b"/"):
            # FORMS covers every target without a leading slash, so there is a match.
            kind, found = next((kind, found) for kind, match in FORMS if (found := match(octets)))
            action, end = self._column.actions[kind.index], found.end()
            if kind is Kind.ABSOLUTE_FORM:
                detected.path_offset, detected.path_index = end, len(text_of(octets[:end]))
                if not same_site(octets[:end], context.host):
                    action = Action.REJECT
            detected.matches["form"] = listed([(action, kind, 0, end)])
        return detected

    def excess(self, detected: Detected, *, many: bool) -> Match | None:
        """Return the match of too many segments, or ``None``."""
        return self.limits.many(detected.reading.octets, detected.path_offset)

    def renamed(self, _mapped: Mapped, _pair_actions: PairActions) -> None:
        """Return ``None``, because a path has no names."""

    def detect(self, detected: Detected, found: list[Match], before: Detected | None) -> Steps[None]:
        """Find the matches of every sort; the arguments are those of ``PairGrammar.detect``."""
        first = before is None
        reading, start, begins = detected.reading, detected.path_index, detected.path_offset
        octets, text, column = reading.octets, reading.text, self._column
        actions, matches = column.actions, detected.matches
        characters, seen = judged(column.scanner, text, start, actions, reading.span, found=found)
        structure, segments = judged(self._structure, text, start, actions, reading.span)
        matches["characters"], matches["structure"] = characters, structure
        detected.is_respelled = before is not None and before.is_respelled
        writing = column.unspelled if detected.is_respelled else column.writing
        written = {actions[kind.index] for kind in WRITTEN}
        detected.later(
            "writing",
            lambda _: writing.judge(octets, text, begins, actions),
            edits=any(map(changes_octets, written)),
        )
        if Action.REJECT in written:
            detected.of("writing")
        if self._preserves and Kind.ENCODED_SLASH in seen:
            matches["split"] = self._as_if_split(reading, start)
        if column.ranges:
            kind = Kind.OUTSIDE_ACCEPTED_RANGE
            runs = [accepted.first_outside(text, start) for accepted, _ in column.ranges]
            outside = [(actions[kind.index], kind, *reading.span(*run)) for run in runs if run]
            matches["outside"] = listed(outside)
        if Kind.NOT_NFC in column.active:
            action = actions[Kind.NOT_NFC.index]
            if before is not None:
                detected.composition = before.composition
            at = begins, start
            detected.later(
                "uncomposed",
                lambda each: uncomposed_segments(each.composition, reading, at, action, is_received=first),
                edits=changes_octets(action),
            )
            if action is Action.REJECT or detected.composition.may_refuse(text, is_received=first):
                detected.of("uncomposed")
        if any(actions[kind.index] is Action.DROP for kind in seen):
            matches["joining"] = listed(self._joining(reading, start, seen, found))
        if first:
            matches["long"] = listed([(Action.REJECT, *each) for each in self.limits.long(octets, begins)])
        if column.seeks_latent_escapes:
            matches["latent"] = latent_escapes(octets, actions, begins)
        detected.seen = frozenset([kind for kind in (*seen, *segments) if actions[kind.index].edits])
        yield

    def _joining(
        self, reading: Reading, start: int, seen: frozenset[Kind], found: list[Match]
    ) -> list[JudgedMatch]:
        """Return the matches that cannot be dropped, because this would join octets or change a segment.

        ``found`` holds the first matches. If there are very many, only the first one that cannot be dropped
        is returned; it suffices to refuse the path.
        """
        text, actions, many = reading.text, self._column.actions, len(found) > MOST
        marked = text[:start] + self._edits.marked(text[start:], seen)
        lost = set(islice(undroppable(marked), 1 if many else None))
        if many and lost:
            found = self._column.scanner.scan(text, min(lost), most=1)
        return [
            (Action.REJECT, kind, *reading.span(first, last))
            for kind, first, last in found
            if actions[kind.index] is Action.DROP and len(marked[:first].rstrip(MARK)) in lost
        ]

    def _as_if_split(self, reading: Reading, start: int) -> Matches:
        """Return the faults that a reader finds if it decodes preserved slashes and splits the path again."""
        # Readers do not decode the escaped slashes of an authority.
        text = reading.text[:start].replace(_ESCAPED_SLASH, "-") + reading.text[start:]
        split = text.replace(_ESCAPED_SLASH, "/")

        def faults(scanner: Scanner[str]) -> Iterator[JudgedMatch]:
            # An escaped slash is in the match, before it or after it.
            matched = (
                (kind, first, last)
                for kind, first, last in scanner.walk(split, kinds=scanner.in_pattern)
                if text.find(_ESCAPED_SLASH, first and first - 1, last + 1) >= 0
            )
            beside = [
                ((kind, *match.span()) for match in pattern.finditer(text))
                for kind, pattern in self._beside.items()
                if kind in scanner.apart
            ]
            for kind, first, last in merge(matched, *beside, key=itemgetter(1)):
                yield self._if_split[kind], kind, first, last

        def placed(start: int, end: int) -> tuple[int, int]:
            # Extend the match to the escaped slashes before it; it holds those after it already.
            if text[start : start + 1] == _ESCAPED_SLASH:
                start = len(text[:start].rstrip(_ESCAPED_SLASH))
            return reading.span(start, end)

        found = list(islice(faults(self._structure), MOST + 1))
        if len(found) <= MOST:
            return listed(found, span=placed)

        def first(most: int) -> Iterator[JudgedMatch]:
            for action, kind, *at in islice(faults(self._structure), most):
                yield action, kind, *placed(*at)

        refused = listed(list(islice(faults(self._refused), 1)), span=placed)
        return Matches(refused.find, first, actions=refused.actions)


def _if_split(kind: Kind, action: Action) -> Action:
    """Return the action for a fault that appears if preserved slashes split segments.

    Empty segments are only reported: a path may hold a URL, as in /to/https:%2F%2Fa.example, and no reader
    merges slashes that stay escaped. Other faults are refused instead of edited, because the escaped slashes
    cannot be edited here.
    """
    if kind is Kind.EMPTY_SEGMENT:
        return Action.REPORT
    return Action.REJECT if action.edits else action

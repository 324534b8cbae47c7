"""The path under a policy: judged as received, then edited stage by stage and judged after each.

The stages: the form of the target; repairs that may write a slash; dot segments; the other structure;
characters and spelling; composition. After a stage that edits, the path is judged again, because most
vulnerabilities in this field are a second meaning that an edit made.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection
from itertools import accumulate
from typing import Final, final

from postel._alphabet.authority import same_site
from postel._alphabet.text import ESCAPED, Reading, text_of
from postel._catalogue.check import Action, Component, Family
from postel._catalogue.kinds import Kind
from postel._normalizer.accepted_ranges import AcceptedRange
from postel._normalizer.composition import stuck, uncomposed
from postel._normalizer.dropping import Span, segment_drops
from postel._normalizer.findings import MOST, NOTHING, Collector, JudgedMatch, Matches, listed
from postel._normalizer.path_edits import Detected, PathEdits, first_loss
from postel._normalizer.proof import proof, settled
from postel._normalizer.respelling import RESPELLED, completed_by_respelling
from postel._normalizer.scanner import (
    FORMS,
    Match,
    Scanner,
    acting,
    at_characters,
    judged,
    reported,
)
from postel._normalizer.segments import at_segments
from postel._normalizer.source_map import Mapped
from postel._normalizer.target import Target
from postel._normalizer.writing import WRITTEN, Writing
from postel._policy.limits import long_segments
from postel._policy.policy import Policy

_PATH: Final = Component.PATH
_SEGMENT: Final = re.compile(rb"[^/]++")
_ESCAPED_SLASH: Final = chr(ESCAPED + ord("/"))


@final
class PathRules:
    """Judges and edits paths, compiled from a policy."""

    __slots__ = (
        "_actions",
        "_asked",
        "_edits",
        "_ranges",
        "_scanner",
        "_segment",
        "_segments",
        "_settled",
        "_silent",
        "_structure",
        "_writing",
        "preserved",
        "prove",
    )

    def __init__(self, policy: Policy) -> None:
        """Compile the path's column of a policy."""
        self._actions = actions = policy.table[0]
        self.prove: Callable[[bytes], object] = proof(policy, _PATH).fullmatch
        """Proves that no check fires in a path, and that its decoded view preserves nothing."""
        self._silent: Callable[[bytes], object] = self.prove
        if Action.PRESERVE in actions:
            self._silent = proof(policy, _PATH, shown=False).fullmatch
        self._settled: Callable[[bytes], object] = settled(policy, _PATH).fullmatch
        self._segment = policy.limits.segment
        self._segments = policy.limits.segments
        self._asked = frozenset(
            kind for kind in Kind if _PATH in kind.check.presets and actions[kind.index] is not Action.ALLOW
        )
        characters = acting(_PATH, Family.CHARACTER, self._asked.__contains__)
        self._scanner: Scanner[str] = at_characters(_PATH, characters)
        self._structure: Scanner[str] = at_segments(self._asked)
        self._writing = Writing(_PATH, self._asked, {actions[kind.index] for kind in WRITTEN})
        self._edits = PathEdits(actions, characters, self._scanner, self._writing)
        self._ranges = tuple(
            AcceptedRange(each.characters, always="/", plus=False)
            for each in policy.acceptances
            if each.component is _PATH
        )
        kept = [kind for kind in Kind if self._actions[kind.index] is Action.PRESERVE]
        octets = {ord(c) for kind in kept for c in kind.check.escaped[_PATH].text()}
        self.preserved = bytes(sorted(octets | set(b"/%"))) if kept else b""

    def look(self, mapped: Mapped, target: Target, notes: Collector, *, again: bool = False) -> Detected:
        """Judge the path as it is now, and collect findings."""
        octets, reading = mapped.octets, Reading(mapped.octets)
        if not octets and target.prefix and not again:
            return Detected(reading)  # the mounted application itself: PEP 3333 lets PATH_INFO be empty
        take = notes.take_again if again else notes.take
        form, begins = self._form(octets, target)
        start = len(text_of(octets[:begins])) if begins else 0
        found = self._scanner.scan(reading.text, start, most=MOST + 1)
        over = octets.count(b"/", begins) > self._segments
        if over or (not again and len(found) > MOST):
            early = form + [(self._actions[kind.index], kind, *reading.span(*at)) for kind, *at in found]
            if over:  # reason enough to refuse
                early.append((Action.REJECT, Kind.TOO_MANY_SEGMENTS, 0, 0))
            if over or notes.suffices([each[0] for each in early]):
                take(listed(early), mapped)
                return Detected(reading, (listed(early),))
        detected = self._detected(reading, form, (begins, start), found, exact=not again)
        for each in detected.matches:
            take(each, mapped)
        return detected

    def _detected(
        self,
        reading: Reading,
        form: list[JudgedMatch],
        at: tuple[int, int],
        found: list[Match],
        *,
        exact: bool,
    ) -> Detected:
        octets, text, actions = reading.octets, reading.text, self._actions
        begins, start = at
        faulty, seen = judged(self._scanner, text, start, actions, reading.span, exact=exact, found=found)
        structure, segments = judged(self._structure, text, start, actions, reading.span, exact=exact)
        split = NOTHING
        if (
            self.preserved
            and Kind.ENCODED_SLASH in seen
            and actions[Kind.ENCODED_SLASH.index] is Action.PRESERVE
        ):
            split = self._as_if_split(reading, start)
        matches = (
            listed(form),
            faulty,
            structure,
            self._writing.look(octets, text, begins, actions, exact=exact),
            split,
            listed(self._outside(reading, start)) if self._ranges else NOTHING,
            listed(self._uncomposed(octets, text, at)) if Kind.NOT_NFC in self._asked else NOTHING,
            listed(self._joining(reading, start, seen, faulty))
            if any(actions[kind.index] is Action.DROP for kind in seen)
            else NOTHING,
            listed(
                [
                    (Action.REJECT, Kind.LONG_SEGMENT, *span)
                    for span in long_segments(octets, begins, self._segment)
                ]
            ),
            listed(self._stuck(octets, begins), RESPELLED),
        )
        edited = {kind for kind in (*seen, *segments) if actions[kind.index].edits}
        return Detected(reading, matches, frozenset(edited), begins)

    def _stuck(self, octets: bytes, begins: int) -> list[JudgedMatch]:
        """Stray percent signs that are left in place, although respelling would complete an escape there."""
        left = self._actions[Kind.MALFORMED_ESCAPE.index] in {Action.ALLOW, Action.REPORT}
        if not left or self._actions[Kind.SPELLING.index] is not Action.REPAIR:
            return []
        return [
            (Action.REJECT, Kind.MALFORMED_ESCAPE, *span) for span in completed_by_respelling(octets, begins)
        ]

    def edit(self, mapped: Mapped, detected: Detected, target: Target, notes: Collector) -> Mapped | None:
        """Make every edit that the policy requires; ``None`` if the result is refused."""
        for stage in self._edits.stages:
            if not any(each.editing is not None for each in detected.matches):
                break
            edited = stage(mapped, detected, notes)
            if edited is None:
                return None
            if edited is mapped:
                continue
            mapped = edited
            if self._settled(mapped.octets) and self.is_within_limits(mapped.octets):
                # If no more findings can be kept, the reported ones have been counted already.
                if len(notes.findings) < MOST and not self._silent(mapped.octets):
                    self._note_reports(mapped, notes)
                return mapped
            detected = self.look(mapped, target, notes, again=True)
            if notes.rejected:
                return None
        return None if notes.unsettled(mapped, detected.matches) else mapped

    def _note_reports(self, mapped: Mapped, notes: Collector) -> None:
        """Collect findings for an edited path that is proven to need only reports."""
        octets, reading = mapped.octets, Reading(mapped.octets)
        text = reading.text

        for matches in (
            reported(self._scanner, text, self._actions, reading.span),
            reported(self._structure, text, self._actions, reading.span),
            self._writing.look(octets, text, 0, self._actions, exact=False)
            if self._writing.reports
            else NOTHING,
            listed(self._outside(reading, 0)),
            listed(self._uncomposed(octets, text, (0, 0))) if Kind.NOT_NFC in self._asked else NOTHING,
        ):
            notes.take_again(matches, mapped)

    def _outside(self, reading: Reading, start: int) -> list[JudgedMatch]:
        """The first run outside each accepted range."""
        kind = Kind.OUTSIDE_ACCEPTED_RANGE
        return [
            (self._actions[kind.index], kind, *reading.span(*span))
            for accepted in self._ranges
            if (span := accepted.first_outside(reading.text, start))
        ]

    def is_within_limits(self, octets: bytes) -> bool:
        """Whether the number of segments and their lengths are within the limits."""
        return octets.count(b"/") <= self._segments and not any(long_segments(octets, 0, self._segment))

    def _form(self, octets: bytes, target: Target) -> tuple[list[JudgedMatch], int]:
        """The form of the target, and where in it the path begins."""
        if octets.startswith(b"/"):
            return [], 0
        # A path without a leading slash matches at least one form.
        kind, found = next((kind, found) for kind, match in FORMS if (found := match(octets)))
        action, end = self._actions[kind.index], found.end()
        if kind is not Kind.ABSOLUTE_FORM:
            return [(action, kind, 0, end)], 0
        if not same_site(octets[:end], target.host):
            action = Action.REJECT
        return [(action, kind, 0, end)], end

    def _uncomposed(self, octets: bytes, text: str, at: tuple[int, int]) -> list[JudgedMatch]:
        """The segments that are not in NFC."""
        begins, start = at
        places = uncomposed(text[start:], "/")
        if not places:
            return []
        segments = octets[begins:].split(b"/")
        ends = list(accumulate(map(len, segments), _behind, initial=begins - 1))
        action, kind = self._actions[Kind.NOT_NFC.index], Kind.NOT_NFC
        refused: Collection[int] = ()
        if action is Action.REPAIR:
            refused = set(stuck([segments[place] for place in places], b"/", text))
        return [
            (Action.REJECT if number in refused else action, kind, ends[place] + 1, ends[place + 1])
            for number, place in enumerate(places)
        ]

    def _joining(
        self, reading: Reading, start: int, seen: frozenset[Kind], matches: Matches
    ) -> list[JudgedMatch]:
        """Characters that cannot be dropped, because that would join others or change a segment.

        Only the first one is listed, because it is reason enough to refuse.
        """
        octets, text = reading.octets, reading.text
        marked = text[:start] + self._edits.marked(text[start:], seen)
        refused = first_loss(marked)
        if refused is None:
            return []
        seen_here = list(matches.first(MOST + 1))
        if len(seen_here) > MOST:
            found = self._scanner.scan(text, refused, most=1)
            return [(Action.REJECT, kind, *reading.span(*span)) for kind, *span in found]
        spans = segment_drops(octets, [each[2:] for each in seen_here if each[0] is Action.DROP])[0]
        return [
            (Action.REJECT, kind, start, end)
            for action, kind, start, end in seen_here
            if action is Action.DROP
            and (index := bisect_right(spans, start, key=_begin))
            and start < spans[index - 1][1]
        ]

    def _as_if_split(self, reading: Reading, start: int) -> Matches:
        """The faults that a reader finds who decodes a preserved segment and splits it again."""
        text = reading.text
        split = text[:start] + text[start:].replace(_ESCAPED_SLASH, "/")
        found: list[JudgedMatch] = []
        for kind, first, last in self._structure.walk(split):
            action = self._actions[kind.index]
            if action is Action.ALLOW or text.find(_ESCAPED_SLASH, max(start, first - 1), last + 1) < 0:
                continue
            if kind is Kind.EMPTY_SEGMENT:
                # A URL in a path can have such slashes, and readers do not merge slashes that stay escaped.
                action = Action.REPORT
            elif action.edits:
                action = Action.REJECT  # the escaped slashes cannot be edited here
            found.append((action, kind, first, last))

        def placed(start: int, end: int) -> tuple[int, int]:
            # All adjacent slashes belong to the match.
            if text[start : start + 1] == _ESCAPED_SLASH:
                start = len(text[:start].rstrip(_ESCAPED_SLASH))
            if text[end - 1 : end] == _ESCAPED_SLASH:
                end = len(text) - len(text[end:].lstrip(_ESCAPED_SLASH))
            return reading.span(start, end)

        return listed(found, span=placed)


def _behind(end: int, length: int) -> int:
    return end + 1 + length


def _begin(span: Span) -> int:
    return span[0]

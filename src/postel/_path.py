"""The path under a policy: judged as received, then edited stage by stage and judged after each.

The stages are those of the design: the form of the target; what is undone before a path is split; dot
segments; the other structure; characters; and last how octets are written. A stage that edits is followed by
another look, since most faults of this field are a second meaning that an edit made.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias, final

from postel._acceptance import AcceptedRange
from postel._catalogue import Kind
from postel._check import Action, Component, Family
from postel._composition import is_uncomposed
from postel._draft import Draft, Edit
from postel._dropping import Span, replaced, segment_drops
from postel._host import same_site
from postel._limits import long_segments
from postel._mending import compose
from postel._notes import MOST, Notes
from postel._policy import Policy
from postel._scanner import (
    CHARACTERS,
    FORMS,
    RESPELLED,
    SEGMENTS,
    WRITING,
    Sight,
    completed_by_respelling,
    well_formed,
)
from postel._shortcuts import proof
from postel._target import Target

Seen: TypeAlias = tuple[Action, Kind, int, int]
"""What is done about a kind, and where in the draft it is seen."""

_PATH: Final = Component.PATH
_SEGMENT: Final = re.compile(rb"[^/]++")
_FORM, _UNSPLIT, _DOTS, _STRUCTURE, _CHARACTER, _WRITING, _TEXT = range(7)


def _stage(kind: Kind) -> int:
    check = kind.check
    if check.family is Family.TARGET or kind is Kind.FRAGMENT:
        return _FORM
    if check.repair is not None and check.repair.before_split:
        return _UNSPLIT
    if kind is Kind.DOT_SEGMENT:
        return _DOTS
    if check.family is Family.SEGMENT:
        return _STRUCTURE
    if check.family is Family.WRITING:
        return _WRITING
    return _TEXT if kind is Kind.NOT_NFC else _CHARACTER


_STAGES: Final = tuple(_stage(kind) for kind in Kind)
_REACH: Final = {
    kind: re.compile(kind.check.repair.pattern, re.DOTALL)
    for kind in Kind
    if kind.check.repair is not None and kind.check.repair.pattern is not None
}
"""What REPAIR takes away, for the kinds where that is more than the octets in fault."""


@final
class PathRules:
    """What a policy says of paths, compiled."""

    __slots__ = ("_actions", "_ranges", "_segment", "_segments", "preserved", "prove")

    def __init__(self, policy: Policy) -> None:
        """Compile the path's column of a policy."""
        self._actions = policy.table[0]
        self.prove: Callable[[bytes], object] = proof(policy, _PATH).fullmatch
        """Whether nothing can fire in a path."""
        self._segment = policy.limits.segment
        self._segments = policy.limits.segments
        self._ranges = tuple(
            AcceptedRange(each.characters, always=b"/", plus=False)
            for each in policy.acceptances
            if each.component is _PATH
        )
        kept = [kind for kind in Kind if self._actions[kind.index] is Action.PRESERVE]
        octets = {ord(c) for kind in kept for c in kind.check.escaped[_PATH].text()}
        self.preserved = bytes(sorted(octets | set(b"/%"))) if kept else b""

    def look(self, draft: Draft, target: Target, notes: Notes, *, again: bool = False) -> list[Seen]:
        """Judge the path as it now stands: note what is seen, and say what is done about it."""
        octets = draft.octets
        if not octets and target.prefix and not again:
            return []  # the mounted application itself: PEP 3333 lets PATH_INFO be empty
        seen, begins = self._form(octets, target)
        sights = CHARACTERS[_PATH].scan(octets, begins, MOST + 1)
        if len(sights) > MOST:
            early = seen + self._judged(sights)
            if not again and notes.suffices([each[0] for each in early]):
                _note(early, draft, notes)
                return early
            sights = CHARACTERS[_PATH].scan(octets, begins)
        writing = self._writing(octets, begins, sights)
        seen += self._judged([*sights, *SEGMENTS.scan(octets, begins), *writing])
        if self.preserved and any(kind is Kind.ENCODED_SLASH for _, kind, _, _ in seen):
            seen += self._as_if_split(draft, seen)
        for accepted in self._ranges:
            if span := accepted.first_outside(octets, begins, len(octets)):
                kind = Kind.OUTSIDE_ACCEPTED_RANGE
                seen.append((self._actions[kind.index], kind, *span))
        seen += self._uncomposed(octets, begins)
        seen += self._joining(octets, seen)
        if octets.count(b"/", begins) > self._segments:
            seen.append((Action.REJECT, Kind.TOO_MANY_SEGMENTS, 0, 0))
        long = long_segments(octets, begins, self._segment)
        seen += [(Action.REJECT, Kind.LONG_SEGMENT, *span) for span in long]
        _note(seen, draft, notes, again=again)
        _note(self._stuck(octets, begins), draft, notes, again=again, detail=RESPELLED)
        return seen

    def _stuck(self, octets: bytes, begins: int) -> list[Seen]:
        """What must be refused, since respelling would make an escape of a stray ``%`` that is left."""
        left = self._actions[Kind.MALFORMED_ESCAPE.index] in {Action.ALLOW, Action.REPORT}
        if not left or self._actions[Kind.SPELLING.index] is not Action.REPAIR:
            return []
        return [
            (Action.REJECT, Kind.MALFORMED_ESCAPE, *span) for span in completed_by_respelling(octets, begins)
        ]

    def _writing(self, octets: bytes, begins: int, found: list[Sight]) -> list[Sight]:
        """How octets are written, where anybody asks; ``found`` are the characters in fault."""
        if not octets.isascii():
            return well_formed(WRITING[_PATH].scan(octets, begins), found)
        asked = self._actions[Kind.SPELLING.index] is not Action.ALLOW
        return WRITING[_PATH].scan(octets, begins) if asked else []

    def _judged(self, sights: list[Sight]) -> list[Seen]:
        """What is done about each thing that is seen; what is allowed is not seen."""
        actions, allow = self._actions, Action.ALLOW
        return [
            (action, kind, start, end)
            for kind, start, end in sights
            if (action := actions[kind.index]) is not allow
        ]

    def edit(self, draft: Draft, seen: list[Seen], target: Target, notes: Notes) -> Draft | None:
        """Make every edit that the policy asks for; ``None`` where the result is refused."""
        for stage in range(_TEXT + 1):
            mended = [each for each in seen if each[0].edits and _STAGES[each[1].index] == stage]
            if not mended:
                continue
            edits = self._edits(stage, draft, mended, notes)
            if edits is None:
                return None
            edited = draft.splice(edits)
            if edited is draft:
                continue
            draft = edited
            if self.prove(draft.octets) and self.is_within_limits(draft.octets):
                return draft
            seen = self.look(draft, target, notes, again=True)
            if notes.rejected:
                return None
        return None if notes.unsettled(draft, seen) else draft

    def is_within_limits(self, octets: bytes) -> bool:
        """Whether there are no more segments than the limit, and none that is too long."""
        return octets.count(b"/") <= self._segments and not any(long_segments(octets, 0, self._segment))

    def _form(self, octets: bytes, target: Target) -> tuple[list[Seen], int]:
        """The form of the target, and where in it the path begins."""
        if octets.startswith(b"/"):
            return [], 0
        # What begins with no slash has at least that fault.
        kind, found = next((kind, found) for kind, match in FORMS if (found := match(octets)))
        action, end = self._actions[kind.index], found.end()
        if kind is not Kind.ABSOLUTE_FORM:
            return [(action, kind, 0, end)], 0
        if not same_site(octets[:end], target.host):
            action = Action.REJECT
        return [(action, kind, 0, end)], end

    def _uncomposed(self, octets: bytes, begins: int) -> Iterator[Seen]:
        """Segments that are not in NFC, where anybody asks."""
        action = self._actions[Kind.NOT_NFC.index]
        if action is Action.ALLOW:
            return
        for match in _SEGMENT.finditer(octets, begins):
            segment = match.group()
            if is_uncomposed(segment):
                stuck = action is Action.REPAIR and is_uncomposed(compose(segment))
                yield (Action.REJECT if stuck else action, Kind.NOT_NFC, *match.span())

    @staticmethod
    def _joining(octets: bytes, seen: list[Seen]) -> list[Seen]:
        """What must be refused, since dropping it would make something of what is left."""
        dropped = [(start, end) for action, _, start, end in seen if action is Action.DROP]
        spans = segment_drops(octets, dropped)[0] if dropped else []
        return [
            (Action.REJECT, kind, start, end)
            for action, kind, start, end in seen
            if action is Action.DROP
            and (index := bisect_right(spans, start, key=_begin))
            and start < spans[index - 1][1]
        ]

    def _as_if_split(self, draft: Draft, seen: list[Seen]) -> list[Seen]:
        """What a preserved segment would show to whoever decodes it and splits again."""
        slashes = [
            (start, end, b"/" * ((end - start) // 3))
            for action, kind, start, end in seen
            if action is Action.PRESERVE and kind is Kind.ENCODED_SLASH
        ]
        split = Draft(draft.octets).splice(slashes)
        marks = [start for start, _, _ in slashes]
        found: list[Seen] = []
        for kind, start, end in SEGMENTS.scan(split.octets):
            action = self._actions[kind.index]
            first, last = split.origin(max(0, start - 1), end + 1)
            if action is Action.ALLOW or bisect_left(marks, first) == bisect_left(marks, last):
                continue
            if kind is Kind.EMPTY_SEGMENT:
                # A URL in a path looks so, and nobody merges slashes that the decoded view keeps escaped.
                action = Action.REPORT
            elif action.edits:
                action = Action.REJECT  # the edit cannot be made here
            found.append((action, kind, *split.origin(start, end)))
        return found

    def _edits(self, stage: int, draft: Draft, seen: list[Seen], notes: Notes) -> list[Edit] | None:
        octets = draft.octets
        if stage == _FORM:
            return _cut(octets, seen)
        if stage == _DOTS:
            resolved, fault = resolve_dots(octets)
            if fault is not None:
                span, why = fault
                notes.add(Kind.DOT_SEGMENT, Action.REJECT, draft, span, detail=why)
                return None
            return resolved
        edits: list[Edit] = []
        dropped: list[tuple[int, int]] = []
        for action, kind, start, end in seen:
            repair = kind.check.repair
            if action is Action.REPAIR and repair is not None and repair.mend is not None:
                reach = _REACH.get(kind)
                match = reach.match(octets, start) if reach else None
                end = match.end() if match else end  # noqa: PLW2901 - it takes away more than is in fault
                edits.append((start, end, repair.mend(octets[start:end])))
            elif action is Action.REPLACE:
                edits.append((start, end, replaced(octets[start:end])))
            elif action is Action.DROP:
                dropped.append((start, end))
        free = segment_drops(octets, dropped)[1] if dropped else []
        return edits + [(start, end, b"") for start, end in free]


def _note(seen: list[Seen], draft: Draft, notes: Notes, *, again: bool = False, detail: str = "") -> None:
    if again:
        for action, kind, start, end in seen:
            notes.add_again(kind, action, draft, (start, end), detail=detail)
        return
    for index in notes.wanted([each[0] for each in seen]):
        action, kind, start, end = seen[index]
        notes.add(kind, action, draft, (start, end), detail=detail)


def _begin(span: Span) -> int:
    return span[0]


def _cut(octets: bytes, seen: list[Seen]) -> list[Edit]:
    """Cut scheme and authority in front and fragment behind; an empty path is then the root."""
    begins, ends = 0, len(octets)
    for _, kind, start, end in seen:
        if kind is Kind.ABSOLUTE_FORM:
            begins = end
        else:
            ends = min(ends, start)
    ends = max(begins, ends)
    root = b"" if octets.startswith(b"/", begins) else b"/"
    return [(0, begins, root), (ends, len(octets), b"")]


def resolve_dots(octets: bytes) -> tuple[list[Edit], tuple[tuple[int, int], str] | None]:
    """The edits that remove literal dot segments from a path, or why that is refused.

    RFC 3986, section 5.2.4; but unlike there, ``..`` above the root is a fault, and so is ``..`` over an
    empty segment, which one reader counts as a segment and the next has merged.

    >>> resolve_dots(b"/a/./b/../c")[0]
    [(2, 4, b''), (4, 6, b''), (6, 9, b'')]
    """
    edits: list[Edit] = []
    kept: list[tuple[int, int]] = []
    start = 0
    while start < len(octets):
        end = octets.find(b"/", start + 1)
        last = end < 0
        end = len(octets) if last else end
        segment = octets[start + 1 : end]
        if segment == b"..":
            if not kept:
                return [], ((start + 1, end), "above the root")
            above = kept.pop()
            if above[1] == above[0] + 1:
                return [], ((start + 1, end), "over an empty segment")
            edits.append((*above, b""))
        if segment in {b".", b".."}:
            edits.append((start + 1 if last else start, end, b""))
        else:
            kept.append((start, end))
        start = end
    return sorted(edits), None

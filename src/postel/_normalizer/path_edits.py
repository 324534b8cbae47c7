"""The edits of a path: what each stage writes, in bulk, in place of what a look has shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias, final

from postel._alphabet.regex import compiled
from postel._alphabet.text import Reading
from postel._catalogue.check import Action, Component, Family
from postel._catalogue.kinds import Kind
from postel._normalizer.character_edits import Repairs, written_for
from postel._normalizer.dot_segments import resolve_dots
from postel._normalizer.edits import MARK, composed_in, unescaped
from postel._normalizer.findings import EVERY, Notes, Sights
from postel._normalizer.source_map import Draft, Edit
from postel._normalizer.writing import Writing
from postel._policy.name_rules import Actions

_PATH: Final = Component.PATH
_STRUCTURE: Final = (Kind.LEADING_SLASHES, Kind.EMPTY_SEGMENT, Kind.PATH_PARAMETER)
_REACH: Final = {
    kind: compiled(kind.check.repair.pattern or kind.check.patterns[_PATH], re.DOTALL)
    for kind in Kind
    if kind.check.family is Family.SEGMENT and kind.check.repair is not None and kind.check.repair.mend
}
"""What REPAIR takes away, which can be more than the octets in fault."""
_TO_SLASHES: Final = {
    Kind.BACKSLASH: (b"\\",),
    Kind.ENCODED_BACKSLASH: (b"%5C", b"%5c"),
    Kind.ENCODED_SLASH: (b"%2F", b"%2f"),
}


@final
@dataclass(frozen=True, slots=True)
class Looked:
    """What a look at a path has shown."""

    reading: Reading
    sights: tuple[Sights, ...] = ()
    """What is seen, sort by sort, in the order in which it is noted."""
    edited: frozenset[Kind] = frozenset()
    """The kinds that are seen and edited."""
    begins: int = 0
    """Where the path begins, behind scheme and authority."""


CLEAN_PATH: Final = Looked(Reading(b""))
"""In a path that needs no look nothing is seen."""


Stage: TypeAlias = Callable[[Draft, Looked, Notes], Draft | None]
"""A stage; it gives the same draft where there is nothing to do for it, and none where it refuses."""


@final
class PathEdits:
    """The stages of editing a path."""

    __slots__ = ("_actions", "_repairs", "_writing", "stages")

    def __init__(self, actions: Actions, characters: Iterable[Kind], writing: Writing) -> None:
        """``characters`` are the kinds of characters that anything is done about."""
        self._actions = actions
        self._repairs = Repairs(_PATH, characters)
        self._writing = writing
        self.stages: tuple[Stage, ...] = (
            self._cut,
            self._unsplit,
            self._resolve,
            self._restructure,
            self._mend,
            self._compose,
        )

    def marked(self, text: str, seen: Iterable[Kind]) -> str:
        """A text in which a mark stands for each character that is dropped."""
        return self._repairs.marked(text, self._actions, seen)

    @staticmethod
    def _cut(draft: Draft, looked: Looked, _notes: Notes) -> Draft:
        """Cut scheme and authority in front and fragment behind; an empty path is then the root."""
        octets, begins = draft.octets, looked.begins
        if not begins and Kind.FRAGMENT not in looked.edited:
            return draft
        ends = octets.find(b"#", begins) % (len(octets) + 1)
        root = b"" if octets.startswith(b"/", begins) else b"/"
        return draft.splice([(0, begins, root), (ends, len(octets), b"")])

    def _unsplit(self, draft: Draft, looked: Looked, _notes: Notes) -> Draft:
        """What is undone before a path is split, since it can write a slash."""
        octets = draft.octets
        repaired = {kind for kind in looked.edited if self._actions[kind.index] is Action.REPAIR}
        stage = repaired & _TO_SLASHES.keys()
        for kind in stage:
            for each in _TO_SLASHES[kind]:
                octets = octets.replace(each, b"/")
        if Kind.UNICODE_ESCAPE in repaired:
            stage.add(Kind.UNICODE_ESCAPE)
            octets = unescaped(octets, bare=False)
        return draft.rewritten(octets, lambda: self._runs(looked, stage))

    @staticmethod
    def _resolve(draft: Draft, looked: Looked, notes: Notes) -> Draft | None:
        """Resolve dot segments."""
        if Kind.DOT_SEGMENT not in looked.edited:
            return draft
        resolved, fault = resolve_dots(draft.octets)
        if fault is None:
            return draft.splice(resolved)
        span, why = fault
        notes.add(Kind.DOT_SEGMENT, Action.REJECT, draft, span, detail=why)
        return None

    def _restructure(self, draft: Draft, looked: Looked, _notes: Notes) -> Draft:
        """Merge slashes and cut parameters."""
        octets = draft.octets
        stage = looked.edited.intersection(_STRUCTURE)
        for kind in _STRUCTURE:
            repair = kind.check.repair
            if kind in stage and repair is not None and repair.mend is not None:
                octets = _REACH[kind].sub(repair.mend(b""), octets)
        return draft.rewritten(octets, lambda: self._restructured(looked, stage))

    def _mend(self, draft: Draft, looked: Looked, _notes: Notes) -> Draft:
        """Repair, replace and drop characters, and then write octets as they should be written."""
        octets = self._repairs.mended(
            draft.octets, looked.reading.text, self._actions, looked.edited, drops=True
        )
        draft = draft.rewritten(octets, lambda: self._runs(looked, looked.edited - _TO_SLASHES.keys()))
        before = draft.octets
        octets = self._repairs.written(before, self._actions, ill_formed=False)
        return draft.rewritten(octets, lambda: self._spellings(before))

    @staticmethod
    def _compose(draft: Draft, looked: Looked, _notes: Notes) -> Draft:
        """Put text into NFC."""
        uncomposed = looked.sights[6]
        spans = [
            (start, end)
            for action, _, start, end in uncomposed.first(uncomposed.count)
            if action is Action.REPAIR
        ]
        return composed_in(draft, spans, b"/")

    # -- the same edits one by one, for whoever asks where something came from ------------------------------

    @staticmethod
    def _runs(looked: Looked, kinds: Container[Kind]) -> Iterator[Edit]:
        characters = looked.sights[1]
        for action, kind, start, end in characters.first(EVERY):
            if (
                kind in kinds
                and (written := written_for(kind, action, looked.reading.octets[start:end])) is not None
            ):
                yield start, end, written

    @staticmethod
    def _restructured(looked: Looked, kinds: Container[Kind]) -> Iterator[Edit]:
        octets, structure = looked.reading.octets, looked.sights[2]
        done = 0
        for _, kind, start, _ in structure.first(EVERY):
            repair = kind.check.repair
            match = _REACH[kind].match(octets, start) if kind in kinds and start >= done else None
            if match is not None and repair is not None and repair.mend is not None:
                done = match.end()
                yield start, done, repair.mend(b"")

    def _spellings(self, octets: bytes) -> Iterator[Edit]:
        for kind, start, end in self._writing.walk(octets):
            action = self._actions[kind.index]
            if (written := written_for(kind, action, octets[start:end])) is not None:
                yield start, end, written


_DOTS: Final = re.compile("[.\udc2e]{1,2}(?:[;\udc3b].*)?", re.DOTALL)


def first_loss(text: str) -> int | None:
    """Where the first mark is that cannot be dropped: it joins what is left, or leaves dots or nothing."""
    start = 0
    segments = text.split("/")
    for number, segment in enumerate(segments):
        if MARK in segment:
            inside = segment.lstrip(MARK)
            if MARK in inside.rstrip(MARK):
                return start + len(segment) - len(inside) + inside.index(MARK)
            left = inside.rstrip(MARK)
            if _DOTS.fullmatch(left) or (not left and number + 1 < len(segments)):
                return start + segment.index(MARK)
        start += len(segment) + 1
    return None

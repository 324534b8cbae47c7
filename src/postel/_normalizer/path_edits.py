"""Edit a path in bulk, with one method for each stage."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from functools import cache, partial
from heapq import merge
from typing import Final, final

from postel._alphabet.characters import NO_CHARACTERS
from postel._alphabet.percent import has_strays
from postel._alphabet.regex import compiled
from postel._alphabet.steps import Steps
from postel._alphabet.text import Reading, text_of
from postel._catalogue.check import Action, Component, Family
from postel._catalogue.kinds import Kind
from postel._catalogue.repairs import to_slashes
from postel._normalizer.character_edits import Repairs, written_for
from postel._normalizer.column import Column
from postel._normalizer.composition import uncomposed_segments
from postel._normalizer.detected import Detected, Stage
from postel._normalizer.dot_segments import resolve_dots
from postel._normalizer.edits import MARK, Text, unescaping
from postel._normalizer.findings import NOTHING, Collector, changes_octets, listed
from postel._normalizer.pair_actions import PairActions
from postel._normalizer.source_map import Edit, Mapped, substitutions

_PATH: Final = Component.PATH
_SEGMENT_REPAIRS: Final = {
    kind: (
        compiled(kind.check.repair.pattern or kind.check.patterns[_PATH], re.DOTALL),
        kind.check.repair.replacement(b""),
    )
    for kind in Kind
    if kind.check.family is Family.SEGMENT and kind.check.repair is not None and kind.check.repair.replacement
}
"""A pattern for the octets that REPAIR replaces in segments, and what is written there.

These can be more than the faulty octets.
"""
_LEADING: Final = compiled(Kind.LEADING_SLASHES.check.patterns[_PATH])
_TO_SLASHES: Final = {
    kind: (
        *(character.encode() for character in kind.check.bare.get(_PATH, NO_CHARACTERS).text()),
        *(b"%%%02X" % ord(character) for character in kind.check.escaped.get(_PATH, NO_CHARACTERS).text()),
        *(b"%%%02x" % ord(character) for character in kind.check.escaped.get(_PATH, NO_CHARACTERS).text()),
    )
    for kind in Kind
    if kind.check.repair is not None and kind.check.repair.replacement is to_slashes
}
"""The octets that REPAIR replaces with a slash, for each kind; for an encoded slash, ``%2F`` and ``%2f``."""
_BEFORE_SPLIT: Final = {
    kind for kind in Kind if kind.check.repair is not None and kind.check.repair.before_split
} | {Kind.FRAGMENT}
"""The kinds that only stages before the next split edit."""


@final
class PathEdits:
    """The stages of editing a path."""

    __slots__ = ("_actions", "_column", "_repairs", "stages")

    def __init__(self, column: Column) -> None:
        """Compile the edits that a policy makes in a path."""
        self._column = column
        self._repairs = Repairs(column)
        self._actions = PairActions(column.actions, 1)
        self.stages: tuple[Stage, ...] = (self._cut, self._edit_before_split, self._rewrite)

    def marked(self, text: str, seen: Iterable[Kind]) -> str:
        """Replace each character whose action is DROP with one mark."""
        return self._repairs.marked(text, self._actions, seen)

    @staticmethod
    def _cut(mapped: Mapped, detected: Detected, _collector: Collector) -> Steps[Mapped]:
        """Cut scheme and authority, and the fragment with them; an empty path becomes the root."""
        if detected.path_offset:
            yield
            mapped = _path_alone(mapped, detected)
        return mapped

    def _edit_before_split(self, mapped: Mapped, detected: Detected, _collector: Collector) -> Steps[Mapped]:
        """Cut a fragment, and make the repairs that can write a slash, so that the path is split anew."""
        mapped = _path_alone(mapped, detected) if Kind.FRAGMENT in detected.seen else mapped
        octets = mapped.octets
        repaired = {kind for kind in detected.seen if self._column.actions[kind.index] is Action.REPAIR}
        # If the next stage has more to edit, a proof would fail.
        edited = {kind for kind in detected.seen if self._column.actions[kind.index] is not Action.PRESERVE}
        has_more = edited - _BEFORE_SPLIT or detected.of("writing").have(changes_octets)
        detected.is_settled = False if has_more else None
        yield
        for kind in repaired & _TO_SLASHES.keys():
            for each in _TO_SLASHES[kind]:
                octets = octets.replace(each, to_slashes(each))
        mapped = mapped.respelled(octets)
        if Kind.UNICODE_ESCAPE not in repaired:
            return mapped
        return mapped.rewritten(*unescaping(octets, bare=False))

    def _rewrite(self, mapped: Mapped, detected: Detected, collector: Collector) -> Steps[Mapped | None]:
        """Edit the structure and the characters, and put text into NFC."""
        restructured = self._restructure(mapped, detected, collector)
        yield
        if restructured is None or self._refuse_unresolved(restructured, detected.seen, collector):
            return None
        octets, reading = restructured.octets, detected.reading

        @cache
        def text() -> str:
            return reading.text if octets == reading.octets else text_of(octets)

        if restructured is not mapped and self._refuse_drop(restructured, text, detected.seen, collector):
            return None
        return self._repair(restructured, text, detected, collector)

    def _refuse_unresolved(self, mapped: Mapped, seen: Container[Kind], collector: Collector) -> bool:
        """Refuse the path if it still has an octet that REPAIR would write as a slash; return whether.

        Only UTF-16 units that were decoded can leave such octets, and no later stage edits these.
        """
        octets = mapped.octets
        for kind, forms in _TO_SLASHES.items():
            if kind in seen and self._column.actions[kind.index] is Action.REPAIR:
                places = [(place, place + len(each)) for each in forms if (place := octets.find(each)) >= 0]
                if places:
                    collector.add(kind, Action.REJECT, mapped, min(places), detail="after a repair")
                    return True
        return False

    def _refuse_drop(self, mapped: Mapped, text: Text, seen: frozenset[Kind], collector: Collector) -> bool:
        """Refuse the path if an octet can no longer be dropped; return whether it was refused.

        The octet may have to stay because the edits of the structure left nothing else in its segment.
        """
        if not any(self._column.actions[kind.index] is Action.DROP for kind in seen):
            return False
        refused = next(undroppable(self.marked(text(), seen)), None)
        if refused is None:
            return False
        reading = Reading(mapped.octets, text())
        kind, *span = next(self._column.scanner.walk(reading.text, refused))
        collector.add(kind, Action.REJECT, mapped, reading.span(*span))
        return True

    def _restructure(self, mapped: Mapped, detected: Detected, collector: Collector) -> Mapped | None:
        """Resolve dot segments, merge slashes and cut parameters."""
        seen = set(detected.seen)
        if Kind.DOT_SEGMENT in seen:
            resolved, fault = resolve_dots(mapped.octets)
            if fault is not None:
                span, why = fault
                collector.add(Kind.DOT_SEGMENT, Action.REJECT, mapped, span, detail=why)
                return None
            mapped = mapped.splice(resolved)
            # Without the dot segments before it, an empty segment is a second leading slash.
            leading = _LEADING.match(mapped.octets)
            if leading is not None and not _LEADING.match(detected.reading.octets):
                action = self._column.actions[Kind.LEADING_SLASHES.index]
                matches = listed([(action, Kind.LEADING_SLASHES, *leading.span())])
                collector.take_again(matches if action is not Action.ALLOW else NOTHING, mapped)
                seen |= {Kind.LEADING_SLASHES} if action.edits else set()
        received = octets = mapped.octets
        stage = [each for kind, each in _SEGMENT_REPAIRS.items() if kind in seen]
        for pattern, written in stage:
            octets = pattern.sub(written, octets)
        edited = mapped.rewritten(octets, lambda: merge(*(substitutions(*each, received) for each in stage)))
        return None if collector.rejected else edited

    def _repair(self, mapped: Mapped, text: Text, detected: Detected, collector: Collector) -> Mapped:
        """Edit characters, put text into NFC, and write octets canonically."""
        actions, seen, before = self._actions, detected.seen, mapped.octets
        octets, text_after = self._repairs.removed(before, text, actions, seen, ())
        kinds = seen - _TO_SLASHES.keys()
        edited = mapped.rewritten(octets, lambda: self._runs(Reading(before, text()), kinds))
        if self._column.composes:
            if octets != detected.reading.octets and not collector.truncated:
                left = Reading(octets, text_after())
                found = uncomposed_segments(
                    detected.composition, left, (0, 0), Action.REPAIR, is_received=False
                )
                collector.take_again(found, edited)
            edited = detected.composition.written(edited, text_after())
            text_after = partial(text_of, edited.octets)
        octets = self._repairs.written(edited.octets, text_after, actions, seen)
        # Beside a stray percent sign, some escapes may have to stay as they are.
        respells = self._column.actions[Kind.SPELLING.index] is Action.REPAIR
        detected.is_respelled = respells and not has_strays(octets)
        return edited.respelled(octets)

    # -- the same edits one by one, to trace where octets came from ------------------------------------------

    def _runs(self, reading: Reading, kinds: Container[Kind]) -> Iterator[Edit]:
        octets, written_once = reading.octets, cache(written_for)
        for kind, *at in self._column.scanner.walk(reading.text):
            start, end = reading.span(*at)
            action = self._column.actions[kind.index] if kind in kinds else Action.ALLOW
            written = written_once(kind, action, octets[start:end])
            # A match without an edit costs as much to find, so it also counts towards the limit.
            yield (start, start, b"") if written is None else (start, end, written)


_MARKS: Final = re.compile(f"{MARK}++")
_DOTS: Final = re.compile("[.\udc2e]{1,2}(?:[;\udc3b].*)?", re.DOTALL)


def undroppable(text: str) -> Iterator[int]:
    """Yield the start of each run of marks that cannot be dropped.

    Dropping them would join the octets around them, or leave an empty segment or a dot segment.
    """
    start = 0
    for segment in text.split("/"):
        if MARK in segment:
            left = segment.strip(MARK)
            is_lost = _DOTS.fullmatch(left) or (not left and start + len(segment) < len(text))
            for run in _MARKS.finditer(segment) if is_lost or MARK in left else ():
                if is_lost or 0 < run.start() < run.end() < len(segment):
                    yield start + run.start()
        start += len(segment) + 1


def _path_alone(mapped: Mapped, detected: Detected) -> Mapped:
    """Return the path alone, without scheme, authority and fragment."""
    octets, begins = mapped.octets, detected.path_offset
    ends = len(octets.partition(b"#")[0])  # no authority holds a number sign
    root = b"" if octets.startswith(b"/", begins) else b"/"
    return mapped.splice([(0, begins, root), (ends, len(octets), b"")])

"""The grammar of the pairs of a query or form: names and values between ampersands.

Every pair is judged, even if it will be dropped, so that a stricter rule never hides what another one
refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import Final, final

from postel._alphabet.steps import Steps
from postel._alphabet.text import Reading
from postel._catalogue.check import Action, Family
from postel._catalogue.kinds import Kind
from postel._normalizer.column import Column
from postel._normalizer.detected import Around, Detected, Stage
from postel._normalizer.findings import EVERY, NOTHING, Collector, Matches, NameOf, listed
from postel._normalizer.name_characters import in_names
from postel._normalizer.pair_edits import PairEdits
from postel._normalizer.pair_matches import (
    empty_pairs,
    foreign_references,
    outside_ranges,
    repeated_names,
    seen_names,
    uncomposed_parts,
    waiting,
)
from postel._normalizer.pair_structure import at_octets
from postel._normalizer.pairs import Pairs
from postel._normalizer.part_limits import PairLimits
from postel._normalizer.profiles import Alike, Profiles, done_in
from postel._normalizer.respelling import RESPELLED
from postel._normalizer.scanner import Match, Scanner, acting, judged
from postel._normalizer.source_map import Mapped

_GONE: Final = {Action.DROP_PAIR, Action.REPAIR}


@final
class PairGrammar:
    """Splits a component into pairs, and detects what is wrong in them."""

    __slots__ = ("_column", "_edits", "_names", "_profiles", "_structure", "limits", "stages")

    def __init__(self, column: Column) -> None:
        """Compile the component's column of a policy, and its rules for names."""
        self._column = column
        self._names = column.names
        self.limits: PairLimits = PairLimits(column.limits)
        self._structure: Scanner[bytes] = at_octets(
            column.component, acting(column.component, Family.PAIR, column.asked.__contains__)
        )
        self._profiles = Profiles(
            column.names, column.actions, column.scanner, self._structure, column.writing, column.prove
        )
        self._edits = edits = PairEdits(column)
        # Rules for a name must be applied before its value is edited.
        repairing = (edits.unescape, self._repair)
        self.stages: tuple[Stage, ...] = (
            *(self._of_names(stage) for stage in repairing if self._names.kinds),
            *(edits.cut, *repairing, edits.drop, edits.end_lines),
        )

    def split(self, octets: bytes, _around: Around) -> Detected:
        """Find the pairs."""
        reading = Reading(octets)
        reading.text = in_names(self._column.component, reading.plain)
        return Detected(reading, pairs=Pairs(octets))

    def excess(self, detected: Detected, *, many: bool) -> Match | None:
        """Too many pairs; beside many faulty characters, also a long name or value."""
        pairs = detected.pairs
        over = self.limits.many(pairs.octets)
        return next(self.limits.long(pairs.octets, pairs.pieces), None) if many and over is None else over

    @staticmethod
    def name_of(detected: Detected) -> NameOf:
        """The name of the pair at a place."""
        return detected.pairs.name_at

    def detect(self, detected: Detected, found: list[Match], around: Around, *, exact: bool) -> Steps[None]:
        """Find the matches of every sort."""
        pairs, reading, column = detected.pairs, detected.reading, self._column
        octets, text, actions = reading.octets, reading.text, column.actions
        ruled = bool(self._names.kinds)  # kinds are found first, then counted by groups of pairs
        asked = column.scanner, text, 0, actions, reading.span
        characters, present = judged(*asked, exact=exact and not ruled, found=found)
        profiles = self._profiles.of(pairs, reading, present) if ruled else None
        alike: list[Alike] = []
        if profiles:
            characters, alike = self._profiles.judged(text.split("&"), profiles, reading.span, exact=exact)
        elif exact and ruled:
            characters, _ = judged(*asked, exact=True, found=found)
        done = done_in(profiles, actions)

        def action_at(kind: Kind, place: int) -> Action:
            return done(kind, pairs.at(place) if profiles else 0)

        def seen_of(found: Iterable[tuple[Kind, int, int]]) -> Matches:
            seen = [(action_at(kind, start), kind, start, end) for kind, start, end in found]
            return listed([each for each in seen if each[0] is not Action.ALLOW])

        if profiles and self._names.of_structure:
            structure, parted = seen_of(self._structure.walk(octets)), True
        else:
            structure, held = judged(self._structure, octets, 0, actions, exact=exact)
            parted = any(actions[kind.index] is Action.DROP_PAIR for kind in held)
        yield
        empty = seen_of(empty_pairs(pairs)) if Kind.EMPTY_PAIR in column.asked else NOTHING
        done_at = action_at if profiles and self._names.of_writing else actions
        writing = column.writing.look(octets, reading.plain, 0, done_at, exact=exact)
        yield
        composing = listed(uncomposed_parts(column.asked, pairs, reading.plain, done))
        yield
        foreign = listed(foreign_references(column.asked, pairs, reading.plain, done))
        going = set[int]() if profiles else self._edits.going(text, actions, present)
        for profile, members, together, kinds in alike:
            going.update(members[place] for place in self._edits.going(together, profile, kinds))
        for matches in (structure if parted else NOTHING, composing, foreign):
            going |= {
                pairs.at(start) for action, _, start, _ in matches.first(EVERY) if action is Action.DROP_PAIR
            }
        yield
        again = self._repeated(pairs, reading.plain, going, around.elsewhere)
        repeated = listed(seen_names(Kind.DUPLICATE_NAME, pairs, again, done))
        going |= {pair for pair in again if done(Kind.DUPLICATE_NAME, pair) in _GONE}
        those, seen = outside_ranges(column.ranges, pairs, reading.plain, done)
        outside = listed(seen, span=reading.span)
        going |= {pair for pair, match in zip(those, seen, strict=True) if match[0] in _GONE}
        long = listed([(Action.REJECT, *each) for each in self.limits.long(octets, pairs.pieces)])
        stuck = listed(waiting(octets, action_at) if Kind.SPELLING in column.asked else [], RESPELLED)
        detected.matches = {
            "characters": characters,
            "structure": structure,
            "empty": empty,
            "writing": writing,
            "uncomposed": composing,
            "repeated": repeated,
            "outside": outside,
            "foreign": foreign,
            "long": long,
            "waiting": stuck,
        }
        detected.profiles, detected.seen, detected.going = profiles, present, going

    def _of_names(self, stage: Callable[..., Mapped]) -> Stage:
        """A stage that edits names alone, unless the same rules apply before and after."""

        def edited(mapped: Mapped, detected: Detected, notes: Collector) -> Mapped:
            composes = detected.of("uncomposed").editing is not None
            if self._profiles.hold(detected.profiles, detected.seen, composes=composes):
                return mapped
            return stage(mapped, detected, notes, names_alone=True)

        return edited

    def _repair(
        self, mapped: Mapped, detected: Detected, notes: Collector, *, names_alone: bool = False
    ) -> Mapped:
        """Edit characters and spelling, then put text into NFC."""
        repaired = self._edits.repair(mapped, detected, names_alone=names_alone)
        if repaired is not mapped and Kind.NOT_NFC in self._column.asked:
            detected = self._detect_uncomposed(repaired, detected, notes)
        return self._edits.compose(repaired, detected, names_alone=names_alone)

    def _detect_uncomposed(self, mapped: Mapped, detected: Detected, notes: Collector) -> Detected:
        """Detect text that is not in NFC in edited pairs whose number has not changed."""
        pairs, reading, profiles = Pairs(mapped.octets), Reading(mapped.octets), detected.profiles
        found = uncomposed_parts(
            self._column.asked, pairs, reading.plain, done_in(profiles, self._column.actions)
        )
        composing = listed(found)
        notes.take_again(composing, mapped, pairs.name_at)
        return replace(detected, pairs=pairs, reading=reading, matches={"uncomposed": composing})

    def _repeated(
        self, pairs: Pairs, text: str, going: Collection[int], elsewhere: Collection[str]
    ) -> list[int]:
        """The pairs with a repeated name, if the policy looks for them."""
        if Kind.DUPLICATE_NAME not in self._column.asked:
            return []
        return repeated_names(pairs, text, going=going, elsewhere=elsewhere, last=self._column.keeps_last)

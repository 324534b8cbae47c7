"""The grammar of the pairs of a query or form: names and values between ampersands.

Every pair is judged, even if it will be dropped. Otherwise, a stricter rule that drops a pair could hide a
fault that another rule refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import final

from postel._alphabet.steps import Steps
from postel._alphabet.text import Reading
from postel._catalogue.check import Action, Family
from postel._catalogue.kinds import Kind
from postel._normalizer.column import Column
from postel._normalizer.detected import Context, Detected, Stage
from postel._normalizer.findings import EVERY, NOTHING, Collector, Matches, listed
from postel._normalizer.name_characters import in_names
from postel._normalizer.pair_edits import PairEdits
from postel._normalizer.pair_matches import (
    DROPPING,
    empty_pairs,
    foreign_references,
    outside_ranges,
    repeated_names,
    seen_names,
    uncomposed_parts,
)
from postel._normalizer.pair_structure import at_octets
from postel._normalizer.pairs import Pairs
from postel._normalizer.part_limits import PairLimits
from postel._normalizer.profiles import Alike, Profiles, done_in
from postel._normalizer.respelling import waiting
from postel._normalizer.scanner import Match, Scanner, acting, judged
from postel._normalizer.source_map import Mapped
from postel._policy.name_rules import Actions


@final
class PairGrammar:
    """Splits a component into pairs, and detects what is wrong in them."""

    __slots__ = ("_column", "_edits", "_names", "_profiles", "_structure", "limits", "stages")

    def __init__(self, column: Column) -> None:
        """Compile the actions of a policy for the component, and its rules for names."""
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
        # Names are edited first, because the edited name decides which rules apply to the value.
        repairing = (edits.unescape, self._repair)
        self.stages: tuple[Stage, ...] = (
            *(partial(self._in_names, stage) for stage in repairing if self._names.kinds),
            *(edits.cut, *repairing, edits.drop, edits.end_lines),
        )

    def split(self, octets: bytes, _context: Context) -> Detected:
        """Find the pairs."""
        reading, pairs = Reading(octets), Pairs(octets)
        reading.text = in_names(self._column.component, reading.plain)
        return Detected(reading, pairs=pairs, name_of=pairs.name_at)

    def excess(self, detected: Detected, *, many: bool) -> Match | None:
        """Return the match of too many pairs; with ``many``, also that of a long name or value."""
        pairs = detected.pairs
        over = self.limits.many(pairs.octets)
        return next(self.limits.long(pairs.octets, pairs.pieces), None) if many and over is None else over

    def detect(
        self, detected: Detected, found: list[Match], context: Context, before: Detected | None
    ) -> Steps[None]:
        """Find the matches of every sort."""
        pairs, reading, column = detected.pairs, detected.reading, self._column
        exact, detected.leaving = before is None, before.leaving if before else {}
        octets, text, actions = reading.octets, reading.text, column.actions
        ruled = bool(self._names.kinds)  # then matches are counted later, for groups of pairs
        asked = column.scanner, text, 0, actions, reading.span
        characters, present = judged(*asked, exact=exact and not ruled, found=found)
        profiles = self._profiles.of(pairs, reading, present, before) if ruled else None
        alike: list[Alike] = []
        if profiles:
            characters, alike = self._profiles.judged(
                text.split("&"), profiles, present, reading.span, exact=exact
            )
        elif exact and ruled:
            characters, _ = judged(*asked, exact=True, found=found)
        done = done_in(profiles, actions)

        def action_at(kind: Kind, place: int) -> Action:
            return done(kind, pairs.at(place) if profiles else 0)

        def seen_of(found: Iterable[tuple[Kind, int, int]]) -> Matches:
            return listed(
                [
                    (action, kind, start, end)
                    for kind, start, end in found
                    if (action := action_at(kind, start)) is not Action.ALLOW
                ]
            )

        matches = detected.matches
        matches["characters"] = characters
        if profiles and self._names.of_structure:
            matches["structure"], parted = seen_of(self._structure.walk(octets)), True
        else:
            matches["structure"], held = judged(self._structure, octets, 0, actions, exact=exact)
            parted = any(actions[kind.index] is Action.DROP_PAIR for kind in held)
        yield
        if Kind.EMPTY_PAIR in column.asked:
            matches["empty"] = seen_of(empty_pairs(pairs))
        done_at = action_at if profiles and self._names.of_writing else actions
        matches["writing"] = column.writing.judge(octets, reading.plain, 0, done_at, exact=exact)
        yield
        matches["uncomposed"] = self._uncomposed(pairs, reading.plain, profiles, every=exact)
        yield
        foreign = listed(foreign_references(column.asked, pairs, reading.plain, done, detected.leaving))
        dropped = set[int]() if profiles else self._edits.dropped_pairs(text, actions, present)
        for profile, members, together, kinds in alike:
            dropped.update(members[place] for place in self._edits.dropped_pairs(together, profile, kinds))
        for each in (
            matches["structure"] if parted else NOTHING,
            NOTHING if actions[Kind.NOT_NFC.index] is Action.REPAIR and not ruled else matches["uncomposed"],
            foreign,
        ):
            dropped |= {
                pairs.at(start)
                for action, _, start, _ in each.first(EVERY if each.editing else 0)
                if action is Action.DROP_PAIR
            }
        yield
        repeated: list[int] = []
        if Kind.DUPLICATE_NAME in column.asked:
            last, elsewhere = column.keeps_last, context.elsewhere
            repeated = repeated_names(pairs, reading.plain, dropped=dropped, elsewhere=elsewhere, last=last)
        matches["repeated"] = listed(seen_names(Kind.DUPLICATE_NAME, pairs, repeated, done))
        dropped |= {pair for pair in repeated if done(Kind.DUPLICATE_NAME, pair) in DROPPING}
        those, outside, detected.outside = outside_ranges(column.ranges, pairs, reading.plain, done)
        matches["outside"] = listed(outside, span=reading.span)
        dropped |= {pair for pair, match in zip(those, outside, strict=True) if match[0] in DROPPING}
        matches["foreign"] = foreign
        matches["long"] = listed([(Action.REJECT, *each) for each in self.limits.long(octets, pairs.pieces)])
        if column.waits:
            matches["waiting"] = waiting(octets, action_at)
        detected.profiles, detected.seen, detected.dropped = profiles, present, dropped

    def _uncomposed(self, pairs: Pairs, text: str, profiles: list[Actions] | None, *, every: bool) -> Matches:
        """Judge names and values that are not in NFC: ``every`` one, or the first ones if they are enough."""
        action = self._column.actions[Kind.NOT_NFC.index]
        done = done_in(profiles, self._column.actions) if profiles else action
        every = every or bool(self._names.kinds) or action is Action.DROP_PAIR
        return uncomposed_parts(self._column.asked, pairs, text, done, every=every)

    def _in_names(
        self, stage: Callable[..., Mapped], mapped: Mapped, detected: Detected, notes: Collector
    ) -> Mapped:
        """Edit only names, unless the same rules apply before and after the edit."""
        composes = detected.of("uncomposed").editing is not None
        if self._profiles.hold(detected.profiles, detected.seen, composes=composes):
            return mapped
        return stage(mapped, detected, notes, names_alone=True)

    def _repair(
        self, mapped: Mapped, detected: Detected, notes: Collector, *, names_alone: bool = False
    ) -> Mapped:
        """Edit characters and spelling, then put text into NFC."""
        repaired = self._edits.repair(mapped, detected, names_alone=names_alone)
        if repaired is not mapped and Kind.NOT_NFC in self._column.asked:
            # The number of pairs has not changed.
            pairs, reading = Pairs(repaired.octets), Reading(repaired.octets)
            uncomposed = self._uncomposed(pairs, reading.plain, detected.profiles, every=False)
            notes.take_again(uncomposed, repaired, pairs.name_at)
            detected = replace(detected, pairs=pairs, reading=reading, matches={"uncomposed": uncomposed})
        return self._edits.compose(repaired, detected, names_alone=names_alone)

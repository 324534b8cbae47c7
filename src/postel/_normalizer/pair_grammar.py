"""The grammar of the pairs of a query or form: names and values between ampersands.

Every pair is judged, even if it will be dropped. Otherwise, a stricter rule that drops a pair could hide a
fault that another rule refuses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final, final

from postel._alphabet.steps import Steps
from postel._alphabet.text import Reading, text_of
from postel._catalogue.check import Action, Family
from postel._catalogue.kinds import Kind
from postel._normalizer.column import Column
from postel._normalizer.detected import Context, Detected, Sort, Stage
from postel._normalizer.findings import EVERY, MOST, NOTHING, Collector, Matches, listed
from postel._normalizer.name_characters import in_names
from postel._normalizer.pair_edits import PairEdits
from postel._normalizer.pair_groups import Group, judged_in_groups
from postel._normalizer.pair_matches import (
    dropping,
    empty_pairs,
    foreign_references,
    in_pairs,
    outside_ranges,
    repeated_names,
    uncomposed_parts,
)
from postel._normalizer.pair_structure import at_octets
from postel._normalizer.pairs import Pairs
from postel._normalizer.part_limits import PairLimits
from postel._normalizer.profiles import Profiles
from postel._normalizer.respelling import waiting
from postel._normalizer.scanner import Match, Scanner, acting, judged
from postel._normalizer.source_map import Mapped
from postel._normalizer.writing import WRITTEN
from postel._policy.name_rules import Actions

_OF_WHOLE_PAIRS: Final[tuple[Sort, ...]] = ("empty", "repeated", "outside", "foreign")
"""The sorts whose edits remove the pair."""


@final
class PairGrammar:
    """Splits a component into pairs, and detects what is wrong in them."""

    __slots__ = (
        "_column",
        "_edits",
        "_names",
        "_profiles",
        "_structure",
        "_structure_kinds",
        "limits",
        "stages",
    )

    def __init__(self, column: Column) -> None:
        """Compile the actions of a policy for the component, and its rules for names."""
        self._column = column
        self._names = column.names
        self.limits: PairLimits = PairLimits(column.limits)
        self._structure_kinds = acting(column.component, Family.PAIR, column.asked.__contains__)
        self._structure: Scanner[bytes] = at_octets(column.component, self._structure_kinds)
        self._profiles = Profiles(
            column.component,
            column.names,
            column.actions,
            column.scanner,
            self._structure,
            column.writing,
            column.prove,
        )
        self._edits = edits = PairEdits(column)
        # Names are edited first, because the edited name decides which rules apply to the value.
        repairing = (edits.unescape, self._repair)
        self.stages: tuple[Stage, ...] = (
            *(partial(self._in_names, stage) for stage in repairing if self._names.kinds),
            *(edits.cut, *repairing, self._drop, edits.end_lines),
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
        exact, names, octets, text = before is None, self._names, reading.octets, reading.text
        if before is not None:
            detected.known, detected.leaving, detected.ranged = before.known, before.leaving, before.ranged
            detected.composition = before.composition
        characters, present = judged(
            column.scanner,
            text,
            0,
            column.actions,
            reading.span,
            exact=exact and not names.kinds,
            found=found,
        )
        detected.seen = present
        detected.doing = doing = self._profiles.of(detected, present, before)
        groups = doing.grouped(present)
        if names.kinds and (exact or doing.columns != [column.actions]):
            characters = self._characters(found, groups, detected, exact=exact)
        matches = detected.matches
        matches["characters"] = characters
        matches["structure"] = judged_in_groups(
            doing.grouped(self._structure_kinds if names.of_structure else ()),
            pairs.pieces,
            pairs.joined,
            lambda each, actions: judged(self._structure, each, 0, actions, exact=exact)[0],
        )
        yield
        if Kind.EMPTY_PAIR in column.asked:
            matches["empty"] = empty_pairs(pairs, doing)
        if column.writing.asked:
            matches["writing"] = judged_in_groups(
                doing.grouped(WRITTEN if names.of_writing else ()),
                pairs.pieces,
                pairs.joined,
                partial(self._written, reading, exact=exact),
            )
        yield
        matches["uncomposed"] = self._uncomposed(detected, every=exact)
        yield
        foreign = foreign_references(column.asked, pairs, reading.plain, doing, detected.leaving)
        dropped = self._edits.dropped_pairs(doing, text, present)
        for each in (matches["structure"], matches["uncomposed"], foreign):
            if Action.DROP_PAIR not in each.actions:
                continue
            dropped |= {
                pairs.at(start) for action, _, start, _ in each.first(EVERY) if action is Action.DROP_PAIR
            }
        yield
        repeated: list[int] = []
        if Kind.DUPLICATE_NAME in column.asked:
            last, elsewhere = column.keeps_last, context.elsewhere
            repeated = repeated_names(pairs, dropped=dropped, elsewhere=elsewhere, last=last)
        matches["repeated"] = in_pairs(
            Kind.DUPLICATE_NAME, repeated, doing, lambda number: pairs.name_span(repeated[number])
        )
        dropped |= dropping(Kind.DUPLICATE_NAME, repeated, doing)
        if column.ranges:
            outside, run, detected.outside = outside_ranges(
                column.ranges, pairs, reading.plain, doing, detected.ranged
            )
            kind = Kind.OUTSIDE_ACCEPTED_RANGE
            matches["outside"] = in_pairs(kind, outside, doing, lambda number: reading.span(*run(number)))
            dropped |= dropping(kind, outside, doing)
        matches["foreign"] = foreign
        matches["long"] = listed([(Action.REJECT, *each) for each in self.limits.long(octets, pairs.pieces)])
        if column.waits:
            groups = doing.grouped((Kind.SPELLING, Kind.MALFORMED_ESCAPE))
            matches["waiting"] = judged_in_groups(groups, pairs.pieces, pairs.joined, waiting)
        detected.dropped = dropped

    def _written(self, reading: Reading, octets: bytes, actions: Actions, *, exact: bool) -> Matches:
        """Judge how the octets of some pairs are written; ``reading`` has the text of all pairs."""
        text = "" if octets.isascii() else reading.plain if octets is reading.octets else text_of(octets)
        return self._column.writing.judge(octets, text, 0, actions, exact=exact)

    def _characters(
        self, found: list[Match], groups: list[Group], detected: Detected, *, exact: bool
    ) -> Matches:
        """Judge characters, if rules for names apply."""
        span, scanner = detected.reading.span, self._column.scanner
        if len(found) <= MOST:
            at, doing = detected.pairs.at, detected.doing
            placed = [(kind, *span(*place)) for kind, *place in found]
            seen = [(doing.at(kind, at(start)), kind, start, end) for kind, start, end in placed]
            return listed([each for each in seen if each[0] is not Action.ALLOW])
        parts = detected.reading.text.split("&")
        return judged_in_groups(
            groups,
            parts,
            lambda members: "&".join(map(parts.__getitem__, members)),
            lambda each, actions: judged(scanner, each, 0, actions, exact=exact)[0],
            span,
        )

    def _uncomposed(self, detected: Detected, *, every: bool) -> Matches:
        """Judge names and values that are not in NFC: ``every`` one, or the first ones if they are enough."""
        if Kind.NOT_NFC not in self._column.asked:
            return NOTHING
        drops = self._column.actions[Kind.NOT_NFC.index] is Action.DROP_PAIR
        every = every or bool(self._names.kinds) or drops
        return uncomposed_parts(detected, every=every)

    def _in_names(
        self, stage: Callable[..., Mapped], mapped: Mapped, detected: Detected, notes: Collector
    ) -> Mapped:
        """Edit only names, unless the same rules apply before and after the edit."""
        composes = detected.of("uncomposed").editing is not None
        if self._profiles.hold(detected.doing, detected.seen, composes=composes):
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
            detected = replace(detected, pairs=pairs, reading=reading)
            uncomposed = self._uncomposed(detected, every=False)
            notes.take_again(uncomposed, repaired, pairs.name_at)
            detected.matches = {"uncomposed": uncomposed}
        return self._edits.compose(repaired, detected, names_alone=names_alone)

    def _drop(self, mapped: Mapped, detected: Detected, notes: Collector) -> Mapped:
        """Remove whole pairs; nothing is left to edit if only these pairs needed an edit."""
        left = frozenset[Action]().union(
            *(matches.actions for sort, matches in detected.matches.items() if sort not in _OF_WHOLE_PAIRS)
        )
        detected.is_settled = not any(action.edits for action in left - {Action.DROP_PAIR})
        return self._edits.drop(mapped, detected, notes)

"""The stages of editing pairs, and when several of them are taken at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Final, final

from postel._alphabet.percent import measure
from postel._alphabet.steps import Steps
from postel._alphabet.text import Reading, text_of
from postel._catalogue.check import Action
from postel._catalogue.kinds import Kind
from postel._normalizer.column import Column
from postel._normalizer.detected import Detected, Find, Sort, Stage
from postel._normalizer.edits import Text
from postel._normalizer.findings import MOST, Collector, Matches, changes_octets, edits_part, rejects
from postel._normalizer.kept_pairs import detected_before
from postel._normalizer.pair_edits import PairEdits
from postel._normalizer.pairs import Pairs
from postel._normalizer.part_limits import GROWTH, PairLimits
from postel._normalizer.source_map import Mapped

_OF_WHOLE_PAIRS: Final[tuple[Sort, ...]] = ("empty", "repeated", "outside", "foreign")
"""The sorts whose edits remove the pair."""
_OF_CUT_PAIRS: Final[tuple[tuple[Sort, Kind], ...]] = (
    ("empty", Kind.EMPTY_PAIR),
    ("outside", Kind.OUTSIDE_ACCEPTED_RANGE),
    ("foreign", Kind.FOREIGN_REFERENCE),
)
"""The sorts, each with its kind, of faults that a pair may have only after a cut."""


@final
class PairStages:
    """Chooses the edits of each stage."""

    __slots__ = ("_column", "_drops_at_once", "_drops_for_text", "_edits", "_find", "_limits", "stages")

    def __init__(
        self, column: Column, edits: PairEdits, limits: PairLimits, find: Mapping[Sort, Find]
    ) -> None:
        """``find`` maps the sorts of matches other than characters to functions that find them."""
        self._column = column
        self._edits = edits
        self._limits = limits
        self._find = find
        rules = column.names.kinds
        # Pairs may be dropped for their decoded text, which composing, replacing and ending lines can change.
        leaves = Action.DROP_PAIR in column.acts(Kind.FOREIGN_REFERENCE)
        self._drops_for_text = bool(column.ranges) or leaves
        later = column.composes and (self._drops_for_text or Kind.NOT_NFC in rules)
        # Lines are ended in all pairs at once, or in none.
        ends = Kind.LONE_NEWLINE in (column.active if self._drops_for_text else rules)
        self._drops_at_once = not (later or ends)
        self.stages: tuple[Stage, ...] = (self._cut_and_decode, self._repair, self._drop)

    def _cut_and_decode(self, mapped: Mapped, detected: Detected, collector: Collector) -> Steps[Mapped]:
        """Cut a fragment and decode UTF-16 units; after a cut, all stages are taken at once if possible.

        A cut makes few faults, so what it leaves need not be judged first. If the next stage has more to
        edit, a proof would fail.
        """
        edits = self._edits
        cut = edits.cut(mapped, detected)
        yield
        if cut is mapped:
            more = detected.pair_actions.acts(detected.seen - {Kind.UNICODE_ESCAPE})
            detected.is_settled = False if any(map(changes_octets, more)) else None
            return edits.unescape(mapped, detected)
        left = detected_before(len(cut.octets), detected)
        for sort, find in self._find.items():
            left.later(sort, find)
        detected.pair_actions_left = left.pair_actions
        if Kind.UNICODE_ESCAPE in detected.seen:
            return edits.unescape(cut, left)
        if not self._can_drop_at_once(detected, collector) or self._refuses_cut(left):
            return cut
        found = yield from self._at_once(cut, left, collector)
        detected.drops_at_once = found is not None
        done, detected.is_settled = found or (cut, None)
        detected.pair_actions_left = left.left
        return done

    def _refuses_cut(self, left: Detected) -> bool:
        """Whether a pair is refused for a fault that a cut may have made."""
        return any(
            sort in self._find
            and Action.REJECT in left.pair_actions.acts([kind])
            and left.of(sort).have(rejects)
            for sort, kind in _OF_CUT_PAIRS
        )

    def _can_drop_at_once(self, detected: Detected, collector: Collector) -> bool:
        """Whether repairs cannot change which pairs are dropped, and only a refusal can add a finding.

        If other blocks of a form have pairs, these can change which pairs are dropped, too.
        """
        if not (self._drops_at_once and detected.drops_at_once):
            return False
        return collector.truncated and detected.context.others is None

    def _repair(self, mapped: Mapped, detected: Detected, collector: Collector) -> Steps[Mapped]:
        """Edit characters and spelling, then put text into NFC.

        If the next stage has pairs to drop, a proof would fail.
        """
        if self._can_drop_at_once(detected, collector):
            found = yield from self._at_once(mapped, detected, collector)
            if found is not None:
                done, detected.is_settled = found
                return done
        drops = Action.DROP_PAIR in detected.pair_actions.acts(detected.seen)
        detected.is_settled = False if drops else None
        return (yield from self._repaired(mapped, detected, collector))

    def _repaired(self, mapped: Mapped, detected: Detected, collector: Collector) -> Steps[Mapped]:
        """Edit characters, put text into NFC, and write octets canonically."""
        # Octets are written after composition, because there are fewer of them before.
        composed, text = yield from self._composed(mapped, detected, collector)
        yield
        return self._edits.write(composed, text, detected)

    def _composed(
        self, mapped: Mapped, detected: Detected, collector: Collector
    ) -> Steps[tuple[Mapped, Text]]:
        """Edit characters and put text into NFC; the second result is a function that returns the text."""
        edits = self._edits
        repaired, text = edits.remove(mapped, detected)
        if not self._column.composes:
            return repaired, text
        yield
        if repaired is not mapped:
            is_marked = detected.reading.text != detected.reading.plain
            reading = Reading(repaired.octets, None if is_marked else text())
            # The number of pairs has not changed.
            pairs = Pairs(repaired.octets, reading.plain)
            detected = replace(detected, reading=reading, pairs=pairs, matches={}, pending={})
            detected.later("uncomposed", self._find["uncomposed"])
            # A repair leaves no text that cannot be composed, so nothing is refused here.
            if not collector.truncated:
                collector.take_again(detected.of("uncomposed"), repaired, pairs.name_at)
        composed = edits.compose(repaired, detected)
        return composed, text if composed is repaired else partial(text_of, composed.octets)

    def _at_once(
        self, mapped: Mapped, detected: Detected, collector: Collector
    ) -> Steps[tuple[Mapped, bool] | None]:
        """Return the component after the last two stages, and whether it is settled.

        Returns ``None`` if these stages have to be taken one by one.

        Pairs are dropped first, so that these need no repair. A repair adds no fault to a pair, unless it
        makes a part too long.
        """
        column, ready = self._column, self._ready(mapped, detected)
        if ready is None:
            return None
        kept, left, removed = self._edits.keep(mapped, ready)
        yield
        others = None
        if removed and column.composes and column.compares_names:
            # Writing octets would not change their length, because an escape counts as one octet.
            others, _ = yield from self._composed(*self._edits.only(removed, mapped, ready), collector)
        repaired = yield from self._repaired(kept, left, collector)
        if (too_long := self._too_long(mapped, repaired, others, detected.context.beside)) is not None:
            return too_long, False
        done = self._edits.end_lines(repaired, left)
        yield
        if detected.composition.is_refused:
            return done, False
        # Ending lines makes some parts longer, which is faster to see than what else is left.
        fits = done is repaired or self._limits.hold(done.octets)
        is_settled = fits and column.is_settled(done.octets, detected.composition, names=False)
        # If a pair has to be dropped after all, another one with its name may have to stay.
        if done is mapped or (column.compares_names and not is_settled):
            detected.composition.discard()
            return None
        detected.pair_actions_left = left.pair_actions
        return done, is_settled

    def _too_long(
        self, mapped: Mapped, repaired: Mapped, others: Mapped | None, beside: int
    ) -> Mapped | None:
        """Return repaired octets that are refused for their length, or ``None`` if all are within the limits.

        ``others`` are the removed pairs, if names are compared. They count, too, because they are composed
        before they are dropped if the stages are taken one by one. ``beside`` is ``Context.beside``.
        """
        most, each = self._column.most - beside, [repaired] if others is None else [repaired, others]
        whole = b"&".join([one.octets for one in each])
        if len(whole) > most and measure(whole) > most:
            return mapped.rewritten(whole, lambda: ())
        long = [one for one in each if self._column.composes and not self._limits.hold(one.octets)]
        return min(long, key=self._first_long) if len(long) > 1 else next(iter(long), None)

    def _first_long(self, mapped: Mapped) -> int:
        """Return the offset in the received octets of the first part that is over its limit."""
        _, start, end = next(self._limits.long(mapped.octets))
        return mapped.origin(start, end)[0]

    def _ready(self, mapped: Mapped, detected: Detected) -> Detected | None:
        """Return what was detected, with repaired names if names are compared.

        Returns ``None`` if pairs cannot be dropped before they are repaired.
        """
        replaces = Action.REPLACE in detected.pair_actions.acts(detected.seen)
        if replaces and (self._drops_for_text or not self._has_room(mapped.octets)):
            return None
        if not self._column.compares_names:
            return detected
        renamed = None if replaces else self._renamed(detected)
        if renamed is None or renamed.of("repeated").have(rejects):
            return None
        return None if self._column.composes and self._hides_text(renamed) else renamed

    def _renamed(self, detected: Detected) -> Detected | None:
        """Return what was detected, with the names that pairs have after a repair.

        Returns ``None`` if a line may be ended in a name.
        """
        pairs, names = detected.pairs, self._edits.names_after(detected)
        ends = Kind.LONE_NEWLINE in self._column.active
        if ends and any(each in "".join(names or pairs.names) for each in "\r\n"):
            return None
        if names is None:
            return detected
        matches, pending = {**detected.matches}, {**detected.pending}
        renamed = replace(detected, pairs=pairs.renamed(names), matches=matches, pending=pending)
        renamed.later("repeated", self._find["repeated"])
        return renamed

    def _hides_text(self, detected: Detected) -> bool:
        """Whether ill-formed octets may hide text that composing leaves, in a pair with a repeated name.

        Such a pair is refused, but only if the octets are dropped before the pair is.
        """
        if Kind.ILL_FORMED_UTF8 not in detected.seen:
            return False
        repeated = sorted(detected.of("repeated").dropped)
        return bool(repeated) and detected.composition.may_leave(detected.pairs.joined_texts(repeated))

    def _has_room(self, octets: bytes) -> bool:
        """Whether the component and its parts stay within their limits if every octet is replaced."""
        return GROWTH * len(octets) <= self._column.most and self._limits.leave_room(octets)

    def _drop(self, mapped: Mapped, detected: Detected, _collector: Collector) -> Steps[Mapped]:
        """End lines and remove whole pairs; the component is settled if no other pair needs an edit."""
        characters, is_settled = detected.found("characters"), True
        are_many = characters is None or not characters.few
        for sort in detected.matches:
            if not is_settled or sort in _OF_WHOLE_PAIRS or sort in detected.pending_without_edits:
                continue
            if sort == "characters" and are_many:
                is_settled = not self._edits.edits_kept_pair(detected)
            else:
                is_settled = _are_in_dropped(detected.of(sort), detected)
            yield
        detected.is_settled = is_settled or None
        return self._edits.drop(mapped, detected)


def _are_in_dropped(matches: Matches, detected: Detected) -> bool:
    """Whether all matches that need an edit of a part are in pairs that are dropped.

    More matches than can be kept are not located.
    """
    if not matches.have(edits_part):
        return True
    at, dropped = detected.pairs.at, detected.dropped
    return matches.few and all(
        at(start) in dropped for action, _, start, _ in matches.first(MOST) if edits_part(action)
    )

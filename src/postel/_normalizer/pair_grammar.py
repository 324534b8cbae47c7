"""The grammar of the pairs of a query or form: names and values between ampersands.

Every pair is judged, even if it will be dropped. Otherwise, a stricter rule that drops a pair could hide a
fault that another rule refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import compress
from typing import TypeAlias, final

from postel._alphabet.steps import Steps
from postel._alphabet.text import Reading, text_of
from postel._catalogue.check import Action, Family
from postel._catalogue.kinds import Kind
from postel._normalizer.accepted_ranges import PairRange
from postel._normalizer.column import Column
from postel._normalizer.detected import Context, Detected, Find, Sort, Stage
from postel._normalizer.edits import unescaping
from postel._normalizer.findings import DROPPING, MOST, NOTHING, Matches, changes_octets, listed
from postel._normalizer.pair_actions import PairActions
from postel._normalizer.pair_edits import PairEdits
from postel._normalizer.pair_groups import characters_in_pairs, judged_in_groups, judged_one_by_one
from postel._normalizer.pair_matches import (
    empty_pairs,
    foreign_references,
    in_pairs,
    outside_ranges,
    repeated_names,
    uncomposed_parts,
)
from postel._normalizer.pair_stages import PairStages
from postel._normalizer.pairs import Pairs
from postel._normalizer.part_limits import PairLimits
from postel._normalizer.profiles import Profiles
from postel._normalizer.scanner import Match, Scanner, at_octets, judged, kinds_of_family
from postel._normalizer.source_map import Mapped
from postel._normalizer.writing import WRITTEN, holds_latent_escape, latent_escapes
from postel._policy.name_rules import Actions

_Search: TypeAlias = tuple[Sort, Collection[Kind], Find]
"""A sort of matches, the kinds of these matches, and a function that finds them."""


@final
class PairGrammar:
    """Splits a component into pairs, and detects what is wrong in them."""

    __slots__ = (
        "_column",
        "_dropped",
        "_edits",
        "_profiles",
        "_ranges",
        "_sorts",
        "_structure",
        "_structure_kinds",
        "limits",
        "stages",
    )

    def __init__(self, column: Column) -> None:
        """Compile the actions of a policy for the component, and its rules for names."""
        self._column = column
        self.limits: PairLimits = PairLimits(column.limits)
        self._structure_kinds = kinds_of_family(column.component, Family.PAIR, column.active.__contains__)
        self._structure: Scanner[bytes] = at_octets(column.component, self._structure_kinds)
        dropped = [kind for kind in self._structure_kinds if Action.DROP_PAIR in column.acts(kind)]
        self._dropped: Scanner[bytes] = at_octets(column.component, dropped)
        """Finds only the structure for which pairs may be dropped, which is faster."""
        self._ranges = [PairRange(*each) for each in column.ranges]
        self._edits = edits = PairEdits(column)
        active = [kind for kind in Kind if column.actions[kind.index] is not Action.ALLOW]
        self._profiles = Profiles(column, active, self._structure, edits.repaired_names)
        sorts: list[_Search] = [
            ("structure", self._structure_kinds, self._structure_matches),
            ("empty", [Kind.EMPTY_PAIR], empty_pairs),
            ("writing", WRITTEN, self._written),
            ("uncomposed", [Kind.NOT_NFC], self._uncomposed),
            ("repeated", [Kind.DUPLICATE_NAME], self._repeated),
            ("outside", [Kind.OUTSIDE_ACCEPTED_RANGE], self._outside),
            ("foreign", [Kind.FOREIGN_REFERENCE], foreign_references),
        ]
        self._sorts = [each for each in sorts if not column.active.isdisjoint(each[1])]
        find: dict[Sort, Find] = {sort: found for sort, _, found in self._sorts}
        self.stages: tuple[Stage, ...] = PairStages(column, edits, self.limits, find).stages

    def split(self, octets: bytes, context: Context) -> Detected:
        """Find the pairs."""
        reading = Reading(octets)
        reading.text = self._column.name_characters.marked(reading.plain)
        pairs = Pairs(octets, reading.text)
        detected = Detected(reading, pairs=pairs, name_of=pairs.name_at, context=context)
        if context.others is not None:
            context.others.begins(context.stage, detected.compared_names)
        return detected

    def excess(self, detected: Detected, *, many: bool) -> Match | None:
        """Return a match if there are too many pairs; with ``many``, also if a part is over its limit.

        After such a match, nothing else is examined. ``many`` says that very many characters are faulty.
        """
        pairs = detected.pairs
        over = self.limits.many(pairs.octets)
        if not many or over is not None:
            return over
        detected.long = long = list(self.limits.long(pairs.octets))
        return long[0] if long else None

    def renamed(self, mapped: Mapped, pair_actions: PairActions) -> tuple[Kind, str, int, int] | None:
        """Return the first pair whose edited name has a stricter rule for something that the pair held."""
        if not self._profiles.may_rename(pair_actions):
            return None
        pairs = Pairs(mapped.octets)
        renamed = dict(self._profiles.renamed(pairs, pair_actions))
        if not renamed:
            return None
        spans = [mapped.origin(*pairs.span(pair)) for pair in renamed]
        received = b"&".join([mapped.received[start:end].replace(b"&", b"") for start, end in spans])
        held: dict[Kind, set[int]] = {}
        for octets in {received, unescaping(received)[0]}:
            text, census = self._column.name_characters.marked(text_of(octets)), self._column.scanner.census
            for kind, codes in census.by_kind(text, self._column.names.kinds, census.codes(text)):
                held.setdefault(kind, set()).update(compress(renamed, codes))
        for pair, kinds in renamed.items():
            for kind in kinds:
                # Kinds other than characters are not looked for, and count as held.
                if kind not in self._column.characters or pair in held.get(kind, ()):
                    return kind, pairs.name(pair), *pairs.name_span(pair)
        return None

    def detect(self, detected: Detected, found: list[Match], before: Detected | None) -> Steps[None]:
        """Find the matches of characters; matches of most other sorts are found once they are needed.

        ``found`` holds the first matches of characters. ``before`` is what was detected before an edit.
        """
        column, pairs = self._column, detected.pairs
        detected.find_faulty = self._faulty
        if before is not None:
            detected.leaving, detected.composition = before.leaving, before.composition
            detected.drops_at_once, detected.is_respelled = before.drops_at_once, before.is_respelled
        self._characters(detected, found, before)
        sorts = self._sorts
        if "characters" not in detected.matches:
            of_characters: _Search = ("characters", detected.seen, self._in_groups)
            sorts = [of_characters, *sorts]
        acts, matches = detected.pair_actions.acts, detected.matches
        for sort, kinds, find in sorts:
            # Text that cannot be put into NFC is refused, which is not an edit.
            detected.later(sort, find, edits=any(map(changes_octets, acts(kinds))))
        refusing = [kind for kind in detected.seen if "first" in matches and Action.REJECT in acts([kind])]
        if refusing:
            matches["refused"] = characters_in_pairs(column.scanner, detected, refusing)
        for sort, kinds, _ in sorts:
            if not (sort == "characters" and "first" in matches) and _may_refuse(kinds, detected):
                yield
                detected.of(sort)
        if before is None:
            if detected.long is None:
                detected.long = list(self.limits.long(pairs.octets))
            matches["long"] = listed([(Action.REJECT, *each) for each in detected.long])
        if column.seeks_latent_escapes and holds_latent_escape(pairs.octets):
            matches["latent"] = judged_in_groups(
                detected.pair_actions.grouped((Kind.SPELLING, Kind.MALFORMED_ESCAPE)),
                pairs.pieces,
                lambda members, actions: latent_escapes(pairs.joined(members), actions),
            )

    def _characters(self, detected: Detected, found: list[Match], before: Detected | None) -> None:
        """Determine the actions in each pair, and judge characters unless ``_in_groups`` judges them."""
        column, named, reading = self._column, bool(self._column.names.kinds), detected.reading
        matches, detected.seen = judged(
            column.scanner,
            reading.text,
            0,
            column.actions,
            reading.span,
            found=found,
            codes=partial(detected.pairs.codes, column.scanner.census),
        )
        detected.pair_actions = pair_actions = self._profiles.of(detected.pairs, detected.seen, before)
        is_many = len(found) > MOST
        if not (named and (pair_actions.differ or pair_actions.common != column.actions)):
            detected.matches["characters"] = matches
        elif before is None or not is_many:
            placed = [(kind, *reading.span(*place)) for kind, *place in found]
            kept = judged_one_by_one(placed, pair_actions, detected.pairs.at)
            if not is_many:
                detected.matches["characters"] = listed(kept)
            elif len(kept) == len(found):
                detected.matches["first"] = listed(kept)

    def _in_groups(self, detected: Detected) -> Matches:
        """Judge very many characters in pairs with different actions."""
        scanner, pair_actions, reading = self._column.scanner, detected.pair_actions, detected.reading
        if pair_actions.differ_for(detected.seen):
            return characters_in_pairs(scanner, detected, detected.seen)
        return judged(
            scanner,
            reading.text,
            0,
            pair_actions.common,
            reading.span,
            codes=partial(detected.pairs.codes, scanner.census),
        )[0]

    def _structure_matches(self, detected: Detected) -> Matches:
        """Judge the structure of pairs."""
        pairs, structure = detected.pairs, self._structure
        return self._judged(
            detected,
            self._structure_kinds,
            lambda most: structure.scan(pairs.octets, 0, most),
            lambda members, actions: judged(structure, pairs.joined(members), 0, actions)[0],
        )

    def _written(self, detected: Detected) -> Matches:
        """Judge how octets are written."""
        pairs, column = detected.pairs, self._column
        writing = column.unspelled if detected.is_respelled else column.writing
        return self._judged(
            detected,
            WRITTEN,
            lambda most: writing.scan(pairs.octets, pairs.text, most),
            lambda members, actions: writing.judge(
                pairs.joined(members), pairs.joined_texts(members), 0, actions
            ),
        )

    def _judged(
        self,
        detected: Detected,
        kinds: Collection[Kind],
        scan: Callable[[int], list[Match]],
        judge: Callable[[Sequence[int], Actions], Matches],
    ) -> Matches:
        """Judge the matches of some kinds.

        ``scan`` returns the first matches in all pairs, and ``judge`` judges all of those in some pairs.
        """
        pairs, pair_actions = detected.pairs, detected.pair_actions
        if not pair_actions.differ_for(kinds):
            return judge(range(len(pairs.pieces)), pair_actions.common)
        if len(found := scan(MOST + 1)) <= MOST:
            return listed(judged_one_by_one(found, pair_actions, pairs.at))
        return judged_in_groups(pair_actions.grouped(kinds), pairs.pieces, judge)

    def _uncomposed(self, detected: Detected) -> Matches:
        """Judge names and values that are not in NFC: all, or only the first ones if that is enough."""
        drops = self._column.actions[Kind.NOT_NFC.index] is Action.DROP_PAIR
        return uncomposed_parts(detected, every=drops or bool(self._column.names.kinds))

    def _repeated(self, detected: Detected) -> Matches:
        """Find the pairs with a repeated name."""
        pairs, last = detected.pairs, self._column.keeps_last
        names = set(pairs.names)
        detected.elsewhere = elsewhere = detected.context.elsewhere(names)
        if not elsewhere and len(names) == len(pairs.names):
            return NOTHING
        found = repeated_names(pairs, ignored=detected.uncompared, elsewhere=elsewhere, last=last)
        kind = Kind.DUPLICATE_NAME
        return in_pairs(kind, found, detected.pair_actions, lambda number: pairs.name_span(found[number]))

    def _outside(self, detected: Detected) -> Matches:
        """Find the pairs with characters outside an accepted range."""
        reading, kind = detected.reading, Kind.OUTSIDE_ACCEPTED_RANGE
        found, run = outside_ranges(self._ranges, detected.pairs, reading.plain)
        return in_pairs(kind, found, detected.pair_actions, lambda number: reading.span(*run(number)))

    def _faulty(self, detected: Detected) -> set[int]:
        """Return the pairs that are dropped because of their own content alone."""
        pairs = detected.pairs
        dropped = self._edits.dropped_pairs(detected)
        for actions, members in detected.pair_actions.grouped(self._structure_kinds):
            if kinds := [kind for kind in self._structure_kinds if actions[kind.index] is Action.DROP_PAIR]:
                octets = pairs.joined(members)
                at = pairs.at if octets is pairs.octets else Pairs(octets).at
                matches = self._dropped.walk(octets, kinds=kinds)
                dropped.update(members[at(start)] for _, start, _ in matches)
        found = [
            *self._of(["uncomposed"], detected, {Action.DROP_PAIR}),
            *self._of(["outside", "foreign"], detected, DROPPING),
        ]
        return dropped.union(*(each.dropped for each in found))

    def _of(
        self, sorts: Collection[Sort], detected: Detected, wanted: Collection[Action]
    ) -> Iterator[Matches]:
        """Yield the matches of some sorts, but only of those that can have a wanted action."""
        for sort, kinds, _ in self._sorts:
            if sort in sorts and not detected.pair_actions.acts(kinds).isdisjoint(wanted):
                yield detected.of(sort)


def _may_refuse(kinds: Iterable[Kind], detected: Detected) -> bool:
    """Whether a match of these kinds in pairs may be refused, such as text that cannot be put into NFC."""
    actions = detected.pair_actions.acts(kinds)
    if Action.REJECT in actions or Kind.NOT_NFC not in kinds or Action.REPAIR not in actions:
        return Action.REJECT in actions
    return detected.composition.may_refuse(detected.reading.plain)

"""The pairs of a query or form under a policy: judged as received, then edited and judged again.

Matches are counted in bulk, and located only if their findings are kept. Every pair is judged, even if it
will be dropped, so that a stricter rule never hides what another one refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import Final, final

from postel._alphabet.steps import Steps, finished
from postel._alphabet.text import Reading
from postel._catalogue.check import Action, Component, Family
from postel._catalogue.kinds import Kind
from postel._normalizer.accepted_ranges import AcceptedRange
from postel._normalizer.findings import EVERY, MOST, NOTHING, Collector, Matches, listed
from postel._normalizer.name_characters import in_names
from postel._normalizer.pair_edits import NO_PAIRS, Detected, PairEdits
from postel._normalizer.pair_matches import (
    Range,
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
from postel._normalizer.profiles import Alike, Profiles, done_in
from postel._normalizer.proof import proof, settled
from postel._normalizer.respelling import RESPELLED
from postel._normalizer.scanner import (
    Match,
    Scanner,
    acting,
    at_characters,
    judged,
    reported,
)
from postel._normalizer.source_map import Mapped
from postel._normalizer.writing import WRITTEN, Writing
from postel._policy.name_rules import NameRules
from postel._policy.policy import Policy
from postel._policy.rules import COMPONENTS

_GONE: Final = {Action.DROP_PAIR, Action.REPAIR}
_EMPTY: Final = 2
"""The place of empty pairs in the list of matches."""


@final
class PairRules:
    """Judges and edits the pairs of one component, compiled from a policy."""

    __slots__ = (
        "_actions",
        "_asked",
        "_between",
        "_component",
        "_edits",
        "_keep",
        "_limits",
        "_names",
        "_profiles",
        "_ranges",
        "_scanner",
        "_settled",
        "_writing",
        "prove",
    )

    def __init__(self, policy: Policy, component: Component) -> None:
        """Compile the component's column of a policy, and its rules for names."""
        self._component = component
        self.prove: Callable[[bytes], object] = proof(policy, component).fullmatch
        """Proves that no check fires in the component."""
        self._settled: Callable[[bytes], object] = settled(policy, component).fullmatch
        self._actions = policy.table[COMPONENTS.index(component)]
        self._limits = policy.limits.for_forms() if component is Component.FORM else policy.limits
        self._keep = policy.keep
        rules = [rule for rule in policy.rules if rule.component is component]
        self._names = NameRules(self._actions, rules)
        self._asked = frozenset(
            kind
            for kind in Kind
            if component in kind.check.presets
            and (self._actions[kind.index] is not Action.ALLOW or kind in self._names.kinds)
        )
        characters = acting(component, Family.CHARACTER, self._asked.__contains__)
        self._scanner: Scanner[str] = at_characters(component, characters)
        self._between: Scanner[bytes] = at_octets(
            component, acting(component, Family.PAIR, self._asked.__contains__)
        )
        self._writing = Writing(
            component,
            self._asked,
            {self._actions[kind.index] for kind in WRITTEN}
            | {rule.action for rule in rules if rule.kind in WRITTEN},
        )
        self._profiles = Profiles(
            self._names, self._actions, self._scanner, self._between, self._writing, self.prove
        )
        self._edits = PairEdits(self._actions, component, characters, self._scanner, self._writing)
        self._ranges: tuple[Range, ...] = tuple(
            (each.pattern, AcceptedRange(each.characters, always="&=", plus=True))
            for each in policy.acceptances
            if each.component is component
        )

    def look(self, mapped: Mapped, notes: Collector) -> Detected:
        """Judge the pairs as they are now, and collect findings."""
        return finished(self.detecting(mapped, notes))

    def detecting(
        self,
        mapped: Mapped,
        notes: Collector,
        *,
        again: bool = False,
        elsewhere: Collection[str] = frozenset(),
    ) -> Steps[Detected]:
        """Judge the pairs in steps; ``elsewhere`` has the names of pairs in other blocks of a form."""
        if not mapped.octets:
            return NO_PAIRS
        pairs, reading = Pairs(mapped.octets), Reading(mapped.octets)
        take = notes.take_again if again else notes.take
        reading.text = in_names(self._component, reading.plain)
        found = self._scanner.scan(reading.text, most=MOST + 1)
        if early := self._early(found, reading, pairs, notes, again=again):
            take(early, mapped, pairs.name_at)
            return Detected(pairs, reading, (early,))
        yield
        detected = yield from self._detected(pairs, reading, found, elsewhere, exact=not again)
        yield
        for place, matches in enumerate(detected.matches):
            # Dropping pairs moves the empty ones, and only a cut makes a new one.
            if not (again and place == _EMPTY and matches.rejecting is None):
                take(matches, mapped, pairs.name_at)
        return detected

    def _early(
        self, found: list[Match], reading: Reading, pairs: Pairs, notes: Collector, *, again: bool
    ) -> Matches | None:
        """The first faulty characters, if they already include a reason to refuse and exceed the bound.

        Too many pairs are a reason by themselves.
        """
        over, named = pairs.too_many(self._limits), self._names.kinds
        if not over and (again or len(found) <= MOST):
            return None
        seen = [
            (action, kind, *reading.span(start, end))
            for kind, start, end in found
            if (action := self._actions[kind.index]) is not Action.ALLOW
        ]
        if over:  # kinds with rules for names are left out
            seen = [each for each in seen if each[1] not in named]
            return listed([*seen, (Action.REJECT, Kind.TOO_MANY_PAIRS, over, over)])
        if named & {kind for kind, _, _ in found}:
            return None
        if beyond := next(pairs.beyond(self._limits), None):
            return listed([*seen, (Action.REJECT, *beyond)])
        return listed(seen) if notes.suffices([each[0] for each in seen]) else None

    def _detected(
        self,
        pairs: Pairs,
        reading: Reading,
        found: list[Match],
        elsewhere: Collection[str],
        *,
        exact: bool,
    ) -> Steps[Detected]:
        octets, text, actions = reading.octets, reading.text, self._actions
        ruled = bool(self._names.kinds)  # kinds are found first, then counted by groups of pairs
        asked = self._scanner, text, 0, actions, reading.span
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
            between, parted = seen_of(self._between.walk(octets)), True
        else:
            between, held = judged(self._between, octets, 0, actions, exact=exact)
            parted = any(actions[kind.index] is Action.DROP_PAIR for kind in held)
        yield
        empty = seen_of(empty_pairs(pairs)) if Kind.EMPTY_PAIR in self._asked else NOTHING
        done_at = action_at if profiles and self._names.of_writing else actions
        writing = self._writing.look(octets, reading.plain, 0, done_at, exact=exact)
        yield
        composing = listed(uncomposed_parts(self._asked, pairs, reading.plain, done))
        yield
        foreign = listed(foreign_references(self._asked, pairs, reading.plain, done))
        going = set[int]() if profiles else self._edits.going(text, actions, present)
        for profile, members, together, kinds in alike:
            going.update(members[place] for place in self._edits.going(together, profile, kinds))
        for matches in (between if parted else NOTHING, composing, foreign):
            going |= {
                pairs.at(start) for action, _, start, _ in matches.first(EVERY) if action is Action.DROP_PAIR
            }
        yield
        again = self._repeated(pairs, reading.plain, going, elsewhere)
        repeated = listed(seen_names(Kind.DUPLICATE_NAME, pairs, again, done))
        going |= {pair for pair in again if done(Kind.DUPLICATE_NAME, pair) in _GONE}
        those, seen = outside_ranges(self._ranges, pairs, reading.plain, done)
        outside = listed(seen, span=reading.span)
        going |= {pair for pair, match in zip(those, seen, strict=True) if match[0] in _GONE}
        beyond = listed([(Action.REJECT, *each) for each in pairs.beyond(self._limits)])
        stuck = listed(waiting(octets, action_at) if Kind.SPELLING in self._asked else [], RESPELLED)
        every = (characters, between, empty, writing, composing, repeated, outside, foreign, beyond, stuck)
        return Detected(pairs, reading, every, profiles, present, going)

    def _note_reports(self, mapped: Mapped, notes: Collector) -> None:
        """Collect findings for an edited component that is proven to need only reports."""
        octets, pairs, reading = mapped.octets, Pairs(mapped.octets), Reading(mapped.octets)
        reading.text = in_names(self._component, reading.plain)
        profiles = self._profiles.of(pairs, reading, self._names.kinds) if self._names.kinds else None
        done = done_in(profiles, self._actions)

        def action_at(kind: Kind, place: int) -> Action:
            return done(kind, pairs.at(place) if profiles else 0)

        column, writing = action_at if profiles else self._actions, self._writing
        repeated = self._repeated(pairs, reading.plain, (), ())
        for matches in (
            reported(self._scanner, reading.text, column, reading.span),
            reported(self._between, octets, column),
            writing.look(octets, reading.plain, 0, column, exact=False) if writing.reports else NOTHING,
            listed(uncomposed_parts(self._asked, pairs, reading.plain, done)),
            listed(seen_names(Kind.DUPLICATE_NAME, pairs, repeated, done)),
            listed(outside_ranges(self._ranges, pairs, reading.plain, done)[1], span=reading.span),
            listed(foreign_references(self._asked, pairs, reading.plain, done)),
        ):
            notes.take_again(matches, mapped, pairs.name_at)

    def edit(self, mapped: Mapped, detected: Detected, notes: Collector) -> Mapped | None:
        """Make every edit that the policy requires; ``None`` if the result is refused."""
        return finished(self.editing(mapped, detected, notes))

    def editing(
        self, mapped: Mapped, detected: Detected, notes: Collector, elsewhere: Collection[str] = frozenset()
    ) -> Steps[Mapped | None]:
        """Edit the pairs in steps."""
        edits = self._edits

        def repair(mapped: Mapped, detected: Detected, names_alone: bool) -> Mapped:  # noqa: FBT001
            repaired = edits.repair(mapped, detected, names_alone)
            if repaired is not mapped and Kind.NOT_NFC in self._asked:
                detected = self._detect_uncomposed(repaired, detected, notes)
            return edits.compose(repaired, detected, names_alone)

        repairing = (edits.unescape, repair)
        stages = (
            # Rules for a name must be applied before its value is edited.
            *((stage, True) for stage in repairing if self._names.kinds),
            *((stage, False) for stage in (edits.cut, *repairing, edits.drop, edits.end_lines)),
        )
        for number, (stage, names_alone) in enumerate(stages):
            if not any(each.editing is not None for each in detected.matches):
                break
            if names_alone and self._profiles.hold(
                detected.profiles, detected.seen, composes=detected.composes
            ):
                continue  # the same rules apply before and after
            yield
            edited = stage(mapped, detected, names_alone)
            if edited is mapped:
                continue
            mapped = edited
            if (
                not elsewhere
                and self._settled(mapped.octets)
                and not any(Pairs(mapped.octets).beyond(self._limits))
            ):
                # If no more findings can be kept, the reported ones have been counted already.
                if len(notes.findings) < MOST and not self.prove(mapped.octets):
                    self._note_reports(mapped, notes)
                return mapped
            notes.step(number)
            yield
            detected = yield from self.detecting(mapped, notes, again=True, elsewhere=elsewhere)
            if notes.rejected:
                return None
        notes.step(len(stages))
        return None if notes.unsettled(mapped, detected.matches) else mapped

    def _detect_uncomposed(self, mapped: Mapped, detected: Detected, notes: Collector) -> Detected:
        """Detect text that is not in NFC in edited pairs whose number has not changed."""
        pairs, reading, profiles = Pairs(mapped.octets), Reading(mapped.octets), detected.profiles
        found = uncomposed_parts(self._asked, pairs, reading.plain, done_in(profiles, self._actions))
        composing = listed(found)
        notes.take_again(composing, mapped, pairs.name_at)
        return replace(detected, pairs=pairs, reading=reading, matches=(*(NOTHING,) * 4, composing))

    def _repeated(
        self, pairs: Pairs, text: str, going: Collection[int], elsewhere: Collection[str]
    ) -> list[int]:
        """The pairs with a repeated name, if the policy looks for them."""
        if Kind.DUPLICATE_NAME not in self._asked:
            return []
        return repeated_names(pairs, text, going=going, elsewhere=elsewhere, last=self._keep == "last")

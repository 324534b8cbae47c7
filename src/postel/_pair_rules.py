"""The pairs of a query or form under a policy: judged as received, then edited and judged again.

Octets are looked at where they stand; a name is decoded only where a rule or a finding asks for it. Every
pair is judged, those too that will be dropped: a stricter rule must never hide what another one refuses.
"""

from __future__ import annotations

from typing import TypeAlias, final

from postel._acceptance import AcceptedRange
from postel._catalogue import Kind
from postel._check import Action, Component, Family
from postel._composition import is_uncomposed
from postel._draft import Draft, Edit
from postel._dropping import drops, replaced
from postel._limits import Limits
from postel._mending import compose
from postel._names import NamePattern
from postel._notes import Notes
from postel._octets import measure, respell
from postel._pairs import Pairs
from postel._policy import Policy
from postel._rules import COMPONENTS
from postel._scanner import BETWEEN, CHARACTERS, IN_NAMES, WRITING, well_formed
from postel._shortcuts import proof

Seen: TypeAlias = tuple[Action, Kind, int, int, int]
"""What is done about a kind, where in the draft it is seen, and in which pair."""


@final
class PairRules:
    """What a policy says of the pairs of one component, compiled."""

    __slots__ = ("_actions", "_component", "_keep", "_limits", "_prove", "_ranges", "_rules")

    def __init__(self, policy: Policy, component: Component) -> None:
        """Compile the component's column of a policy, and its rules for names."""
        self._component = component
        self._prove = proof(policy, component).fullmatch
        self._actions = policy.table[COMPONENTS.index(component)]
        self._limits: Limits = policy.limits
        self._keep = policy.keep
        self._rules: dict[Kind, list[tuple[NamePattern, Action]]] = {}
        for rule in reversed(policy.rules):
            if rule.component is component:
                self._rules.setdefault(rule.kind, []).append((rule.pattern, rule.action))
        self._ranges = tuple(
            (each.pattern, AcceptedRange(each.characters, always=b"&=", plus=True))
            for each in policy.acceptances
            if each.component is component
        )

    def look(self, draft: Draft, notes: Notes, *, again: bool = False) -> list[Seen]:
        """Judge the pairs as they now stand: note what is seen, and say what is done about it."""
        octets = draft.octets
        if not octets:
            return []
        pairs = Pairs(octets)
        sights = self._sights(octets, pairs)
        faulty = self._faulty(sights, pairs)
        actions, allow, rules = self._actions, Action.ALLOW, self._rules
        seen: list[Seen] = [
            (action, kind, start, end, pair)
            for kind, start, end, pair in sights
            if (
                action := self._action(kind, None if pair in faulty else pair, pairs)
                if rules and kind in rules
                else actions[kind.index]
            )
            is not allow
        ]
        seen += self._uncomposed(octets, pairs, faulty)
        seen += self._repeated(pairs, faulty)
        seen += self._outside(octets, pairs, faulty)
        seen += self._beyond_limits(pairs)
        note = notes.add_again if again else notes.add
        for action, kind, start, end, pair in seen:
            if again or not notes.full_for(action):
                note(kind, action, draft, (start, end), name=pairs.name(pair))
        return seen

    def edit(self, draft: Draft, seen: list[Seen], notes: Notes) -> Draft | None:
        """Make every edit that the policy asks for; ``None`` where the result is refused."""
        for stage in (
            _cut,
            self._unescape,
            self._mend,
            self._write,
            self._compose,
            self._drop,
            self._close_up,
        ):
            if not any(each[0].edits for each in seen):
                break
            edited = draft.splice(stage(draft.octets, seen))
            if edited is draft:
                continue
            draft = edited
            if self._prove(draft.octets) and not self._beyond_limits(Pairs(draft.octets)):
                return draft
            seen = self.look(draft, notes, again=True)
            if notes.rejected:
                return None
        for action, kind, start, end, pair in seen:
            if action.edits:
                # What would still need an edit is refused: an edit of an edit is how second meanings begin.
                name = Pairs(draft.octets).name(pair)
                notes.add(kind, Action.REJECT, draft, (start, end), name=name, detail="after mending")
                return None
        return draft

    def _action(self, kind: Kind, pair: int | None, pairs: Pairs) -> Action:
        rules = self._rules.get(kind)
        if rules and pair is not None:
            name = pairs.name(pair)
            for pattern, action in rules:
                if pattern.matches(name):
                    return action
        return self._actions[kind.index]

    def _sights(self, octets: bytes, pairs: Pairs) -> list[tuple[Kind, int, int, int]]:
        """Everything that is seen, with the pair in which it is seen."""
        component, at = self._component, pairs.at
        found = CHARACTERS[component].scan(octets)
        writing = WRITING[component].scan(octets)
        if not octets.isascii():
            writing = well_formed(writing, found)
        sights = [(kind, start, end, at(start)) for kind, start, end in found]
        in_names = IN_NAMES[component]
        if any(kind in in_names for kind, _, _, _ in sights):
            sights = [
                (in_names[kind], start, end, pair)
                if kind in in_names and start < pairs.name_end(pair)
                else (kind, start, end, pair)
                for kind, start, end, pair in sights
                if not kind.check.names_only or start < pairs.name_end(pair)
            ]
        others = (*BETWEEN[component].scan(octets), *writing)
        return sights + [(kind, start, end, at(start)) for kind, start, end in others]

    def _faulty(self, sights: list[tuple[Kind, int, int, int]], pairs: Pairs) -> set[int]:
        """The pairs whose name has a finding of its own: no rule speaks of them by name."""
        if not self._rules and not self._ranges:
            return set()
        return {
            pair
            for kind, start, _, pair in sights
            if self._actions[kind.index] is not Action.ALLOW and start < pairs.name_end(pair)
        }

    def _uncomposed(self, octets: bytes, pairs: Pairs, faulty: set[int]) -> list[Seen]:
        """Names and values that are not in NFC, where anybody asks."""
        kind = Kind.NOT_NFC
        found: list[Seen] = []
        if not self._asked(kind) or b"%" not in octets:
            return found
        for pair, start, end in pairs.parts():
            if is_uncomposed(octets[start:end]):
                action = self._action(kind, None if pair in faulty else pair, pairs)
                if action is not Action.ALLOW:
                    found.append((action, kind, start, end, pair))
        return found

    def _repeated(self, pairs: Pairs, faulty: set[int]) -> list[Seen]:
        """The pairs whose name another pair has, too: all but the one that is kept, where anybody asks."""
        kind = Kind.DUPLICATE_NAME
        found: list[Seen] = []
        if not self._asked(kind):
            return found
        kept: dict[str, int] = {}
        order = range(len(pairs.starts))
        for pair in order if self._keep == "first" else reversed(order):
            start, end = pairs.span(pair)
            if start < end and kept.setdefault(pairs.name(pair), pair) != pair:
                action = self._action(kind, None if pair in faulty else pair, pairs)
                if action is not Action.ALLOW:
                    found.append((action, kind, start, pairs.name_end(pair), pair))
        return found

    def _asked(self, kind: Kind) -> bool:
        """Whether any rule does something about a kind."""
        return self._actions[kind.index] is not Action.ALLOW or kind in self._rules

    def _outside(self, octets: bytes, pairs: Pairs, faulty: set[int]) -> list[Seen]:
        """The first run outside the accepted range, in each name and value that a range speaks of."""
        kind = Kind.OUTSIDE_ACCEPTED_RANGE
        found: list[Seen] = []
        for pattern, accepted in self._ranges:
            for pair in range(len(pairs.starts)):
                start, end = pairs.span(pair)
                if pattern is not None:
                    if pair in faulty or not pattern.matches(pairs.name(pair)):
                        continue
                    start = min(end, pairs.name_end(pair) + 1)
                if span := accepted.first_outside(octets, start, end):
                    action = self._action(kind, None if pair in faulty else pair, pairs)
                    found.append((action, kind, *span, pair))
        return found

    def _beyond_limits(self, pairs: Pairs) -> list[Seen]:
        limits = self._limits
        found: list[Seen] = []
        if len(pairs.starts) > limits.pairs:
            first = pairs.starts[limits.pairs]
            return [(Action.REJECT, Kind.TOO_MANY_PAIRS, first, first, limits.pairs)]
        for pair in range(len(pairs.starts)):
            start, end = pairs.span(pair)
            if end - start <= min(limits.name, limits.value, limits.depth):
                continue
            middle = pairs.name_end(pair)
            octets = pairs.octets
            if middle - start > limits.name < measure(octets[start:middle]):
                found.append((Action.REJECT, Kind.LONG_NAME, start, middle, pair))
            if end - middle - 1 > limits.value < measure(octets[middle + 1 : end]):
                found.append((Action.REJECT, Kind.LONG_VALUE, middle + 1, end, pair))
            if pairs.name(pair).count("[") > limits.depth:
                found.append((Action.REJECT, Kind.TOO_DEEP, start, middle, pair))
        return found

    def _unescape(self, octets: bytes, seen: list[Seen]) -> list[Edit]:
        """Undo escapes that are no percent-encoding."""
        stray = any(kind is Kind.MALFORMED_ESCAPE for _, kind, _, _, _ in seen)
        edits: list[Edit] = []
        for action, kind, start, end, _ in seen:
            repair = kind.check.repair
            if action is Action.REPAIR and repair and repair.before_split and repair.mend:
                written = repair.mend(octets[start:end])
                # Canonical, unless a stray "%" in front could take the first digits for its own.
                edits.append((start, end, written if stray else respell(written)))
        return edits

    def _mend(self, octets: bytes, seen: list[Seen]) -> list[Edit]:
        """Mend, replace and drop octets; pairs that go as a whole are left for later."""
        going = self._going(octets, seen)
        edits: list[Edit] = []
        dropped: list[tuple[int, int]] = []
        for action, kind, start, end, pair in seen:
            check = kind.check
            if check.family is not Family.CHARACTER:
                continue
            if action is Action.REPAIR and check.repair is not None and check.repair.mend is not None:
                edits.append((start, end, check.repair.mend(octets[start:end])))
            elif action is Action.REPLACE:
                edits.append((start, end, replaced(octets[start:end])))
            elif action is Action.DROP and pair not in going:
                dropped.append((start, end))
        _, free = drops(dropped, Pairs(octets).part)
        return edits + [(start, end, b"") for start, end in free]

    def _write(self, octets: bytes, seen: list[Seen]) -> list[Edit]:
        """Write octets as they should be written."""
        return [
            (start, end, kind.check.repair.mend(octets[start:end]))
            for action, kind, start, end, _ in seen
            if kind.check.family is Family.WRITING
            and action is Action.REPAIR
            and kind.check.repair
            and kind.check.repair.mend
        ]

    def _compose(self, octets: bytes, seen: list[Seen]) -> list[Edit]:
        """Put text into NFC."""
        return [
            (start, end, compose(octets[start:end]))
            for action, kind, start, end, _ in seen
            if kind is Kind.NOT_NFC and action is Action.REPAIR
        ]

    def _drop(self, octets: bytes, seen: list[Seen]) -> list[Edit]:
        """Take whole pairs out, each with one ampersand."""
        going = self._going(octets, seen)
        if not going:
            return []
        pairs = Pairs(octets)
        count = len(pairs.starts)
        kept = [pair for pair in range(count) if pair not in going]
        if not kept:
            return [(0, len(octets), b"")]
        end = pairs.span(kept[-1])[1]
        edits = [(pairs.starts[pair], pairs.starts[pair + 1], b"") for pair in going if pair < kept[-1]]
        return [*edits, (end, len(octets), b"")] if kept[-1] < count - 1 else edits

    def _close_up(self, octets: bytes, seen: list[Seen]) -> list[Edit]:
        """Mend what is wrong between pairs."""
        return [
            (start, end, kind.check.repair.mend(octets[start:end]))
            for action, kind, start, end, _ in seen
            if kind is Kind.EMPTY_PAIR
            and action is Action.REPAIR
            and kind.check.repair
            and kind.check.repair.mend
        ]

    def _going(self, octets: bytes, seen: list[Seen]) -> set[int]:
        """The pairs that go as a whole: asked for, or because dropping octets would join or leave no name."""
        going = {
            pair
            for action, kind, _, _, pair in seen
            if action is Action.DROP_PAIR or (kind is Kind.DUPLICATE_NAME and action is Action.REPAIR)
        }
        dropped = [(start, end) for action, _, start, end, _ in seen if action is Action.DROP]
        if dropped:
            pairs = Pairs(octets)
            joining, free = drops(dropped, pairs.part)
            going |= {pairs.at(start) for start, _ in joining}
            for start, end in free:
                pair = pairs.at(start)
                if start == pairs.starts[pair] and end == pairs.name_end(pair):
                    going.add(pair)
        return going


def _cut(octets: bytes, seen: list[Seen]) -> list[Edit]:
    """Cut a fragment, with all that follows it."""
    cuts = [start for _, kind, start, _, _ in seen if kind is Kind.FRAGMENT]
    return [(cuts[0], len(octets), b"")] if cuts else []

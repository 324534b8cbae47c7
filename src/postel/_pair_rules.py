"""The pairs of a query or form under a policy: judged as received, then edited and judged again.

Octets are looked at where they stand; a name is decoded only where a rule or a finding asks for it. Every
pair is judged, those too that will be dropped: a stricter rule must never hide what another one refuses.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import Final, TypeAlias, final

from postel._acceptance import AcceptedRange
from postel._catalogue import Kind
from postel._check import Action, Component
from postel._composition import is_uncomposed
from postel._draft import Draft
from postel._limits import Limits
from postel._mending import compose
from postel._name_rules import NameRules
from postel._notes import MOST, Notes
from postel._pair_edits import (
    Seen,
    compose_text,
    cut,
    drop,
    end_lines,
    going_pairs,
    in_names,
    mend,
    unescape,
    write,
)
from postel._pairs import Pairs
from postel._policy import Policy
from postel._rules import COMPONENTS
from postel._scanner import (
    BETWEEN,
    CHARACTERS,
    IN_NAMES,
    RESPELLED,
    WRITING,
    Sight,
    completed_by_respelling,
    well_formed,
)
from postel._shortcuts import proof

_KINDS: Final = tuple(Kind)
InPair: TypeAlias = tuple[Kind, int, int, int]
"""A kind, where in the draft it is seen, and in which pair."""


@final
class PairRules:
    """What a policy says of the pairs of one component, compiled."""

    __slots__ = ("_actions", "_component", "_keep", "_limits", "_named", "_ranges", "_ruled", "prove")

    def __init__(self, policy: Policy, component: Component) -> None:
        """Compile the component's column of a policy, and its rules for names."""
        self._component = component
        self.prove: Callable[[bytes], object] = proof(policy, component).fullmatch
        """Whether nothing can fire in the component."""
        self._actions = policy.table[COMPONENTS.index(component)]
        self._limits: Limits = policy.limits.for_forms() if component is Component.FORM else policy.limits
        self._keep = policy.keep
        rules = [rule for rule in reversed(policy.rules) if rule.component is component]
        self._ruled = bool(rules)
        named = ([(rule.pattern, rule.action) for rule in rules if rule.kind is kind] for kind in Kind)
        self._named = tuple(NameRules(each) if each else None for each in named)
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
        found = CHARACTERS[self._component].scan(octets, 0, MOST + 1)
        if len(found) > MOST:
            sights = self._placed(found, pairs)
            early = [] if again or self._hangs_on_names(sights, pairs) else self._judged(sights, pairs, set())
            if notes.suffices([each[0] for each in early]):
                _note(early, pairs, draft, notes)
                return early
            found = CHARACTERS[self._component].scan(octets)
        sights = self._sights(octets, pairs, found)
        faulty = self._faulty(sights, pairs)
        seen = self._judged(sights, pairs, faulty)
        seen += self._uncomposed(octets, pairs, faulty)
        if self._asked(Kind.DUPLICATE_NAME):
            seen += self._repeated(pairs, faulty, going_pairs(octets, seen))
        seen += self._outside(octets, pairs, faulty)
        seen += [(Action.REJECT, *each) for each in pairs.beyond(self._limits)]
        _note(seen, pairs, draft, notes, again=again)
        _note(self._stuck(octets, pairs, faulty), pairs, draft, notes, again=again, detail=RESPELLED)
        return seen

    def edit(self, draft: Draft, seen: list[Seen], notes: Notes) -> Draft | None:
        """Make every edit that the policy asks for; ``None`` where the result is refused."""
        mending = (unescape, mend, write, compose_text)
        stages = (
            # A rule that speaks of a name must have spoken before the value is touched.
            *((stage, True) for stage in mending if self._ruled),
            (cut, False),
            *((stage, False) for stage in mending),
            (drop, False),
            (end_lines, False),
        )
        for number, (stage, names_alone) in enumerate(stages):
            if not any(each[0].edits for each in seen):
                break
            edited = draft.splice(stage(draft.octets, in_names(draft.octets, seen) if names_alone else seen))
            if edited is draft:
                continue
            draft = edited
            if self.prove(draft.octets) and not any(Pairs(draft.octets).beyond(self._limits)):
                return draft
            notes.step(number)
            seen = self.look(draft, notes, again=True)
            if notes.rejected:
                return None
        notes.step(len(stages))
        return None if notes.unsettled(draft, [each[:4] for each in seen]) else draft

    def _hangs_on_names(self, sights: list[InPair], pairs: Pairs) -> bool:
        """Whether a rule speaks of some of these: it hangs on what is wrong with the name itself."""
        named = self._named
        ruled = {(kind.index, pair) for kind, _, _, pair in sights if named[kind.index]}
        return any(
            rules.action(pairs.name(pair)) is not None for index, pair in ruled if (rules := named[index])
        )

    def _judged(self, sights: list[InPair], pairs: Pairs, faulty: set[int]) -> list[Seen]:
        """What is done about each thing that is seen; what is allowed is not seen."""
        actions, allow, named = self._actions, Action.ALLOW, self._named
        ruled = [index for index in {sight[0].index for sight in sights} if named[index]]
        if ruled and len(pairs.starts) > 1:
            return [
                (action, kind, start, end, pair)
                for kind, start, end, pair in sights
                if (
                    action := self._action(kind, pair, pairs, faulty)
                    if named[kind.index]
                    else actions[kind.index]
                )
                is not allow
            ]
        if ruled:
            own = {index: self._action(_KINDS[index], 0, pairs, faulty) for index in ruled}
            actions = tuple(own.get(index, action) for index, action in enumerate(actions))
        return [
            (action, kind, start, end, pair)
            for kind, start, end, pair in sights
            if (action := actions[kind.index]) is not allow
        ]

    def _action(self, kind: Kind, pair: int, pairs: Pairs, faulty: set[int]) -> Action:
        """What is done about a kind in a pair; where its name has a finding, a rule is never an exemption."""
        present = self._actions[kind.index]
        rules = self._named[kind.index]
        if rules is None:
            return present
        action = pairs.said.get((kind.index, pair))
        if action is None:
            ruled = rules.action(pairs.name(pair))
            if ruled is None or (pair in faulty and ruled.rank <= present.rank):
                ruled = present
            pairs.said[kind.index, pair] = action = ruled
        return action

    def _stuck(self, octets: bytes, pairs: Pairs, faulty: set[int]) -> list[Seen]:
        """What must be refused, since respelling would make an escape of a stray ``%`` that is left."""
        kind = Kind.MALFORMED_ESCAPE
        if not self._asked(Kind.SPELLING):
            return []
        return [
            (Action.REJECT, kind, start, end, pair)
            for start, end in completed_by_respelling(octets)
            if self._action(Kind.SPELLING, pair := pairs.at(start), pairs, faulty) is Action.REPAIR
            and self._action(kind, pair, pairs, faulty) in {Action.ALLOW, Action.REPORT}
        ]

    def _sights(self, octets: bytes, pairs: Pairs, found: list[Sight]) -> list[InPair]:
        """Everything that is seen, with the pair in which it is seen.

        ``found`` are the characters in fault.
        """
        component = self._component
        writing: list[Sight] = []
        if not octets.isascii():
            writing = well_formed(WRITING[component].scan(octets), found)
        elif self._asked(Kind.SPELLING):
            writing = WRITING[component].scan(octets)
        between = _in_pairs(BETWEEN[component].scan(octets), pairs)
        if self._asked(Kind.EMPTY_PAIR):
            places = ((pair, pairs.starts[pair]) for pair in pairs.empty())
            between += [(Kind.EMPTY_PAIR, start, min(start + 1, len(octets)), pair) for pair, start in places]
        return self._placed(found, pairs) + between + _in_pairs(writing, pairs)

    def _placed(self, found: list[Sight], pairs: Pairs) -> list[InPair]:
        """Characters in fault, with the pair in which each of them is, and as what it counts there."""
        sights = _in_pairs(found, pairs)
        in_names = IN_NAMES[self._component]
        if not any(in_names[index] for index in {kind.index for kind, _, _ in found}):
            return sights
        return [
            (in_names[kind.index] or kind, start, end, pair)
            if start < pairs.name_end(pair)
            else (kind, start, end, pair)
            for kind, start, end, pair in sights
            if not kind.check.names_only or start < pairs.name_end(pair)
        ]

    def _faulty(self, sights: list[InPair], pairs: Pairs) -> set[int]:
        """The pairs whose name has a finding of its own: no rule speaks of them by name.

        How a name is spelled is no such finding: every reader decodes it to the same name.
        """
        if not self._ruled:
            return set()
        actions, allow = self._actions, Action.ALLOW
        if len(pairs.starts) == 1:
            end = pairs.name_end(0)
            named = any(
                start < end and actions[kind.index] is not allow and kind is not Kind.SPELLING
                for kind, start, _, _ in sights
            )
            return {0} if named else set()
        return {
            pair
            for kind, start, _, pair in sights
            if actions[kind.index] is not allow and kind is not Kind.SPELLING and start < pairs.name_end(pair)
        }

    def _uncomposed(self, octets: bytes, pairs: Pairs, faulty: set[int]) -> list[Seen]:
        """Names and values that are not in NFC, where anybody asks."""
        kind = Kind.NOT_NFC
        found: list[Seen] = []
        if not self._asked(kind):
            return found
        for pair, start, end in pairs.parts():
            if is_uncomposed(octets[start:end]):
                action = self._action(kind, pair, pairs, faulty)
                if action is Action.REPAIR and is_uncomposed(compose(octets[start:end])):
                    action = Action.REJECT  # as composing would make something of a reserved character
                if action is not Action.ALLOW:
                    found.append((action, kind, start, end, pair))
        return found

    def _repeated(self, pairs: Pairs, faulty: set[int], going: set[int]) -> list[Seen]:
        """The pairs whose name another pair has, too: all but the one that is kept."""
        kind = Kind.DUPLICATE_NAME
        found: list[Seen] = []
        kept: dict[str, int] = {}
        order = range(len(pairs.starts))
        for pair in order if self._keep == "first" else reversed(order):
            start, end = pairs.span(pair)
            if start < end and pair not in going and kept.setdefault(pairs.name(pair), pair) != pair:
                action = self._action(kind, pair, pairs, faulty)
                if action is not Action.ALLOW:
                    found.append((action, kind, start, pairs.name_end(pair), pair))
        return found

    def _asked(self, kind: Kind) -> bool:
        """Whether any rule does something about a kind."""
        return self._actions[kind.index] is not Action.ALLOW or self._named[kind.index] is not None

    def _outside(self, octets: bytes, pairs: Pairs, faulty: set[int]) -> list[Seen]:
        """The first run outside the accepted range, in each name and value that a range speaks of."""
        kind = Kind.OUTSIDE_ACCEPTED_RANGE
        found: list[Seen] = []
        for pattern, accepted in self._ranges:
            for pair in range(len(pairs.starts)):
                start, end = pairs.span(pair)
                if pattern is not None:
                    if not pattern.matches(pairs.name(pair)):
                        continue
                    start = min(end, pairs.name_end(pair) + 1)
                if span := accepted.first_outside(octets, start, end):
                    action = self._action(kind, pair, pairs, faulty)
                    found.append((action, kind, *span, pair))
        return found


def _note(  # noqa: PLR0913 - what is noted, and how; the last two by name only
    seen: list[Seen], pairs: Pairs, draft: Draft, notes: Notes, *, again: bool = False, detail: str = ""
) -> None:
    if again:
        for action, kind, start, end, pair in seen:
            # Pairs that go move an empty one; the only edit that makes one is a cut, which is noted.
            if kind is not Kind.EMPTY_PAIR or action is Action.REJECT:
                notes.add_again(kind, action, draft, (start, end), name=pairs.name(pair), detail=detail)
        return
    for index in notes.wanted([each[0] for each in seen]):
        action, kind, start, end, pair = seen[index]
        notes.add(kind, action, draft, (start, end), name=pairs.name(pair), detail=detail)


def _in_pairs(sights: list[Sight], pairs: Pairs) -> list[InPair]:
    """Sights, with the pair in which each of them is."""
    if len(pairs.starts) == 1:
        return [(kind, start, end, 0) for kind, start, end in sights]
    starts = pairs.starts
    return [(kind, start, end, bisect_right(starts, start) - 1) for kind, start, end in sights]

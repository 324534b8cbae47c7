"""Profiles: what is done about each kind in each pair, where rules speak of names.

Few profiles hold in many pairs: what is seen is counted once for all pairs of the same.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import Final, final

from postel._alphabet.text import Reading
from postel._catalogue.check import Action
from postel._catalogue.kinds import Kind
from postel._normalizer.findings import EVERY, JudgedMatch, Matches, edits, rejects
from postel._normalizer.pairs import Pairs
from postel._normalizer.scanner import Scanner
from postel._normalizer.writing import Writing
from postel._policy.name_rules import Actions, NameRules
from postel._policy.rules import NameRule

_OF_PAIRS: Final = {Action.DROP, Action.DROP_PAIR}


@final
@dataclass(frozen=True, slots=True)
class Profiles:
    """What makes the profiles of pairs: the rules for names, and what looks at a name."""

    names: NameRules
    actions: Actions
    """What is done where no rule speaks."""
    scanner: Scanner[str]
    between: Scanner[bytes]
    writing: Writing
    prove: Callable[[bytes], object]

    def of(self, pairs: Pairs, reading: Reading, present: Collection[Kind]) -> list[Actions] | None:
        """What is done about each kind, pair by pair; nothing where no rule speaks of what there is."""
        if not (self.names.kinds.intersection(present) or self.names.beyond_characters):
            return None
        names = pairs.names(reading.plain)
        made: dict[tuple[NameRule, ...], dict[bool, Actions]] = {}
        known: dict[str, dict[bool, Actions]] = {}
        for name in set(names):
            if rules := self.names.matching(name):
                known[name] = made.get(rules) or made.setdefault(rules, self._both(rules))
        if not known:
            return None
        starts, ends = pairs.starts, pairs.name_ends
        written = reading.text.split("&")
        faulty: dict[bytes, bool] = {}
        profiles = [self.actions] * len(names)
        for pair, name in enumerate(names):
            if name in known:
                octets = pairs.octets[starts[pair] : ends[pair]]
                if octets not in faulty:
                    faulty[octets] = self._is_faulty(octets, written[pair].partition("=")[0])
                profiles[pair] = known[name][faulty[octets]]
        return profiles

    def hold(self, profiles: Sequence[Actions] | None, seen: Collection[Kind], *, composes: bool) -> bool:
        """Whether the same rules speak of a pair before and after the edit of what is seen in its name."""
        if composes and (self.names.beyond_characters or self.names.kinds.intersection(seen)):
            return False
        columns = [self.actions, *{id(each): each for each in profiles or ()}.values()]
        return all(
            actions[kind.index] not in {Action.DROP, Action.REPLACE}
            and (kind is not Kind.UNICODE_ESCAPE or actions[kind.index] is not Action.REPAIR)
            for actions in columns
            for kind in seen
        )

    def _both(self, rules: tuple[NameRule, ...]) -> dict[bool, Actions]:
        return {faulty: self.names.profile(rules, faulty=faulty) for faulty in (False, True)}

    def _is_faulty(self, octets: bytes, text: str) -> bool:
        """Whether the name of a pair has a finding of its own: then no rule is an exemption.

        How a name is spelled is no such finding: every reader decodes it to the same name.
        """
        if self.prove(octets) is not None:
            return False
        found = [*self.scanner.kinds(text), *self.between.kinds(octets)]
        if not octets.isascii():
            raw = self.writing.look(octets, text, 0, self.actions)
            found += [kind for _, kind, _, _ in raw.first(EVERY) if kind is not Kind.SPELLING]
        return any(self.actions[kind.index] is not Action.ALLOW for kind in found)

    def judged(
        self,
        written: Sequence[str],
        profiles: Sequence[Actions],
        span: Callable[[int, int], tuple[int, int]],
        *,
        exact: bool,
    ) -> tuple[Matches, list[Collection[Kind]]]:
        """What the scanner sees in the texts of pairs; and the kinds of each pair that may go for them."""
        groups: dict[Actions, list[int]] = {}
        by_identity: dict[int, list[int]] = {}
        for pair, profile in enumerate(profiles):
            members = by_identity.get(id(profile))
            if members is None:
                members = by_identity[id(profile)] = groups.setdefault(profile, [])
            members.append(pair)
        count = 0
        done: set[Action] = set()
        by_pair: list[Collection[Kind]] = [()] * len(written)
        for profile, members in groups.items():
            counts = self.scanner.counts("&".join([written[pair] for pair in members]), exact=exact)
            actions = {profile[kind.index] for kind in counts}
            count += sum(counts[kind] for kind in counts if profile[kind.index] is not Action.ALLOW)
            done |= actions
            if not actions.isdisjoint(_OF_PAIRS):
                kinds = {each: self.scanner.kinds(each) for each in {written[pair] for pair in members}}
                for pair in members:
                    by_pair[pair] = kinds[written[pair]]
        starts = list(accumulate((len(each) + 1 for each in written), initial=0))

        def walk(acts: Callable[[Action], bool]) -> Iterator[JudgedMatch]:
            for kind, *at in self.scanner.walk("&".join(written)):
                action = profiles[bisect_right(starts, at[0]) - 1][kind.index]
                if acts(action):
                    yield action, kind, *span(*at)

        def shown(acts: Callable[[Action], bool]) -> Callable[[], JudgedMatch] | None:
            return (lambda: next(walk(acts))) if any(map(acts, done)) else None

        return Matches(
            count, shown(rejects), shown(edits), lambda most: islice(walk(_is_seen), most)
        ), by_pair


def done_in(profiles: Sequence[Actions] | None, actions: Actions) -> Callable[[Kind, int], Action]:
    """What is done about a kind in a pair, by its profile, if any rule speaks of a pair."""
    return lambda kind, pair: (profiles[pair] if profiles else actions)[kind.index]


def _is_seen(action: Action) -> bool:
    return action is not Action.ALLOW

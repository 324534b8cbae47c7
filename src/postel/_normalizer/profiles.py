"""Profiles: the actions in each pair, if a policy has rules for names.

Many pairs share a few profiles, so matches are counted at once for all pairs with the same profile.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, count, islice, repeat
from operator import add
from typing import TypeAlias, final

from postel._alphabet.text import Reading
from postel._catalogue.check import Action
from postel._catalogue.kinds import Kind
from postel._normalizer.detected import Detected
from postel._normalizer.findings import EVERY, JudgedMatch, Matches, edits, rejects
from postel._normalizer.pair_groups import grouped
from postel._normalizer.pairs import Pairs
from postel._normalizer.scanner import Scanner
from postel._normalizer.writing import Writing
from postel._policy.name_rules import Actions, NameRules

Alike: TypeAlias = tuple[Actions, Sequence[int], str, Collection[Kind]]
"""Pairs with the same profile: the profile, their indices, their text, and its kinds of characters."""


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Profiles:
    """Determines the profiles of pairs from the rules for names."""

    names: NameRules
    actions: Actions
    """The actions in pairs to which no rule applies."""
    scanner: Scanner[str]
    between: Scanner[bytes]
    writing: Writing
    prove: Callable[[bytes], object]

    def of(
        self, pairs: Pairs, reading: Reading, present: Collection[Kind], before: Detected | None = None
    ) -> list[Actions] | None:
        """Return the actions for each pair; ``None`` if no rule applies to what was found.

        ``before`` is what was detected before an edit. If the edit has changed no name, the same rules apply.
        """
        if not (self.names.kinds.intersection(present) or self.names.beyond_characters):
            return None
        if before and before.profiles and before.pairs.written_names == pairs.written_names:
            return before.profiles
        names = pairs.names(reading.plain)
        matching = self.names.matching(set(names))
        if not matching:
            return None
        ruled = [pair for pair, name in enumerate(names) if name in matching]
        rules = {each: self.names.profiles(each) for each in {*matching.values()}}
        profiles = [self.actions] * len(names)
        for pair, is_faulty in zip(ruled, self._faulty(pairs, ruled, reading.text), strict=False):
            profiles[pair] = rules[matching[names[pair]]][is_faulty]
        return profiles

    def hold(self, profiles: Sequence[Actions] | None, seen: Collection[Kind], *, composes: bool) -> bool:
        """Whether each pair keeps its rules when its name is edited."""
        if composes and (self.names.beyond_characters or self.names.kinds.intersection(seen)):
            return False
        columns = [self.actions, *{id(each): each for each in profiles or ()}.values()]
        return all(
            actions[kind.index] not in {Action.DROP, Action.REPLACE}
            and (kind is not Kind.UNICODE_ESCAPE or actions[kind.index] is not Action.REPAIR)
            for actions in columns
            for kind in seen
        )

    def _faulty(self, every: Pairs, ruled: Sequence[int], text: str) -> Iterable[bool]:
        """Return, for each of the ``ruled`` pairs, whether its name has findings, which rules never exempt.

        Respelled escapes do not count, because every reader decodes the name to the same text.
        """
        octets = b"&".join(map(every.written_names.__getitem__, ruled))
        if self.prove(octets) is not None:
            return repeat(object=False)
        written = text.split("&")
        text = "&".join([written[pair].partition("=")[0] for pair in ruled])
        acting = [kind for kind in Kind if self.actions[kind.index] is not Action.ALLOW]
        faulty = list(map(bool, self.scanner.parts(text, acting)))
        places = [start for _, start, _ in self.between.walk(octets, kinds=acting)]
        if not octets.isascii():
            raw = self.writing.judge(octets, text, 0, self.actions)
            places += [start for _, kind, start, _ in raw.first(EVERY) if kind is not Kind.SPELLING]
        pairs = Pairs(octets)
        for place in places:
            faulty[pairs.at(place)] = True
        return faulty

    def judged(
        self,
        written: Sequence[str],
        profiles: Sequence[Actions],
        present: Collection[Kind],
        span: Callable[[int, int], tuple[int, int]],
        *,
        exact: bool,
    ) -> tuple[Matches, list[Alike]]:
        """Return the matches in the texts of pairs, and the pairs grouped by profile."""
        groups = grouped(profiles, present)
        total = 0
        done: set[Action] = set()
        alike: list[Alike] = []
        for profile, members in groups:
            text = "&".join([written[pair] for pair in members])
            counts = self.scanner.counts(text, exact=exact)
            total += sum(counts[kind] for kind in counts if profile[kind.index] is not Action.ALLOW)
            done |= {profile[kind.index] for kind in counts}
            alike.append((profile, members, text, counts))
        starts = list(map(add, accumulate(map(len, written), initial=0), count()))

        def walk(acts: Callable[[Action], bool]) -> Iterator[JudgedMatch]:
            for kind, *at in self.scanner.walk("&".join(written)):
                action = profiles[bisect_right(starts, at[0]) - 1][kind.index]
                if acts(action):
                    yield action, kind, *span(*at)

        def shown(acts: Callable[[Action], bool]) -> Callable[[], JudgedMatch] | None:
            return (lambda: next(walk(acts))) if any(map(acts, done)) else None

        return Matches(total, shown(rejects), shown(edits), lambda most: islice(walk(_is_seen), most)), alike


def done_in(profiles: Sequence[Actions] | None, actions: Actions) -> Callable[[Kind, int], Action]:
    """Return a function that returns the action for a kind in a pair."""
    return lambda kind, pair: (profiles[pair] if profiles else actions)[kind.index]


def _is_seen(action: Action) -> bool:
    return action is not Action.ALLOW

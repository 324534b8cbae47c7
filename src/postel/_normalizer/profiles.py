"""Profiles: the actions in each pair, if a policy has rules for names.

The actions are decided once for each different name in a request. A rule applies to a pair if it matches the
name as received, or as the policy repairs it. So the actions for a value are known before its name is edited.
A rule never makes the actions for a faulty name milder; the strictest rule applies. If an edit gives a pair a
name for which a rule is still stricter, the request is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, compress, count, product
from operator import ne, not_
from typing import Final, final

from postel._catalogue.check import Action
from postel._catalogue.kinds import Kind
from postel._normalizer.detected import Detected
from postel._normalizer.pair_actions import PairActions
from postel._normalizer.pairs import Pairs, decoded_names
from postel._normalizer.raw_text import has_raw
from postel._normalizer.scanner import Scanner
from postel._policy.name_rules import ACTIONS, NUMBERS, Actions, NameRules

_STRICTEST: Final = {
    numbers: max(numbers, key=lambda number: ACTIONS[number].rank)
    for numbers in product(range(len(ACTIONS)), repeat=3)
}
"""The strictest of three actions, as numbers; of equally strict ones, the first."""


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Profiles:
    """Determines the actions in pairs from the rules for names."""

    names: NameRules
    actions: Actions
    """The actions in pairs whose name no rule matches."""
    active: Collection[Kind]
    """The kinds that these actions do not allow."""
    scanner: Scanner[str]
    structure: Scanner[bytes]
    prove: Callable[[bytes], object]
    repaired: Callable[[Pairs, Iterable[str]], list[str]]
    """Returns decoded names after a repair; takes pairs and the texts of their different names."""

    def of(self, pairs: Pairs, present: Collection[Kind], before: Detected | None) -> PairActions:
        """Return the actions in each pair.

        They are decided for the component as received; ``before`` is what was detected before an edit.
        ``present`` are the kinds of its characters. Only decoding UTF-16 units can reveal other kinds.
        """
        if before is not None and before.doing.foreseen:
            return before.left
        if self.names.beyond_characters or not self.names.kinds.isdisjoint(present):
            if before is None:
                return self._decided(pairs)
            return self._decided(before.pairs).among(range(len(pairs.pieces)))
        return PairActions(self.actions, len(pairs.pieces))

    def renamed(self, pairs: Pairs, doing: PairActions) -> Iterator[tuple[int, list[Kind]]]:
        """Yield the pairs whose edited names have stricter rules, each with the kinds of these rules.

        ``doing`` are the actions in the pairs, which were decided before edits. If a pair has the name that
        was foreseen, they are at least as strict as its rules.
        """
        every = pairs.names
        others = list(compress(count(), map(ne, every, doing.foreseen))) if pairs.octets else []
        rules = self.names.numbers(list({every[pair] for pair in others}))
        for pair in others:
            name = every[pair]
            kinds = [
                kind
                for kind, found in rules.items()
                if self._action(kind, found, name).rank > doing.at(kind, pair).rank
            ]
            if kinds:
                yield pair, kinds

    def _action(self, kind: Kind, found: Mapping[str, int], name: str) -> Action:
        """Return the action for a kind in a pair with a clean name."""
        return ACTIONS[found[name]] if name in found else self.actions[kind.index]

    def _decided(self, pairs: Pairs) -> PairActions:
        """Return the actions in each pair by the rules for its name."""
        every = pairs.written_names
        texts = dict(zip(every, pairs.name_texts, strict=True))
        names = decoded_names(texts.values())
        is_clean = self.prove(b"&".join(texts)) is not None
        repaired = names if is_clean else self.repaired(pairs, texts.values())
        rules = self.names.numbers(list({*names, *repaired}))
        faulty = set[int]()
        if not is_clean and (ruled := {*chain(*rules.values())}):
            ruled_places = [place for place, name in enumerate(names) if name in ruled]
            written = list(texts)
            found = self._faulty({written[place]: texts[written[place]] for place in ruled_places})
            changed = compress(count(), map(ne, names, repaired))
            faulty = {*changed, *map(ruled_places.__getitem__, found)}
        places: Sequence[int] = range(len(every))
        if len(texts) < len(every):
            places = list(map(dict(zip(texts, count(), strict=False)).__getitem__, every))
        numbers = {
            kind: bytes(map(self._numbers(kind, found, names, repaired, faulty).__getitem__, places))
            for kind, found in rules.items()
            if found
        }
        return PairActions(self.actions, len(every), numbers, list(map(repaired.__getitem__, places)))

    def _numbers(
        self,
        kind: Kind,
        found: dict[str, int],
        names: Sequence[str],
        repaired: Sequence[str],
        faulty: Collection[int],
    ) -> list[int]:
        """Return the number of the action for a kind with each name; ``found`` are the numbers by rules."""
        default = NUMBERS[self.actions[kind.index]]
        every = dict.fromkeys([*names, *repaired], default) | found
        numbers = list(map(every.__getitem__, repaired))
        for place in faulty:
            numbers[place] = _STRICTEST[default, every[names[place]], numbers[place]]
        return numbers

    def _faulty(self, names: Mapping[bytes, str]) -> set[int]:
        """Return the indices of the names that have a fault; rules cannot make their actions milder.

        Escapes that are not canonical are no fault here, because all readers decode them to the same text.
        """
        codes = self.scanner.census.parts("&".join(names.values()), self.active)
        faulty = set(compress(count(), codes))
        others = list(compress(enumerate(names), map(not_, codes)))
        octets = b"&".join([name for _, name in others])
        at = Pairs(octets).at
        faulty |= {others[at(start)][0] for _, start, _ in self.structure.walk(octets, kinds=self.active)}
        if Kind.RAW_NON_ASCII in self.active and not octets.isascii():
            faulty |= {place for place, name in others if has_raw(name, names[name])}
        return faulty

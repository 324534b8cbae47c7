"""Profiles: the actions in each pair, if a policy has rules for names.

The actions are decided once for each different name in a request. A rule applies to a pair if it matches the
name as received, or as the policy repairs it. So the actions for a value are known before its name is edited.
A rule never makes the actions for a faulty name milder; the strictest rule applies. If an edit gives a pair a
name for which a rule is still stricter, the request is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, compress, count
from operator import ne, not_
from typing import Final, final

from postel._catalogue.kinds import Kind
from postel._normalizer.column import Column
from postel._normalizer.detected import Detected
from postel._normalizer.pair_actions import PairActions, taking
from postel._normalizer.pairs import Pairs, decoded_names
from postel._normalizer.raw_text import has_raw
from postel._normalizer.scanner import Scanner
from postel._policy.name_rules import ACTIONS, NUMBERS

_STRICTER: Final = [
    bytes([max(one, other, key=lambda number: ACTIONS[number].rank) for other in range(len(ACTIONS))]).ljust(
        256, b"\0"
    )
    for one in range(len(ACTIONS))
]
"""Tables for ``bytes.translate``, one for the number of each action.

It maps the number of another action to that of the stricter one of the two. If both are equally strict, it
maps to the number of the first action.
"""


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Profiles:
    """Determines the actions in pairs from the rules for names."""

    column: Column
    active: Collection[Kind]
    """The kinds that are not allowed in pairs whose name no rule matches."""
    structure: Scanner[bytes]
    repaired: Callable[[Pairs, Iterable[str]], list[str]]
    """Returns decoded names after a repair; takes pairs and the texts of their different names."""

    def of(self, pairs: Pairs, present: Collection[Kind], before: Detected | None) -> PairActions:
        """Return the actions in each pair.

        They are decided for the component as received; ``before`` is what was detected before an edit.
        ``present`` are the kinds of its characters. Only decoding UTF-16 units can reveal other kinds.
        """
        if before is not None and before.pair_actions.foreseen:
            return before.left
        if self.column.names.beyond_characters or not self.column.names.kinds.isdisjoint(present):
            if before is None:
                return self._decided(pairs)
            return self._decided(before.pairs).among(range(len(pairs.pieces)))
        return PairActions(self.column.actions, len(pairs.pieces))

    def may_rename(self, pair_actions: PairActions) -> bool:
        """Whether edits may give a pair another name than was foreseen.

        They do so only if a rule changes how a name is edited, or if composing leaves a name as it is.
        """
        column = self.column
        return bool(pair_actions.foreseen) and (
            column.composes
            or any(
                pair_actions.alike(kind) is not column.actions[kind.index] for kind in column.edited_by_rule
            )
        )

    def renamed(self, pairs: Pairs, pair_actions: PairActions) -> Iterator[tuple[int, list[Kind]]]:
        """Yield the pairs whose edited names have stricter rules, each with the kinds of these rules.

        ``pair_actions`` were decided before edits. If a pair has the name that was foreseen, they are at
        least as strict as its rules.
        """
        every = pairs.names
        if every == pair_actions.foreseen:
            return
        others = list(compress(count(), map(ne, every, pair_actions.foreseen))) if pairs.octets else []
        names = dict(zip(dict.fromkeys(map(every.__getitem__, others)), count(), strict=False))
        rules, _ = self.column.names.numbers(list(names), self.column.actions)
        for pair in others:
            place = names[every[pair]]
            kinds = [
                kind
                for kind, numbers in rules.items()
                if ACTIONS[numbers[place]].rank > pair_actions.at(kind, pair).rank
            ]
            if kinds:
                yield pair, kinds

    def _decided(self, pairs: Pairs) -> PairActions:
        """Return the actions in each pair by the rules for its name."""
        every = pairs.written_names
        texts = dict(zip(every, pairs.name_texts, strict=True))
        names = decoded_names(texts.values())
        is_clean = self.column.prove(b"&".join(texts)) is not None
        repaired = names if is_clean else self.repaired(pairs, texts.values())
        different = dict(zip(dict.fromkeys(chain(names, repaired)), count(), strict=False))
        rules, ruled = self.column.names.numbers(list(different), self.column.actions)
        of_names, of_repaired = (taking(list(map(different.__getitem__, each))) for each in (names, repaired))
        changed: list[int] = []
        faulty = bytearray(len(names))
        if not is_clean and any(ruled):
            changed = list(compress(count(), map(ne, names, repaired)))
            ruled_places = list(compress(count(), of_names(ruled)))
            written = list(texts)
            found = self._faulty({written[place]: texts[written[place]] for place in ruled_places})
            for place in chain(changed, map(ruled_places.__getitem__, found)):
                faulty[place] = 0xFF
        numbers: dict[Kind, bytes] = {}
        for kind, each in rules.items():
            default = NUMBERS[self.column.actions[kind.index]]
            if each.count(default) < len(each):
                numbers[kind] = _strictest(
                    default, bytes(of_names(each)), bytes(of_repaired(each)), faulty, changed
                )
        if len(texts) < len(every):
            places = list(map(dict(zip(texts, count(), strict=False)).__getitem__, every))
            in_pairs = taking(places)
            numbers = {kind: bytes(in_pairs(each)) for kind, each in numbers.items()}
            repaired = list(in_pairs(repaired))
        return PairActions(self.column.actions, len(every), numbers, repaired)

    def _faulty(self, names: Mapping[bytes, str]) -> set[int]:
        """Return the indices of the names that have a fault; rules cannot make their actions milder.

        Escapes that are not canonical are not faults here, because all readers decode them to the same text.
        """
        codes = self.column.scanner.census.parts("&".join(names.values()), self.active)
        faulty = set(compress(count(), codes))
        others = list(compress(enumerate(names), map(not_, codes)))
        octets = b"&".join([name for _, name in others])
        at = Pairs(octets).at
        faulty |= {others[at(start)][0] for _, start, _ in self.structure.walk(octets, kinds=self.active)}
        if Kind.RAW_NON_ASCII in self.active and not octets.isascii():
            faulty |= {place for place, name in others if has_raw(name, names[name])}
        return faulty


def _strictest(default: int, before: bytes, after: bytes, faulty: bytearray, changed: Iterable[int]) -> bytes:
    """Return the number of the action for a kind with each name.

    ``before`` and ``after`` are the numbers by the rules for the names as received and as repaired.
    ``faulty`` is 0xFF for names that have a fault; ``changed`` are the places of repaired ones.
    """
    strict = before.translate(_STRICTER[default])
    numbers = bytearray(_chosen(faulty, strict, after))
    for place in changed:
        numbers[place] = _STRICTER[strict[place]][after[place]]
    return bytes(numbers)


def _chosen(mask: bytes | bytearray, octets: bytes, others: bytes) -> bytes:
    """Return the octets for which the mask is 0xFF, and the others for which it is 0."""
    kept, left, wanted = (int.from_bytes(each, "little") for each in (octets, others, mask))
    return (left ^ (left ^ kept) & wanted).to_bytes(len(mask), "little")

"""Profiles: the actions in each pair, if a policy has rules for names.

The actions are decided once for each different name in a request. A rule applies to a pair if it matches the
name as received, or as the policy repairs it. So the actions for a value are known before its name is edited.
If an edit gives a pair a name to which another rule applies, the request is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import compress, count
from operator import ne, not_
from typing import final

from postel._alphabet.text import text_of
from postel._catalogue.kinds import Kind
from postel._normalizer.detected import Decided, Detected
from postel._normalizer.pair_groups import PairActions
from postel._normalizer.pairs import Pairs, decoded_names
from postel._normalizer.raw_text import count_raw
from postel._normalizer.scanner import Scanner
from postel._policy.name_rules import Actions, NameRules


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Profiles:
    """Determines the actions in pairs from the rules for names."""

    names: NameRules
    actions: Actions
    """The actions in pairs whose name no rule matches."""
    acting: Collection[Kind]
    """The kinds that these actions do not allow."""
    scanner: Scanner[str]
    between: Scanner[bytes]
    prove: Callable[[bytes], object]
    repaired: Callable[[bytes, str], list[str]]
    """Returns decoded names after a repair; takes the names and their text, with ampersands between them."""

    def of(self, detected: Detected, present: Collection[Kind], before: Detected | None) -> PairActions:
        """Return the actions in each pair.

        ``before`` is what was detected before an edit. If the edit has changed no name, the same rules apply.
        """
        pairs = detected.pairs
        if not (self.names.beyond_characters or self.names.kinds.intersection(present)):
            return PairActions([self.actions], bytes(len(pairs.pieces)))
        detected.is_ruled = True
        if before is not None and before.is_ruled and pairs.have_names(before.pairs):
            return before.doing
        written, decided = pairs.written_names, detected.decided
        places = dict(zip(written, count(), strict=False))
        if unknown := places.keys() - decided.known.keys():
            every = pairs.name_texts
            self._decide({name: every[places[name]] for name in unknown}, decided)
        return PairActions(decided.profiles, list(map(decided.known.__getitem__, written)))

    def renamed(self, detected: Detected, octets: bytes) -> int | None:
        """Return the first pair whose name was edited so that another rule applies to it, or ``None``.

        ``octets`` are the pairs after the edit. Pairs that are dropped are left out.
        """
        before, after = detected.pairs.written_names, Pairs(octets).written_names
        if not detected.is_ruled or before == after:
            return None
        dropped = detected.faulty
        changed = [pair for pair in compress(count(), map(ne, before, after)) if pair not in dropped]
        if not changed:
            return None
        names = decoded_names(text_of(b"&".join(map(after.__getitem__, changed))).split("&"))
        decided = detected.decided
        self._match(set(names), decided)
        patterns, matching = decided.patterns, decided.matching
        return next(
            (
                pair
                for pair, name in zip(changed, names, strict=True)
                if matching[name] & ~patterns[before[pair]]
            ),
            None,
        )

    def _match(self, names: AbstractSet[str], decided: Decided) -> None:
        """Compare those decoded names with the patterns that have not been compared yet."""
        if unknown := names - decided.matching.keys():
            decided.matching.update(dict.fromkeys(unknown, 0) | self.names.matching(unknown))

    def _decide(self, texts: Mapping[bytes, str], decided: Decided) -> None:
        """Decide the actions for each name; ``texts`` maps the octets of names to their texts."""
        written = list(texts)
        names = decoded_names(texts.values())
        octets = b"&".join(written)
        is_clean = self.prove(octets) is not None
        repaired = names if is_clean else self.repaired(octets, "&".join(texts.values()))
        self._match({*names, *repaired}, decided)
        matching = decided.matching
        bits = [matching[name] | matching[other] for name, other in zip(names, repaired, strict=True)]
        decided.patterns.update(zip(written, bits, strict=True))
        faulty = set[int]()
        if not is_clean and (ruled := list(compress(count(), bits))):
            found = self._faulty({written[place]: texts[written[place]] for place in ruled})
            faulty = {ruled[number] for number in found} | set(compress(count(), map(ne, names, repaired)))
        rules = [(each, place in faulty) for place, each in enumerate(bits)]
        numbers = {each: self._number(*each, decided) for each in {*rules}}
        decided.known.update(zip(written, map(numbers.__getitem__, rules), strict=True))

    def _number(self, bits: int, is_faulty: bool, decided: Decided) -> int:  # noqa: FBT001
        """Return the place in ``decided.profiles`` of the actions that the rules of some patterns give."""
        ruled = self.names.ruled(bits, is_faulty=is_faulty)
        if ruled not in decided.places:
            decided.places[ruled] = len(decided.profiles)
            decided.profiles.append(self.names.profile(ruled))
        return decided.places[ruled]

    def _faulty(self, names: Mapping[bytes, str]) -> set[int]:
        """Return the indices of the names that have a fault; rules cannot make their actions milder.

        Escapes that are not canonical are no fault here, because all readers decode them to the same text.
        """
        octets = b"&".join(names)
        codes = self.scanner.parts("&".join(names.values()), self.acting)
        faulty = set(compress(count(), codes))
        others = list(compress(enumerate(names), map(not_, codes)))
        octets = b"&".join([name for _, name in others])
        at = Pairs(octets).at
        faulty |= {others[at(start)][0] for _, start, _ in self.between.walk(octets, kinds=self.acting)}
        if Kind.RAW_NON_ASCII in self.acting and not octets.isascii():
            faulty |= {place for place, name in others if count_raw(name, names[name])}
        return faulty

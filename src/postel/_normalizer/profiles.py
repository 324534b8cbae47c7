"""Profiles: the actions in each pair, if a policy has rules for names.

The actions are decided once for each different name in a request. A rule applies to a pair if it matches the
name as received, or as the policy repairs it. So the actions for a value are known before its name is edited.
A faulty name is exempt from nothing: the strictest of these rules applies. If an edit gives a pair a name for
which a rule is still stricter, the request is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import compress, count
from operator import ne, not_
from typing import final

from postel._alphabet.text import text_of
from postel._catalogue.kinds import Kind
from postel._normalizer.detected import Detected
from postel._normalizer.pair_actions import PairActions
from postel._normalizer.pairs import Pairs, decoded_names
from postel._normalizer.raw_text import count_raw
from postel._normalizer.scanner import Scanner
from postel._policy.name_rules import Actions, NameRules, Ruled


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
    repaired: Callable[[Pairs, Iterable[str]], list[str]]
    """Returns decoded names after a repair; takes pairs and the texts of their different names."""

    def of(self, pairs: Pairs, present: Collection[Kind], before: Detected | None) -> PairActions:
        """Return the actions in each pair.

        They are decided for the component as received; ``before`` is what was detected before an edit.
        ``present`` are the kinds of its characters. Only decoding UTF-16 units can reveal other kinds.
        """
        if before is not None and before.doing.patterns:
            return before.left
        if self.names.beyond_characters or not self.names.kinds.isdisjoint(present):
            if before is None:
                return self._decided(pairs)
            if before.is_exact and Kind.UNICODE_ESCAPE in before.seen:
                return self._decided(before.pairs).among(range(len(pairs.pieces)))
        return PairActions([self.actions], bytes(len(pairs.pieces)))

    def renamed(self, pairs: Pairs, doing: PairActions) -> Iterator[tuple[int, list[Kind]]]:
        """Yield the pairs whose edited names have stricter rules, each with the kinds of these rules.

        ``doing`` are the actions in the pairs, which were decided before edits. If the rules are those for
        the repaired name, as it was foreseen, these actions are at least as strict.
        """
        written = pairs.written_names
        different = dict.fromkeys(written)
        names = decoded_names(text_of(b"&".join(different)).split("&"))
        matching = self._matching(names, doing.matching)
        bits = dict(zip(different, map(matching.__getitem__, names), strict=True))

        @cache
        def profile(each: int) -> Actions:
            return self.names.profile(self.names.ruled(each))

        others = map(ne, map(bits.__getitem__, written), doing.patterns)
        for pair in compress(count(), others) if pairs.octets else ():
            actions = profile(bits[written[pair]])
            kinds = [
                kind for kind in self.names.kinds if actions[kind.index].rank > doing.at(kind, pair).rank
            ]
            if kinds:
                yield pair, kinds

    def _matching(self, names: Iterable[str], known: dict[str, int]) -> dict[str, int]:
        """Return the bits of the patterns that match each of some decoded names, and of the known ones."""
        if unknown := {*names} - known.keys():
            known.update(dict.fromkeys(unknown, 0) | self.names.matching(unknown))
        return known

    def _decided(self, pairs: Pairs) -> PairActions:
        """Return the actions in each pair by the rules for its name."""
        every = pairs.written_names
        texts = dict(zip(every, pairs.name_texts, strict=True))
        written, names = list(texts), decoded_names(texts.values())
        is_clean = self.prove(b"&".join(written)) is not None
        repaired = names if is_clean else self.repaired(pairs, texts.values())
        matching = self._matching([*names, *repaired], {})
        received, patterns = ([matching[name] for name in each] for each in (names, repaired))
        ruled = [place for place, bits in enumerate(zip(received, patterns, strict=True)) if any(bits)]
        faulty = set[int]()
        if ruled and not is_clean:
            found = self._faulty({written[place]: texts[written[place]] for place in ruled})
            faulty = {ruled[number] for number in found} | set(compress(count(), map(ne, names, repaired)))

        @cache
        def decided(bits: int, others: int, is_faulty: bool) -> Ruled:  # noqa: FBT001
            return self.names.stricter(bits, others) if is_faulty else self.names.ruled(others)

        rules = {place: decided(received[place], patterns[place], place in faulty) for place in ruled}
        different = dict(zip({frozenset(), *rules.values()}, count(), strict=False))
        numbers = dict.fromkeys(written, different[frozenset()])
        numbers |= {written[place]: different[each] for place, each in rules.items()}
        profiles = list(map(self.names.profile, different))
        of_names = dict(zip(written, patterns, strict=True))
        places = list(map(numbers.__getitem__, every))
        return PairActions(profiles, places, list(map(of_names.__getitem__, every)), matching)

    def _faulty(self, names: Mapping[bytes, str]) -> set[int]:
        """Return the indices of the names that have a fault; rules cannot make their actions milder.

        Escapes that are not canonical are no fault here, because all readers decode them to the same text.
        """
        codes = self.scanner.census.parts("&".join(names.values()), self.acting)
        faulty = set(compress(count(), codes))
        others = list(compress(enumerate(names), map(not_, codes)))
        octets = b"&".join([name for _, name in others])
        at = Pairs(octets).at
        faulty |= {others[at(start)][0] for _, start, _ in self.between.walk(octets, kinds=self.acting)}
        if Kind.RAW_NON_ASCII in self.acting and not octets.isascii():
            faulty |= {place for place, name in others if count_raw(name, names[name])}
        return faulty

"""Profiles: the actions in each pair, if a policy has rules for names.

The actions are decided once for each different name in a request.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, count
from operator import not_
from typing import Final, final

from postel._catalogue.check import Action
from postel._catalogue.kinds import Kind
from postel._normalizer.detected import Detected
from postel._normalizer.pair_groups import PairActions
from postel._normalizer.pairs import Pairs, decoded_names
from postel._normalizer.raw_text import count_raw
from postel._normalizer.scanner import Scanner
from postel._policy.name_rules import Actions, NameRules

_RENAMING: Final = {Action.DROP, Action.REPLACE}
"""The actions that change the decoded characters of names."""


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
        return self._ruled(detected)

    def _ruled(self, detected: Detected) -> PairActions:
        """Return the actions in each pair by the rules for its name."""
        pairs, known = detected.pairs, detected.known
        written = pairs.written_names
        places = dict(zip(written, count(), strict=False))
        if unknown := places.keys() - known.keys():
            every = pairs.name_texts
            texts = {name: every[places[name]] for name in unknown}
            decided = self._decided(texts, detected.provisional)
            known.update(zip(texts, _numbered(decided, detected.profiles), strict=True))
        return PairActions(detected.profiles, list(map(known.__getitem__, written)))

    def hold(self, detected: Detected, *, composes: bool) -> bool:
        """Whether the same rules apply to each pair after its name is edited."""
        doing, seen = detected.doing, detected.seen
        if not detected.provisional.isdisjoint(detected.pairs.written_names):
            return False
        if composes and (self.names.beyond_characters or self.names.kinds.intersection(seen)):
            return False
        return all(
            actions[kind.index] not in _RENAMING
            and (kind is not Kind.UNICODE_ESCAPE or actions[kind.index] is not Action.REPAIR)
            for actions in [self.actions, *doing.columns]
            for kind in seen
        )

    def _decided(self, texts: Mapping[bytes, str], provisional: set[bytes]) -> list[Actions]:
        """Return the actions for each name; ``texts`` maps the octets of names to their texts.

        This call adds to ``provisional`` the names to which other actions apply once they are repaired.
        """
        written, names = list(texts), decoded_names(texts.values())
        profiles = self.names.profiles(set(names))
        decided = [self.actions] * len(names)
        ruled = [place for place, name in enumerate(names) if name in profiles]
        faulty = set[int]()
        if ruled:
            faulty = self._faulty({written[place]: texts[written[place]] for place in ruled})
        for number, place in enumerate(ruled):
            decided[place] = profiles[names[place]][number in faulty]
        unlike = {name for name, (clean, if_faulty) in profiles.items() if if_faulty is not clean}
        provisional |= {written[ruled[number]] for number in faulty if names[ruled[number]] in unlike}
        return decided

    def _faulty(self, names: Mapping[bytes, str]) -> set[int]:
        """Return the indices of the names that have a fault; rules cannot make their actions milder.

        Escapes that are not canonical are no fault here, because all readers decode them to the same text.
        """
        octets = b"&".join(names)
        if self.prove(octets) is not None:
            return set()
        codes = self.scanner.parts("&".join(names.values()), self.acting)
        faulty = set(compress(count(), codes))
        others = list(compress(enumerate(names), map(not_, codes)))
        octets = b"&".join([name for _, name in others])
        at = Pairs(octets).at
        faulty |= {others[at(start)][0] for _, start, _ in self.between.walk(octets, kinds=self.acting)}
        if Kind.RAW_NON_ASCII in self.acting and not octets.isascii():
            faulty |= {place for place, name in others if count_raw(name, names[name])}
        return faulty


def _numbered(decided: Sequence[Actions], known: list[Actions]) -> list[int]:
    """Return the place of each of the decided actions in ``known``, after adding those that it lacks."""
    each = list(map(id, decided))
    different = dict(zip(map(id, known), known, strict=True)) | dict(zip(each, decided, strict=True))
    known[:] = different.values()
    places = dict(zip(different, count(), strict=False))
    return list(map(places.__getitem__, each))

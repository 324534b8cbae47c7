"""The actions in each pair, and edits of only some of the pairs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import compress
from operator import itemgetter
from typing import Final, TypeAlias, TypeVar, final

from postel._catalogue.check import Action
from postel._catalogue.kinds import Kind
from postel._policy.name_rules import ACTIONS, NUMBERS, Actions

Held = TypeVar("Held")
Group: TypeAlias = tuple[Actions, Sequence[int]]
"""Actions, and the numbers of the pairs to which they apply."""

_IS: Final = {action: bytes(number) + b"\1" + bytes(255 - number) for action, number in NUMBERS.items()}
"""Tables that translate the number of one action to 1, and others to 0."""


@final
class PairActions:
    """The actions in each pair."""

    __slots__ = ("_acts", "_differing", "_having", "_number", "common", "foreseen")

    def __init__(
        self,
        actions: Actions,
        number: int,
        ruled: Mapping[Kind, bytes] | None = None,
        foreseen: Sequence[str] = (),
    ) -> None:
        """``actions`` apply in ``number`` pairs, except for the kinds in ``ruled``.

        ``ruled`` maps a kind to the number of the action in each pair.
        """
        self.foreseen: Sequence[str] = foreseen
        """For each pair, the decoded name that a repair gives it if no rule matches its name.

        Empty if no rule matters.
        """
        self._number = number
        self._differing: dict[Kind, bytes] = {}
        """The kinds whose actions differ, with the number of the action in each pair."""
        self._acts: dict[Kind, list[Action]] = {}
        """The actions for each of these kinds."""
        self._having: dict[tuple[Kind, Action], list[int]] = {}
        self.common: Actions = actions
        """The actions for the kinds that have the same action in all pairs."""
        if ruled:
            common = list(actions)
            for kind, numbers in ruled.items():
                acts = [ACTIONS[each] for each in {*numbers}]
                if len(acts) > 1:
                    self._differing[kind], self._acts[kind] = numbers, acts
                else:
                    common[kind.index] = acts[0]
            self.common = tuple(common)

    @property
    def differ(self) -> bool:
        """Whether some kind has different actions."""
        return bool(self._differing)

    def differ_for(self, kinds: Iterable[Kind]) -> bool:
        """Whether one of some kinds has different actions."""
        return not self._differing.keys().isdisjoint(kinds)

    def alike(self, kind: Kind) -> Action | None:
        """Return the action for a kind if it is the same in all pairs, otherwise ``None``."""
        return None if kind in self._differing else self.common[kind.index]

    def at(self, kind: Kind, pair: int) -> Action:
        """Return the action for a kind in a pair."""
        return self.alike(kind) or ACTIONS[self._differing[kind][pair]]

    def of(self, kind: Kind, pairs: Sequence[int]) -> list[Action]:
        """Return the action for a kind in each of some pairs."""
        if (action := self.alike(kind)) is not None:
            return [action] * len(pairs)
        numbers = self._differing[kind]
        return [ACTIONS[numbers[pair]] for pair in pairs]

    def having(self, kind: Kind, action: Action) -> Sequence[int]:
        """Return the pairs in which a kind has an action; a range stands for all pairs."""
        if kind not in self._differing:
            return range(self._number) if self.common[kind.index] is action else ()
        if (kind, action) not in self._having:
            is_action = self._differing[kind].translate(_IS[action])
            self._having[kind, action] = list(compress(range(self._number), is_action))
        return self._having[kind, action]

    def having_both(self, kind: Kind, action: Action, present: bytes) -> bytes:
        """Return 1 for each pair in which a kind has an action and for which ``present`` is 1, otherwise 0.

        Returns no octets if there is no such pair.
        """
        if kind in self._differing:
            octets = (self._differing[kind].translate(_IS[action]), present)
            one, other = (int.from_bytes(each, "little") for each in octets)
            present = (one & other).to_bytes(len(present), "little")
        elif self.common[kind.index] is not action:
            return b""
        return present if 1 in present else b""

    def acts(self, kinds: Iterable[Kind]) -> set[Action]:
        """Return the actions for some kinds in all pairs."""
        found = set[Action]()
        for kind in kinds:
            if kind in self._acts:
                found.update(self._acts[kind])
            else:
                found.add(self.common[kind.index])
        return found

    def among(self, pairs: Sequence[int]) -> PairActions:
        """Return the actions in some of the pairs."""
        if not (self._differing or self.foreseen):
            return PairActions(self.common, len(pairs))
        take = taking(pairs)
        numbers = {kind: bytes(take(each)) for kind, each in self._differing.items()}
        foreseen = [*take(self.foreseen)] if self.foreseen else ()
        return PairActions(self.common, len(pairs), numbers, foreseen)

    def grouped(self, kinds: Iterable[Kind]) -> list[Group]:
        """Group pairs by their actions for these kinds."""
        differing = [kind for kind in kinds if kind in self._differing]
        if not differing:
            return [(self.common, range(self._number))]
        found: dict[tuple[int, ...], list[int]] = {}
        for pair, numbers in enumerate(zip(*map(self._differing.__getitem__, differing), strict=True)):
            found.setdefault(numbers, []).append(pair)
        groups: list[Group] = []
        for numbers, pairs in found.items():
            actions = list(self.common)
            for kind, number in zip(differing, numbers, strict=True):
                actions[kind.index] = ACTIONS[number]
            groups.append((tuple(actions), pairs))
        return groups


def taking(places: Sequence[int]) -> Callable[[Sequence[Held]], Sequence[Held]]:
    """Return a function that returns the members of a sequence at some places; there is at least one."""
    if len(places) == 1:
        return lambda held: (held[places[0]],)
    return itemgetter(*places)  # faster than a comprehension


def in_text(text: str, pairs: Sequence[int], edit: Callable[[str], str]) -> str:
    """Edit the text of some pairs, all in one call; a range stands for all pairs."""
    if isinstance(pairs, range) or not pairs:
        return edit(text) if pairs else text
    pieces = text.split("&")
    _put(edit("&".join([pieces[pair] for pair in pairs])).split("&"), pieces, pairs)
    return "&".join(pieces)


def in_octets(octets: bytes, pairs: Sequence[int], edit: Callable[[bytes], bytes]) -> bytes:
    """Edit the octets of some pairs, all in one call; a range stands for all pairs."""
    if isinstance(pairs, range) or not pairs:
        return edit(octets) if pairs else octets
    pieces = octets.split(b"&")
    _put(edit(b"&".join([pieces[pair] for pair in pairs])).split(b"&"), pieces, pairs)
    return b"&".join(pieces)


def _put(edited: Sequence[Held], pieces: list[Held], pairs: Sequence[int]) -> None:
    """Replace some of the pieces with edited ones."""
    for pair, piece in zip(pairs, edited, strict=True):
        pieces[pair] = piece


def except_in(pairs: Collection[int], edited: str, whole: str) -> str:
    """Undo an edit in some of the pairs."""
    pieces, before = edited.split("&"), whole.split("&")
    for pair in pairs:
        pieces[pair] = before[pair]
    return "&".join(pieces)

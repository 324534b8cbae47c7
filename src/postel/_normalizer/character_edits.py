"""What a policy does to the characters of a component: one class of text a kind, and the edits in bulk."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, TypeAlias, final

from postel._alphabet.characters import Characters
from postel._alphabet.text import text_of
from postel._catalogue.check import Action, Component
from postel._catalogue.kinds import Kind
from postel._catalogue.repairs import escape
from postel._normalizer.dropping import replaced as replaced_run
from postel._normalizer.edits import (
    escaped,
    ill_formed_replaced,
    literal_percents,
    marked,
    raw_escaped,
    replaced,
    spelled,
    without,
)
from postel._normalizer.scanner import class_of, in_names
from postel._policy.name_rules import Actions

Class: TypeAlias = tuple[re.Pattern[str], bool]
"""A class of characters of text, and whether some of them are of more than one octet."""

_ASCII: Final = Characters.of((0, 0x7F))
_ILL_FORMED: Final = Kind.ILL_FORMED_UTF8


@final
class Repairs:
    """The characters of some kinds in one component, and how each of them is edited."""

    __slots__ = ("_bare", "_classes", "_component")

    def __init__(self, component: Component, kinds: Iterable[Kind]) -> None:
        """Compile the kinds."""
        self._component = component
        self._classes: dict[Kind, Class] = {}
        self._bare: dict[Kind, bytes] = {}
        for kind in kinds:
            bare = kind.check.bare.get(component, Characters(()))
            held = class_of(component, kind)
            self._classes[kind] = re.compile(f"[{held}]"), bool(bare - _ASCII)
            repair = kind.check.repair
            if repair is not None and repair.replacement is escape:
                self._bare[kind] = bare.text().encode()

    def marked(self, text: str, actions: Actions, seen: Iterable[Kind]) -> str:
        """A text in which a mark stands for each character that is dropped."""
        return marked([(each, False) for each, _ in self._done(actions, seen, Action.DROP)], text)

    def repaired(
        self, octets: bytes, text: str, actions: Actions, seen: frozenset[Kind], *, drops: bool
    ) -> bytes:
        """Repair, replace and drop what is seen of these kinds."""
        if drops and (dropped := self._done(actions, seen, Action.DROP)):
            octets = without(octets, marked(dropped, text))
            text = text_of(octets)
            if self._component is not Component.PATH:
                text = in_names(self._component, text)
        if others := self._done(actions, seen - {_ILL_FORMED}, Action.REPLACE):
            octets = replaced(octets, text, others)
            text = text_of(octets)
        if _ILL_FORMED in seen and actions[_ILL_FORMED.index] is Action.REPLACE:
            octets = ill_formed_replaced(octets, text)
        for kind in seen:
            if actions[kind.index] is not Action.REPAIR:
                continue
            if kind is Kind.MALFORMED_ESCAPE:
                octets = literal_percents(octets)
            elif kind in self._bare:
                octets = escaped(octets, self._bare[kind])
        return octets

    def written(self, octets: bytes, actions: Actions, *, ill_formed: bool) -> bytes:
        """Write octets as they should be written; ``ill_formed`` says that some may be."""
        if not octets.isascii() and actions[Kind.RAW_NON_ASCII.index] is Action.REPAIR:
            octets = raw_escaped(octets, text_of(octets) if ill_formed else "")
        if actions[Kind.SPELLING.index] is Action.REPAIR:
            octets = spelled(octets, plus=self._component is not Component.PATH)
        return octets

    def _done(self, actions: Actions, kinds: Iterable[Kind], action: Action) -> list[Class]:
        """The classes of those of some kinds of which this is done."""
        return [self._classes[kind] for kind in kinds if actions[kind.index] is action]


def written_for(kind: Kind, action: Action, run: bytes) -> bytes | None:
    """What is written for a run of a kind, by itself; ``None`` where nothing is done to it."""
    repair = kind.check.repair
    if action is Action.REPAIR and repair is not None and repair.replacement is not None:
        return repair.replacement(run)
    if action is Action.REPLACE:
        return replaced_run(run)
    return b"" if action is Action.DROP else None

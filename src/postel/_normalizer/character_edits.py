"""Edit characters in bulk, with a character class over text for each kind that a policy edits."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, partial
from typing import Final, final

from postel._alphabet.characters import ASCII, Characters
from postel._alphabet.percent import measure
from postel._alphabet.text import members, text_of
from postel._catalogue.check import Action, Component
from postel._catalogue.kinds import Kind
from postel._catalogue.repairs import escape, escape_percent
from postel._normalizer.dropping import replaced as replaced_run
from postel._normalizer.edits import (
    MARK,
    Class,
    Text,
    escaped,
    literal_percents,
    marked,
    replaced,
    spelled,
    without,
)
from postel._normalizer.raw_text import raw_escaped
from postel._normalizer.scanner import class_of
from postel._policy.name_rules import Actions

_ILL_FORMED: Final = Kind.ILL_FORMED_UTF8
_EMPTY: Final = Characters(())
_WIDE: Final = [
    (Characters.of((0x80, 0x7FF)), 2),
    (Characters.of((0x800, 0xFFFF)), 3),
    (Characters.of((0x10000, 0x10FFFF)), 4),
]
"""The characters of more than one octet: RFC 3629, section 3."""
_BEHIND: Final = (
    "(?:(?<=\udcf0)[\udc90-\udcbf]|(?<=\udcf4)[\udc80-\udc8f]|(?<=[\udcf1-\udcf3])[\udc80-\udcbf]"
)
"""Matches the second octet of a truncated character of four octets."""
_TRUNCATED: Final = (
    (re.compile(f"[\udcf0-\udcf4]{_BEHIND})[\udc80-\udcbf]"), 3),
    (
        re.compile(
            f"[\udce0-\udcf4]{_BEHIND}|(?<=\udce0)[\udca0-\udcbf]|(?<=\udced)[\udc80-\udc9f]"
            "|(?<=[\udce1-\udcec\udcee-\udcef])[\udc80-\udcbf])"
        ),
        2,
    ),
)
"""Maximal ill-formed subparts of more than one octet: Unicode, section 3.9."""
_UNIT_BY_UNIT: Final = {escape, escape_percent}
"""The repairs of characters that replace each unit with one unit."""


@final
class Repairs:
    """Edits the characters of some kinds in one component."""

    __slots__ = ("_bare", "_classes", "_component", "_most")

    def __init__(self, component: Component, kinds: Iterable[Kind], most: int) -> None:
        """Compile the character classes of the kinds; ``most`` limits the octets of the component."""
        self._component = component
        self._most = most
        self._classes: dict[Kind, tuple[Class, ...]] = {}
        self._bare: dict[Kind, bytes] = {}
        for kind in kinds:
            bare = kind.check.bare.get(component, _EMPTY)
            self._classes[kind] = _classes(component, kind)
            repair = kind.check.repair
            if repair is not None and repair.replacement is escape:
                self._bare[kind] = bare.text().encode()

    def marked(self, text: str, actions: Actions, seen: Iterable[Kind]) -> str:
        """Replace each character whose action is DROP with one mark."""
        return marked([(each, 1) for each, _ in self._done(actions, seen, Action.DROP)], text)

    def removed(
        self, octets: bytes, text: Text, actions: Actions, seen: frozenset[Kind], *, drops: bool
    ) -> tuple[bytes, Text]:
        """Replace characters of the kinds ``seen``; with ``drops``, also drop characters.

        Also returns a function that returns a text with the same units as the edited octets.
        """
        others = self._done(actions, seen, Action.REPLACE)
        if drops and (dropped := self._done(actions, seen, Action.DROP)):
            held = marked(dropped, text())
            octets = without(octets, held)
            # Dropping joins no octets, so the text of the octets that are left stays the same.
            text = partial(held.replace, MARK, "")
        if others:
            ill_formed = _ILL_FORMED in seen and actions[_ILL_FORMED.index] is Action.REPLACE
            octets = replaced(octets, text(), [*_TRUNCATED, *others] if ill_formed else others)
            text = partial(text_of, octets)
        return octets, text

    def written(self, octets: bytes, text: Text, actions: Actions, seen: frozenset[Kind]) -> bytes:
        """Repair the characters of the kinds ``seen``, and spell octets canonically.

        This writes one unit for each unit: an escape or a bare octet. ``text`` returns a text with the same
        units. The longest edits come last, and stray percent signs first, so that respelling completes none.
        Octets that replacing characters made too long are not written, because they are refused.
        """
        if len(octets) > self._most and measure(octets) > self._most:
            return octets
        repaired = {kind for kind in seen if actions[kind.index] is Action.REPAIR}
        if Kind.MALFORMED_ESCAPE in repaired:
            octets = literal_percents(octets)
        if actions[Kind.SPELLING.index] is Action.REPAIR:
            octets = spelled(octets, plus=self._component is not Component.PATH)
        for kind in repaired & self._bare.keys():
            octets = escaped(octets, self._bare[kind])
        if not octets.isascii() and actions[Kind.RAW_NON_ASCII.index] is Action.REPAIR:
            octets = raw_escaped(octets, text)
        return octets

    def _done(self, actions: Actions, kinds: Iterable[Kind], action: Action) -> list[Class]:
        """Return the character classes of the kinds that have this action."""
        return [each for kind in kinds if actions[kind.index] is action for each in self._classes[kind]]


@cache  # the result does not depend on the policy
def _classes(component: Component, kind: Kind) -> tuple[Class, ...]:
    bare, escaped = (each.get(component, _EMPTY) for each in (kind.check.bare, kind.check.escaped))
    wide = [(held, width) for each, width in _WIDE if (held := members((bare | escaped) & each, _EMPTY))]
    held = members(bare & ASCII, escaped & ASCII) if wide else class_of(component, kind)
    return tuple((re.compile(f"[{held}]"), width) for held, width in [(held, 1), *wide] if held)


def written_for(kind: Kind, action: Action, run: bytes) -> bytes | None:
    """Return the octets that replace one faulty run of a kind; ``None`` if the run is not edited.

    Repairs that replace each unit with one unit are not among these edits.
    """
    repair = kind.check.repair
    if action is Action.REPAIR and repair is not None and repair.replacement not in _UNIT_BY_UNIT:
        return repair.replacement and repair.replacement(run)
    if action is Action.REPLACE:
        return replaced_run(run)
    return b"" if action is Action.DROP else None

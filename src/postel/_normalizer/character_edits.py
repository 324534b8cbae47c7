"""Edit characters in bulk, with a character class over text for each kind that a policy edits."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import cache, partial
from typing import Final, final

from postel._alphabet.characters import ASCII, NO_CHARACTERS, Characters
from postel._alphabet.percent import measure, percent_decode
from postel._alphabet.text import members, text_of
from postel._catalogue.check import Action, Component
from postel._catalogue.kinds import Kind
from postel._normalizer.column import Column
from postel._normalizer.edits import (
    MARK,
    REST,
    Class,
    Text,
    escaped,
    literal_percents,
    marked,
    replaced,
    respelled,
    without,
)
from postel._normalizer.pair_actions import PairActions, except_in, in_octets, in_text
from postel._normalizer.raw_text import raw_escaped
from postel._normalizer.scanner import class_of
from postel._policy.name_rules import Actions

_ILL_FORMED: Final = Kind.ILL_FORMED_UTF8
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


@final
class Repairs:
    """Edits the characters of some kinds in one component."""

    __slots__ = ("_bare", "_classes", "_component", "_dropped", "_most", "_of_dropped", "_of_octets")

    def __init__(self, column: Column) -> None:
        """Compile a class of characters for each kind, and one for all kinds that are dropped everywhere."""
        self._component = component = column.component
        self._most = column.most
        self._classes: dict[Kind, tuple[Class, ...]] = {}
        self._bare: dict[Kind, bytes] = {}
        for kind in column.characters:
            bare = kind.check.bare.get(component, NO_CHARACTERS)
            self._classes[kind] = _classes(component, kind)
            repair = kind.check.repair
            if repair is not None and repair.escapes:
                self._bare[kind] = bare.text().encode()
        self._dropped = frozenset(column.dropped)
        of_dropped = [each for kind in column.dropped for each in self._classes[kind]]
        self._of_octets = _together(of_dropped)
        self._of_dropped = _together([(each, 1) for each, _ in of_dropped])

    def marked(
        self, text: str, pair_actions: PairActions, seen: Iterable[Kind], *, each_octet: bool = False
    ) -> str:
        """Replace each character whose action is DROP with a mark, or with a mark for each of its octets."""
        kinds = frozenset(seen)
        if not kinds.isdisjoint(self._dropped):
            text = marked(self._of_octets if each_octet else self._of_dropped, text)
        for kind in kinds - self._dropped:
            if dropped := pair_actions.having(kind, Action.DROP):
                classes = [(each, width if each_octet else 1) for each, width in self._classes[kind]]
                text = in_text(text, dropped, partial(marked, classes))
        return text

    def replaced(self, text: str, actions: Actions) -> str:
        """Replace each character whose action is REPLACE with one U+FFFD."""
        for kind, held in self._classes.items():
            if actions[kind.index] is Action.REPLACE:
                for each, _ in held:
                    text = each.sub("\N{REPLACEMENT CHARACTER}", text)
        return text

    def removed(
        self,
        octets: bytes,
        text: Text,
        pair_actions: PairActions,
        seen: frozenset[Kind],
        dropped: Collection[int],
    ) -> tuple[bytes, Text]:
        """Replace and drop characters of the kinds ``seen``; none are dropped from the ``dropped`` pairs.

        Also returns a function that returns a text with the same units as the edited octets.
        """
        held = self.marked(before := text(), pair_actions, seen, each_octet=True)
        if held != before:
            held = except_in(dropped, held, before) if dropped else held
            octets = without(octets, held)
            # Dropping joins no octets, so the text of the octets that are left stays the same.
            text = partial(held.replace, MARK, "")
        if Action.REPLACE in pair_actions.acts(seen):
            held = text()
            for kind in seen:
                if pairs := pair_actions.having(kind, Action.REPLACE):
                    classes = [*(_TRUNCATED if kind is _ILL_FORMED else ()), *self._classes[kind]]
                    held = in_text(held, pairs, partial(marked, classes, rest=REST))
            octets = replaced(octets, held)
            text = partial(text_of, octets)
        return octets, text

    def written(self, octets: bytes, text: Text, pair_actions: PairActions, seen: frozenset[Kind]) -> bytes:
        """Repair the characters of the kinds ``seen``, and spell octets canonically.

        This writes one unit for each unit: an escape or a bare octet. ``text`` returns a text with the same
        units. Bare text comes first, because it is compared with ``text``, and stray percent signs come
        before spelling, so that respelling completes none. Octets that replacing characters made too long
        are not written, because they are refused.
        """
        if len(octets) > self._most and measure(octets) > self._most:
            return octets

        def repaired(kind: Kind) -> Sequence[int]:
            return pair_actions.having(kind, Action.REPAIR)

        raw = repaired(Kind.RAW_NON_ASCII) if not octets.isascii() else ()
        if isinstance(raw, range):
            octets = raw_escaped(octets, text)
        elif raw:
            texts = text().split("&")
            of_raw = "&".join(map(texts.__getitem__, raw))
            octets = in_octets(octets, raw, partial(raw_escaped, of_octets=lambda: of_raw))
        if Kind.MALFORMED_ESCAPE in seen:
            octets = in_octets(octets, repaired(Kind.MALFORMED_ESCAPE), literal_percents)
        plus = self._component is not Component.PATH
        octets = in_octets(octets, repaired(Kind.SPELLING), partial(respelled, plus=plus))
        for kind in seen & self._bare.keys():
            octets = in_octets(octets, repaired(kind), partial(escaped, bare=self._bare[kind]))
        return octets


def _together(classes: Iterable[Class]) -> list[Class]:
    """Return one class for all characters of the same number of octets."""
    held: dict[int, str] = {}
    for each, width in classes:
        held[width] = held.get(width, "") + each.pattern.removeprefix("[").removesuffix("]")
    return [(re.compile(f"[{each}]"), width) for width, each in held.items()]


@cache  # the result does not depend on the policy
def _classes(component: Component, kind: Kind) -> tuple[Class, ...]:
    bare, escaped = (each.get(component, NO_CHARACTERS) for each in (kind.check.bare, kind.check.escaped))
    beyond = [(members((bare | escaped) & each, NO_CHARACTERS), width) for each, width in _WIDE]
    wide = [(held, width) for held, width in beyond if held]
    held = members(bare & ASCII, escaped & ASCII) if wide else class_of(component, kind)
    return tuple((re.compile(f"[{held}]"), width) for held, width in [(held, 1), *wide] if held)


def written_for(kind: Kind, action: Action, run: bytes) -> bytes | None:
    """Return the octets that replace one faulty run of a kind; ``None`` if the run is not edited.

    Repairs that replace each unit with one unit are not among these edits.
    """
    repair = kind.check.repair
    if action is Action.REPAIR and repair is not None:
        return repair.replacement and repair.replacement(run)
    if action is Action.REPLACE:
        return replaced_run(run)
    return b"" if action is Action.DROP else None


def replaced_run(octets: bytes) -> bytes:
    """Replace each character of some faulty octets with an escaped U+FFFD.

    Each maximal subpart of ill-formed octets becomes one U+FFFD: Unicode, section 3.9. The URL Standard
    decodes in the same way.

    >>> replaced_run(b"%E2%82%00")
    b'%EF%BF%BD%EF%BF%BD'
    """
    return b"%EF%BF%BD" * len(percent_decode(octets).decode("utf-8", "replace"))

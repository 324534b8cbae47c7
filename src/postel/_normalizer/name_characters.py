"""Mark the characters in names of pairs that belong to another kind there than in values."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final, final

from postel._alphabet.characters import NO_CHARACTERS, Characters
from postel._alphabet.text import ESCAPED, IN_NAME, NO_TEXT, members, moved
from postel._catalogue.check import Component
from postel._catalogue.kinds import Kind


@final
class NameCharacters:
    """The escaped characters that belong to another kind in names, in one component."""

    __slots__ = ("_held", "_named")

    def __init__(self, component: Component, active: Collection[Kind]) -> None:
        """Only characters of the ``active`` kinds are marked, because marking takes time."""
        held = NO_CHARACTERS
        for kind in Kind:
            if kind.check.names_only:
                mine = kind.check.escaped.get(component, NO_CHARACTERS)
                held |= mine if kind in active else mine & _in_values(component, active)
        body = members(NO_CHARACTERS, held) or NO_TEXT
        self._held: Final = re.compile(f"[{body}]")
        self._named: Final = re.compile(f"(&[^=&{body}]*+[{body}][^=&]*+)")
        """Matches a name that holds such a character, with the ampersand before it."""

    def marked(self, text: str) -> str:
        """Return the text of pairs with these characters marked in names."""
        if self._held.search(text) is None:
            return text
        # What is between such names and the names take turns.
        parts = self._named.split("&" + text)
        if len(parts) > 1:
            parts[1::2] = self.marked_names("=".join(parts[1::2])).split("=")
        return "".join(parts)[1:]

    def marked_names(self, names: str) -> str:
        """Mark these characters in a text that has only names."""
        return moved(self._held, IN_NAME - ESCAPED, names)


def _in_values(component: Component, active: Collection[Kind]) -> Characters:
    """Return the escaped characters of the active kinds that are not only in names."""
    held = NO_CHARACTERS
    for kind in active:
        if not kind.check.names_only:
            held |= kind.check.escaped.get(component, NO_CHARACTERS)
    return held

"""Mark the characters in names of pairs that belong to another kind there than in values."""

from __future__ import annotations

import re
from typing import Final

from postel._alphabet.characters import NO_CHARACTERS
from postel._alphabet.text import ESCAPED, IN_NAME, members, moved
from postel._catalogue.check import Component
from postel._catalogue.kinds import Kind

_HELD: Final = {
    component: "".join(
        members(NO_CHARACTERS, kind.check.escaped[component])
        for kind in Kind
        if kind.check.names_only and component in kind.check.escaped
    )
    for component in (Component.QUERY, Component.FORM)
}
"""Bodies of classes for the escaped characters that belong to another kind in names."""
_SHARED: Final = {component: re.compile(f"[{held}]") for component, held in _HELD.items()}
_NAMED: Final = {
    component: re.compile(f"(&[^=&{held}]*+[{held}][^=&]*+)") for component, held in _HELD.items()
}
"""Patterns for a name that holds such a character, with the ampersand before it."""


def in_names(component: Component, text: str) -> str:
    """Return the text of pairs; in names, characters that belong to another kind there are marked."""
    if _SHARED[component].search(text) is None:
        return text
    # What is between such names and the names take turns.
    parts = _NAMED[component].split("&" + text)
    if len(parts) > 1:
        parts[1::2] = marked_names(component, "=".join(parts[1::2])).split("=")
    return "".join(parts)[1:]


def marked_names(component: Component, names: str) -> str:
    """Mark the characters that belong to another kind in names, in a text that has only names."""
    return moved(_SHARED[component], IN_NAME - ESCAPED, names)

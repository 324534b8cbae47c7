"""Values of clauses of a policy's text form: actions, sets of characters, and which duplicate stays."""

from __future__ import annotations

from typing import Final, Literal

from postel._alphabet.characters import ASCII, LATIN, NO_CHARACTERS, Characters
from postel._catalogue.check import Action
from postel._errors import PolicyError, nothing_named

_NAMED_CHARACTERS: Final = {"ascii": ASCII, "latin": LATIN, "none": NO_CHARACTERS}


def action_of(text: str) -> Action:
    """Read the action of a clause. Raises PolicyError for an unknown one."""
    for action in Action:
        if action.value == text.lower():
            return action
    raise PolicyError(nothing_named("action", text, [each.value for each in Action]))


def kept_of(text: str) -> Literal["first", "last"]:
    """Read which of several pairs with the same name stays. Raises PolicyError for any other word."""
    if text.lower() == "first":
        return "first"
    if text.lower() == "last":
        return "last"
    raise PolicyError(f"keep={text} is not valid; write keep=first or keep=last")


def characters_of(text: str) -> Characters:
    """Read the characters of an ``accept`` clause. Raises ValueError for an unknown name or range."""
    characters = NO_CHARACTERS
    for item in text.split(","):
        named = _NAMED_CHARACTERS.get(item.lower())
        if named is None and not item.startswith("U+"):
            names = ", ".join(_NAMED_CHARACTERS)
            raise PolicyError(f"{item!r} is not a set or a range; write {names}, U+0041 or U+0041-005A")
        characters |= Characters.parse(item) if named is None else named
    return characters


def written_characters(characters: Characters) -> str:
    """Write the characters of an ``accept`` clause."""
    return next((name for name, each in _NAMED_CHARACTERS.items() if each == characters), str(characters))

"""Accepted ranges: where the text of a component first leaves the characters that a policy lets through."""

from __future__ import annotations

from typing import Final, final

from postel._characters import Characters
from postel._regex import compiled
from postel._text import members

_PERCENT: Final = Characters.of("%")
_PLUS: Final = Characters.of("+")


@final
class AcceptedRange:
    """A set of accepted characters, compiled for the text of a component.

    Ill-formed octets are no characters: another kind speaks of them.
    """

    __slots__ = ("_pattern",)

    def __init__(self, characters: Characters, *, always: str, plus: bool) -> None:
        """``always`` is syntax and so accepted where it stands bare; ``plus`` says that ``+`` is a space."""
        bare = escaped = characters.complement()
        bare -= Characters.of(always)
        if plus:
            bare = bare - _PLUS if " " in characters else bare | _PLUS
        outside = members(bare, escaped)
        self._pattern = compiled(f"[{outside}]++" if outside else "(?!)")

    def first_outside(self, text: str, start: int, end: int) -> tuple[int, int] | None:
        """The first run of characters outside the range from ``start`` to ``end``, if there is one."""
        match = self._pattern.search(text, start, end)
        return match.span() if match else None

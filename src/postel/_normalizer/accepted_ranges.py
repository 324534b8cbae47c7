"""Accepted ranges: find the first character of a component that a policy does not accept."""

from __future__ import annotations

from typing import Final, final

from postel._alphabet.characters import Characters
from postel._alphabet.regex import compiled
from postel._alphabet.text import members

_PERCENT: Final = Characters.of("%")
_PLUS: Final = Characters.of("+")


@final
class AcceptedRange:
    """A set of accepted characters, compiled for the text of a component.

    Ill-formed octets are not judged here, because another kind reports them.
    """

    __slots__ = ("_pattern",)

    def __init__(self, characters: Characters, *, always: str, plus: bool) -> None:
        """Compile a range. Bare characters in ``always`` are syntax; with ``plus``, a ``+`` is a space."""
        bare = escaped = characters.complement()
        bare -= Characters.of(always)
        if plus:
            bare = bare - _PLUS if " " in characters else bare | _PLUS
        outside = members(bare, escaped)
        self._pattern = compiled(f"[{outside}]++" if outside else "(?!)")

    def first_outside(self, text: str, start: int = 0) -> tuple[int, int] | None:
        """Return the span of the first run of characters outside the range, from ``start`` on."""
        match = self._pattern.search(text, start)
        return match.span() if match else None

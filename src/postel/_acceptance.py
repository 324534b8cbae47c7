"""Accepted ranges: where a component first leaves the characters that a policy lets through."""

from __future__ import annotations

import re
from typing import Final, final

from postel._characters import ILL_FORMED_PATTERN, Characters, Spelling
from postel._regex import compiled

_PERCENT: Final = Characters.of("%")
_ALL: Final = Characters(()).complement() - _PERCENT
_STRAY: Final = rb"%(?![0-9A-Fa-f]{2})"


@final
class AcceptedRange:
    """A set of accepted characters, compiled for octets as they stand in a component.

    Ill-formed octets are no characters: another kind speaks of them.
    """

    __slots__ = ("_pattern",)

    def __init__(self, characters: Characters, *, always: bytes, plus: bool) -> None:
        """``always`` are octets that are syntax and so accepted; ``plus`` says that ``+`` is a space."""
        accepted = [characters.__sub__(_PERCENT).pattern(Spelling.ANY)] if characters - _PERCENT else []
        if plus:
            if " " in characters:
                accepted.append(rb"\+")
            elif "+" in characters:
                accepted[0] = rb"(?!\+)" + accepted[0]
        if "%" in characters:
            accepted += [b"%25", _STRAY]
        accepted += [ILL_FORMED_PATTERN, b"[" + re.escape(always) + b"]"]
        inside = b"(?:" + b"|".join(accepted) + b")"
        outside = b"(?:" + _ALL.pattern(Spelling.ANY) + b"|%25|" + _STRAY + b")"
        self._pattern = compiled(inside + b"*+(?:((?:(?!" + inside + b")" + outside + rb")++)|\Z)", re.DOTALL)

    def first_outside(self, octets: bytes, start: int, end: int) -> tuple[int, int] | None:
        """The first run of characters outside the range from ``start`` to ``end``, if there is one."""
        match = self._pattern.match(octets, start, end)
        return match.span(1) if match and match.lastindex else None

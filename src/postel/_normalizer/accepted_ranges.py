"""Accepted ranges: find the first character of a component that a policy does not accept."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, count
from operator import add
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

    __slots__ = ("_in_parts", "_pattern")

    def __init__(self, characters: Characters, *, always: str, plus: bool) -> None:
        """Compile. Bare characters in ``always`` are syntax and accepted; ``plus`` reads ``+`` as a space."""
        bare = escaped = characters.complement()
        bare -= Characters.of(always)
        if plus:
            bare = bare - _PLUS if " " in characters else bare | _PLUS
        outside = members(bare, escaped)
        self._pattern = compiled(f"[{outside}]++" if outside else "(?!)")
        self._in_parts = compiled(f"([{outside}]++)[^&]*+" if outside else "(?!)()")

    def first_outside(self, text: str, start: int = 0) -> tuple[int, int] | None:
        """Return the span of the first run of characters outside the range, from ``start`` on."""
        match = self._pattern.search(text, start)
        return match.span() if match else None

    def in_parts(self, parts: Sequence[str]) -> Iterator[tuple[int, int, int]]:
        """Yield, for each part with characters outside the range, its index and the span of the first run.

        The range must accept ``&``, and no part may hold an ``&``.
        """
        starts = list(map(add, accumulate(map(len, parts), initial=0), count()))
        for match in self._in_parts.finditer("&".join(parts)):
            index = bisect_right(starts, match.start()) - 1
            yield index, match.start() - starts[index], match.end(1) - starts[index]

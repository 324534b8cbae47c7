"""Accepted ranges: find the first character of a component that a policy does not accept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import compress
from typing import Final, final

from postel._alphabet.characters import Characters
from postel._alphabet.regex import compiled
from postel._alphabet.text import NO_TEXT, members
from postel._policy.names import NamePattern

_PLUS: Final = Characters.of("+")


@final
class AcceptedRange:
    """A set of accepted characters, compiled for the text of a component.

    Ill-formed octets are not judged here, because another kind reports them.
    """

    __slots__ = ("_pattern", "holds_equals", "outside")

    def __init__(self, characters: Characters, *, always: str, plus: bool) -> None:
        """Compile a range. Bare characters in ``always`` are syntax; with ``plus``, a ``+`` is a space."""
        bare = escaped = characters.complement()
        bare -= Characters.of(always)
        if plus:
            bare = bare - _PLUS if " " in characters else bare | _PLUS
        self.outside: str = members(bare, escaped) or NO_TEXT
        """The body of a class for the characters outside the range."""
        self.holds_equals: bool = "=" in characters
        """Whether the range holds the equals sign."""
        self._pattern = compiled(f"[{self.outside}]++")

    def first_outside(self, text: str, start: int = 0) -> tuple[int, int] | None:
        """Return the span of the first run of characters outside the range, from ``start`` on."""
        match = self._pattern.search(text, start)
        return match.span() if match else None


@final
class NamedRanges:
    """Finds which ranges cover the values of pairs with certain names; ranges are given by their places."""

    __slots__ = ("_exact", "_patterns")

    def __init__(self, patterns: Iterable[tuple[int, NamePattern]]) -> None:
        """``patterns`` are the names that each of these ranges covers."""
        self._exact: dict[str, list[int]] = {}
        self._patterns: list[tuple[int, Callable[[Sequence[str]], Sequence[object]]]] = []
        every = list(patterns)
        for place, pattern in every:
            if "*" in pattern.text or len(every) == 1:
                self._patterns.append((place, pattern.among()))
            else:
                self._exact.setdefault(pattern.text, []).append(place)

    def candidates(self, pairs: Sequence[int], names: Sequence[str]) -> Sequence[int]:
        """Return those of very many pairs that may be covered; if there are several names, return all pairs.

        It is faster to search all pairs for characters than to compare their names with several patterns.
        """
        if self._exact or len(self._patterns) > 1:
            return pairs
        return list(compress(pairs, self._patterns[0][1](names)))

    def covered(self, pairs: Sequence[int], names: Sequence[str]) -> Iterator[tuple[int, list[int]]]:
        """Yield each range that covers some of these pairs, and the pairs; ``names`` are their names."""
        exact, of_exact = self._exact, defaultdict[int, list[int]](list)
        for pair, name in zip(pairs, names, strict=True) if exact else ():
            if name in exact:
                for place in exact[name]:
                    of_exact[place].append(pair)
        yield from of_exact.items()
        for place, among in self._patterns:
            yield place, list(compress(pairs, among(names)))


@final
class PairRange:
    """An accepted range for pairs.

    ``covers`` finds the pairs whose values the range covers. For a range that covers all pairs, it is the
    index of the range in the policy.
    """

    __slots__ = ("accepted", "covers", "first_in")

    def __init__(self, accepted: AcceptedRange, covers: NamedRanges | int) -> None:
        """Compile a pattern that judges very many pairs in one call."""
        self.accepted: AcceptedRange = accepted
        self.covers: NamedRanges | int = covers
        name = "" if isinstance(covers, int) else "[^=&]*+=?"
        judged = compiled(f"{name}[^{accepted.outside}&]*+([^&]?)[^&]*+(?:&|\\Z)")
        self.first_in: Callable[[str, int], list[str]] = judged.findall
        """Returns the first character outside the range in each pair from a place in a text on; empty if
        there is none."""

"""Other blocks of a form: the names of their pairs, to find names that are repeated in two blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import final


@final
class OtherBlocks:
    """The names in the blocks of a form that were judged before, as received and after each stage.

    An edit can change a name, so names of two blocks can become equal at any stage. The form as received
    counts as stage -1.

    >>> others = OtherBlocks()
    >>> others.begins(-1, lambda: {"a", "%u0062"})
    >>> others.begins(1, lambda: {"a", "b"})
    >>> others.end_block()
    >>> [sorted(others.having({"a", "b", "c"}, stage)) for stage in (-1, 0, 1, 2)]
    [['a'], ['a'], ['a', 'b'], ['a', 'b']]
    """

    __slots__ = ("_held", "_states", "is_renamed")

    def __init__(self) -> None:
        """Begin without blocks."""
        self._held: dict[str | bytes, int] = {}
        """For each name, the stages after which a pair has it; bit ``n + 1`` stands for stage ``n``."""
        self._states: list[tuple[int, Callable[[], Iterable[str]]]] = []
        self.is_renamed = False
        """Whether a stage changed the names in some block."""

    def begins(self, stage: int, names: Callable[[], Iterable[str]]) -> None:
        """Say which names the current block has from a stage on, until the next call."""
        self._states.append((stage, names))

    def having(self, names: Iterable[str], stage: int) -> set[str]:
        """Return those of some names that pairs in other blocks have after a stage."""
        held, bit = self._held.get, 1 << stage + 1
        return {name for name in names if held(_key(name), 0) & bit}

    def end_block(self) -> None:
        """Add the names of the current block, which now is one of the others."""
        states: list[tuple[int, set[str]]] = []
        for stage, names in self._states:
            found = {*names()}
            if not states or states[-1][1] != found:
                states.append((stage, found))
        self._states.clear()
        self.is_renamed |= len(states) > 1
        held, end = self._held, 0  # 0 - begin is negative, so all bits from begin on are set
        for stage, found in reversed(states):
            begin = 1 << stage + 1
            for name in map(_key, found):
                held[name] = held.get(name, 0) | end - begin
            end = begin


def _key(name: str) -> str | bytes:
    """Return a name as a key: in octets if it is not ASCII, because each of its characters may need four."""
    return name if name.isascii() else name.encode("utf-8", "surrogatepass")

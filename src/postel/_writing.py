"""How octets are written: bare octets of text, and escapes that are not spelled canonically."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice, repeat
from typing import Final, final

from postel._catalogue import Kind
from postel._check import Action, Component
from postel._edits import raw_runs
from postel._notes import Seen, Sights, first_edit, first_of, listed
from postel._regex import compiled
from postel._scanner import ActionAt

WRITTEN: Final = (Kind.RAW_NON_ASCII, Kind.SPELLING)
"""The kinds that speak of how octets are written."""


@final
class Writing:
    """The kinds of a component that speak of how octets are written, as one pattern."""

    __slots__ = ("_finditer", "_kinds", "asked", "reports")

    def __init__(self, component: Component, asked: frozenset[Kind], actions: set[Action]) -> None:
        """``asked`` are the kinds that anything is done about, ``actions`` what that is."""
        self.reports: bool = Action.REPORT in actions
        """Whether any of it is to report."""
        self.asked: bool = any(kind in asked for kind in WRITTEN)
        """Whether anything is done about how octets are written."""
        self._kinds = [kind for kind in WRITTEN if kind in asked]
        patterns = [b"(" + kind.check.patterns[component] + b")" for kind in self._kinds]
        self._finditer: Callable[..., Iterator[re.Match[bytes]]] | None = (
            compiled(b"|".join(patterns)).finditer if patterns else None
        )

    def look(self, octets: bytes, text: str, start: int, action_at: ActionAt | tuple[Action, ...]) -> Sights:
        """What is seen from ``start`` on; ``action_at`` is a column, or says what is done at a place.

        A run of bare octets that are all ill-formed is no text: another kind speaks of it.
        """
        if self._finditer is None:
            return listed([])
        kinds = [self._kinds[(match.lastindex or 1) - 1] for match in self._finditer(octets, start)]
        if not kinds:
            return listed([])
        raw = raw_runs(octets, text) if Kind.RAW_NON_ASCII in kinds else []
        if callable(action_at):
            return listed(
                [
                    (action, kind, first, last)
                    for kind, first, last in self._walk(octets, start, raw)
                    if (action := action_at(kind, first)) is not Action.ALLOW
                ]
            )
        column = action_at
        if not all(raw):
            runs = iter(raw)
            kinds = [kind for kind in kinds if kind is not Kind.RAW_NON_ASCII or next(runs)]
        actions = [action for kind in kinds if (action := column[kind.index]) is not Action.ALLOW]

        def at(skip: int, most: int) -> Iterator[Seen]:
            seen = (
                (action, kind, first, last)
                for kind, first, last in self._walk(octets, start, raw)
                if (action := column[kind.index]) is not Action.ALLOW
            )
            return islice(seen, skip, skip + most)

        return Sights(len(actions), first_of(actions, Action.REJECT), first_edit(actions), at)

    def walk(self, octets: bytes, text: str = "") -> Iterator[tuple[Kind, int, int]]:
        """How octets are written, run by run; ``text`` is theirs where some may be ill-formed."""
        return self._walk(octets, 0, raw_runs(octets, text) if text else None)

    def _walk(self, octets: bytes, start: int, raw: list[bool] | None) -> Iterator[tuple[Kind, int, int]]:
        runs = repeat(object=True) if raw is None else iter(raw)
        for match in self._finditer(octets, start) if self._finditer else ():
            kind = self._kinds[(match.lastindex or 1) - 1]
            if kind is not Kind.RAW_NON_ASCII or next(runs):
                yield kind, *match.span()

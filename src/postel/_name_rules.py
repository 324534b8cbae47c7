"""Rules for the pairs of certain names: what is done about one kind in a pair of a name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import final

from postel._check import Action
from postel._names import NamePattern


@final
class NameRules:
    """The rules for one kind; of those that match a name, the first holds.

    >>> rules = NameRules([(NamePattern("utm_id"), Action.REJECT), (NamePattern("utm_*"), Action.DROP_PAIR)])
    >>> rules.action("utm_id"), rules.action("utm_x"), rules.action("q")
    (<Action.REJECT: 'reject'>, <Action.DROP_PAIR: 'drop-pair'>, None)
    """

    __slots__ = ("_exact", "_patterns")

    def __init__(self, rules: Iterable[tuple[NamePattern, Action]]) -> None:
        """Sort them: a name is looked up, and compared only with what has a star."""
        self._exact: dict[str, tuple[int, Action]] = {}
        self._patterns: list[tuple[int, NamePattern, Action]] = []
        for order, (pattern, action) in enumerate(rules):
            if "*" in pattern.text:
                self._patterns.append((order, pattern, action))
            else:
                self._exact.setdefault(pattern.text, (order, action))

    def action(self, name: str) -> Action | None:
        """What is done in a pair of that decoded name; ``None`` where no rule speaks of it."""
        last, found = self._exact.get(name, (len(self._exact) + len(self._patterns), None))
        for order, pattern, action in self._patterns:
            if order < last and pattern.matches(name):
                return action
        return found

"""Rules for pairs with certain names: the action for each kind in such a pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, final

from postel._catalogue.check import Action, Family
from postel._catalogue.kinds import Kind
from postel._policy.rules import NameRule

Actions: TypeAlias = tuple[Action, ...]
"""The action for each kind, in the order of the enum."""


@final
class NameRules:
    """The rules of one component. For each kind, the last rule that matches the name wins.

    A name is looked up once for all kinds, and compared only with the patterns that have a star.
    """

    __slots__ = (
        "_actions",
        "_backs",
        "_exact",
        "_fronts",
        "_patterns",
        "beyond_characters",
        "kinds",
        "of_structure",
        "of_writing",
    )

    def __init__(self, actions: Actions, rules: Sequence[NameRule]) -> None:
        """``actions`` are those of the component; they apply if no rule matches."""
        self._actions = actions
        self.kinds: frozenset[Kind] = frozenset(rule.kind for rule in rules)
        """The kinds that have rules."""
        self.beyond_characters: bool = any(kind.check.family is not Family.CHARACTER for kind in self.kinds)
        """Whether any of these kinds is about more than single characters."""
        families = {kind.check.family for kind in self.kinds}
        self.of_structure: bool = Family.PAIR in families
        """Whether any of these kinds is about the structure of pairs."""
        self.of_writing: bool = Family.WRITING in families
        """Whether any of these kinds is about how octets are written."""
        self._exact: dict[str, list[tuple[int, NameRule]]] = {}
        patterns: dict[str, list[tuple[int, NameRule]]] = {}
        for order, rule in enumerate(rules):
            text = rule.pattern.text
            (patterns if "*" in text else self._exact).setdefault(text, []).append((order, rule))
        self._patterns = [(found[0][1].pattern, found) for found in patterns.values()]
        ends = [(text.split("*")[0], text.split("*")[-1]) for text in patterns]
        self._fronts = tuple(front for front, back in ends if front or not back)
        self._backs = tuple(back for front, back in ends if back and not front)

    def matching(self, name: str) -> tuple[NameRule, ...]:
        """The rules that match a decoded name, in order."""
        found = list(self._exact.get(name, ()))
        if not (found or name.startswith(self._fronts) or name.endswith(self._backs)):
            return ()  # most names match no rule
        for pattern, rules in self._patterns:
            if pattern.matches(name):
                found += rules
        return tuple(rule for _, rule in sorted(found, key=_order))

    def profile(self, rules: tuple[NameRule, ...], *, faulty: bool) -> Actions:
        """The actions in a pair to which these rules apply.

        If the name itself is ``faulty``, rules can only make the actions stricter.
        """
        ruled = {rule.kind: rule.action for rule in rules}
        actions = list(self._actions)
        for kind, action in ruled.items():
            if not faulty or action.rank > actions[kind.index].rank:
                actions[kind.index] = action
        return tuple(actions)


def _order(numbered: tuple[int, NameRule]) -> int:
    return numbered[0]

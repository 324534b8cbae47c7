"""Rules for the pairs of certain names: what is done about each kind in a pair of a name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, final

from postel._catalogue.check import Action, Family
from postel._catalogue.kinds import Kind
from postel._policy.rules import NameRule

Actions: TypeAlias = tuple[Action, ...]
"""What is done about each kind, in the enum's order."""


@final
class NameRules:
    """The rules of one component; of those for one kind that match a name, the last holds.

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
        """``actions`` are those of the component, which hold where no rule speaks."""
        self._actions = actions
        self.kinds: frozenset[Kind] = frozenset(rule.kind for rule in rules)
        """The kinds that any rule speaks of."""
        self.beyond_characters: bool = any(kind.check.family is not Family.CHARACTER for kind in self.kinds)
        """Whether any of these is not of single characters."""
        families = {kind.check.family for kind in self.kinds}
        self.of_structure: bool = Family.STRUCTURAL in families
        """Whether any of these is of the structure of pairs."""
        self.of_writing: bool = Family.WRITING in families
        """Whether any of these is of how octets are written."""
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
        """The rules that speak of a decoded name, in their order."""
        found = list(self._exact.get(name, ()))
        if not (found or name.startswith(self._fronts) or name.endswith(self._backs)):
            return ()  # no rule speaks of most names
        for pattern, rules in self._patterns:
            if pattern.matches(name):
                found += rules
        return tuple(rule for _, rule in sorted(found, key=_order))

    def profile(self, rules: tuple[NameRule, ...], *, faulty: bool) -> Actions:
        """What is done about each kind where these rules speak.

        Where the name itself is ``faulty``, a rule is never an exemption.
        """
        ruled = {rule.kind: rule.action for rule in rules}
        actions = list(self._actions)
        for kind, action in ruled.items():
            if not faulty or action.rank > actions[kind.index].rank:
                actions[kind.index] = action
        return tuple(actions)


def _order(numbered: tuple[int, NameRule]) -> int:
    return numbered[0]

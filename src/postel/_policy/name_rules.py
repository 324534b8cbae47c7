"""Rules for pairs with certain names: the action for each kind in such a pair."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import compress
from typing import TypeAlias, final

from postel._catalogue.check import Action, Family
from postel._catalogue.kinds import Kind
from postel._policy.rules import NameRule

Actions: TypeAlias = tuple[Action, ...]
"""The action for each kind, in the order of the enum."""
Ruled: TypeAlias = frozenset[tuple[int, Action]]
"""The actions that rules give to kinds, each kind by its place in the enum."""


@final
class NameRules:
    """The rules of one component. For each kind, the last rule that matches the name wins.

    An integer with one bit for each pattern tells which patterns match a name. The same rules apply to all
    names with the same integer. Patterns without a star are looked up; others are compared with all names.
    """

    __slots__ = (
        "_actions",
        "_every",
        "_exact",
        "_patterns",
        "_rules",
        "beyond_characters",
        "kinds",
        "of_structure",
        "of_writing",
    )

    def __init__(self, actions: Actions, rules: Sequence[NameRule]) -> None:
        """``actions`` apply to pairs whose name no rule matches."""
        self._actions = actions
        self.kinds: frozenset[Kind] = frozenset(rule.kind for rule in rules)
        """The kinds that have rules."""
        self.beyond_characters: bool = any(kind.check.family is not Family.CHARACTER for kind in self.kinds)
        """Whether a rule is about a kind that is not of the character family."""
        families = {kind.check.family for kind in self.kinds}
        self.of_structure: bool = Family.PAIR in families
        """Whether a rule is about a kind of the pair family."""
        self.of_writing: bool = Family.WRITING in families
        """Whether a rule is about a kind of the writing family."""
        patterns = dict.fromkeys(rule.pattern for rule in rules)
        bits = {pattern: 1 << place for place, pattern in enumerate(patterns)}
        self._rules: dict[int, list[tuple[int, NameRule]]] = {bit: [] for bit in bits.values()}
        """For each pattern, by its bit, its rules, each with its place among all rules."""
        for place, rule in enumerate(rules):
            self._rules[bits[rule.pattern]].append((place, rule))
        self._every = sum(bit for pattern, bit in bits.items() if pattern.text == "*")
        self._patterns = [(each.among(), bit) for each, bit in bits.items() if "*" in each.text != "*"]
        exact = {pattern.text: bit for pattern, bit in bits.items() if "*" not in pattern.text}
        others = self._starred(exact.keys())
        self._exact = {name: bit | others.get(name, 0) for name, bit in exact.items()}

    def matching(self, names: AbstractSet[str]) -> dict[str, int]:
        """Return the bits of the patterns that match each decoded name, if any does."""
        exact = {name: self._exact[name] for name in self._exact.keys() & names}
        return exact | self._starred(names - exact.keys())

    def _starred(self, names: AbstractSet[str]) -> dict[str, int]:
        """Return the bits of the patterns with a star that match each name, if any does."""
        found = dict.fromkeys(names, self._every) if self._every else {}
        different = list(names)
        for among, bit in self._patterns:
            for name in compress(different, among(different)):
                found[name] = found.get(name, 0) | bit
        return found

    def ruled(self, bits: int) -> Ruled:
        """Return what the rules of these patterns say."""
        rules: list[tuple[int, NameRule]] = []
        while bits:
            last = bits & -bits
            rules += self._rules[last]
            bits ^= last
        return frozenset({rule.kind.index: rule.action for _, rule in sorted(rules, key=_place)}.items())

    def stricter(self, bits: int, others: int) -> Ruled:
        """Return what the rules of two sets of patterns say, where they are stricter than without rules."""
        done: dict[int, Action] = {}
        for kind, action in [*self.ruled(bits), *self.ruled(others)]:
            if action.rank > done.get(kind, self._actions[kind]).rank:
                done[kind] = action
        return frozenset(done.items())

    def profile(self, ruled: Ruled) -> Actions:
        """Return the actions in a pair to which rules apply."""
        actions = list(self._actions)
        for kind, action in ruled:
            actions[kind] = action
        return tuple(actions)


def _place(rule: tuple[int, NameRule]) -> int:
    return rule[0]

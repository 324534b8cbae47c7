"""Rules for pairs with certain names: the action for each kind in such a pair."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TypeAlias, final

from postel._alphabet.text import NO_TEXT
from postel._catalogue.check import Action, Family
from postel._catalogue.kinds import Kind
from postel._policy.rules import NameRule

Actions: TypeAlias = tuple[Action, ...]
"""The action for each kind, in the order of the enum."""


Profile: TypeAlias = tuple[Actions, Actions]
"""The actions in a pair, and those if the name of the pair is faulty."""


@final
class NameRules:
    """The rules of one component. For each kind, the last rule that matches the name wins.

    For patterns without a star, profiles are compiled. The other patterns are compared with all other names.
    An integer with one bit for each pattern tells which patterns match a name. The same rules apply to all
    names with the same integer.
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
        self._patterns: list[tuple[Callable[[str], list[str]], int]] = [
            (pattern.finder(), bit) for pattern, bit in bits.items() if "*" in pattern.text != "*"
        ]
        exact = {pattern.text: bit for pattern, bit in bits.items() if "*" not in pattern.text}
        others = self._matching(exact.keys())
        self._exact = self._profiled({name: bit | others.get(name, 0) for name, bit in exact.items()})

    def profiles(self, names: AbstractSet[str]) -> dict[str, Profile]:
        """Return the profile of each decoded name that some pattern matches."""
        exact = {name: self._exact[name] for name in self._exact.keys() & names}
        return exact | self._profiled(self._matching(names - exact.keys()))

    def _matching(self, names: AbstractSet[str]) -> dict[str, int]:
        """Return the bits of the patterns with a star that match each name, if any does."""
        found = dict.fromkeys(names, self._every) if self._every else {}
        text = "".join([f"{NO_TEXT}{name}" for name in names]) + NO_TEXT if self._patterns else ""
        for find, bit in self._patterns:
            for name in find(text):
                found[name] = found.get(name, 0) | bit
        return found

    def _profiled(self, matching: Mapping[str, int]) -> dict[str, Profile]:
        """Return the profile of each name; equal profiles are one object, so that pairs can be grouped."""
        ruled = {bits: self._ruled(bits) for bits in {*matching.values()}}
        profiles = {rules: self._profile(rules) for rules in {*ruled.values()}}
        return {name: profiles[ruled[bits]] for name, bits in matching.items()}

    def _ruled(self, bits: int) -> frozenset[tuple[int, Action]]:
        """Return the actions that rules give to kinds, each by its place, if these patterns match."""
        rules: list[tuple[int, NameRule]] = []
        while bits:
            last = bits & -bits
            rules += self._rules[last]
            bits ^= last
        return frozenset({rule.kind.index: rule.action for _, rule in sorted(rules, key=_place)}.items())

    def _profile(self, ruled: Iterable[tuple[int, Action]]) -> Profile:
        """Return the actions for a pair; for a faulty name, rules can only make actions stricter."""
        actions, if_faulty = list(self._actions), list(self._actions)
        for kind, action in ruled:
            actions[kind] = action
            if action.rank > if_faulty[kind].rank:
                if_faulty[kind] = action
        clean = tuple(actions)
        return clean, clean if if_faulty == actions else tuple(if_faulty)


def _place(rule: tuple[int, NameRule]) -> int:
    return rule[0]

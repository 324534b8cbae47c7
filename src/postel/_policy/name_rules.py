"""Rules for pairs with certain names: the action for each kind in such a pair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import TypeAlias, final

from postel._alphabet.text import NO_TEXT
from postel._catalogue.check import Action, Family
from postel._catalogue.kinds import Kind
from postel._policy.rules import NameRule

Actions: TypeAlias = tuple[Action, ...]
"""The action for each kind, in the order of the enum."""


@final
class NameRules:
    """The rules of one component. For each kind, the last rule that matches the name wins.

    For each name, an integer with one bit for each pattern tells which patterns match the name. The same
    rules apply to all names with the same integer.
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
        self._rules = [(bits[rule.pattern], rule) for rule in rules]
        self._exact = {pattern.text: bit for pattern, bit in bits.items() if "*" not in pattern.text}
        self._every = sum(bit for pattern, bit in bits.items() if pattern.text == "*")
        self._patterns: list[tuple[Callable[[str], list[str]], int]] = [
            (pattern.finder(), bit) for pattern, bit in bits.items() if "*" in pattern.text != "*"
        ]

    def matching(self, names: AbstractSet[str]) -> dict[str, int]:
        """Return the decoded names that match a pattern, each with the bits of all patterns it matches."""
        found = dict.fromkeys(names, self._every) if self._every else {}
        for name in self._exact.keys() & names:
            found[name] = found.get(name, 0) | self._exact[name]
        text = "".join([f"{NO_TEXT}{name}" for name in names]) + NO_TEXT if self._patterns else ""
        for find, bit in self._patterns:
            for name in find(text):
                found[name] = found.get(name, 0) | bit
        return found

    def profiles(self, matching: int) -> tuple[Actions, Actions]:
        """Return two columns of actions for names that match these patterns: for clean and for faulty names.

        For a faulty name, rules can only make actions stricter.
        """
        ruled = {rule.kind.index: rule.action for bit, rule in self._rules if matching & bit}
        actions, if_faulty = list(self._actions), list(self._actions)
        for kind, action in ruled.items():
            actions[kind] = action
            if action.rank > if_faulty[kind].rank:
                if_faulty[kind] = action
        return tuple(actions), tuple(if_faulty)

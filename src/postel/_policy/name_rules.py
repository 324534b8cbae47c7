"""Rules for pairs with certain names: the action for each kind in such a pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import compress
from typing import Final, TypeAlias, final

from postel._catalogue.check import Action, Family
from postel._catalogue.kinds import Kind
from postel._policy.rules import NameRule

Actions: TypeAlias = tuple[Action, ...]
"""The action for each kind, in the order of the enum."""
ACTIONS: Final = tuple(Action)
NUMBERS: Final = {action: number for number, action in enumerate(ACTIONS)}
"""The place of each action in ``ACTIONS``; very many actions are kept as such numbers."""


@final
class NameRules:
    """The rules of one component. For each kind, the last rule that matches the name wins.

    Patterns without a star are looked up; others are compared with all names.
    """

    __slots__ = ("_patterns", "_rules", "beyond_characters", "kinds", "of_structure", "of_writing")

    def __init__(self, rules: Sequence[NameRule]) -> None:
        """Compile the patterns of the rules."""
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
        self._patterns = [(each.text, each.among() if "*" in each.text != "*" else None) for each in patterns]
        places = {pattern: place for place, pattern in enumerate(patterns)}
        self._rules = [(places[rule.pattern], rule.kind, NUMBERS[rule.action]) for rule in rules]

    def numbers(self, names: Sequence[str]) -> dict[Kind, dict[str, int]]:
        """Return, for each kind with rules, the numbers of the actions for those names that a rule matches.

        ``names`` are different decoded names.
        """
        matched = list(self._matched(names))
        found: dict[Kind, dict[str, int]] = {kind: {} for kind in self.kinds}
        for place, kind, number in self._rules:
            found[kind].update(dict.fromkeys(matched[place], number))
        return found

    def _matched(self, names: Sequence[str]) -> Iterator[Sequence[str]]:
        """Yield the names that each pattern matches."""
        every = frozenset(names)
        for text, among in self._patterns:
            if among is not None:
                yield list(compress(names, among(names)))
            elif text == "*":
                yield names
            else:
                yield [text] if text in every else []

"""Rules for pairs with certain names: the action for each kind in such a pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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

    __slots__ = ("_patterns", "_rules", "beyond_characters", "kinds")

    def __init__(self, rules: Sequence[NameRule]) -> None:
        """Compile the patterns of the rules."""
        self.kinds: frozenset[Kind] = frozenset(rule.kind for rule in rules)
        """The kinds that have rules."""
        self.beyond_characters: bool = any(kind.check.family is not Family.CHARACTER for kind in self.kinds)
        """Whether a rule is about a kind that is not of the character family."""
        patterns = dict.fromkeys(rule.pattern for rule in rules)
        self._patterns = [(each.text, each.among() if "*" in each.text != "*" else None) for each in patterns]
        places = {pattern: place for place, pattern in enumerate(patterns)}
        self._rules = [(places[rule.pattern], rule.kind, NUMBERS[rule.action]) for rule in rules]

    def numbers(self, names: Sequence[str], actions: Actions) -> tuple[dict[Kind, bytes], bytes]:
        """Return, for each kind with rules, the number of the action for each name, as one octet.

        Also returns an octet for each name that tells whether any rule matches it. ``names`` are different
        decoded names; ``actions`` apply to those that no rule matches.
        """
        matched, ones = list(self._matched(names)), _ones(len(names))
        found = {kind: NUMBERS[actions[kind.index]] * ones for kind in self.kinds}
        for place, kind, number in self._rules:
            at = matched[place]  # 1 for each name that matches, 0 for others
            found[kind] += number * at - (found[kind] & 0xFF * at)
        any_rule = 0
        for at in matched:
            any_rule |= at
        by_kind = {kind: numbers.to_bytes(len(names), "little") for kind, numbers in found.items()}
        return by_kind, any_rule.to_bytes(len(names), "little")

    def _matched(self, names: Sequence[str]) -> Iterator[int]:
        """Yield, for each pattern, an integer that has an octet for each name: 1 if the name matches."""
        for text, among in self._patterns:
            if among is not None:
                yield int.from_bytes(bytes(among(names)), "little")
            elif text == "*":
                yield _ones(len(names))
            else:
                yield 1 << 8 * names.index(text) if text in names else 0


def _ones(number: int) -> int:
    """Return an integer that consists of ``number`` octets, each of which is 1."""
    return int.from_bytes(b"\1" * number, "little")

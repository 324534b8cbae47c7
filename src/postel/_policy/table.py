"""Tables: show a complete policy, with every kind in every component.

The text form of a policy holds only the differences from a preset. The table holds everything and marks the
differences.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from itertools import groupby
from operator import attrgetter
from typing import Final, TypeAlias, cast

from postel._alphabet.columns import aligned
from postel._catalogue.check import Action, Component
from postel._catalogue.kinds import Kind
from postel._errors import PolicyError
from postel._policy.clause_values import written_characters
from postel._policy.limits import Limits, written_limit, written_name
from postel._policy.policy import Policy
from postel._policy.rules import COMPONENTS, rules_of
from postel._policy.text_form import written

_WIDTH: Final = 78
"""The most characters in a line of names; the table is about as wide."""
_NOWHERE: Final = "-"
"""Shown where a kind does not occur."""
_RULED: Final = frozenset(COMPONENTS)

GroupedRules: TypeAlias = tuple[tuple[Action, tuple[str, ...]], ...]
"""Actions in the order of their rules, each with the names of the pairs to which it applies."""


def policy_table(policy: Policy) -> str:
    r"""Return a table of what a policy does: its actions, rules for names, ranges, charsets and limits.

    The first line is the text form of the policy. An asterisk marks what differs from the preset. Raises
    PolicyError unless ``policy`` is a Policy.

    >>> from postel import Policy
    >>> table = policy_table(Policy.parse("standard encoded-slash=preserve"))
    >>> print("\n".join(line for line in table.splitlines() if "-slash" in line))
    standard encoded-slash=preserve
    missing-slash           reject      -           -           -           -             -           -
    encoded-slash           preserve*   -           -           -           -             -           -
    leading-slashes         reject      -           -           -           -             -           -
    """
    given = cast("object", policy)
    if not isinstance(given, Policy):
        raise PolicyError(f"policy_table({given!r}): give a Policy, such as Policy.STANDARD")
    preset = Policy.parse(str(policy).split(" ", 1)[0])
    sections = (
        [str(policy)],
        _kinds(policy, preset),
        _names(policy, preset),
        _ranges(policy),
        _charsets(policy),
        _settings(policy, preset),
        [f"* differs from {preset}"] if policy != preset else [],
    )
    return "\n\n".join("\n".join(lines) for lines in sections if lines)


def _kinds(policy: Policy, preset: Policy) -> list[str]:
    rows = [
        (
            kind.slug,
            *(
                policy.action(kind, each).value
                + _mark(policy.action(kind, each) is preset.action(kind, each))
                if each in kind.check.presets
                else _NOWHERE
                for each in COMPONENTS
            ),
        )
        for kind in Kind
        if not _RULED.isdisjoint(kind.check.components)
    ]
    return aligned([("kind", *(each.value for each in COMPONENTS)), *rows], least=10)


def _names(policy: Policy, preset: Policy) -> list[str]:
    """Return the lines about rules for names; equal rules in query and form are written once."""
    lines: list[str] = []
    for kind in Kind:
        groups: dict[tuple[GroupedRules, bool], list[Component]] = {}
        for component in COMPONENTS:
            if rules := _rules(policy, kind, component):
                same = rules == _rules(preset, kind, component)
                groups.setdefault((rules, same), []).append(component)
        for (rules, same), components in groups.items():
            place = ", ".join(each.value for each in components)
            for action, names in rules:
                lines.append(f"{kind.slug} in {place}: {action.value}{_mark(same)} where the name is")
                lines += _filled(f"{written(name)}," for name in names)
                lines[-1] = lines[-1].removesuffix(",")
    return lines


def _rules(policy: Policy, kind: Kind, component: Component) -> GroupedRules:
    """Return the rules of a kind; consecutive rules with the same action are joined."""
    rules: list[tuple[Action, tuple[str, ...]]] = []
    for rule in rules_of(policy.rules, kind, component):
        before = rules.pop()[1] if rules and rules[-1][0] is rule.action else ()
        rules.append((rule.action, (*before, rule.pattern.text)))
    return tuple(rules)


def _ranges(policy: Policy) -> list[str]:
    lines: list[str] = []
    for each in policy.acceptances:
        place = f" where the name is {written(each.pattern.text)}" if each.pattern else ""
        lines.append(f"accepted in {each.component.value}{place}, and nothing else*")
        lines += _filled(written_characters(each.characters).replace(",", ", ").split())
    return lines


def _charsets(policy: Policy) -> list[str]:
    """Return the lines about charsets; consecutive rules with the same charset are joined."""
    lines: list[str] = []
    for charset, rules in groupby(policy.charsets, key=attrgetter("charset")):
        lines.append(f"charset in query: {charset}* where the name is")
        lines += _filled(f"{written(rule.pattern.text)}," for rule in rules)
        lines[-1] = lines[-1].removesuffix(",")
    return lines


def _settings(policy: Policy, preset: Policy) -> list[str]:
    limits = [
        (
            f"limit.{written_name(field.name)}",
            written_limit(limit := getattr(policy.limits, field.name))
            + _mark(limit == getattr(preset.limits, field.name)),
        )
        for field in fields(Limits)
    ]
    return aligned([*limits, ("keep", policy.keep + _mark(policy.keep == preset.keep))], least=10)


def _mark(same: bool) -> str:  # noqa: FBT001 - four callers, all above
    return "" if same else "*"


def _filled(words: Iterable[str]) -> Iterator[str]:
    """Yield lines of words; a word is never split, because it may contain spaces."""
    line = ""
    for word in words:
        if line and len(line) + 1 + len(word) > _WIDTH:
            yield line
            line = ""
        line = f"{line} {word}" if line else f"  {word}"
    yield line

"""Shortcuts: proofs, quicker than looking, that nothing of a policy can fire on a target.

A proof may fail for a target in which nothing fires; it must never succeed for one in which something does.
The characters that a policy wants to see are taken from those that the rows of the catalogue name; where a
row speaks of more than characters, its trigger, which over-approximates, must not match anywhere.
"""

from __future__ import annotations

import re
from typing import Final, final

from postel._catalogue import Kind
from postel._characters import ASCII, NON_ASCII, Characters, Spelling
from postel._check import Action, Component, Family
from postel._octets import UNRESERVED
from postel._policy import Policy
from postel._rules import COMPONENTS

_LOUD: Final = Characters.of("/.;=&")
"""The bare characters at which a trigger may begin."""
_UNRESERVED: Final = Characters.of(bytes(sorted(UNRESERVED)).decode())
_PERCENT: Final = Characters.of("%")


@final
class Shortcut:
    """The proofs of one policy."""

    __slots__ = ("_depth", "_octets", "_pairs", "_path", "_query", "_safe", "_segments", "_strings")

    def __init__(self, policy: Policy) -> None:
        """Compile a pattern for the path and one for the query."""
        limits = policy.limits
        self._path = re.compile(b"(?=/)" + _proof(policy, Component.PATH)).fullmatch
        self._query = re.compile(_proof(policy, Component.QUERY)).fullmatch
        self._octets = limits.octets
        self._segments = limits.segments
        self._pairs = limits.pairs
        self._depth = limits.depth
        self._strings = min(limits.name, limits.value)
        self._safe = min(limits.octets, limits.segments, limits.pairs, limits.depth, self._strings)

    def is_clean(self, path: bytes, query: bytes = b"") -> bool:
        """Whether it is proven that the policy finds nothing to note or edit in path and query."""
        if self._path(path) is None or (query and self._query(query) is None):
            return False
        return len(path) + len(query) <= self._safe or self._within_limits(path, query)

    def _within_limits(self, path: bytes, query: bytes) -> bool:
        return (
            len(path) + len(query) <= self._octets
            and path.count(b"/") <= self._segments
            and query.count(b"&") < self._pairs
            and query.count(b"[") + query.count(b"%5") <= self._depth
            and (len(query) <= self._strings or self._short_strings(query))
        )

    def _short_strings(self, query: bytes) -> bool:
        return all(len(pair) <= self._strings for pair in query.split(b"&"))


def _proof(policy: Policy, component: Component) -> bytes:
    """A pattern that only a component in which nothing fires matches as a whole."""
    column = COMPONENTS.index(component)
    named = {rule.kind for rule in policy.rules if rule.component is component}
    active = [
        kind
        for kind in Kind
        if component in kind.check.presets
        and (policy.table[column][kind.index] is not Action.ALLOW or kind in named)
    ]
    bare, escaped = ASCII - _PERCENT, Characters(()).complement()
    for kind in active:
        bare -= kind.check.bare.get(component, _NOBODY)
        escaped -= kind.check.escaped.get(component, _NOBODY)
    if any(action is Action.PRESERVE for action in policy.table[column]):
        escaped -= _PERCENT  # a preserving policy shows data "%" as "%25"
    for each in policy.acceptances:
        if each.component is component:
            syntax = Characters.of("/" if component is Component.PATH else "&=")
            bare &= each.characters | syntax
            escaped &= each.characters
            if " " not in each.characters and component is not Component.PATH:
                bare -= Characters.of("+")
    canonical = Kind.SPELLING in active
    if canonical:
        escaped -= _UNRESERVED
        if component is not Component.PATH:
            bare -= Characters.of("+")
    spelling = Spelling.UPPER if canonical else Spelling.ESCAPED
    triggers = [_trigger(kind, component) for kind in active]
    return _pattern(bare, escaped, spelling, [trigger for trigger in triggers if trigger])


def _pattern(bare: Characters, escaped: Characters, spelling: Spelling, triggers: list[bytes]) -> bytes:
    guard = b"(?!" + b"|".join(triggers) + b")" if triggers else b""
    loud = bare & _LOUD if triggers else _NOBODY
    steps = []
    if quiet := bare - loud:
        steps.append(quiet.pattern(Spelling.BARE) + b"++")
    guarded = [loud.pattern(Spelling.BARE)] if loud else []
    guarded += [part.pattern(spelling) for part in (escaped - NON_ASCII, escaped & NON_ASCII) if part]
    if guarded:
        steps.append(guard + b"(?:" + b"|".join(guarded) + b")")
    return b"(?:" + b"|".join(steps) + b")*+"


def _trigger(kind: Kind, component: Component) -> bytes:
    """What must not match where something of a kind could begin; characters need none."""
    check = kind.check
    if check.trigger:
        return check.trigger
    if check.family in {Family.TARGET, Family.WRITING} or kind is Kind.ILL_FORMED_UTF8:
        return b""  # a clean path begins with a slash, and escapes only whole characters, canonically
    return check.patterns.get(component, b"")


_NOBODY: Final = Characters(())

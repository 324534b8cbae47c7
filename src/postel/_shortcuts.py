"""Shortcuts: proofs, quicker than looking, that nothing of a policy can fire in a component.

A proof may fail where nothing fires; it must never succeed where something does. A pattern passes the
characters that no active row of the catalogue names, bare or escaped; where a row speaks of more than
characters, its trigger says what must not follow. Rows that are allowed everywhere take no part.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from postel._catalogue import Kind
from postel._characters import ASCII, NON_ASCII, Characters, Spelling
from postel._check import Action, Component
from postel._octets import UNRESERVED
from postel._policy import Policy
from postel._regex import compiled
from postel._rules import COMPONENTS

_NOBODY: Final = Characters(())
_UNRESERVED: Final = Characters.of(bytes(sorted(UNRESERVED)).decode())
_PERCENT: Final = Characters.of("%")
_PLUS: Final = Characters.of("+")
_STRAY: Final = rb"%+(?=%)|%(?![0-9A-Fa-f]{2}|[uU][0-9A-Fa-f]{4})"


def proof(policy: Policy, component: Component, mended: frozenset[Kind] = frozenset()) -> re.Pattern[bytes]:
    """A pattern that only a component in which nothing fires, but for ``mended``, matches as a whole."""
    acting = [kind for kind in active(policy, component) if kind not in mended]
    faulty = _union(kind.check.bare.get(component, _NOBODY) for kind in acting)
    bare = ASCII - _PERCENT - faulty
    escaped = _union(kind.check.escaped.get(component, _NOBODY) for kind in acting).complement()
    path = component is Component.PATH
    for each in policy.acceptances:
        if each.component is component:
            bare &= each.characters | Characters.of("/" if path else "&=")
            escaped &= each.characters
            if not path and " " not in each.characters:
                bare -= _PLUS
    if Action.PRESERVE in policy.table[COMPONENTS.index(component)]:
        escaped -= _PERCENT  # a preserving policy shows data "%" as "%25"
    spelling = Spelling.ESCAPED
    if Kind.SPELLING in acting:
        spelling = Spelling.UPPER
        escaped -= _UNRESERVED
        bare -= _NOBODY if path else _PLUS
    front = b"(?=/)" if path else b""  # no other form of a target, then
    written = (escaped & NON_ASCII) - faulty
    others = [_STRAY] if Kind.MALFORMED_ESCAPE in mended else []
    others += [written.pattern(Spelling.BARE)] if Kind.RAW_NON_ASCII in mended and written else []
    return compiled(
        front + _pattern(bare, escaped, spelling, _triggers(acting, component), others), re.DOTALL
    )


def _union(sets: Iterable[Characters]) -> Characters:
    return Characters.of(*(each for characters in sets for each in characters.ranges))


def active(policy: Policy, component: Component) -> Iterable[Kind]:
    """The kinds that are not allowed everywhere in a component."""
    column = policy.table[COMPONENTS.index(component)]
    named = {rule.kind for rule in policy.rules if rule.component is component}
    for kind in Kind:
        if component in kind.check.presets and (column[kind.index] is not Action.ALLOW or kind in named):
            yield kind


def _triggers(kinds: Iterable[Kind], component: Component) -> dict[bytes, list[bytes]]:
    """What must not follow, by octet."""
    triggers: dict[bytes, list[bytes]] = {}
    for kind in kinds:
        for octet, follows in (kind.check.trigger or {}).items():
            triggers.setdefault(octet, []).append(follows)
    if component is Component.PATH:
        triggers.pop(b"", None)
    return triggers


def _pattern(
    bare: Characters,
    escaped: Characters,
    spelling: Spelling,
    triggers: dict[bytes, list[bytes]],
    others: list[bytes],
) -> bytes:
    guards = {octet: b"(?!" + b"|".join(follows) + b")" for octet, follows in triggers.items()}
    loud = Characters.of(b"".join(guards).decode()) & bare
    # Each branch begins with its octet, which the engine compares before it enters the branch.
    steps = [re.escape(octet) + guards[octet] for octet in guards if octet and octet.decode() in loud]
    guard = guards.get(b"%", b"").replace(b"(?!", b"(?!%(?:", 1) + (b")" if b"%" in guards else b"")
    if escaped - NON_ASCII:
        steps.append(guard + (escaped - NON_ASCII).pattern(spelling))
    steps += others
    if escaped & NON_ASCII:
        # Text of one script comes in runs; and an escape of ASCII need not try all of Unicode.
        text = (escaped & NON_ASCII).pattern(spelling)
        steps.append(b"(?=%[89A-Fa-f])" + (guard + text if guard else b"(?:" + text + b")++"))
    # What needs no look is passed in one go, and the loop turns only for what does.
    quiet = (bare - loud).pattern(Spelling.BARE) + b"*+" if bare - loud else b""
    return guards.get(b"", b"") + quiet + b"(?:(?:" + b"|".join(steps) + b")" + quiet + b")*+"

"""Wholesale mending: a component mended as a whole, where only faults that need no look around can fire.

What people type and browsers send, such as a bare space, ``50% off`` or lower-case hex, is mended octet by
octet, whatever stands beside it. A proof like that of the shortcuts, but with these kinds let through, shows
that nothing else can fire; then a few passes mend all of it, and the shortcut itself proves the result. Where
any of this fails, the component is looked at in the ordinary way, which says the same and takes longer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice
from typing import Final, final

from postel._catalogue import Kind
from postel._characters import ASCII, Characters
from postel._check import Action, Component, Family
from postel._draft import STRAY_PERCENT, Draft
from postel._mending import escape, respell_run
from postel._notes import MOST, Notes
from postel._octets import ESCAPE, MISSPELLED, respell
from postel._pairs import Pairs
from postel._policy import Policy
from postel._regex import compiled
from postel._rules import COMPONENTS
from postel._scanner import CHARACTERS, WRITING, Scanner
from postel._shortcuts import active, proof

_TOKENS: Final = {Kind.UNICODE_ESCAPE, Kind.MALFORMED_ESCAPE, Kind.ILL_FORMED_UTF8}
"""The kinds whose patterns no octet that is let through here can be a part of."""
_STRAY: Final = rb"%(?![0-9A-Fa-f]{2}|[uU][0-9A-Fa-f]{4})[0-9A-Za-z]{0,2}"
_STRAY_RUN: Final = re.compile(_STRAY + b"(?:" + _STRAY + b")*")
_CLOSE: Final = re.compile(rb"%[0-9A-Za-z]{0,2}%")
"""Two percent signs of one run."""
_BARE: Final = re.compile(rb"[\x80-\xff][\x80-\xff]*+")


_PLAIN_TRIGGER: Final = re.compile(rb"(?:[&=|]|\\Z)*")


@final
class Wholesale:
    """What of a component a policy lets be mended as a whole, compiled."""

    __slots__ = (
        "_actions",
        "_component",
        "_free",
        "_kept",
        "_prove",
        "_runs",
        "_spells",
        "_wide",
        "_written",
    )

    def __init__(self, policy: Policy, component: Component, prove: Callable[[bytes], object]) -> None:
        """Compile the component's column of a policy; ``prove`` is its shortcut."""
        kinds = _mendable(policy, component)
        self._component = component
        self._actions = policy.table[COMPONENTS.index(component)]
        self._spells = Kind.SPELLING in kinds
        self._wide = proof(policy, component, frozenset(kinds)).fullmatch if kinds else None
        self._prove = prove
        mended = [kind.check.bare[component].text().encode() for kind in kinds if not kind.check.patterns]
        self._free = _is_free(policy, component, prove, b"%" + b"".join(mended))
        writing = [kind.check.pattern(component) for kind in kinds if kind.check.family is Family.WRITING]
        self._written = [compiled(pattern).findall for pattern in writing if pattern]
        self._kept = bytes(octet for octet in range(256) if octet not in b"".join(mended))
        self._runs = [(each, bytes(octet in each for octet in range(256))) for each in mended]
        """For each kind its octets, and a table that maps these to 1 and all others to 0."""

    def mend(self, octets: bytes, notes: Notes) -> bytes | None:
        """The octets mended and what was mended noted; ``None`` where it is for others to judge them."""
        if self._wide is None or self._wide(octets) is None:
            return None
        stray = STRAY_PERCENT.search(octets) is not None
        misspelled = self._spells and MISSPELLED.search(octets) is not None
        if stray and misspelled:
            return None  # what is respelled might be the digits that a stray "%" waits for
        mended = octets
        mixed = stray and ESCAPE.search(octets) is not None
        if stray:
            mended = STRAY_PERCENT.sub(b"%25", octets) if mixed else octets.replace(b"%", b"%25")
        present = set(octets.translate(None, self._kept))
        for octet in present:
            mended = mended.replace(b"%c" % octet, b"%%%02X" % octet)
        if not octets.isascii():
            mended = _BARE.sub(_escaped, mended)
        if self._spells:
            mended = respell(mended) if self._component is Component.PATH else respell_run(mended)
        if not self._free and self._prove(mended) is None:
            return None
        self._note(octets, present, notes)
        return mended

    def _note(self, octets: bytes, present: set[int], notes: Notes) -> None:
        """Note the first of what was mended, and count the rest."""
        pairs = None if self._component is Component.PATH else Pairs(octets)
        draft = Draft(octets, self._component)
        before = len(notes.findings)
        self._note_some(CHARACTERS[self._component], draft, pairs, notes)
        if len(notes.findings) == MOST:
            notes.omitted += before + self._faults(octets, present) - MOST
        if self._spells or not octets.isascii():
            before = len(notes.findings)
            self._note_some(WRITING[self._component], draft, pairs, notes)
            if len(notes.findings) == MOST:
                written = sum(len(findall(octets)) for findall in self._written)
                notes.omitted += before + written - MOST

    def _note_some(self, scanner: Scanner, draft: Draft, pairs: Pairs | None, notes: Notes) -> None:
        actions = self._actions
        sights = (sight for sight in scanner.walk(draft.octets) if actions[sight[0].index].edits)
        for kind, start, end in islice(sights, MOST - len(notes.findings)):
            name = None if pairs is None else pairs.name(pairs.at(start))
            notes.add(kind, actions[kind.index], draft, (start, end), name=name)

    def _faults(self, octets: bytes, present: set[int]) -> int:
        """How many runs of characters in fault there are."""
        count = 0
        for members, table in self._runs:
            if not present.isdisjoint(members):
                marks = octets.translate(table)
                count += marks.count(b"\0\1") + marks.startswith(b"\1")
        if STRAY_PERCENT.search(octets):
            apart = ESCAPE.search(octets) is None and _CLOSE.search(octets) is None
            count += octets.count(b"%") if apart else len(_STRAY_RUN.findall(octets))
        return count


def _escaped(match: re.Match[bytes]) -> bytes:
    return b"%" + match.group().hex("%").upper().encode()


def _mendable(policy: Policy, component: Component) -> list[Kind]:
    """The kinds that the policy repairs octet by octet; none where a rule needs more than octets."""
    acting = list(active(policy, component))
    if any(each.component is component for each in policy.acceptances) or any(
        component in kind.check.patterns
        and not kind.check.trigger
        and kind not in _TOKENS
        and kind.check.family not in {Family.TARGET, Family.WRITING}
        for kind in acting
    ):
        return []
    column = policy.table[COMPONENTS.index(component)]
    named = {rule.kind for rule in policy.rules if rule.component is component}
    return [
        kind
        for kind in acting
        if column[kind.index] is Action.REPAIR
        and kind not in named
        and (
            kind in {Kind.MALFORMED_ESCAPE, Kind.RAW_NON_ASCII, Kind.SPELLING}
            or (_is_escaped(kind, component) and _is_alone(kind, component))
        )
    ]


def _is_escaped(kind: Kind, component: Component) -> bool:
    """Whether a kind is of bare characters of ASCII that are mended by escaping them."""
    check = kind.check
    return (
        check.family is Family.CHARACTER
        and check.repair is not None
        and check.repair.mend is escape
        and not check.patterns
        and component not in check.escaped
        and not check.bare[component] - ASCII
    )


def _is_alone(kind: Kind, component: Component) -> bool:
    """Whether no other kind is of the same bare characters."""
    nobody = Characters(())
    mine = kind.check.bare[component]
    return not any(mine & each.check.bare.get(component, nobody) for each in Kind if each is not kind)


def _is_free(policy: Policy, component: Component, prove: Callable[[bytes], object], mended: bytes) -> bool:
    """Whether an escape that the shortcut passes is passed by it wherever it stands.

    So it is where no trigger of an acting row begins with a percent sign or looks for more than ampersands
    and equals signs. What is written here needs then no proof of its own: the escapes of faults that are let
    through are of characters that no acting row names escaped.
    """
    if component is Component.PATH:
        return False
    return all(prove(b"a=%%%02Xa" % octet) for octet in mended) and all(
        octet != b"%" and _PLAIN_TRIGGER.fullmatch(follows)
        for kind in active(policy, component)
        for octet, follows in (kind.check.trigger or {}).items()
    )

"""Repair in bulk: repair a whole component at once if its faults do not depend on their neighbours.

Common faults, such as a bare space, ``50% off`` or lower-case hex, can be repaired octet by octet. First, a
proof that accepts faults of these kinds shows that there are no others. Then a few passes repair them, and
the proof of the policy shows that no fault is left. If one of these steps fails, the engine judges and edits
the component, which gives the same result and takes longer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, final

from postel._alphabet.characters import ASCII, NO_CHARACTERS
from postel._alphabet.percent import (
    MISSPELLED,
    STRAY_PERCENT,
    escape_non_ascii,
    has_strays,
    respell,
)
from postel._alphabet.regex import compiled
from postel._alphabet.steps import Steps
from postel._catalogue.check import Action, Component, Family
from postel._catalogue.finding import EXCERPT, Finding
from postel._catalogue.kinds import Kind
from postel._catalogue.patterns import MALFORMED_RUN
from postel._normalizer.edits import escaped, literal_percents
from postel._normalizer.findings import MOST, Collector
from postel._normalizer.pairs import Pairs
from postel._normalizer.proof import proof
from postel._normalizer.scanner import Scanner
from postel._policy.actions import actions_by_kind, active
from postel._policy.policy import Policy

_STRAY_RUN: Final = compiled(MALFORMED_RUN)
_WITH_PASSES: Final = {Kind.MALFORMED_ESCAPE, Kind.RAW_NON_ASCII, Kind.SPELLING}
"""The kinds with a pass of their own in ``repair``; all other kinds are bare characters to escape."""
_PLUS: Final = ord("+")
_PLAIN_TRIGGER: Final = re.compile(rb"(?:[&=|]|\\Z)*")


@final
class BulkRepair:
    """Repairs one component in bulk, compiled from the actions of a policy for that component."""

    __slots__ = (
        "_bare",
        "_component",
        "_faulty",
        "_faulty_if_escaped",
        "_needs_no_proof",
        "_prove",
        "_prove_repairable",
        "_repairs_strays",
        "_respells",
        "_spells",
        "_written",
    )

    def __init__(self, policy: Policy, component: Component, prove: Callable[[bytes], object]) -> None:
        """Compile the actions of a policy for a component; ``prove`` proves that no check fires."""
        kinds = _repairable(policy, component)
        self._component = component
        self._prove_repairable = (
            proof(policy, component, frozenset(kinds), whole_view=False).fullmatch if kinds else None
        )
        self._prove = prove
        self._repairs_strays = Kind.MALFORMED_ESCAPE in kinds
        spelling = Kind.SPELLING.check.pattern(component) if Kind.SPELLING in kinds else None
        self._spells = spelling is not None
        # A row without a trigger may match an unreserved character, but not its escapes.
        self._respells = spelling is not None and not any(
            b"" in kind.check.triggers(component) for kind in active(policy, component)
        )
        apart = [kind for kind in kinds if not kind.check.patterns]
        repaired = [kind.check.bare[component].text().encode() for kind in apart]
        self._faulty = _runs_of(
            [(kind, b"[" + re.escape(held) + b"]++") for kind, held in zip(apart, repaired, strict=True)]
            + [(kind, _STRAY_RUN.pattern) for kind in kinds if kind is Kind.MALFORMED_ESCAPE]
        )
        self._written = _runs_of(
            [(kind, kind.check.patterns[component]) for kind in kinds if kind.check.family is Family.WRITING]
        )
        self._bare = b"".join(repaired)
        self._needs_no_proof = _proves_repaired(policy, component, prove, b"%" + self._bare)
        # The escapes of these octets are faults, too, so bulk repair does not suffice for them.
        self._faulty_if_escaped = bytes(octet for octet in self._bare if prove(b"/a%%%02Xa" % octet) is None)

    def repair(self, octets: bytes, collector: Collector) -> bytes | None:
        """Repair octets and collect findings; ``None`` if bulk repair may not be enough."""
        if self._prove_repairable is None or any(octet in octets for octet in self._faulty_if_escaped):
            return None
        misspelled = False
        if respells_now := self._respells and self._component is Component.PATH and octets.isascii():
            misspelled = MISSPELLED.search(octets) is not None
            if misspelled and (respelled := self._respelled(octets, collector)) is not None:
                return respelled
        if self._prove_repairable(octets) is None:
            return None
        if self._spells and not respells_now:
            misspelled = MISSPELLED.search(octets) is not None
        repaired, is_edited = self._rewritten(octets, misspelled=misspelled)
        if repaired is None or not (self._needs_no_proof or self._prove(repaired) is not None):
            return None
        if is_edited:
            self._collect(self._faulty, octets, collector)
        if misspelled or not octets.isascii() or (self._spells and _PLUS in octets):
            self._collect(self._written, octets, collector)
        return repaired

    def repairing(self, octets: bytes, collector: Collector) -> Steps[bytes | None]:
        """Repair a block that has a long pair, in steps; the result is that of ``repair``."""
        if self._prove_repairable is None or any(octet in octets for octet in self._faulty_if_escaped):
            return None
        if self._prove_repairable(octets) is None:
            return None
        yield
        misspelled = self._spells and MISSPELLED.search(octets) is not None
        repaired, _ = self._rewritten(octets, misspelled=misspelled)
        if repaired is None:
            return None
        yield
        if not (self._needs_no_proof or self._prove(repaired) is not None):
            return None
        yield
        # A scanner without a match adds nothing, so what ``repair`` asks first need not be asked.
        self._collect(self._faulty, octets, collector)
        self._collect(self._written, octets, collector)
        return repaired

    def _rewritten(self, octets: bytes, *, misspelled: bool) -> tuple[bytes | None, bool]:
        """Return the repaired octets, and whether bare octets or stray percent signs were repaired.

        The octets are ``None`` if respelling could complete an escape after a stray percent sign.
        """
        stray = self._repairs_strays and STRAY_PERCENT.search(octets) is not None
        if stray and misspelled:
            return None, True
        repaired = escaped(literal_percents(octets) if stray else octets, self._bare)
        is_edited = repaired is not octets
        if not octets.isascii():
            repaired = escape_non_ascii(repaired)
        if self._spells and self._component is not Component.PATH:
            repaired = repaired.replace(b"+", b"%20")
        # Escapes that this repair writes are canonical.
        return respell(repaired) if misspelled else repaired, is_edited

    def _respelled(self, octets: bytes, collector: Collector) -> bytes | None:
        """Return a path in canonical spelling; ``None`` if it may need another repair."""
        # An octet that is then bare could complete an escape after a stray "%".
        if has_strays(octets):
            return None
        respelled = respell(octets)
        # A proof of the respelled path also holds for the received path, because the triggers of all
        # other rows match an unreserved character and its escapes in the same way.
        if self._prove(respelled) is None:
            return None
        self._collect(self._written, octets, collector)
        return respelled

    def _collect(self, scanner: Scanner[bytes], octets: bytes, collector: Collector) -> None:
        """Collect the first matches of a scanner."""
        component, findings = self._component, collector.findings
        ends = len(octets) + 1 if component is Component.PATH else 0
        name = None
        for kind, start, end in scanner.walk(octets):
            if len(findings) == MOST:
                collector.truncated = True
                return
            if start >= ends:
                begins = octets.rfind(b"&", 0, start) + 1
                ends = octets.find(b"&", start)
                ends = len(octets) if ends < 0 else ends
                name = Pairs(octets[begins:ends]).name(0)
            excerpt = octets[start : min(end, start + EXCERPT)]
            findings.append(Finding(kind, component, start, excerpt, Action.REPAIR, name))


def _runs_of(rows: list[tuple[Kind, bytes]]) -> Scanner[bytes]:
    r"""Return a scanner for runs of octets, with a pattern for each kind.

    >>> _runs_of([(Kind.BACKSLASH, rb"\\++"), (Kind.RAW_NON_ASCII, rb"[\x80-\xff]++")]).pattern.decode()
    '()(?:(?:\\\\++)()|(?:[\\x80-\\xff]++)())'
    """
    groups = b"|".join(b"(?:" + pattern + b")()" for _, pattern in rows)
    return Scanner([kind for kind, _ in rows], b"()(?:" + groups + b")" if rows else rb"()\Z")


def _repairable(policy: Policy, component: Component) -> list[Kind]:
    """Return the kinds that bulk repair can repair; none if the policy accepts only a range of characters."""
    if any(each.component is component for each in policy.acceptances):
        return []
    column = actions_by_kind(policy, component)
    named = {rule.kind for rule in policy.rules if rule.component is component}
    return [
        kind
        for kind in active(policy, component)
        if column[kind.index] is Action.REPAIR
        and kind not in named
        and (kind in _WITH_PASSES or (_is_escaped(kind, component) and _is_alone(kind, component)))
    ]


def _is_escaped(kind: Kind, component: Component) -> bool:
    """Whether the faults of a kind are bare ASCII characters, and its repair escapes them."""
    check = kind.check
    return (
        check.family is Family.CHARACTER
        and check.repair is not None
        and check.repair.escapes
        and not check.patterns
        and component not in check.escaped
        and not check.bare[component] - ASCII
    )


def _is_alone(kind: Kind, component: Component) -> bool:
    """Whether no other kind has any of the bare characters of this kind."""
    mine = kind.check.bare[component]
    return not any(mine & each.check.bare.get(component, NO_CHARACTERS) for each in Kind if each is not kind)


def _proves_repaired(
    policy: Policy, component: Component, prove: Callable[[bytes], object], repaired: bytes
) -> bool:
    """Whether the proof accepts the escapes that bulk repair writes, wherever they are.

    If so, the result of the repair needs no proof. This is true if the proof accepts each of the escapes in a
    value, and if the triggers of the active rows match only ampersands, equals signs and the end.
    """
    if component is Component.PATH:
        return False
    return all(prove(b"a=%%%02Xa" % octet) for octet in repaired) and all(
        octet != b"%" and _PLAIN_TRIGGER.fullmatch(follows)
        for kind in active(policy, component)
        for octet, follows in kind.check.triggers(component).items()
    )

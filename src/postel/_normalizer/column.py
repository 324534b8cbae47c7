"""The column of a policy for one component, compiled into proofs and scanners."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from typing import Final, final

from postel._alphabet.percent import percent_decode
from postel._alphabet.regex import compiled
from postel._catalogue.check import Action, Component, Family
from postel._catalogue.kinds import Kind
from postel._catalogue.repairs import long_runs
from postel._normalizer.accepted_ranges import AcceptedRange, NamedRanges
from postel._normalizer.comparison import is_overlaid
from postel._normalizer.composition import Composition
from postel._normalizer.findings import UNLIMITED, edits_part
from postel._normalizer.name_characters import NameCharacters
from postel._normalizer.pairs import Pairs
from postel._normalizer.proof import proof, settled_proof
from postel._normalizer.scanner import Scanner, at_characters, kinds_of_family
from postel._normalizer.writing import Writing
from postel._policy.actions import actions_by_kind, active
from postel._policy.limits import Limits
from postel._policy.name_rules import Actions, NameRules
from postel._policy.policy import Policy

_VALUE: Final = compiled(b"=([^&]*+)")


@final
class Column:
    """The actions of a policy in one component, and the proofs and scanners for them."""

    __slots__ = (
        "_compares_text",
        "_composed",
        "_rules",
        "_settled",
        "_splits",
        "actions",
        "active",
        "characters",
        "compares_names",
        "component",
        "composes",
        "dropped",
        "edited_by_rule",
        "keeps_last",
        "limits",
        "most",
        "name_characters",
        "names",
        "prove",
        "prove_octets",
        "ranges",
        "scanner",
        "seeks_latent_escapes",
        "unspelled",
        "writing",
    )

    def __init__(self, policy: Policy, component: Component) -> None:
        """Compile the column, and the rules for names in it."""
        self.component: Component = component
        self.actions: Actions = actions_by_kind(policy, component)
        """The actions; in pairs, those that apply if no rule matches the name."""
        self._rules = rules = [rule for rule in policy.rules if rule.component is component]
        self.names: NameRules = NameRules(rules)
        self.keeps_last: bool = policy.keep == "last"
        self.limits: Limits = policy.limits.for_forms() if component is Component.FORM else policy.limits
        # An escape counts as one octet, so only replacing and composing characters make a component longer.
        # Forms have their own limit.
        replaces = Action.REPLACE in {*self.actions, *(rule.action for rule in rules)}
        self.composes: bool = Action.REPAIR in self.acts(Kind.NOT_NFC)
        """Whether text is put into NFC in some part."""
        can_grow = (replaces or self.composes) and component is not Component.FORM
        self.most: int = policy.limits.octets if can_grow else UNLIMITED
        """How many octets the edited component may have; an escape counts as one."""
        self.prove: Callable[[bytes], object] = proof(policy, component).fullmatch
        """Proves that no check fires, and that the decoded view of a path keeps no escape."""
        preserves = Action.PRESERVE in self.actions
        self.prove_octets: Callable[[bytes], object] = (
            proof(policy, component, whole_view=False).fullmatch if preserves else self.prove
        )
        """Proves only that no check fires."""
        self._composed: Callable[[bytes], object] = (
            proof(policy, component, frozenset({Kind.NOT_NFC}), whole_view=False).fullmatch
            if self.composes
            else self.prove_octets
        )
        """The same, for text that has been composed."""
        self.active: frozenset[Kind] = frozenset(active(policy, component))
        """The kinds that the policy does not allow everywhere in the component."""
        self.name_characters: NameCharacters = NameCharacters(component, self.active)
        self.characters: list[Kind] = kinds_of_family(component, Family.CHARACTER, self.active.__contains__)
        """The kinds that ``scanner`` finds."""
        self.dropped: list[Kind] = [kind for kind in self.characters if self.acts(kind) == {Action.DROP}]
        """Those of them whose characters are dropped everywhere in the component."""
        self.edited_by_rule: list[Kind] = [
            kind for kind in self.names.kinds if any(map(edits_part, self.acts(kind)))
        ]
        """The kinds with rules for names, if some pairs are edited for them."""
        self.scanner: Scanner[str] = at_characters(component, self.characters)
        self.writing: Writing = Writing(component, self.active)
        self.unspelled: Writing = Writing(component, self.active - {Kind.SPELLING})
        """The same for escapes that are known to be canonical."""
        malformed = Kind.MALFORMED_ESCAPE
        left = self.actions[malformed.index] in {Action.ALLOW, Action.REPORT} or malformed in self.names.kinds
        self.seeks_latent_escapes: bool = Kind.SPELLING in self.active and left
        """Whether a stray percent sign may stay although the escapes after it are respelled."""
        self.ranges: tuple[tuple[AcceptedRange, NamedRanges | int], ...] = tuple(_ranges(policy, component))
        """The accepted ranges."""
        unedited = {Action.ALLOW, Action.REPORT}
        self._settled = settled_proof(policy, component).fullmatch
        self.compares_names: bool = not self.acts(Kind.DUPLICATE_NAME) <= unedited
        """Whether a pair may be dropped or refused because its name is repeated."""
        self._compares_text = not self.acts(Kind.NOT_NFC) <= unedited
        self._splits = self.actions[Kind.ENCODED_SLASH.index] is Action.PRESERVE and not self.ranges

    def acts(self, kind: Kind) -> set[Action]:
        """Return the actions for a kind in all parts of the component."""
        return {self.actions[kind.index], *(rule.action for rule in self._rules if rule.kind is kind)}

    def is_clean(self, octets: bytes, composition: Composition) -> bool:
        """Whether it is proven that no check fires.

        ``composition`` tells whether the octets were composed.
        """
        if self._composed(octets) is None:
            return False
        return not self.composes or self._are_in_nfc(octets, composition)

    def is_settled(self, octets: bytes, composition: Composition, *, names: bool = True) -> bool:
        """Whether it is proven that only checks with the action REPORT or PRESERVE fire.

        ``composition`` tells whether the octets were composed. In a path that was composed, text that could
        not be put into NFC is not looked for. Without ``names``, names may be repeated.
        """
        octets = _split(octets) if self._splits else octets
        if self._settled(octets) is None:
            return False
        is_composed = self.component is Component.PATH and composition.is_whole
        if self._compares_text and not (is_composed or self._are_in_nfc(octets, composition)):
            return False
        return not (names and self.compares_names and _has_repeated_names(octets))

    def _are_in_nfc(self, octets: bytes, composition: Composition) -> bool:
        """Whether all parts of a component are in NFC."""
        return composition.is_done or _in_nfc(octets, is_path=self.component is Component.PATH)


def _in_nfc(octets: bytes, *, is_path: bool) -> bool:
    """Whether the parts of a component are in NFC."""
    # The equals sign between a name and its value composes with nothing.
    parts = octets if is_path else b"&".join(_VALUE.split(octets))
    text = percent_decode(parts).decode("utf-8", "surrogateescape")
    # If the whole text is in NFC, so is every part of it.
    return not (is_overlaid(text) or long_runs(text)) and unicodedata.is_normalized("NFC", text)


def _has_repeated_names(octets: bytes) -> bool:
    """Whether two pairs that are not empty have the same name."""
    pairs = Pairs(octets)
    names = [pairs.names[pair] for pair in pairs.filled()]
    return len(set(names)) < len(names)


def _split(path: bytes) -> bytes:
    """Return a path with its preserved slashes decoded.

    A segment with such slashes has no fault if none of the segments into which they divide it has one.
    """
    split = path.replace(b"%2F", b"/")
    if b"//" not in path and not split.startswith(b"//"):  # no reader merges slashes that stay escaped
        while b"//" in split:
            split = split.replace(b"//", b"/")
    return split


def _ranges(policy: Policy, component: Component) -> Iterator[tuple[AcceptedRange, NamedRanges | int]]:
    """Yield accepted ranges, each with what it covers.

    A rule without names covers all pairs; it is yielded alone, with its index among the rules. If several
    rules have names and accept the same characters, they are yielded as one, with the names of all of them.
    """
    path = component is Component.PATH
    mine = [each for each in policy.acceptances if each.component is component]
    for characters in dict.fromkeys(each.characters for each in mine):
        accepted = AcceptedRange(characters, always="/" if path else "&=", plus=not path)
        alike = [(place, each.pattern) for place, each in enumerate(mine) if each.characters == characters]
        yield from ((accepted, place) for place, pattern in alike if pattern is None)
        if named := [(place, pattern) for place, pattern in alike if pattern is not None]:
            yield accepted, NamedRanges(named)

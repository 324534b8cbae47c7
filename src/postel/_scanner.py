"""Scanning: where in the octets of a component each kind of the catalogue is seen.

One pattern a component and family, made from the rows of the catalogue. A scan walks the octets once, from
one suspicious run to the next; it knows no policy, and what is seen is for others to judge.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias, final

from postel._catalogue import Kind
from postel._characters import ASCII, NON_ASCII, Characters, Spelling
from postel._check import Action, Component, Family
from postel._draft import STRAY_PERCENT, makes_escape
from postel._regex import compiled

Sight: TypeAlias = tuple[Kind, int, int]
"""A kind and the start and end of the octets in which it is seen."""


@final
class Scanner:
    """A pattern that finds the kinds of some rows, one group each in the order of precedence."""

    __slots__ = ("_kinds", "_pattern")

    def __init__(self, component: Component, kinds: Iterable[Kind], passing: bytes = b"") -> None:
        """Compile the rows; ``passing`` matches what none of them wants, so that it is passed quickly."""
        rows = [(kind, kind.check.pattern(component)) for kind in kinds]
        found = [(kind, pattern) for kind, pattern in rows if pattern]
        self._kinds = tuple(kind for kind, _ in found)
        groups = b"|".join(b"(" + pattern + b")" for _, pattern in found)
        if passing:
            # With \Z among the alternatives a clean tail is a match, not one failed attempt an octet.
            groups = b"(?:" + passing + rb")*+(?:" + groups + rb"|\Z)"
        self._pattern = compiled(groups, re.DOTALL)

    def walk(self, octets: bytes) -> Iterator[Sight]:
        """What is seen, one after another."""
        kinds = self._kinds
        for match in self._pattern.finditer(octets):
            if match.lastindex:
                yield (kinds[match.lastindex - 1], *match.span(match.lastindex))

    def scan(self, octets: bytes, start: int = 0) -> list[Sight]:
        """All that is seen from ``start`` on, in order of place."""
        kinds = self._kinds
        return [
            (kinds[match.lastindex - 1], *match.span(match.lastindex))
            for match in self._pattern.finditer(octets, start)
            if match.lastindex
        ]


def _of_family(family: Family, component: Component) -> list[Kind]:
    return [
        kind
        for kind in Kind
        if kind.check.family is family and component in kind.check.presets and not kind.check.names_only
    ]


def _characters(component: Component) -> Scanner:
    kinds = _of_family(Family.CHARACTER, component)
    kinds += [kind for kind in Kind if kind.check.names_only and component in kind.check.presets]
    bare, escaped = claimed(component, kinds)
    patterns = [p for p in (kind.check.patterns.get(component) for kind in kinds) if p]
    plain = (ASCII - bare - Characters.of("%")).pattern(Spelling.BARE) + b"++"
    ascii_escapes = (NON_ASCII.complement() - escaped).pattern(Spelling.ESCAPED)
    others = (NON_ASCII - escaped - bare).pattern(Spelling.ANY)
    passing = plain + b"|(?!" + b"|".join(patterns) + b")(?:" + ascii_escapes + b"|" + others + b")"
    return Scanner(component, kinds, passing)


def claimed(component: Component, kinds: Iterable[Kind]) -> tuple[Characters, Characters]:
    """The characters that some of the kinds look for, bare and escaped."""
    bare = escaped = Characters(())
    for kind in kinds:
        bare |= kind.check.bare.get(component, bare)
        escaped |= kind.check.escaped.get(component, escaped)
    return bare, escaped


_PAIRS: Final = (Component.QUERY, Component.FORM)

FORMS: Final = Scanner(Component.PATH, _of_family(Family.TARGET, Component.PATH))
"""The form of a target; it matches at the front only."""
SEGMENTS: Final = Scanner(Component.PATH, _of_family(Family.SEGMENT, Component.PATH))
"""The structure of a path."""
CHARACTERS: Final = {component: _characters(component) for component in (Component.PATH, *_PAIRS)}
"""Every octet in fault, by component."""
IN_NAMES: Final = {
    component: {
        other: kind
        for kind in Kind
        if kind.check.names_only and component in kind.check.presets
        for other in Kind
        if kind.check.escaped[component] & other.check.escaped.get(component, Characters(()))
    }
    for component in _PAIRS
}
"""The kind that is meant where another one is seen in a name, by component."""
BETWEEN: Final = {
    component: Scanner(component, _of_family(Family.STRUCTURAL, component)) for component in _PAIRS
}
"""What is wrong between pairs."""
WRITING: Final = {
    component: Scanner(component, _of_family(Family.WRITING, component))
    for component in (Component.PATH, *_PAIRS)
}
"""How octets are written."""


def well_formed(writing: list[Sight], sights: list[Sight]) -> list[Sight]:
    """Sights of writing without those of bare octets that are all ill-formed: these are no characters."""
    spans: list[tuple[int, int]] = []
    for kind, start, end in sights:
        if kind is Kind.ILL_FORMED_UTF8:
            begins = spans.pop()[0] if spans and spans[-1][1] == start else start
            spans.append((begins, end))
    starts = [start for start, _ in spans]
    return [
        (kind, start, end)
        for kind, start, end in writing
        if kind is not Kind.RAW_NON_ASCII
        or not (index := bisect_right(starts, start))
        or spans[index - 1][1] < end
    ]


def stuck_behind_percent(octets: bytes, seen: Iterable[tuple[Action, Kind, int, int]]) -> list[Sight]:
    """What would be respelled, if that did not complete an escape that a stray ``%`` in front of it opens.

    Not so where the ``%`` is itself mended, or where another edit comes first.
    """
    if STRAY_PERCENT.search(octets) is None:
        return []
    freed: set[int] = set()
    respelled: list[Sight] = []
    for action, kind, start, end in seen:
        if kind.check.family is Family.WRITING:
            if action is Action.REPAIR and makes_escape(octets[max(0, start - 5) : start], b"0"):
                respelled.append((kind, start, end))
        elif action.edits:
            freed.add(end if kind is Kind.MALFORMED_ESCAPE else start)
    return [sight for sight in respelled if sight[1] not in freed]

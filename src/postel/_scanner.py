"""Scanning: where in the octets of a component each kind of the catalogue is seen.

One pattern a component and family, made from the rows of the catalogue. A scan walks the octets once, from
one suspicious run to the next; it knows no policy, and what is seen is for others to judge.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final, TypeAlias, final

from postel._catalogue import Kind
from postel._characters import ASCII, NON_ASCII, Characters, Spelling, octets_pattern
from postel._check import Component, Family
from postel._regex import compiled

Sight: TypeAlias = tuple[Kind, int, int]
"""A kind and the start and end of the octets in which it is seen."""


@final
class Scanner:
    """A pattern that passes what nobody looks for, and then marks the start and the kind of what it meets.

    The marks are empty groups: the first stands where a run in fault begins, the others, one a kind, where it
    ends. So each alternative begins with the octets themselves, which the engine compares before it enters.
    """

    __slots__ = ("_kinds", "_pattern")

    def __init__(self, kinds: Iterable[Kind], passing: bytes, groups: bytes) -> None:
        """``kinds`` are those of the groups; whatever ``passing`` stops at, a group must match."""
        self._kinds = (None, None, *kinds)
        # With \Z among the alternatives a clean tail is a match, not one failed attempt an octet.
        self._pattern = compiled(passing + b"()(?:" + groups + rb"|\Z)", re.DOTALL)

    def walk(self, octets: bytes, start: int = 0) -> Iterator[Sight]:
        """What is seen from ``start`` on, one after another."""
        kinds = self._kinds
        for match in self._pattern.finditer(octets, start):
            if kind := kinds[match.lastindex or 0]:
                yield kind, match.end(1), match.end()

    def scan(self, octets: bytes, start: int = 0, most: int | None = None) -> list[Sight]:
        """All that is seen from ``start`` on, in order of place; no more than ``most`` of it."""
        kinds = self._kinds
        matches = self._pattern.finditer(octets, start)
        return [
            (kind, match.end(1), match.end())
            for match in (matches if most is None else islice(matches, most))
            if (kind := kinds[match.lastindex or 0])
        ]


def _of_family(family: Family, component: Component) -> list[Kind]:
    return [
        kind
        for kind in Kind
        if kind.check.family is family and component in kind.check.presets and not kind.check.names_only
    ]


def _at(component: Component, kinds: Iterable[Kind], starts: bytes = b"") -> Scanner:
    """A scanner for kinds whose octets in fault begin in a class of octets, or right behind one of these.

    Unless it is given, the class is that of the triggers: what a shortcut must stop at.
    """
    rows = [(kind, kind.check.pattern(component)) for kind in kinds]
    found = [(kind, pattern) for kind, pattern in rows if pattern]
    octets = b"".join({octet for kind, _ in found for octet in kind.check.trigger or {}})
    starts = starts or re.escape(octets)
    any_of_them = b"|".join(pattern for _, pattern in found)
    passing = b"(?:(?!" + any_of_them + b")(?:[^" + starts + b"]++|[" + starts + b"]))*+"
    return Scanner(
        [kind for kind, _ in found], passing, b"|".join(b"(?:" + pattern + b")()" for _, pattern in found)
    )


def _characters(component: Component) -> Scanner:
    """A scanner for faulty characters, with a branch for each way in which one can begin."""
    kinds = _of_family(Family.CHARACTER, component)
    kinds += [kind for kind in Kind if kind.check.names_only and component in kind.check.presets]
    bare, escaped = claimed(component, kinds)
    patterns = {kind: kind.check.patterns[component] for kind in kinds if component in kind.check.patterns}
    # What follows an escape can be the fault: its octets are then those of an escape that is well.
    deep = b"|".join(pattern for kind, pattern in patterns.items() if kind.check.trigger)
    guard = b"(?!" + deep + b")" if deep else b""
    quiet = (ASCII - bare - _PERCENT).pattern(Spelling.BARE) + b"*+"
    escapes = guard + (_ASCII - escaped).pattern(Spelling.ESCAPED)
    text = _LEADS + (NON_ASCII - escaped - bare).pattern(Spelling.ANY)
    order: list[Kind] = []
    branches: list[bytes] = []
    for opening, part, spelling in _OPENINGS:
        found: list[bytes] = []
        for kind in kinds:
            pattern = patterns.get(kind)
            if pattern and (part is _NOBODY or (kind.check.trigger and spelling is Spelling.ESCAPED)):
                found.append(b"(?:" + pattern + b")()")
            elif not pattern and (run := _run(kind, component, part, spelling)):
                found.append(run + b"()")
            else:
                continue
            order.append(kind)
        branches.append(opening + b"(?:" + b"|".join(found) + b")")
    return Scanner(
        order, quiet + b"(?:(?:" + escapes + b"|" + text + b")" + quiet + b")*+", b"|".join(branches)
    )


def _run(kind: Kind, component: Component, part: Characters, spelling: Spelling) -> bytes:
    """A run of a kind's characters whose first is one of a part and spelled so; nothing if there is none."""
    check = kind.check
    bare = check.bare.get(component, _NOBODY) & part
    escaped = check.escaped.get(component, _NOBODY) & part
    run = check.pattern(component) or b""
    if spelling is Spelling.ANY:
        return run if bare or escaped else b""
    first = bare if spelling is Spelling.BARE else escaped
    return first.pattern(spelling) + run.removesuffix(b"++") + b"*+" if first else b""


_PERCENT: Final = Characters.of("%")
_NOBODY: Final = Characters(())
_ASCII: Final = NON_ASCII.complement()
_LEADS: Final = b"(?=[\xc2-\xf4]|%(?:[Cc][2-9A-Fa-f]|[DdEe][0-9A-Fa-f]|[Ff][0-4]))"
"""What the UTF-8 of a character can begin with."""
_OPENINGS: Final = (
    (b"(?=[^%\x80-\xff])", _ASCII, Spelling.BARE),
    (b"(?=%[0-7][0-9A-Fa-f])", _ASCII, Spelling.ESCAPED),
    (_LEADS, NON_ASCII, Spelling.ANY),
    (b"", _NOBODY, Spelling.ANY),  # what begins no character
)
"""How what is in fault can begin: a lookahead for it, the characters and how they are spelled."""


def claimed(component: Component, kinds: Iterable[Kind]) -> tuple[Characters, Characters]:
    """The characters that some of the kinds look for, bare and escaped."""
    bare = escaped = Characters(())
    for kind in kinds:
        bare |= kind.check.bare.get(component, bare)
        escaped |= kind.check.escaped.get(component, escaped)
    return bare, escaped


_PAIRS: Final = (Component.QUERY, Component.FORM)

FORMS: Final = tuple(
    (kind, re.compile(kind.check.patterns[Component.PATH]).match)
    for kind in _of_family(Family.TARGET, Component.PATH)
)
"""The forms of a target but for a path; each matches at the front only."""
SEGMENTS: Final = _at(Component.PATH, _of_family(Family.SEGMENT, Component.PATH))
"""The structure of a path."""
CHARACTERS: Final = {component: _characters(component) for component in (Component.PATH, *_PAIRS)}
"""Every octet in fault, by component."""
IN_NAMES: Final = {
    component: tuple(
        next(
            (
                kind
                for kind in Kind
                if kind.check.names_only
                and kind.check.escaped.get(component, _NOBODY) & other.check.escaped.get(component, _NOBODY)
            ),
            None,
        )
        for other in Kind
    )
    for component in _PAIRS
}
"""The kind that is meant where another one is seen in a name, by component and that one's index."""
BETWEEN: Final = {component: _at(component, _of_family(Family.STRUCTURAL, component)) for component in _PAIRS}
"""What is wrong between pairs."""
WRITING: Final = {
    component: _at(component, _of_family(Family.WRITING, component), rb"%+\x80-\xff")
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


_DIGIT: Final = octets_pattern([(0x30, 0x39), (0x41, 0x46), (0x61, 0x66)], Spelling.ANY)
_U: Final = octets_pattern([(0x55, 0x55), (0x75, 0x75)], Spelling.ANY)
_WAITING: Final = re.compile(
    rb"%(?![0-9A-Fa-f]{2}|[uU][0-9A-Fa-f]{4})(?:" + _DIGIT * 2 + b"|" + _U + _DIGIT * 4 + b")"
)
"""A stray ``%`` and what follows it, where that would be an escape once it is respelled: ``%4%31``."""


def completed_by_respelling(octets: bytes, start: int = 0) -> Iterator[tuple[int, int]]:
    """Each stray ``%`` from ``start`` on that would begin an escape if what follows it were respelled.

    Given are the start and end of what would then be the escape.

    >>> list(completed_by_respelling(b"/%u12%c3/%u12%43x/%4%31"))
    [(18, 23)]
    """
    return (match.span() for match in _WAITING.finditer(octets, start))


RESPELLED: Final = "respelling what follows would make it an escape"
"""The detail of a finding about such a percent sign."""

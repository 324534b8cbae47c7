"""Segments: a scanner for kinds of the segment family in the text of a path."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import partial
from typing import Final, TypeAlias

from postel._catalogue.check import Component, Family
from postel._catalogue.kinds import Kind
from postel._normalizer.scanner import Scanner, kinds_of_family, places_of

_Row: TypeAlias = tuple[Kind, str, str]
"""A kind of the segment family, the characters with which its matches can begin, and its pattern."""
_AFTER_SLASH: Final = "(?<=/)"
_ROWS: Final[list[_Row]] = [
    (kind, *row)
    for kind in kinds_of_family(Component.PATH, Family.SEGMENT)
    for row in kind.check.text.items()
]
SINGLE: Final = {
    kind: first
    for kind, first, pattern in _ROWS
    if first == pattern and [first in other for _, other, _ in _ROWS].count(True) == 1
}
"""The kinds whose matches are a single character that no other row names, so that they need no pattern."""


def at_segments(wanted: Collection[Kind]) -> Scanner[str]:
    """Return a scanner for the faults of segments in the text of a path.

    A match of a kind that is not ``wanted`` is skipped as a whole, so that no later kind matches inside it.
    """
    rows = [row for row in _ROWS if row[0] not in SINGLE]
    # Rows after the last row whose kind is in ``wanted`` can be left out. They hide nothing, because no match
    # of an earlier row begins inside one of their matches.
    while len(rows) > 1 and rows[-1][0] not in wanted:
        rows.pop()
    found: dict[Kind, list[str]] = {}
    for kind, _, pattern in rows:
        if kind in wanted:
            found.setdefault(kind, []).append(pattern)
    # A row is tried only at characters with which its matches begin. If the slash is one of these, the row is
    # tried directly after a slash, and at the start. Loops pass all other characters.
    starts = "".join(dict.fromkeys("".join(first for _, first, _ in rows)))
    steps = {_step(rows, each): None for each in starts.replace("/", "")}
    others = f"(?:{'|'.join([f'[^{starts}]++', *steps])})++"
    after_slash = [(kind, first, pattern.removeprefix(_AFTER_SLASH)) for kind, first, pattern in rows]
    passed = [
        f"/(?<=[^/]/)(?:{_unless(after_slash, '/')}{others})?+",
        f"(?<!/)(?!/){others}",
        rf"(?:\A|(?<=/)(?:(?=/)|(?<![^/]/))){_unless(rows, '/')}(?:/|{others})",
    ]
    for number, (kind, first, pattern) in enumerate(rows):
        if kind not in wanted:
            earlier = [row for row in rows[:number] if row[0] in wanted]
            alike = _unless(earlier, first.replace("/", ""))
            passed.append(f"(?:(?<!/)(?!/)|{_unless(earlier, '/')}){alike}(?:{pattern})")
    groups = "".join(f"(?:{'|'.join(each)})()|" for each in found.values())
    return Scanner(
        list(found),
        rf"(?:{'|'.join(passed)})*+()(?:{groups}\Z)",
        finds={kind: partial(places_of, character) for kind, character in SINGLE.items() if kind in wanted},
    )


def _step(rows: Iterable[_Row], character: str) -> str:
    """Return a pattern that passes ``character`` where no row matches."""
    named = [(first, pattern) for _, first, pattern in rows if character in first]
    first, pattern = named[0]
    held = f"[{first.replace('/', '')}]"
    run = f"(?<!{held}){held}++"
    # If matches begin only at the start of a run of the characters, the pattern passes the whole run.
    if len(named) == 1 and pattern.startswith(run):
        return f"{held}++(?!{pattern.removeprefix(run)})"
    each = re.escape(character)
    return f"(?={each}){_unless(rows, character)}{each}"


def _unless(rows: Iterable[_Row], characters: str) -> str:
    """Return a negative lookahead for the rows that can begin with one of these characters."""
    found = [pattern for _, first, pattern in rows if not set(characters).isdisjoint(first)]
    return f"(?!{'|'.join(found)})" if found else ""

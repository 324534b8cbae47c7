"""Segments: a scanner for the kinds of segments in the text of a path."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final, TypeAlias

from postel._catalogue.check import Component, Family
from postel._catalogue.kinds import Kind
from postel._normalizer.scanner import Scanner, acting

_Row: TypeAlias = tuple[Kind, str, str]
"""A kind of segments, the characters with which its matches can begin, and its pattern."""
_NOT_AT_SLASH: Final = "(?:(?<!/)(?!/)|"


def at_segments(asked: Collection[Kind]) -> Scanner[str]:
    """A scanner for the segments in the text of a path.

    A match of a kind that is not asked for is skipped as a whole, so that no later kind matches in it.
    """
    rows: list[_Row] = [
        (kind, *row) for kind in acting(Component.PATH, Family.SEGMENT) for row in kind.check.text.items()
    ]
    # A character that is a match by itself needs no pattern, unless another row names it.
    alone = {
        row for row in rows if row[1] == row[2] and not any(row[1] in each[1] for each in rows if each != row)
    }
    rows = [row for row in rows if row not in alone]
    # Rows after the last one that is asked for can be left out: they hide nothing, because no match of an
    # earlier row begins inside one of theirs.
    while len(rows) > 1 and rows[-1][0] not in asked:
        rows.pop()
    found = [(kind, pattern) for kind, _, pattern in rows if kind in asked]
    # A row is tried only at its first characters. If the slash is one of these, the row is also tried right
    # after a slash. One loop passes everything in between.
    starts = "".join(dict.fromkeys("".join(first for _, first, _ in rows)))
    steps = {_step(rows, each): None for each in starts.replace("/", "")}
    passed = [f"{_NOT_AT_SLASH}{_unless(rows, '/')})(?:/|(?:{'|'.join([f'[^{starts}]++', *steps])})++)"]
    for number, (kind, first, pattern) in enumerate(rows):
        if kind not in asked:
            earlier = [row for row in rows[:number] if row[0] in asked]
            alike = _unless(earlier, first.replace("/", ""))
            passed.append(f"{_NOT_AT_SLASH}{_unless(earlier, '/')}){alike}(?:{pattern})")
    groups = "".join(f"(?:{pattern})()|" for _, pattern in found)
    return Scanner(
        [kind for kind, _ in found],
        rf"(?:{'|'.join(passed)})*+()(?:{groups}\Z)",
        alone={kind: character for kind, character, _ in alone if kind in asked},
    )


def _step(rows: Iterable[_Row], character: str) -> str:
    """A pattern that passes a character at which no row matches."""
    named = [(first, pattern) for _, first, pattern in rows if character in first]
    first, pattern = named[0]
    held = f"[{first.replace('/', '')}]"
    run = f"(?<!{held}){held}++"
    # If matches begin only where a run of these characters does, the whole run is passed.
    if len(named) == 1 and pattern.startswith(run):
        return f"{held}++(?!{pattern.removeprefix(run)})"
    each = re.escape(character)
    return f"(?={each}){_unless(rows, character)}{each}"


def _unless(rows: Iterable[_Row], characters: str) -> str:
    """A negative lookahead for the rows that can begin with one of these characters."""
    found = [pattern for _, first, pattern in rows if not set(characters).isdisjoint(first)]
    return f"(?!{'|'.join(found)})" if found else ""

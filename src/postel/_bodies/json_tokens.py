"""Examine JSON token by token: find the faults of a text, and the member that holds each.

This is slow. It runs only if the bulk scan has not proven that the text is plain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from json import JSONDecoder
from json.scanner import make_scanner
from typing import Any, Final, TypeAlias

from postel._alphabet.regex import compiled
from postel._alphabet.steps import Steps
from postel._bodies.json_escapes import faulty_escapes
from postel._bodies.json_scan import TURN
from postel._bodies.json_settings import Json
from postel._catalogue.kinds import Kind

_STRING: Final = r'"(?:[^"\\]++|\\.)*+"'
_TOKEN: Final = compiled(
    rf'[^"{{}}0-9NI-]*+(?:(\{{[ \t\r\n]*+)?+({_STRING})(?:[ \t\r\n]*+(:))?+|(\}}[]}} \t\r\n]*+)'
    r"|(-?[0-9][0-9.eE+-]*+)|(-?(?:NaN|Infinity))|\{[ \t\r\n]*+\}|\Z)",
    re.DOTALL,
)
"""The tokens of a well-formed text. Arrays and empty objects are skipped, because they hold no names.

An object begins together with its first name; a run of closing brackets is one token.
"""
_OPEN: Final = 1
_TEXT: Final = 2
_NAME: Final = 3
_CLOSE: Final = 4
_NUMBER: Final = 5
_CONSTANT: Final = 6
"""The groups of ``_TOKEN``. The last one of a name is 3, and that of another string is 2."""
_LEVEL: Final = compiled(rf'[^"\[\]{{}}]*+(?:{_STRING}?+|([\[{{])|([\]}}]++)|\Z)', re.DOTALL)
"""What opens and closes levels in any text. An unclosed string extends to the end: matching is linear."""
_LONE: Final = re.compile("[\ud800-\udfff]")
_DECODER: Final[Any] = JSONDecoder()  # typeshed declares another type for the argument of make_scanner
_DECODE: Final = make_scanner(_DECODER)
_OF_NAMES: Final = 96
"""The most characters that are kept of the path of a member."""

Seen: TypeAlias = tuple[Kind, int, int, Sequence[str], str]
"""A match in a text: its kind, its start and end, the names that lead to it, and a detail.

The names are valid until the next match. Their path is computed only for a finding.
"""


def path(names: Sequence[str]) -> str | None:
    """The names that lead to a member, joined by dots. An array adds no name."""
    return ".".join(name[:_OF_NAMES] for name in names)[:_OF_NAMES] if names else None


def seen_in(  # noqa: PLR0912, PLR0915 - a function call for each token would make it slower
    text: str, settings: Json, numbers: Mapping[str, Kind], *, replaces: bool = False
) -> Iterator[Seen | None]:
    r"""Yield the faults of a well-formed text in order, and ``None`` after every ``TURN`` tokens.

    ``numbers`` has the kinds of faulty numbers. ``replaces`` tells that unpaired surrogates become U+FFFD.

    >>> [(each[0], each[1], path(each[3])) for each in seen_in('{"a": {"b": "\\u0000"}}', Json(), {}) if each]
    [(Kind.NUL, 13, 'a.b')]
    """
    names: list[str] = []  # of the current member of each object that is open
    # All names of each of these objects, if there are two or more; for a repeated name, its place.
    members: list[set[str | int] | None] = []
    short, most = settings.name // 4, settings.string  # a character takes at most four octets
    escapes = faulty_escapes(text)  # the next one is known ahead
    kind, at, to = next(escapes)
    count = 0
    for number, match in enumerate(_TOKEN.finditer(text), 1):
        if number % TURN == 0:
            yield None
        what = match.lastindex
        if what is None:
            continue
        if what == _CLOSE:
            closed = match[_CLOSE].count("}")
            del names[-closed:], members[-closed:]
            continue
        if what >= _NUMBER:
            if what == _CONSTANT:
                yield Kind.JSON_SYNTAX, *match.span(_CONSTANT), names, "NaN and Infinity are not JSON"
            elif (faulty := numbers.get(match[_NUMBER])) is not None:
                yield faulty, match.start(_NUMBER), match.end(), names, ""
            continue
        string = match[_TEXT]
        start, end = match.span(_TEXT)
        is_escaped = "\\" in string
        if what == _NAME:
            name: str = _DECODE(string, 0)[0] if is_escaped else string[1:-1]
            if replaces and is_escaped and not name.isascii():
                name = _LONE.sub("\ufffd", name)
            is_repeated = False
            if match[_OPEN] is not None:
                names.append(name)
                members.append(None)
            else:
                known = members[-1]
                if known is None:
                    known = members[-1] = {names[-1]}
                names[-1] = name
                is_repeated = name in known
                known.add(start if is_repeated else name)
                if len(known) == settings.members + 1:
                    yield Kind.TOO_MANY_MEMBERS, start, end, names[:-1], "more than Json.members"
            if len(name) > short and len(name.encode("utf-8", "surrogatepass")) > settings.name:
                yield Kind.LONG_NAME, start, end, names, "more octets than Json.name"
            if is_escaped and ("\n" in name or "\r" in name or "\t" in name):
                yield Kind.NAME_LINE_BREAK, start, end, names, ""
            if is_repeated:
                yield Kind.DUPLICATE_NAME, start, end, names, ""
        elif most is not None and len(string) - 2 > most // 4 and len(string.encode()) - 2 > most:
            yield Kind.LONG_VALUE, start, end, names, "more octets than Json.string"
        while at < end:
            yield None if kind is None else (kind, at, to, names, "")
            kind, at, to = next(escapes)
            count += 1
            if count % TURN == 0:
                yield None


def deep_at(text: str, most: int) -> Steps[int]:
    """The offset where a text is nested deeper than ``most`` levels; its length if it never is.

    >>> from postel._alphabet.steps import finished
    >>> finished(deep_at('["[", [0]]', 1))
    6
    """
    depth = 0
    for number, match in enumerate(_LEVEL.finditer(text), 1):
        if number % TURN == 0:
            yield
        if match.lastindex == 1:
            depth += 1
            if depth > most:
                return match.start(1)
        elif match.lastindex == 2:
            depth -= len(match[2])
    return len(text)

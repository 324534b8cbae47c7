"""Examine JSON token by token: find the faults of a text, and the member that holds each.

This is slow. It runs only if the bulk scan has not proven that the text is plain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from json import JSONDecoder
from typing import Final, TypeAlias, final

from postel._alphabet.regex import compiled
from postel._alphabet.steps import Steps
from postel._bodies.json_scan import SAFE_DIGITS, is_big, is_infinite
from postel._bodies.json_settings import Json
from postel._catalogue.kinds import Kind

TURN: Final = 2**10
"""How many tokens are processed before other work can run."""
_TOKEN: Final = compiled(
    r'("(?:[^"\\]++|\\.)*+"?+)([ \t\r\n]*+:)?+'
    r"|([\[{])|([\]}]++)|(-?[0-9][0-9.eE+-]*+)|-?[NI]",
    re.DOTALL,
)
"""The tokens of a well-formed text; a run of closing brackets is one token.

An unclosed string extends to the end, so that matching is linear.
"""
_NAME: Final = 2
_OPEN: Final = 3
_CLOSE: Final = 4
_NUMBER: Final = 5
"""The groups of ``_TOKEN``. Group 1 is a string that is not a name; NaN and Infinity have no group."""
_UNIT: Final = r"u[dD][89A-Fa-f][0-9A-Fa-f]{2}"
r"""An escape of one surrogate, without its backslash: ``ud800``."""
_PAIR: Final = r"u[dD][89ABab][0-9A-Fa-f]{2}\\u[dD][C-Fc-f][0-9A-Fa-f]{2}"
_CONTROL: Final = r"[bf]|u00(?:0[1-8BbCcEeFf]|1[0-9A-Fa-f]|7[Ff])"
_CONTROLS: Final = rf"(?:\x7f|\\(?:{_CONTROL}))*+"
_ESCAPE: Final = compiled(
    rf"[\\\x7f](?:(?<=\x7f)({_CONTROLS})|{_PAIR}|({_UNIT}(?:\\(?!{_PAIR}){_UNIT})*+)"
    rf"|(u0000(?:\\u0000)*+)|((?:{_CONTROL}){_CONTROLS})|.)"
)
"""An escape or a DEL. Groups 1 and 4 match runs of controls, 2 of unpaired surrogates, 3 of NUL.

The pattern begins with a character class, so that text without escapes is skipped quickly.
"""
_LONE_RUN: Final = 2
_KINDS: Final = {1: Kind.CONTROL, _LONE_RUN: Kind.LONE_SURROGATE, 3: Kind.NUL, 4: Kind.CONTROL}
_BREAKS: Final = re.compile(r"[\t\n\r]")
_LONE: Final = re.compile("[\ud800-\udfff]")
_DECODE: Final = JSONDecoder().raw_decode
_OF_NAMES: Final = 96
"""The most characters that are kept of the path of a member."""


@final
class Level:
    """An array or object that is not closed yet."""

    __slots__ = ("above", "count", "key", "names")

    def __init__(self, above: Level | None) -> None:
        self.above = above
        """The level that contains it."""
        self.names: set[str] | None = None
        """The names so far; ``None`` until there are two, because a set is large, and most are not needed."""
        self.key: str | None = None
        """The name of the member whose value comes next."""
        self.count = 0

    @property
    def name(self) -> str | None:
        """The path of the current member: its name and those above, joined by dots. An array adds no name.

        Read it before the next member begins, because that changes it. It is computed only for a finding,
        because a text may open a level with every octet.
        """
        keys: list[str] = []
        level: Level | None = self
        while level is not None:
            if level.key is not None:
                keys.append(level.key[:_OF_NAMES])
            level = level.above
        return ".".join(reversed(keys))[:_OF_NAMES] if keys else None


Seen: TypeAlias = tuple[Kind, int, int, Level, str]
"""A match in a text: its kind, its start and end, its level, and a detail."""


def seen_in(  # noqa: PLR0912 - a function call for each token would make it slower
    text: str, settings: Json, *, replaces: bool = False
) -> Iterator[Seen | None]:
    r"""Yield the faults of a well-formed text in order, and ``None`` after every ``TURN`` tokens.

    ``replaces`` tells that unpaired surrogates become U+FFFD.

    >>> [(each[0], each[1], each[3].name) for each in seen_in('{"a": {"b": "\\u0000"}}', Json()) if each]
    [(Kind.NUL, 13, 'a.b')]
    """
    levels = [Level(None)]
    most = settings.string
    short = min(SAFE_DIGITS, settings.number)
    for number, match in enumerate(_TOKEN.finditer(text), 1):
        if number % TURN == 0:
            yield None
        what = match.lastindex
        if what == _CLOSE:
            del levels[-len(match[_CLOSE]) :]
            continue
        level = levels[-1]
        if what == _OPEN:
            levels.append(Level(level))
        elif what is None:
            yield Kind.JSON_SYNTAX, match.start(), match.end(), level, "NaN and Infinity are not JSON"
        elif what == _NUMBER:
            digits = match[_NUMBER]
            kind = None if len(digits) <= short and digits.isdigit() else _of_number(digits, settings)
            if kind is not None:
                yield kind, match.start(), match.end(), level, ""
        else:
            string, start = match[1], match.start()
            if what == _NAME:
                yield from _of_name(string, start, level, settings, replaces=replaces)
            elif most is not None and len(string) - 2 > most // 4 and len(string.encode()) - 2 > most:
                yield Kind.LONG_VALUE, start, start + len(string), level, ""
            if "\\" in string or "\x7f" in string:
                for escapes, escape in enumerate(_ESCAPE.finditer(string), 1):
                    if escapes % TURN == 0:
                        yield None
                    if escape.lastindex is not None:
                        begin, end = start + escape.start(), start + escape.end()
                        yield _KINDS[escape.lastindex], begin, end, level, ""


def deep_at(text: str, most: int) -> Steps[int]:
    """The offset where a text is nested deeper than ``most`` levels; its length if it never is.

    >>> from postel._alphabet.steps import finished
    >>> finished(deep_at('["[", [0]]', 1))
    6
    """
    depth = 0
    for number, match in enumerate(_TOKEN.finditer(text), 1):
        if number % TURN == 0:
            yield
        if match.lastindex == _OPEN:
            depth += 1
            if depth > most:
                return match.start()
        elif match.lastindex == _CLOSE:
            depth -= len(match[_CLOSE])
    return len(text)


def _of_name(string: str, start: int, level: Level, settings: Json, *, replaces: bool) -> list[Seen]:
    """The faults of a name except those in its escapes; ``string`` includes the quotes."""
    seen: list[Seen] = []
    name, is_escaped = string[1:-1], "\\" in string
    if is_escaped:
        name = _DECODE(string)[0]
        name = _LONE.sub("\ufffd", name) if replaces else name
    end = start + len(string)
    earlier, level.key = level.key, name
    level.count = count = level.count + 1
    if count == settings.members + 1:
        seen.append((Kind.TOO_MANY_MEMBERS, start, end, Level(level.above), ""))
    if len(name) > settings.name // 4 and len(name.encode("utf-8", "surrogatepass")) > settings.name:
        seen.append((Kind.LONG_NAME, start, end, level, ""))
    if is_escaped and _BREAKS.search(name):
        seen.append((Kind.NAME_LINE_BREAK, start, end, level, ""))
    if earlier is not None:
        names = level.names = level.names or {earlier}
        if name in names:
            seen.append((Kind.DUPLICATE_NAME, start, end, level, ""))
        names.add(name)
    return seen


def _of_number(text: str, settings: Json) -> Kind | None:
    if len(text) > settings.number:
        return Kind.LONG_NUMBER
    if is_infinite(text):
        return Kind.INFINITE_NUMBER
    return Kind.BIG_INTEGER if is_big(text) else None


def lone_replaced(text: str) -> Steps[str]:
    r"""Replace each unpaired surrogate escape with the escape of U+FFFD, which has the same length.

    >>> from postel._alphabet.steps import finished
    >>> finished(lone_replaced(r'"\ud83d\ude00 \ud800 \\ud800"'))
    '"\\ud83d\\ude00 \\ufffd \\\\ud800"'
    """
    blocks: list[str] = []
    pieces: list[str] = []
    end = 0
    for number, match in enumerate(_ESCAPE.finditer(text), 1):
        if number % TURN == 0:
            blocks.append("".join(pieces))
            pieces.clear()
            yield
        if match.lastindex == _LONE_RUN:
            pieces += (text[end : match.start()], r"\ufffd" * (len(match[0]) // 6))
            end = match.end()
    return "".join((*blocks, *pieces, text[end:]))

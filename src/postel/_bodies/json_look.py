"""JSON looked at token by token: where something is wrong with a text, and in which member.

This is the slow way: it is taken only where the scan in bulk has not proven that there is nothing to see.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final, NamedTuple, final

from postel._alphabet.regex import compiled
from postel._alphabet.steps import Steps
from postel._bodies.json_scan import is_big, is_infinite
from postel._bodies.json_settings import Json
from postel._catalogue.kinds import Kind

TURN: Final = 2**10
"""Tokens between two turns of others."""
_UNIT: Final = r"\\u[dD][89A-Fa-f][0-9A-Fa-f]{2}"
r"""A surrogate, one half of a pair: ``\ud800``."""
_PAIR: Final = r"\\u[dD][89ABab][0-9A-Fa-f]{2}\\u[dD][C-Fc-f][0-9A-Fa-f]{2}"
_TOKEN: Final = compiled(
    r'(?P<string>"(?:[^"\\]++|\\.)*+"?+)(?P<colon>[ \t\r\n]*+:)?+'
    r"|(?P<open>[\[{])|(?P<close>[\]}])|(?P<number>-?[0-9][0-9.eE+-]*+)|(?P<odd>-?[NI])",
    re.DOTALL,
)
"""What is looked at in a well-formed text. An open string ends with the text: this is linear."""
_ESCAPE: Final = compiled(
    rf"{_PAIR}|((?:(?!{_PAIR}){_UNIT})++)|((?:\\u0000)++)"
    r"|((?:\\[bf]|\\u00(?:0[1-8BbCcEeFf]|1[0-9A-Fa-f]|7[Ff])|\x7f)++)|\\."
)
"""One escape; or, in groups, a run of surrogates without their other halves, of NUL, or of controls."""
_KINDS: Final = {1: Kind.LONE_SURROGATE, 2: Kind.NUL, 3: Kind.CONTROL}
_BREAKS: Final = re.compile(r"[\t\n\r]")
_OF_NAMES: Final = 96
"""The most characters of a path of names that are kept."""


class Seen(NamedTuple):
    """Something that is seen in a text."""

    kind: Kind
    start: int
    end: int
    name: str | None
    """The path of the member: its names, joined by dots; ``None`` where there is none."""
    detail: str = ""


@final
class _Level:
    """An array or object that is not closed yet."""

    __slots__ = ("count", "name", "names", "path")

    def __init__(self, path: str | None) -> None:
        self.path = path
        self.names: set[str] = set()
        self.name = path
        """The path of the member whose value comes next."""
        self.count = 0


def seen_in(text: str, settings: Json) -> Iterator[Seen | None]:
    r"""What is wrong in a well-formed text, in the order of the text; ``None`` every so many tokens.

    >>> list(seen_in('{"a": {"b": "\\u0000"}}', Json()))
    [Seen(kind=Kind.NUL, start=13, end=19, name='a.b', detail='')]
    """
    levels = [_Level(None)]
    for number, match in enumerate(_TOKEN.finditer(text), 1):
        if number % TURN == 0:
            yield None
        level, what = levels[-1], match.lastgroup
        if what == "colon":
            yield from _in_name(match["string"], match.start(), level, settings)
        elif what == "string":
            yield from _in_string(match["string"], match.start(), level.name, settings)
        elif what == "open":
            levels.append(_Level(level.name))
        elif what == "close":
            levels.pop()
        elif what == "number":
            kind = _of_number(match["number"], settings)
            if kind is not None:
                yield Seen(kind, *match.span(), level.name)
        else:
            yield Seen(Kind.JSON_SYNTAX, *match.span(), level.name, "NaN and Infinity are no JSON")


def deep_at(text: str, most: int) -> Steps[int]:
    """Where a text gets deeper than so many levels; its length if it does not.

    >>> from postel._alphabet.steps import finished
    >>> finished(deep_at('["[", [0]]', 1))
    6
    """
    depth = 0
    for number, match in enumerate(_TOKEN.finditer(text), 1):
        if number % TURN == 0:
            yield
        if match.lastgroup == "open":
            depth += 1
            if depth > most:
                return match.start()
        elif match.lastgroup == "close":
            depth -= 1
    return len(text)


def _in_name(string: str, start: int, level: _Level, settings: Json) -> Iterator[Seen | None]:
    """What is wrong with a name; the quotes belong to ``string``."""
    name: str = json.loads(string) if "\\" in string else string[1:-1]
    end = start + len(string)
    level.name = (name if level.path is None else f"{level.path}.{name}")[:_OF_NAMES]
    level.count += 1
    if level.count == settings.members + 1:
        yield Seen(Kind.TOO_MANY_MEMBERS, start, end, level.path)
    if len(name) > settings.name // 4 and len(name.encode("utf-8", "surrogatepass")) > settings.name:
        yield Seen(Kind.LONG_NAME, start, end, level.name)
    if _BREAKS.search(name):
        yield Seen(Kind.NAME_LINE_BREAK, start, end, level.name)
    if name in level.names:
        yield Seen(Kind.DUPLICATE_NAME, start, end, level.name)
    level.names.add(name)
    yield from _in_escapes(string, start, level.name)


def _in_string(string: str, start: int, name: str | None, settings: Json) -> Iterator[Seen | None]:
    most = settings.string
    if most is not None and len(string) - 2 > most // 4 and len(string.encode()) - 2 > most:
        yield Seen(Kind.LONG_VALUE, start, start + len(string), name)
    yield from _in_escapes(string, start, name)


def _in_escapes(string: str, start: int, name: str | None) -> Iterator[Seen | None]:
    if "\\" not in string and "\x7f" not in string:
        return
    for number, match in enumerate(_ESCAPE.finditer(string), 1):
        if number % TURN == 0:
            yield None
        if match.lastindex is not None:
            yield Seen(_KINDS[match.lastindex], start + match.start(), start + match.end(), name)


def _of_number(text: str, settings: Json) -> Kind | None:
    if len(text) > settings.number:
        return Kind.LONG_NUMBER
    if is_infinite(text):
        return Kind.INFINITE_NUMBER
    return Kind.BIG_INTEGER if is_big(text) else None


def lone_replaced(text: str) -> Steps[str]:
    r"""The text with the escape of U+FFFD for each surrogate that lacks its other half, six octets for six.

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
        if match.lastindex == 1:
            pieces += (text[end : match.start()], r"\ufffd" * (len(match[0]) // 6))
            end = match.end()
    return "".join((*blocks, *pieces, text[end:]))

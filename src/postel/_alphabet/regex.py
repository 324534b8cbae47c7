"""Regular expressions that work the same on every supported Python.

In CPython 3.11.0 to 3.11.4, a possessive repetition of a group can lose its position when its last attempt
fails (python/cpython#106052): ``(?:ab?c)*+`` continues after an ``a`` that it has not matched. Patterns that
prove a request clean would then match requests that are not. An atomic group around a greedy repetition means
the same and is correct everywhere, but slower. So it replaces possessive repetitions on these versions only.
"""

from __future__ import annotations

import re
from typing import AnyStr, Final, overload

SOUND: Final = re.fullmatch("(?:ab?c)*+", "aca") is None
"""Whether this Python handles possessive repetitions of groups correctly."""

_TOKEN: Final = re.compile(
    r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(|\)(?P<repeats>[*+?]|\{[0-9,]*\})\+|\)|[^\\()\[]", re.DOTALL
)


def compiled(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Compile a pattern; rewrite it first if possessive repetitions do not work."""
    return re.compile(pattern if SOUND else spelled_out(pattern), flags)


@overload
def spelled_out(pattern: bytes) -> bytes: ...
@overload
def spelled_out(pattern: str) -> str: ...
def spelled_out(pattern: str | bytes) -> str | bytes:
    """Replace possessive repetitions of groups with atomic groups.

    >>> spelled_out(r"(?:a|[()]++)*+b")
    '(?>(?:a|[()]++)*)b'
    """
    if isinstance(pattern, bytes):
        return spelled_out(pattern.decode("latin-1")).encode("latin-1")
    pieces: list[str] = []
    opened: list[int] = []
    for token in _TOKEN.finditer(pattern):
        piece = token.group()
        if piece == "(":
            opened.append(len(pieces))
        elif piece[0] == ")":
            start = opened.pop()
            if repeats := token["repeats"]:
                pieces[start] = f"(?>{pieces[start]}"
                piece = f"){repeats})"
        pieces.append(piece)
    return "".join(pieces)


def branches(pattern: bytes) -> list[bytes]:
    """Split a pattern into its top-level alternatives.

    >>> branches(b"a(?:b|c)|[|]|")
    [b'a(?:b|c)', b'[|]', b'']
    """
    split = [""]
    depth = 0
    for token in _TOKEN.finditer(pattern.decode("latin-1")):
        piece = token.group()
        depth += {"(": 1, ")": -1}.get(piece[0], 0)
        if piece == "|" and not depth:
            split.append("")
        else:
            split[-1] += piece
    return [each.encode("latin-1") for each in split]

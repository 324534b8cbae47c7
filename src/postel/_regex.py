"""Regular expressions that say the same on every supported Python.

In CPython 3.11.0 to 3.11.4 a possessive repetition of a group may forget where it was when its last attempt
fails (python/cpython#106052): ``(?:ab?c)*+`` goes on behind an ``a`` that it has not matched. Proofs made of
such patterns prove nothing. An atomic group around a greedy repetition means the same, and is right
everywhere; it is only slower, so that it takes the other's place where that is at fault.
"""

from __future__ import annotations

import re
from typing import AnyStr, Final, overload

SOUND: Final = re.fullmatch("(?:ab?c)*+", "aca") is None
"""Whether possessive repetitions of groups hold here."""

_TOKEN: Final = re.compile(
    r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(|\)(?P<repeats>[*+?]|\{[0-9,]*\})\+|\)|[^\\()\[]", re.DOTALL
)


def compiled(pattern: AnyStr, flags: int = 0, *, sound: bool = SOUND) -> re.Pattern[AnyStr]:
    """Compile a pattern, spelled out where possessive repetitions are at fault."""
    return re.compile(pattern if sound else spelled_out(pattern), flags)


@overload
def spelled_out(pattern: bytes) -> bytes: ...
@overload
def spelled_out(pattern: str) -> str: ...
def spelled_out(pattern: str | bytes) -> str | bytes:
    """The pattern with atomic groups in place of possessive repetitions of groups.

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
    """The alternatives of a pattern, split where no group is open.

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

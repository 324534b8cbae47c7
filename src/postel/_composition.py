"""Composition: which parts of a component are not in Unicode normalization form C (NFC).

All parts are checked in one call, because a call for each would cost more than the check itself.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final, final

from postel._mending import compose, many_marks
from postel._text import ESCAPED, ILL_FORMED, text_of

_BETWEEN: Final = "\ud8ff"
"""Separates parts: it never occurs in text, and nothing composes with it."""
_BEYOND: Final = re.compile(f"[^\0-\x7f{chr(ESCAPED)}-{chr(ESCAPED + 0x7F)}{ILL_FORMED}]")
"""A character beyond ASCII."""
_ESCAPED: Final = re.compile(f"[{chr(ESCAPED)}-{chr(ESCAPED + 0x7F)}]")
_ILL_FORMED: Final = re.compile(f"[{ILL_FORMED}]")
_MARKS: Final = re.compile("[^\0-\u02ff]{31}")
"""Matches runs of 31 characters from U+0300 on; shorter runs cannot hold too many combining marks."""


@final
class _Bare(dict[int, int]):
    """Translation table that decodes escaped ASCII characters and keeps all others."""

    def __missing__(self, point: int) -> int:
        return point


_BARE: Final = _Bare({point: point & 0x7F for point in (*range(0x80), *range(ESCAPED, ESCAPED + 0x80))})


def uncomposed(text: str, between: str) -> list[int]:
    """Indices of the parts that are not in NFC (Unicode, UAX #15); ``between`` separates parts.

    With ``between=""`` the parts are the names and values of pairs. Parts with ill-formed UTF-8 are skipped,
    because another kind reports those.

    >>> uncomposed("a/caf\u00e9/cafe\u0301", "/")
    [2]
    """
    if _BEYOND.search(text) is None or _is_composed(_bare(text)):
        return []  # if the whole text is composed, so is each part
    if between:
        parts = text.split(between)
    else:
        parts = [part for pair in text.split("&") for part in pair.partition("=")[::2]]
    bare = _bare(_BETWEEN.join(parts)).split(_BETWEEN)
    marked = set[int]()
    if _MARKS.search(text) is not None:
        marked = {place for place, each in enumerate(bare) if many_marks(each)}
        bare = ["" if place in marked else each for place, each in enumerate(bare)]
    composed = unicodedata.normalize("NFC", _BETWEEN.join(bare)).split(_BETWEEN)
    return [
        place
        for place, (before, after) in enumerate(zip(bare, composed, strict=True))
        if (before != after or place in marked) and _ILL_FORMED.search(parts[place]) is None
    ]


def composed(parts: Sequence[bytes], between: bytes) -> tuple[list[bytes], set[int]]:
    """Put parts into NFC; also return the indices of those in which a mark follows a reserved character.

    ``between`` must be an octet that occurs in no part.
    """
    octets = compose(between.join(parts))
    return octets.split(between), set(uncomposed(text_of(octets), between.decode()))


def _is_composed(text: str) -> bool:
    if _MARKS.search(text) is not None and many_marks(text):
        return False
    return unicodedata.is_normalized("NFC", text)


def _bare(text: str) -> str:
    """The text with its escaped ASCII characters decoded."""
    return text.translate(_BARE) if _ESCAPED.search(text) else text

"""Put text into Unicode normalization form C: UAX #15."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from itertools import chain
from typing import Final, TypeAlias, final

Compose: TypeAlias = Callable[[str], str]
"""A function that puts a text into NFC."""
BETWEEN: Final = "\5"
"""Stands between two runs; no text that is composed holds this character, and it composes with nothing."""
NEAR_MARKS: Final = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u10ff\u1200-\u2fff\u302a-\u302f\u3099\u309a\ua66f-\uabff"
    "\ud7b0-\ud7ff\ue000-\uffff"
)
"""The body of a class for all combining marks of 16 bits, which leaves out many letters."""
FAR_MARKS: Final = "\U00010000-\U0001d15d\U0001d165-\U0001d1ba\U0001d1c1-\U0001efff"
"""The body of a class for all marks beyond 16 bits, which leaves out the notes that decompose into marks.

More ranges would leave out more characters, but each range costs time at every character of a text.
"""
_LONG: Final = re.compile("(?<![^\0-\x7f])[^\0-\x7f]{64,}+")
"""Matches a long run of text beyond ASCII."""
_APART: Final = re.compile(f"[^\0-\x7f{NEAR_MARKS}{FAR_MARKS}\u1100-\u11ff]")
"""Matches a character beyond ASCII that composes with nothing before it."""
_WITH_MARK: Final = re.compile("[A-Za-z0-9._~<=>-]")
"""Matches an ASCII character that stays with the run behind it, where a mark may compose with it."""


def to_nfc(text: str) -> str:
    """Put a text into NFC."""
    return unicodedata.normalize("NFC", text)


@final
class Composer:
    r"""Puts texts into NFC, and remembers long runs of text, because edits change few of them.

    >>> Composer().composed("e\u0301") == "\u00e9"
    True
    """

    __slots__ = ("_known",)

    def __init__(self) -> None:
        """Begin without a run."""
        self._known: dict[str, str] = {}

    def composed(self, text: str) -> str:
        """Put a text without ``BETWEEN`` into NFC."""
        others: list[str] = []
        runs: list[str] = []
        done = 0
        for match in _LONG.finditer(text):
            start, end = match.span()
            if (apart := _APART.search(text, start, end)) is not None:
                start = apart.start()  # what is before this place, where edits are more likely, is left out
            else:
                start -= start > done and _WITH_MARK.match(text, start - 1) is not None
            others.append(text[done:start])
            runs.append(text[start:end])
            done = end
        if not runs:
            return to_nfc(text)
        unknown = [*{*runs} - self._known.keys()]
        pieces = to_nfc(BETWEEN.join([*others, text[done:], *unknown])).split(BETWEEN)
        self._known.update(zip(unknown, pieces[len(others) + 1 :], strict=True))
        return "".join(
            chain.from_iterable(zip(pieces, [*map(self._known.__getitem__, runs), ""], strict=False))
        )

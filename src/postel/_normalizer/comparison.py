"""Comparison: find the parts of a text that are not in Unicode normalization form C."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import compress, count, islice
from operator import ne
from typing import Final, final

from postel._alphabet.regex import compiled
from postel._alphabet.text import ESCAPED, ILL_FORMED, NO_TEXT, decoded
from postel._catalogue.repairs import long_runs

_ILL_FORMED: Final = re.compile(f"[{ILL_FORMED}]")
_VALUE: Final = compiled("=([^&]*+)")
OVERLAY: Final = "\u0338"
_SIGNS: Final = [*"<=>", *(chr(ESCAPED + ord(sign)) for sign in "<=>")]
"""Of the ASCII characters that are not letters, only these compose, and only with U+0338."""
_OVERLAID: Final = re.compile("[<=>\udc3c-\udc3e][^\0-\x7f\udc3c-\udc3e]*\u0338")
"""Matches the last sign before U+0338, bare or escaped, and the characters between them."""
_OVERLAID_EQUALS: Final = re.compile("=[^\0-\x7f]*\u0338")
_LEFT: Final = "\ud8fe"
"""Stands for a run of too many marks; no text holds this character."""
_BEHIND_SIGN: Final = "\ud8fd"
"""Stands behind a sign, which must not compose; no text holds this character."""
_BEHIND_DIGIT: Final = "\ud8fc"
"""Stands behind a digit that must not compose; no text holds this character."""
_LETTER_OF_UNIT: Final = re.compile("(%[uU][0-9A-Fa-f]{3}[A-Fa-f])(?=[^\0-\x7f])")
"""Matches an escape of a UTF-16 unit whose last digit may compose with the character after it."""


# This class takes long to compile, so it is compiled when the first Normalizer that composes is built.
@cache
def beyond() -> re.Pattern[str]:
    """Return a pattern for a character beyond ASCII."""
    return re.compile(f"[^\0-\x7f{chr(ESCAPED)}-{chr(ESCAPED + 0x7F)}{ILL_FORMED}]")


def _different(before: str, after: str, between: str) -> Iterator[int]:
    """Yield the indices of the parts that differ, except parts with ill-formed UTF-8."""
    if before == after:
        return
    parts, others = before.split(between), after.split(between)
    changed = compress(count(), map(ne, parts, others))
    is_faulty = _ILL_FORMED.search(before) is not None
    if between == "/":
        for place in changed:
            if not (is_faulty and _ILL_FORMED.search(parts[place])):
                yield place
        return
    for place in changed:
        name, _, value = parts[place].partition("=")
        other_name, _, other_value = others[place].partition("=")
        if name != other_name and not (is_faulty and _ILL_FORMED.search(name)):
            yield 2 * place
        if value != other_value and not (is_faulty and _ILL_FORMED.search(value)):
            yield 2 * place + 1


def whole_text(text: str, between: str) -> str:
    """Return the text to compare with its composed form; they differ in the parts that are not in NFC.

    Guards stand behind the characters that must not compose.
    """
    if beyond().search(text) is None:
        return ""
    pieces = _LETTER_OF_UNIT.split(text)  # faster than a substitution with a group
    pieces[1::2] = [each + _BEHIND_DIGIT for each in pieces[1::2]]
    text = "".join(pieces)
    if between == "&" and OVERLAY in text and _OVERLAID_EQUALS.search(text) is not None:
        # The equals sign between a name and its value composes with nothing.
        pieces = _VALUE.split(text)
        pieces[1::2] = [f"={NO_TEXT}{each}" for each in pieces[1::2]]
        text = "".join(pieces)
    for sign in _SIGNS if OVERLAY in text else ():
        text = text.replace(sign, sign + _BEHIND_SIGN)
    if between == "&":
        # An escaped equals sign separates nothing, and composes as "<" does.
        text = text.replace(chr(ESCAPED + ord("=")), "<")
    return decoded(text.replace(chr(ESCAPED + ord(between)), NO_TEXT))


def _without_long_runs(whole: str) -> str:
    """Replace each run of too many marks with ``_LEFT``."""
    if not (runs := long_runs(whole)):
        return whole
    ends = [0, *(end for _, end in runs)]
    starts = [*(start for start, _ in runs), len(whole)]
    return _LEFT.join([whole[end:start] for end, start in zip(ends, starts, strict=True)])


def is_overlaid(text: str) -> bool:
    """Whether an ASCII character other than a letter may compose."""
    return OVERLAY in text and _OVERLAID.search(text) is not None


def ends_with_unit(text: str) -> bool:
    """Whether a digit of an escaped UTF-16 unit may compose."""
    return _LETTER_OF_UNIT.search(text) is not None


@final
class Comparison:
    """The parts of a whole text that are not in NFC (Unicode, UAX #15); ``between`` separates parts.

    With ``between="&"`` the parts are the names and values of pairs. Parts with ill-formed UTF-8 are left
    out, because another kind reports those.

    >>> Comparison("a/caf\u00e9/cafe\u0301", "/").first(9)
    [2]
    """

    __slots__ = ("_found", "_more", "composed", "left")

    def __init__(self, whole: str, between: str) -> None:
        """Compare the text with its composed form."""
        before = _without_long_runs(whole)
        # Some characters decompose into several marks, so a run of marks can become too long.
        self.composed: str = _without_long_runs(unicodedata.normalize("NFC", before))
        """The composed form of the text, with its guards."""
        self.left: list[int] = []
        """The indices of the parts that cannot be put into NFC."""
        changed = _different(before, self.composed, between)
        if any(each in self.composed for each in (_BEHIND_SIGN + OVERLAY, _BEHIND_DIGIT, _LEFT)):
            kept = self.composed.replace(_BEHIND_SIGN, "").replace(_BEHIND_DIGIT, "")
            unguarded = unicodedata.normalize("NFC", kept).replace(_LEFT, "")
            if left := list(_different(kept, unguarded, between)):
                self.left, changed = left, iter(sorted({*changed, *left}))
        self._found: list[int] = []
        self._more = changed

    def first(self, most: int) -> list[int]:
        """Return the indices of the first parts that are not in NFC, at most ``most`` of them."""
        self._found += islice(self._more, max(0, most - len(self._found)))
        return self._found[:most]

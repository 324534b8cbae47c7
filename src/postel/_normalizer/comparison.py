"""Comparison: find the parts of a text that are not in Unicode normalization form C."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Container, Sequence
from functools import cache
from itertools import accumulate, chain, compress, filterfalse, repeat
from operator import ne, not_
from typing import Final, final

from postel._alphabet.nfc import BETWEEN, Compose, Composer
from postel._alphabet.text import ESCAPED, ILL_FORMED, ILL_FORMED_TEXT, NO_TEXT, decoded
from postel._catalogue.repairs import MARKS, all_marks, long_runs

OVERLAY: Final = "\u0338"
_DIGITS: Final = frozenset("ABCDEFabcdef")
"""The hex digits that may compose."""
SIGN: Final = re.compile("[<=>\udc3c-\udc3e]\u0338")
"""Matches a sign that can compose, in text whose marks are in canonical order."""
_SIGN_OF_PAIR: Final = re.compile("(?:[<>\udc3c-\udc3e]|=[^&=]*=)\u0338")
"""The same, except for the equals sign between a name and its value."""
# Python composes control characters ten times as fast as surrogates. NFC treats all controls alike, so the
# controls of a text are replaced by one that has no other purpose.
_END: Final = "\0"
"""Stands between two parts."""
_LEFT: Final = "\1"
"""Stands for a run of too many marks."""
_AFTER_SIGN: Final = "\2"
"""Stands after a sign, which must not compose."""
_AFTER_DIGIT: Final = "\3"
"""Stands after a digit that must not compose."""
_INERT: Final = re.compile("[ -~]{4,}(?=[ -~])")
"""Matches ASCII characters that compose with nothing, because another ASCII character follows."""
_MANY: Final = 64
"""In a part with fewer characters, it would take longer to remove inert ones than to compose them."""
_UNDECODED_GUARD: Final = "\ud8fc"
"""Stands for ``_AFTER_DIGIT`` until a text is decoded; no text holds this character."""
_CONTROL: Final = "\4"
"""Stands for any control character of a text."""
_STAYING: Final = re.compile(
    f"{_AFTER_SIGN}{OVERLAY}|{_LEFT}|{_AFTER_DIGIT}([^\0-\x7f\ud800-\udfff]{{1,{MARKS}}})"
)
"""Matches where a composed text may change once its guards are removed.

The group holds the characters that may compose with a digit.
"""


# These patterns take long to compile, so they are compiled when the first Normalizer that composes is built.
def prepare_comparison() -> None:
    """Compile the patterns, so that no request has to wait for this."""
    beyond()
    for sign in "uU":
        _letter_of_unit(sign)
    for delimiter in "/&":
        _overlaid(delimiter)


@cache
def beyond() -> re.Pattern[str]:
    """Return a pattern for a character beyond ASCII."""
    return re.compile(f"[^\0-\x7f{chr(ESCAPED)}-{chr(ESCAPED + 0x7F)}{ILL_FORMED}]")


@cache
def _overlaid(delimiter: str) -> re.Pattern[str]:
    """Return a pattern for U+0338 and the sign that it composes with, in reversed text.

    Other marks may stand between them, except marks of the same combining class as U+0338, which is 1: they
    would block it (UAX #15, definition D115). The mark comes first because signs such as "=" are frequent.
    """
    signs, others = "<>\udc3c-\udc3e", [mark for mark in all_marks() if unicodedata.combining(mark) != 1]
    # The equals sign between a name and its value composes with nothing.
    sign = f"[={signs}]" if delimiter == "/" else f"(?:[{signs}]|=(?=[^&=]*=))"
    near = "".join(mark for mark in others if mark <= "\uffff")
    return re.compile(f"{OVERLAY}(?=[={signs}{near}\U00010000-\U0001ffff]){_run_of(others)}{sign}")


@cache
def _letter_of_unit(sign: str) -> re.Pattern[str]:
    """Return a pattern for an escape of a UTF-16 unit whose last digit may compose with a mark after it.

    ``sign`` is what follows the percent sign: ``u`` or ``U``.
    """
    marks = all_marks()
    found = [[unicodedata.normalize("NFC", letter + mark)[0] for mark in marks] for letter in "ABCDEFabcdef"]
    composing = "".join(mark for mark, *firsts in zip(marks, *found, strict=True) if not {*firsts} <= _DIGITS)
    others = {*marks}.difference(composing)
    # A single character is found fastest, and this one is rarer than the percent sign before it.
    return re.compile(f"({sign}(?<=%{sign})[0-9A-Fa-f]{{3}}[A-Fa-f])(?={_run_of(others)}[{composing}])")


def _run_of(marks: Collection[str]) -> str:
    """Return a pattern for a run of marks, which may be empty.

    A class of characters of 16 bits is much faster than one with others.
    """
    near = "".join(mark for mark in marks if mark <= "\uffff")
    far = "".join({*marks}.difference(near))
    return f"[{near}]*+(?:(?=[\U00010000-\U0010ffff])[{far}]++[{near}]*+)*+"


def _guarded_digits(text: str) -> str:
    """Put a guard after each digit of an escaped UTF-16 unit that must not compose."""
    for sign in "uU":
        if "%" + sign in text:
            pieces = _letter_of_unit(sign).split(text)  # faster than a substitution with a group
            pieces[1::2] = [each + _UNDECODED_GUARD for each in pieces[1::2]]
            text = "".join(pieces)
    return text


def _without_long_runs(whole: str) -> str:
    """Replace each run of too many marks with ``_LEFT``."""
    if not (runs := long_runs(whole)):
        return whole
    ends = [0, *(end for _, end in runs)]
    starts = [*(start for start, _ in runs), len(whole)]
    return _LEFT.join([whole[end:start] for end, start in zip(ends, starts, strict=True)])


def is_overlaid(text: str, delimiter: str = "/") -> bool:
    """Whether an ASCII character other than a letter composes."""
    return OVERLAY in text and _overlaid(delimiter).search(text[::-1]) is not None


def may_stay(text: str, delimiter: str) -> bool:
    """Whether text that was composed may have a part that composing cannot put into NFC."""
    overlaid = OVERLAY in text and (_SIGN_OF_PAIR if delimiter == "&" else SIGN).search(text) is not None
    return overlaid or unit_may_compose(text) or bool(long_runs(text))


def unit_may_compose(text: str) -> bool:
    """Whether a digit of an escaped UTF-16 unit may compose."""
    return any("%" + sign in text and _letter_of_unit(sign).search(text) is not None for sign in "uU")


@final
class Comparison:
    """Finds the parts of a component that are not in NFC (Unicode, UAX #15), before and after edits.

    With ``delimiter="&"`` the parts are the names and values of pairs, otherwise segments. Parts with
    ill-formed UTF-8 are left out, because another kind reports those. Every text is compared only once,
    because an edit changes few parts.

    >>> Comparison("/").places("a/caf\u00e9/cafe\u0301")
    [2]
    """

    __slots__ = (
        "_changing",
        "_delimiter",
        "_known",
        "_last",
        "_left",
        "_parts",
        "_staying",
        "_uncomposed",
        "compose",
    )

    def __init__(self, delimiter: str) -> None:
        """``delimiter`` separates pairs or segments."""
        self.compose: Compose = Composer().composed
        """Puts a text into NFC, and remembers long runs of text."""
        self._delimiter = delimiter
        columns = range(2 if delimiter == "&" else 1)
        self._known: set[str] = set()
        """The pairs or segments that were compared."""
        self._uncomposed: list[set[str]] = [set() for _ in columns]
        """The pairs whose name is not in NFC, and those whose value is not; or the segments."""
        self._left: list[set[str]] = [set() for _ in columns]
        """The same for names, values and segments that composing cannot put into NFC."""
        self._parts: set[str] = set()
        """The parts that were compared, decoded and with guards, and their composed forms."""
        self._changing: set[str] = set()
        """Those of ``_parts`` that are not in NFC."""
        self._staying: set[str] = set()
        """Those of ``_parts`` that composing cannot put into NFC."""
        self._last: tuple[str, Sequence[int]] = ("", ())
        """The last text of ``places``, which is often asked for again, and its result."""

    @property
    def is_unused(self) -> bool:
        """Whether nothing was compared yet."""
        return not self._known

    def places(self, text: str) -> Sequence[int]:
        """Return the indices of the parts that are not in NFC; a pair has two parts."""
        if beyond().search(text) is None:
            return []
        if text != self._last[0]:
            units = text.split(self._delimiter)
            if unknown := {*units} - self._known:
                self._compare([*unknown])
            self._last = text, _holding(self._uncomposed, units)
        return self._last[1]

    def suspects(self, text: str) -> list[int]:
        """Return the indices of the parts that may not be in NFC, without comparing any."""
        units = text.split(self._delimiter)
        unknown = {*units} - self._known
        return _holding([column | unknown for column in self._uncomposed], units)

    def left(self, text: str) -> list[int]:
        """Return those indices of ``places`` whose parts composing cannot put into NFC."""
        return _holding(self._left, text.split(self._delimiter)) if any(self._left) else []

    def _compare(self, units: Sequence[str]) -> None:
        """Compare pairs or segments."""
        self._known.update(units)
        text = _guarded_digits(NO_TEXT.join(units))
        if len(self._left) == 2:
            # An escaped equals sign separates nothing, and composes as "<" does.
            text = text.replace(chr(ESCAPED + ord("=")), "<")
        text = decoded(text)
        for control in (_END, _LEFT, _AFTER_SIGN, _AFTER_DIGIT, BETWEEN):
            text = text.replace(control, _CONTROL)
        texts = text.replace(_UNDECODED_GUARD, _AFTER_DIGIT).split(NO_TEXT)
        beyond_ascii = [*map(not_, map(str.isascii, texts))]
        units, texts = [*compress(units, beyond_ascii)], [*compress(texts, beyond_ascii)]
        if not units:
            return
        if len(self._left) == 2:
            names, _, values = zip(*map(str.partition, texts, repeat("=")), strict=True)
            texts = [*names, *values]
        # Segments and values can be long, and what is left of them changes in NFC if they do.
        if any(map(_MANY.__lt__, map(len, texts))):
            texts = [each if len(each) < _MANY else _INERT.sub("", each) for each in texts]
        columns = [texts[: len(units)], texts[len(units) :]][: len(self._left)]
        if unknown := {*chain(*columns)} - self._parts:
            self._compose([*unknown])
        for mine, uncomposed, left in zip(columns, self._uncomposed, self._left, strict=True):
            uncomposed.update(compress(units, map(self._changing.__contains__, mine)))
            if self._staying:
                left.update(compress(units, map(self._staying.__contains__, mine)))

    def _compose(self, parts: Sequence[str]) -> None:
        """Compare decoded parts with their composed forms."""
        self._parts.update(parts)
        text = _END.join(parts)
        if ILL_FORMED_TEXT.search(text) is not None:
            parts = [*filterfalse(ILL_FORMED_TEXT.search, parts)]
            text = _END.join(parts)
        guarded = text
        for sign in "<=>" if OVERLAY in text else ():
            guarded = guarded.replace(sign, sign + _AFTER_SIGN)
        # Some characters decompose into several marks, so a run of marks can become too long.
        composed = _without_long_runs(self.compose(_without_long_runs(guarded)))
        forms = composed.replace(_AFTER_SIGN, "").split(_END)
        found = _staying(composed)
        staying = {*map(parts.__getitem__, found)}
        changes = [*map(ne, parts, forms)]
        self._changing |= staying.union(compress(parts, changes))
        self._staying |= staying
        self._parts |= {*compress(forms, changes)}.difference(map(forms.__getitem__, found))


def _staying(composed: str) -> list[int]:
    """Return the indices of the parts of a composed text that are not in NFC without their guards."""
    pieces = _STAYING.split(composed)
    places = accumulate(map(str.count, pieces[::2], repeat(_END)))
    return [
        place
        for place, before, marks in zip(places, pieces[::2], pieces[1::2], strict=False)
        if marks is None or not unicodedata.is_normalized("NFC", before[-1] + marks)
    ]


def _holding(columns: Sequence[Container[str]], units: Sequence[str]) -> list[int]:
    """Return the indices of parts, given for each column of parts the units whose parts are wanted."""
    step = len(columns)
    found = [
        compress(range(number, step * len(units), step), map(each.__contains__, units))
        for number, each in enumerate(columns)
    ]
    return sorted(chain(*found))

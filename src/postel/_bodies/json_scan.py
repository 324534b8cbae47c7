"""Scan JSON in bulk: whether a text is well-formed, and whether it must be examined token by token.

Python's own scanner reads the text, after a check of the depth that does not recurse. The decoder's hooks
keep no values: objects and numbers become ``None``, and no text is converted to an integer.
"""

from __future__ import annotations

import json
import re
from itertools import accumulate
from typing import Final, final

from postel._alphabet.regex import compiled
from postel._alphabet.steps import Steps
from postel._bodies.json_settings import Json

_NO_BRACKETS: Final = bytes(set(range(256)) - set(b"[]{}"))
_BLOCK: Final = 2**15
"""How many brackets are processed before other work can run."""
_STEP: Final = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_PLAIN: Final = compiled(r'(?:[^\\\x7f]++|\\(?:["\\/nrt]|u(?![dD][89A-Fa-f]|00[01]|007[Ff])....))*+')
"""Text without DEL, and without escapes of surrogates, DEL, and U+0000 to U+001F, except TAB, CR and LF."""
_UNFIT: Final = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
"""Characters that a name should not have."""
SAFE_DIGITS: Final = 18
"""Integers of at most this many digits fit into 64 bits, so they are not examined."""
_EXPONENT: Final = frozenset("eE")
_INFINITE: Final = float("inf")


@final
class Scan:
    """The results of a single scan of a text.

    >>> scan = Scan('{"a": 1, "a": 2}', Json())
    >>> scan.fault, scan.is_plain
    (None, False)
    """

    __slots__ = ("_json", "_names", "_plain", "_short", "fault", "has_more", "overflows")

    def __init__(self, text: str, json_settings: Json) -> None:
        """Read a text that is not nested deeper than the settings allow."""
        self._json = json_settings
        self._short = min(SAFE_DIGITS, json_settings.number)
        self._names: set[str] = set()
        self._plain = True
        self.fault: int | None = None
        """Where the text stops being JSON, apart from NaN and Infinity; ``None`` if it is well-formed."""
        self.has_more = False
        """Whether a whole value ends at ``fault``, and more text follows."""
        self.overflows = False
        """Whether Python's stack had too little room left to read the text."""
        decoder = json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_int=self._number,
            parse_float=self._number,
            parse_constant=self._constant,
        )
        try:
            decoder.decode(text)
        except json.JSONDecodeError as error:
            self.fault = error.pos
            self.has_more = error.msg == "Extra data"
        except RecursionError:
            self.overflows = True

    @property
    def is_plain(self) -> bool:
        """Whether the scan found no fault. It examines neither escapes nor the length of strings."""
        names = self._names
        return self._plain and (
            max(map(len, names), default=0) <= self._json.name // 4  # a character takes at most four octets
            and _UNFIT.search(" ".join(names)) is None
        )

    def _object(self, pairs: list[tuple[str, object]]) -> None:
        if not pairs:
            return
        names = dict(pairs)
        if len(names) != len(pairs) or len(pairs) > self._json.members:
            self._plain = False
        self._names.update(names)

    def _number(self, text: str) -> None:
        if len(text) > self._short:
            self._plain = self._plain and not is_doubtful_number(text, self._json.number)
        elif not _EXPONENT.isdisjoint(text) and abs(float(text)) == _INFINITE:
            self._plain = False

    def _constant(self, _: str) -> None:
        self._plain = False


def is_doubtful_number(text: str, most: int) -> bool:
    """Whether a number is too long, does not fit into 64 bits, or is infinite as a float.

    >>> is_doubtful_number("99999999999999999999", 1000), is_doubtful_number("0.12345678901234567890", 1000)
    (True, False)
    """
    return len(text) > most or is_infinite(text) or is_big(text)


def is_infinite(text: str) -> bool:
    """Whether a number within the length limit is too large for a double.

    >>> is_infinite("1e999"), is_infinite("1e-999")
    (True, False)
    """
    return not is_integer(text) and abs(float(text)) == _INFINITE


def is_integer(text: str) -> bool:
    """Whether a number is written as an integer."""
    return text.lstrip("-").isdigit()


def is_big(text: str) -> bool:
    """Whether a number is an integer that does not fit into 64 bits, signed or unsigned.

    >>> is_big("18446744073709551615"), is_big("18446744073709551616"), is_big("-9223372036854775809")
    (False, True, True)
    """
    digits = text.lstrip("-")
    most = "9223372036854775808" if text.startswith("-") else "18446744073709551615"
    return digits.isdigit() and (len(digits), digits) > (len(most), most)


def has_plain_escapes(text: str) -> bool:
    r"""Whether a well-formed text has no DEL, and no escape of a surrogate, of DEL, or of U+0000 to U+001F.

    ``\n``, ``\r`` and ``\t`` are allowed if they are written so.

    >>> has_plain_escapes(r'"a\nb\u00e9\\ud800"'), has_plain_escapes(r'"\u0000"')
    (True, False)
    """
    return ("\\" not in text and "\x7f" not in text) or _PLAIN.fullmatch(text) is not None


def is_deeper(octets: bytes, most: int) -> Steps[bool]:
    r"""Whether arrays and objects are nested deeper than ``most``, up to the first syntax error.

    Strings are cut out first: once escaped backslashes and quotes are removed, every second part between
    quotes is a string.

    >>> from postel._alphabet.steps import finished
    >>> finished(is_deeper(b'["[[", "\\"[["]', 1)), finished(is_deeper(b"[[]]", 1))
    (False, True)
    """
    if octets.count(b"[") + octets.count(b"{") <= most:
        return False
    unescaped = octets.replace(b"\\\\", b"").replace(b'\\"', b"")
    brackets = b"".join(unescaped.split(b'"')[::2]).translate(None, _NO_BRACKETS)
    depth = 0
    for start in range(0, len(brackets), _BLOCK):
        if start:
            yield
        depths = list(accumulate(map(_STEP.__getitem__, brackets[start : start + _BLOCK]), initial=depth))
        if max(depths) > most:
            return True
        depth = depths[-1]
    return False

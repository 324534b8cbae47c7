"""Scan JSON in bulk: whether a text is well-formed, and whether it must be examined token by token.

Python's own scanner reads the text, after a check of the depth that does not recurse. The decoder's hooks
keep each different name and number, but no values: objects and numbers become ``None``, and no text is
converted to an integer.
"""

from __future__ import annotations

import json
import re
from itertools import accumulate
from math import isinf
from typing import Final, final

from postel._alphabet.steps import Steps
from postel._bodies.json_settings import Json
from postel._catalogue.kinds import Kind

_NO_BRACKETS: Final = bytes(set(range(256)) - set(b"[]{}"))
_BLOCK: Final = 2**15
"""How many brackets are processed before other work can run."""
_STEP: Final = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_BREAKS: Final = re.compile(r"[\t\n\r]")
"""The controls that only a name should not have."""
_SAFE_DIGITS: Final = 18
"""Integers of at most this many digits fit into 64 bits, so they are not examined."""
TURN: Final = 2**10
"""How many tokens are processed before other work can run."""


@final
class Scan:
    """The results of a single scan of a text.

    >>> scan = Scan('{"a": 1, "a": 2}', Json())
    >>> scan.fault, scan.is_plain
    (None, False)
    """

    __slots__ = ("_json", "_names", "_numbers", "_plain", "fault", "has_more", "overflows")

    def __init__(self, text: str, json_settings: Json) -> None:
        """Read a text that is not nested deeper than the settings allow."""
        self._json = json_settings
        self._names: set[str] = set()
        self._plain = True
        self._numbers: set[str] = set()
        self.fault: int | None = None
        """Where the text stops being JSON, apart from NaN and Infinity; ``None`` if it is well-formed."""
        self.has_more = False
        """Whether a whole value ends at ``fault``, and more text follows."""
        self.overflows = False
        """Whether Python's stack had too little room left to read the text."""
        decoder = json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_int=self._numbers.add,
            parse_float=self._numbers.add,
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
        """Whether the scan found no fault, except in numbers, escapes and the length of strings."""
        names = self._names
        return (
            self._plain
            and max(map(len, names), default=0) <= self._json.name // 4  # a character takes at most 4 octets
            and _BREAKS.search(" ".join(names)) is None
        )

    def _object(self, pairs: list[tuple[str, object]]) -> None:
        if len(pairs) == 1:  # a dict for each of many small objects would take most of the time
            self._names.add(pairs[0][0])
        elif pairs:
            names = dict(pairs)
            if len(names) != len(pairs) or len(pairs) > self._json.members:
                self._plain = False
            self._names.update(names)

    def _constant(self, _: str) -> None:
        self._plain = False

    def faulty_numbers(self) -> Steps[dict[str, Kind]]:
        """The faulty numbers of the text, as they are written."""
        faulty: dict[str, Kind] = {}
        most = self._json.number
        short = min(_SAFE_DIGITS, most)
        for count, text in enumerate(self._numbers, 1):
            if count % TURN == 0:
                yield
            if len(text) > short or "e" in text or "E" in text:
                kind = number_fault(text, most)
                if kind is not None:
                    faulty[text] = kind
        return faulty


def number_fault(text: str, most: int) -> Kind | None:
    """The fault of a number: it is too long, infinite as a double, or an integer that exceeds 64 bits.

    >>> number_fault("18446744073709551615", 99), number_fault("18446744073709551616", 99)
    (None, Kind.BIG_INTEGER)
    >>> number_fault("1e999", 99)
    Kind.INFINITE_NUMBER
    """
    if len(text) > most:
        return Kind.LONG_NUMBER
    digits = text.lstrip("-")
    if not digits.isdigit():
        return Kind.INFINITE_NUMBER if isinf(float(text)) else None
    largest = "9223372036854775808" if text.startswith("-") else "18446744073709551615"
    return Kind.BIG_INTEGER if (len(digits), digits) > (len(largest), largest) else None


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

"""Composition: which parts of a component are text that is not in Unicode's normalization form C."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from postel._octets import percent_decode


def uncomposed(octets: bytes, start: int, delimiters: bytes) -> Iterator[tuple[int, int]]:
    """The span of each part between delimiters whose decoded text is not in NFC.

    A part that is no text, for it is ill-formed, is not looked at: another kind speaks of it.

    >>> list(uncomposed(b"/caf%C3%A9/cafe%CC%81", 0, b"/"))
    [(11, 21)]

    Unicode, UAX #15.
    """
    for match in re.compile(b"[^" + re.escape(delimiters) + b"]++").finditer(octets, start):
        decoded = percent_decode(match.group())
        if decoded.isascii():
            continue
        try:
            text = decoded.decode()
        except UnicodeDecodeError:
            continue
        if not unicodedata.is_normalized("NFC", text):
            yield match.span()

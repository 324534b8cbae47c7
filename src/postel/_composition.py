"""Composition: whether a part of a component is text that is not in Unicode's normalization form C."""

from __future__ import annotations

import unicodedata

from postel._mending import many_marks
from postel._octets import percent_decode


def is_uncomposed(octets: bytes) -> bool:
    """Whether the decoded text of a segment, name or value is not in NFC (Unicode, UAX #15).

    What is no text, for it is ill-formed, is nothing of the kind: another kind speaks of it.

    >>> is_uncomposed(b"caf%C3%A9"), is_uncomposed(b"cafe%CC%81")
    (False, True)
    """
    decoded = percent_decode(octets)
    if decoded.isascii():
        return False
    try:
        text = decoded.decode()
    except UnicodeDecodeError:
        return False
    return many_marks(text) or not unicodedata.is_normalized("NFC", text)

"""The length of a body, as the Content-Length states it."""

from __future__ import annotations

import re
from typing import Final

MALFORMED_LENGTH: Final = -1
"""The length of a body whose Content-Length is not a number of at most 18 digits."""
_LENGTH: Final = re.compile(rb"[ \t]*+([0-9]{1,18})[ \t]*+")


def stated_length(value: bytes | None) -> int | None:
    """The length that a Content-Length states; ``None`` without one, MALFORMED_LENGTH if it states none.

    >>> stated_length(b"12"), stated_length(b"1,2"), stated_length(None)
    (12, -1, None)
    """
    if not value:
        return None
    match = _LENGTH.fullmatch(value)
    return int(match[1]) if match else MALFORMED_LENGTH

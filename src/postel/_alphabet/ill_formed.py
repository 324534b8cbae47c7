"""The classes of ill-formed UTF-8."""

from __future__ import annotations

import re
from typing import Final

ILL_FORMED_CLASSES: Final[tuple[tuple[str, bytes], ...]] = (
    # Patterns over decoded octets for everything but well-formed sequences (RFC 3629, section 4; Unicode,
    # table 3-7). Each matches all octets of one mistake, so that a mistake is one finding; the decoder
    # decides how many U+FFFD replace it (Unicode 3.9, maximal subparts).
    ("stray", rb"[\x80-\xbf]"),
    (
        "overlong",
        rb"[\xc0-\xc1][\x80-\xbf]?+|[\xe0][\x80-\x9f][\x80-\xbf]?+|[\xf0][\x80-\x8f][\x80-\xbf]{0,2}+",
    ),
    ("surrogate", rb"[\xed][\xa0-\xbf][\x80-\xbf]?+"),
    (
        "out-of-range",
        rb"[\xf4][\x90-\xbf][\x80-\xbf]{0,2}+|[\xf5-\xf7][\x80-\xbf]{0,3}+"
        rb"|[\xf8-\xfb][\x80-\xbf]{0,4}+|[\xfc-\xfd][\x80-\xbf]{0,5}+|[\xfe-\xff]",
    ),
    # Last, because it would also match the beginning of a well-formed sequence.
    (
        "truncated",
        rb"[\xe0][\xa0-\xbf]|[\xed][\x80-\x9f]|[\xe1-\xef][\x80-\xbf]|[\xf0][\x90-\xbf][\x80-\xbf]?+"
        rb"|[\xf4][\x80-\x8f][\x80-\xbf]?+|[\xf1-\xf3][\x80-\xbf]{1,2}+|[\xc2-\xf4]",
    ),
)
"""The classes of ill-formed UTF-8, each with a pattern over octets."""

ILL_FORMED_SEQUENCE: Final = re.compile(b"|".join(b"(" + pattern + b")" for _, pattern in ILL_FORMED_CLASSES))
"""Matches an ill-formed sequence at the start of octets; each class has a group."""


def classify_ill_formed(octets: bytes) -> str:
    r"""Return the class of the ill-formed sequence with which decoded octets begin.

    The octets must not begin with a well-formed multi-octet sequence. Returns empty text for ASCII, which is
    never ill-formed.

    >>> classify_ill_formed(b"\xc0\xaf"), classify_ill_formed(b"\xc4")
    ('overlong', 'truncated')

    RFC 3629, section 3; Unicode, table 3-7.
    """
    match = ILL_FORMED_SEQUENCE.match(octets)
    return ILL_FORMED_CLASSES[match.lastindex - 1][0] if match and match.lastindex else ""

"""Shapes: requests that differ only in ordinary words and numbers get the same verdict.

The faulty targets in a log have few shapes: ``/units/kg%2F1`` and ``/units/kg%2F25`` have the same shape.
Only the first target of each shape is judged. A shape keeps everything on which a verdict may depend: all
delimiters, all escapes, the names of pairs, words that may name a device on Windows, and words beside percent
signs.
"""

from __future__ import annotations

import re
from typing import Final, TypeAlias

from postel import Policy
from postel._alphabet.regex import compiled

Shape: TypeAlias = tuple[bytes, ...]

LONGEST: Final = 512
"""The longest target that has a shape, in octets."""
_BESIDE: Final = rb"/=+,~?&._\-!'()*<>{}|\[\]\""
"""The characters that may stand next to an ordinary word."""
_WORD: Final = compiled(
    rb"(?:(?<=["
    + _BESIDE
    + rb"])|(?<=[^%]%[289A-Fa-f][0-9A-Fa-f]))"
    + rb"(?![Cc][Oo][MNmn%]|[Pp][Rr][Nn%]|[Aa][Uu][Xx%]|[Nn][Uu][Ll%]|[Ll][Pp][Tt%])"
    + rb"(?:[0-9A-Za-z]++(?=["
    + _BESIDE
    + rb"]|\Z)|[0-9A-Za-z]+(?=[0-9A-Za-z]%))"
)
"""Matches ordinary words, without the last character if an escape that may compose with it follows.

A word after an escape is ordinary only if the escape does not stand for a letter or digit; together, these
could spell the name of a device.
"""
_UNUSUAL: Final = re.compile(rb"%(?:[Uu%]|25|[0-9A-Fa-f](?![0-9A-Fa-f]))")
"""Matches escapes that the next characters may continue: ``%u0041``, ``%2541``, ``%4%31``."""
_NAMES: Final = re.compile(rb"[?&]([^=&]*+)")


def has_shapes(policy: Policy) -> bool:
    """Whether verdicts under a policy depend only on shapes.

    >>> has_shapes(Policy.STANDARD), has_shapes(Policy.parse("standard limit.segment=20"))
    (True, False)
    """
    limits = policy.limits
    lengths = (
        limits.octets,
        limits.name,
        limits.value,
        LONGEST if limits.segment is None else limits.segment,
    )
    # A shape omits most letters, but in an older charset a letter may be the last octet of a character.
    return not (policy.acceptances or policy.charsets) and min(lengths) >= LONGEST


def shape_of(target: bytes) -> Shape:
    """Return the shape of a target; an unusual target has a shape that no other target has.

    >>> shape_of(b"/units/kg%2F1?page=7") == shape_of(b"/units/kg%2F25?page=8")
    True
    >>> shape_of(b"/a%00") == shape_of(b"/a%20")
    False
    """
    if _UNUSUAL.search(target):
        return (target,)
    return (_WORD.sub(b"a", target), *_NAMES.findall(target))

"""Usual lines: find the clients and targets of many lines at once, without reading their other fields."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from postel._alphabet.regex import compiled
from postel.scan._line import LineFormat
from postel.scan._text_formats import Combined, Fronted

_COMBINED: Final = (
    rb'(\S{1,160}+) [^\["\n]{0,255}+\[(?=[^\[\]\n]{0,44}\d{4})[^\[\]\n]{1,48}+\] '
    rb'"[A-Z]{3,7}+ (/[!#-\[\]-~]{0,8192}+) HTTP/[\d.]{1,8}+" (?:\d{3}|-) \S[^\n]{0,32768}+(?!.)'
)
"""A line of the combined or common format, if its request needs no escape."""


def usual_lines(format_: LineFormat) -> re.Pattern[bytes] | None:
    r"""A pattern for ``findall``: matches are lines with their clients and targets, which may be empty.

    If they are not empty, the format reads the same client and target from the line. ``None`` if a format has
    no such pattern.

    >>> from postel.scan import FORMATS
    >>> log = b'192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] "GET /a HTTP/1.1" 200 0\nnonsense\n'
    >>> [found[1:] for found in usual_lines(FORMATS["common"]).findall(log)]
    [(b'192.0.2.1', b'/a'), (b'', b'')]
    """
    if isinstance(format_, Combined):
        front = b""
    elif isinstance(format_, Fronted):
        front = format_.front.pattern
    else:
        return None
    return compiled(rb"((?:" + front + _COMBINED + rb")|.++)\n")


def lines_of(octets: bytes, usual: re.Pattern[bytes] | None) -> Iterable[tuple[bytes, bytes, bytes]]:
    """Split octets into lines, without empty ones; each has its client and target if it is a usual line."""
    if usual is None:
        return ((line, b"", b"") for line in octets.split(b"\n") if line)
    return usual.findall(octets + b"\n")

"""Usual lines: find the clients and targets of many lines at once, without reading their other fields."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from postel._alphabet.regex import compiled
from postel.scan._line import LineFormat
from postel.scan._text_formats import Combined, Prefixed

_COMBINED: Final = (
    rb'(\S{1,160}+) [^\["\n]{0,255}+\[(?=[^\[\]\n]{0,44}\d{4})[^\[\]\n]{1,48}+\] '
    rb'"[A-Z]{3,7}+ (/[!#-\[\]-~]{0,8192}+) HTTP/[\d.]{1,8}+" (?:\d{3}|-) \S[^\n]{0,32768}+(?!.)'
)
"""Pattern for a line of the combined or common format whose request needs no escape."""


def usual_line_pattern(format_: LineFormat) -> re.Pattern[bytes] | None:
    r"""Return a pattern for ``findall`` that matches each line, its client and its target.

    Client and target are empty if the line is unusual. Otherwise the format would read the same client and
    target. Returns ``None`` if the format has no such pattern.

    >>> from postel.scan import FORMATS
    >>> log = b'192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] "GET /a HTTP/1.1" 200 0\nnonsense\n'
    >>> [found[1:] for found in usual_line_pattern(FORMATS["common"]).findall(log)]
    [(b'192.0.2.1', b'/a'), (b'', b'')]
    """
    if isinstance(format_, Combined):
        prefix = b""
    elif isinstance(format_, Prefixed):
        prefix = format_.prefix.pattern
    else:
        return None
    return compiled(rb"((?:" + prefix + _COMBINED + rb")|.++)\n")


def lines_of(octets: bytes, usual: re.Pattern[bytes] | None) -> Iterable[tuple[bytes, bytes, bytes]]:
    """Split octets into lines that are not empty; a usual line comes with its client and target."""
    if usual is None:
        return ((line, b"", b"") for line in octets.split(b"\n") if line)
    return usual.findall(octets + b"\n")

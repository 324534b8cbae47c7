"""CloudFront's standard log: tab-separated, with field names in a comment and escapes of its own."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Self, final

from postel import Kind
from postel._alphabet.percent import percent_decode
from postel._catalogue.kinds import hidden_in
from postel._catalogue.views import View
from postel.scan._line import ABSENT, Entry, Read, Unreadable, status_of
from postel.scan._w3c import columns_in, is_sound, time_in

_STANDARD: Final = (
    *("date", "time", "x-edge-location", "sc-bytes", "c-ip", "cs-method", "cs(Host)", "cs-uri-stem"),
    *("sc-status", "cs(Referer)", "cs(User-Agent)", "cs-uri-query"),
)
"""The first fields, in the order of the developer guide, "Standard log file fields"; more follow."""
_WANTED: Final = (
    "c-ip",
    "cs-method",
    "cs-uri-stem",
    "cs-uri-query",
    "sc-status",
    "cs(Referer)",
    "cs(User-Agent)",
)
_FULLY_ESCAPED: Final = re.compile(
    rb"[^%]*+(?>(?:%(?:[01][0-9A-Fa-f]|2[02357]|3[CEce]|5[B-Eb-e]|60|7[B-Fb-f]|[89A-Fa-f][0-9A-Fa-f])[^%]*+)*)"
)
"""Matches text with only the escapes that CloudFront writes: developer guide, "Standard log file format"."""
_OWN_PERCENT: Final = b"%25"
_METHOD: Final = re.compile(rb"[A-Z]++")
"""CloudFront passes only methods of RFC 9110, section 9. Without this check, noise could look valid."""


@final
@dataclass(frozen=True, slots=True)
class CloudFront:
    """CloudFront's standard log.

    According to the guide, CloudFront writes every percent sign as ``%25``, but some logs hold the escapes of
    clients unchanged. So a field is decoded only if it holds ``%25`` and no escape that CloudFront would not
    write. Octets that a client sent bare appear as escapes.
    """

    columns: tuple[str, ...] = _STANDARD
    name: str = "cloudfront"
    blind: frozenset[Kind] = hidden_in(View.ESCAPED)
    hides: tuple[str, ...] = ()

    def headed(self, head: bytes) -> Self:
        """Return the format with the columns named in the comments at the start of a log."""
        columns = columns_in(head)
        return self if columns is None else type(self)(columns)

    def read(self, line: bytes) -> Read:
        """Read one line, given without its line break; never raises."""
        if line.startswith(b"#") or not line.strip():
            return None
        values = dict(zip(self.columns, line.split(b"\t"), strict=False))
        client, method, stem, query, status, referer, agent = map(values.get, _WANTED)
        if method is None or stem is None or not _METHOD.fullmatch(method) or not is_sound(values):
            return Unreadable.OTHER_FORMAT
        if not stem.startswith((b"/", b"*", b"http")):
            return Unreadable.OTHER_FORMAT
        target = _received(stem)
        if query is not None and query not in ABSENT:
            target += b"?" + _received(query)
        return Entry(
            client,
            method,
            target,
            status_of(status),
            None if referer is None else percent_decode(referer),
            None if agent is None else percent_decode(agent),
            time=time_in(values),
        )


def _received(field: bytes) -> bytes:
    if _OWN_PERCENT in field and _FULLY_ESCAPED.fullmatch(field):
        return percent_decode(field)
    return field

"""URLs as they are checked: what of them a client sends, and where in them a finding points."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Self, final

from postel import Component, Finding, Target

_AUTHORITY: Final = re.compile(rb"[A-Za-z][A-Za-z0-9+.\-]*+://[^/?#\\]*+")
"""Scheme and authority; it ends at a backslash, too, as it does in browsers (URL Standard, section 4.4)."""


@final
@dataclass(frozen=True, slots=True)
class Url:
    """The octets that were given, and the target that they make.

    >>> Url.of(b"http://example.com/a?b#c").target
    Target(path=b'/a', query=b'b', prefix=b'', host=None, preserved=b'')
    """

    octets: bytes
    target: Target
    path_at: int
    """Where the path begins."""
    query_at: int
    """Where the query begins."""

    @classmethod
    def of(cls, octets: bytes) -> Self:
        """Read a whole URL, or a path and query.

        Of a whole URL a client sends path and query alone: its fragment it keeps, and an empty path it sends
        as a slash (RFC 9110, section 7.1; RFC 9112, section 3.2.1). A path and query are taken as they are.
        """
        authority = _AUTHORITY.match(octets)
        path_at = authority.end() if authority else 0
        sent = octets[path_at:].partition(b"#")[0] if authority else octets
        path, _, query = sent.partition(b"?")
        root = b"/" if authority else b""
        return cls(octets, Target(path or root, query), path_at, path_at + len(path) + 1)

    def place_of(self, finding: Finding) -> int:
        """Where in the octets a finding begins."""
        begin = self.query_at if finding.component is Component.QUERY else self.path_at
        return begin + finding.offset

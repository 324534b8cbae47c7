"""URLs to check: find the part that a client sends, and the place of a finding in the URL."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Self, final

from postel import Component, Finding, Target
from postel._alphabet.authority import SCHEME

_AUTHORITY: Final = re.compile(SCHEME + rb"://[^/?#\\]*+")
"""Scheme and authority. A backslash also ends the authority, as in browsers (URL Standard, section 4.4)."""


@final
@dataclass(frozen=True, slots=True)
class Url:
    """The given octets, and the target that a client would send.

    >>> Url.of(b"http://example.com/a?b#c").target
    Target(path=b'/a', query=b'b', prefix=b'', host=None, preserved=b'')
    """

    octets: bytes
    target: Target
    path_at: int
    """The offset of the path."""
    query_at: int
    """The offset of the query."""

    @classmethod
    def of(cls, octets: bytes) -> Self:
        """Read an absolute URL, or a path and query.

        A client sends only the path and query of an absolute URL. It drops the fragment and sends an empty
        path as a slash (RFC 9110, section 7.1; RFC 9112, section 3.2.1). A path and query are used as given.
        """
        authority = _AUTHORITY.match(octets)
        path_at = authority.end() if authority else 0
        sent = octets[path_at:].partition(b"#")[0] if authority else octets
        path, _, query = sent.partition(b"?")
        root = b"/" if authority else b""
        return cls(octets, Target(path or root, query), path_at, path_at + len(path) + 1)

    def place_of(self, finding: Finding) -> int:
        """Return the offset of a finding in the octets."""
        begin = self.query_at if finding.component is Component.QUERY else self.path_at
        return begin + finding.offset

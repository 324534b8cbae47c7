"""HAProxy's HTTP log, with or without a prefix of syslog or journald."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, final

from postel import Kind
from postel.scan._line import Entry, Read, Unreadable, parted, status_of, without_port

_LINE: Final = re.compile(
    rb"(?>(?:\S*+ )*?(\S++) \[(\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d\.\d{3})\] )"  # client:port [date]
    rb"\S++ [^\s/]*+/\S++ "  # frontend backend/server
    rb"[-+/\d]++ (-?\d++) \+?\d++ "  # timers, status, octets
    rb"\S++ \S++ \S{4} [+/\d]++ [+/\d]++ "  # cookies, state, connections, queues
    rb"(?:\{[^}]*+\} ){0,2}"  # captured headers
    rb'"(.*)',
    re.DOTALL,
)
"""HAProxy's configuration manual, section 8.2.3. The last quote is missing if the line was cut."""
_WHOLE: Final = re.compile(rb' HTTP/\d[.\d]*"\Z')
"""Matches the end of a request line that was not cut."""
_ESCAPED: Final = re.compile(rb"#([0-9A-Fa-f]{2})")
"""Matches the escape of an unprintable octet, a number sign or a quote: section 8.6."""


@final
@dataclass(frozen=True, slots=True)
class HAProxy:
    """HAProxy's HTTP log (``option httplog``)."""

    name: str = "haproxy"
    blind: frozenset[Kind] = frozenset()
    hides: tuple[str, ...] = (
        "agents and referers, so it is unknown who sent a request",
        "requests that HAProxy refuses itself (<BADREQ>)",
        "the rest of long targets: over 1,024 octets, unless tune.http.logurilen and len are higher",
    )

    def read(self, line: bytes) -> Read:
        """Read one line, given without its line break; never raises."""
        match = _LINE.fullmatch(line)
        if match is None:
            return Unreadable.OTHER_FORMAT if line.strip() else None
        client, time, status, request = match.groups()
        found = parted(request.removesuffix(b'"'))
        if found is None:
            return Unreadable.NO_REQUEST
        if not _WHOLE.search(request):
            return Unreadable.TOO_LONG
        method, target = found
        return Entry(
            without_port(client),
            method,
            _ESCAPED.sub(lambda match: bytes.fromhex(match[1].decode()), target),
            status_of(status),
            time=time,
        )

"""Lines of access logs: what is read of one, and what all text formats share.

A log is written by servers and filled by clients. Whatever stands in a line, reading it gives an entry or
the reason why it is none, in time linear in the line.
"""

from __future__ import annotations

import enum
import re
from typing import Final, NamedTuple, Protocol, TypeAlias, final

from postel import Kind


@final
class Entry(NamedTuple):
    """One request, as a line tells of it, in octets; ``None`` where the format has no place for it.

    >>> Entry(client=b"192.0.2.1", method=b"GET", target=b"/a?b", status=200).referer is None
    True
    """

    client: bytes | None
    """The address of the client, or what stands in its place, without its port."""
    method: bytes
    """The method of the request."""
    target: bytes
    """The request target, as far as the log shows it as it was received."""
    status: int
    """The status of the answer; 0 where there was none."""
    referer: bytes | None = None
    """The header Referer: RFC 9110, section 10.1.3."""
    agent: bytes | None = None
    """The header User-Agent: RFC 9110, section 10.1.5."""
    host: bytes | None = None
    """The host that was asked."""
    time: bytes | None = None
    """When it was asked, or answered, as the log writes it."""


@final
@enum.unique
class Unreadable(enum.Enum):
    """Why a line is no entry.

    >>> Unreadable("no-request") is Unreadable.NO_REQUEST
    True
    """

    OTHER_FORMAT = "other-format"
    """It is not written in the format that the rest is written in."""
    NO_REQUEST = "no-request"
    """What stands in the place of the request is none: a TLS handshake, a closed connection."""
    TOO_LONG = "too-long"
    """It is longer than a line of a log can be, or its request was cut."""
    NO_TIME = "no-time"
    """It has no time that can be read, though only a span of time was asked for."""
    CUT_OFF = "cut-off"
    """The compressed file is damaged here; nobody knows what would have followed."""


Read: TypeAlias = Entry | Unreadable | None
"""What a line is read as; ``None`` where it holds nothing on purpose: a comment, a blank line."""


class LineFormat(Protocol):
    """A format of lines: whatever has this name, these kinds and this method.

    >>> from postel.scan import FORMATS
    >>> FORMATS["common"].read(b'192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] "GET /a HTTP/1.1" 200 0').target
    b'/a'
    """

    @property
    def name(self) -> str:
        """What it is called in options and reports."""
        ...

    @property
    def blind(self) -> frozenset[Kind]:
        """The kinds that a path has lost by being written so."""
        ...

    @property
    def hides(self) -> tuple[str, ...]:
        """What else its logs do not show, each in a sentence without its end."""
        ...

    def read(self, line: bytes) -> Read:
        """Read a line without its end; never raises."""
        ...


LONGEST: Final = 256 * 1024
"""Octets of the longest line that is read. Servers take 8 KiB for the line of a request and as much for each
header; a log writes up to four octets for one."""
ABSENT: Final = (b"", b"-")
"""How logs write that there is nothing."""
_METHOD: Final = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,32}")
"""RFC 9110, section 5.6.2: a token; longer ones nobody has registered."""
_ESCAPES: Final = re.compile(rb"\\(?:x([0-9A-Fa-f]{2})|([\\\"nrtbv]))")
_NAMED: Final = {
    b"\\": b"\\",
    b'"': b'"',
    b"n": b"\n",
    b"r": b"\r",
    b"t": b"\t",
    b"b": b"\b",
    b"v": b"\v",
}
_OCTETS: Final = tuple(bytes([octet]) for octet in range(256))


def unescape(text: bytes) -> bytes:
    r"""The octets of a quoted field, as nginx (``\xHH``) and Apache (``\xhh``, ``\"``, ``\n``) write them.

    >>> unescape(rb'/\x22\xC4\\')
    b'/"\xc4\\'
    """
    return _ESCAPES.sub(_unescaped, text) if b"\\" in text else text


def _unescaped(match: re.Match[bytes]) -> bytes:
    digits = match[1]
    return _OCTETS[int(digits, 16)] if digits else _NAMED[match[2]]


def parted(request: bytes) -> tuple[bytes, bytes] | None:
    """Method and target of a request line; ``None`` where it is no request line.

    A target may hold spaces here, since some servers take it so. HTTP/0.9 writes no version.

    >>> parted(b"GET /a b HTTP/1.1"), parted(b"GET /"), parted(b"-")
    ((b'GET', b'/a b'), (b'GET', b'/'), None)
    """
    method, _, rest = request.partition(b" ")
    target, _, version = rest.rpartition(b" ")
    if not version.startswith(b"HTTP/"):
        target = rest
    if not target or not _METHOD.fullmatch(method):
        return None
    return method, target


def without_port(address: bytes) -> bytes:
    """The address in front of a port.

    >>> without_port(b"127.0.0.1:80"), without_port(b"[::1]:80")
    (b'127.0.0.1', b'::1')
    """
    host = address.rpartition(b":")[0] or address
    return host.removeprefix(b"[").removesuffix(b"]")

"""Lines of access logs: entries, and what all text formats share.

Clients control much of a log. Every line, whatever it holds, gives an entry or a reason why it is unreadable,
in time linear in its length.
"""

from __future__ import annotations

import enum
import re
from typing import Final, NamedTuple, Protocol, TypeAlias, final

from postel import Kind


@final
class Entry(NamedTuple):
    """One request as logged, in octets; ``None`` for fields that the format does not have.

    >>> Entry(client=b"192.0.2.1", method=b"GET", target=b"/a?b", status=200).referer is None
    True
    """

    client: bytes | None
    """The address of the client without a port, or whatever the log holds in that field."""
    method: bytes
    """The method of the request."""
    target: bytes
    """The request target, as close to the received octets as the log allows."""
    status: int
    """The status of the answer; 0 if there is none."""
    referer: bytes | None = None
    """The header Referer: RFC 9110, section 10.1.3."""
    agent: bytes | None = None
    """The header User-Agent: RFC 9110, section 10.1.5."""
    host: bytes | None = None
    """The requested host."""
    time: bytes | None = None
    """The time of the request or answer, as the log writes it."""


@final
@enum.unique
class Unreadable(enum.Enum):
    """Why a line is not an entry.

    >>> Unreadable("no-request") is Unreadable.NO_REQUEST
    True
    """

    OTHER_FORMAT = "other-format"
    """The line does not match the format of the log."""
    NO_REQUEST = "no-request"
    """The line has no request line, for example after a TLS handshake or a closed connection."""
    TOO_LONG = "too-long"
    """The line is too long, or its request was cut."""
    NO_TIME = "no-time"
    """The time of the line cannot be read, but a span of time is selected."""
    CUT_OFF = "cut-off"
    """The compressed file is damaged here, and the rest is unknown."""


Read: TypeAlias = Entry | Unreadable | None
"""The result of reading a line; ``None`` for comments and blank lines."""


class LineFormat(Protocol):
    """The protocol of line formats.

    >>> from postel.scan import FORMATS
    >>> FORMATS["common"].read(b'192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] "GET /a HTTP/1.1" 200 0').target
    b'/a'
    """

    @property
    def name(self) -> str:
        """The name of the format in options and reports."""
        ...

    @property
    def blind(self) -> frozenset[Kind]:
        """The kinds that the format cannot show in a path."""
        ...

    @property
    def hides(self) -> tuple[str, ...]:
        """What else logs of this format do not show, each as a phrase."""
        ...

    def read(self, line: bytes) -> Read:
        """Read one line, given without its line break; never raises."""
        ...


LONGEST: Final = 256 * 1024
"""The longest line that is read, in octets.

Servers accept 8 KiB for the request line and for each header, and a log may write four octets for one.
"""
ABSENT: Final = (b"", b"-")
"""How logs write an empty field."""
_BARE_VERSION: Final = re.compile(rb"[123](?:\.[01])?")
"""A version of HTTP as Hypercorn logs it."""
_METHOD: Final = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,32}")
"""A token of RFC 9110, section 5.6.2; registered methods are shorter than 32 octets."""
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
    r"""Undo the escapes of nginx (``\xHH``) and Apache (``\xhh``, ``\"``, ``\n``) in a quoted field.

    >>> unescape(rb'/\x22\xC4\\')
    b'/"\xc4\\'
    """
    return _ESCAPES.sub(_unescaped, text) if b"\\" in text else text


def _unescaped(match: re.Match[bytes]) -> bytes:
    digits = match[1]
    return _OCTETS[int(digits, 16)] if digits else _NAMED[match[2]]


def parted(request: bytes) -> tuple[bytes, bytes] | None:
    """Split a request line into method and target; ``None`` for anything else.

    The target may hold spaces, which some servers accept. HTTP/0.9 has no version. A version without "HTTP/"
    is Hypercorn's, which logs a decoded path without its query; such a line says too little to be judged.

    >>> parted(b"GET /a b HTTP/1.1"), parted(b"GET /"), parted(b"GET /a 1.1")
    ((b'GET', b'/a b'), (b'GET', b'/'), None)
    """
    method, _, rest = request.partition(b" ")
    target, _, version = rest.rpartition(b" ")
    if not version.startswith(b"HTTP/"):
        target = b"" if target and _BARE_VERSION.fullmatch(version) else rest
    if not target or not _METHOD.fullmatch(method):
        return None
    return method, target


def status_of(text: bytes | None) -> int:
    """Return a logged status; 0 for anything but three digits.

    >>> status_of(b"404"), status_of(b"-"), status_of(None)
    (404, 0, 0)
    """
    return int(text) if text is not None and len(text) == 3 and text.isdigit() else 0


def without_port(address: bytes) -> bytes:
    """Return the address without its port.

    >>> without_port(b"127.0.0.1:80"), without_port(b"[::1]:80")
    (b'127.0.0.1', b'::1')
    """
    host = address.rpartition(b":")[0] or address
    return host.removeprefix(b"[").removesuffix(b"]")

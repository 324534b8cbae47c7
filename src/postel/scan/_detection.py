"""Log formats by name, and their detection."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from postel.scan._cloudfront import CloudFront
from postel.scan._docker import Docker, written_in
from postel.scan._haproxy import HAProxy
from postel.scan._iis import Iis
from postel.scan._json_guess import GuessedJson, guessed
from postel.scan._json_lines import CADDY, CLOUDFLARE, TRAEFIK
from postel.scan._line import LONGEST, Entry, LineFormat, Read, Unreadable
from postel.scan._opening import LogError
from postel.scan._text_formats import (
    HOSTED,
    NO_HEADERS,
    PREFIXED,
    Balancer,
    Combined,
    Gunicorn,
    Uvicorn,
)

FORMATS: Final[dict[str, LineFormat]] = {
    each.name: each
    for each in (
        Combined(),
        Combined("common", hides=(NO_HEADERS,)),
        HOSTED,
        PREFIXED,
        Gunicorn(),
        Uvicorn(),
        CADDY,
        TRAEFIK,
        CLOUDFLARE,
        Balancer(),
        CloudFront(),
        HAProxy(),
        Iis(),
    )
}
"""The named formats. gunicorn is not detected, because its lines look like combined ones."""
_TRIED: Final = (
    *("prefixed", "vhost_combined", "combined", "uvicorn", "caddy", "traefik", "cloudflare"),
    *("alb", "cloudfront", "haproxy", "iis"),
)
"""The order of detection: if several formats read equally many lines, the first one wins."""
_LINES: Final = 200
UNRECOGNISED: Final = "the format is not recognised: give one of FORMATS, or describe it with described()"
"""The message about a log that no format reads."""


def detect(head: bytes) -> LineFormat | None:
    r"""Return the format that reads the most of the first lines of a log; ``None`` if no format reads any.

    >>> detect(b'INFO:     127.0.0.1:4711 - "GET / HTTP/1.1" 200 OK\n').name
    'uvicorn'
    """
    lines = [line.removesuffix(b"\r") for line in head.split(b"\n") if len(line) <= LONGEST]
    written = [each for line in lines if (each := written_in(line)) is not None]
    if written:
        inner = detect(b"\n".join(written))
        return None if inner is None else Docker(inner)
    # A log may begin with other lines, such as startup messages of a server. So try later lines, too.
    return _detected(head, lines[:_LINES]) or _detected(head, lines[_LINES:])


def _detected(head: bytes, lines: Sequence[bytes]) -> LineFormat | None:
    best, most = None, 0
    for name in _TRIED:
        each = with_head(FORMATS[name], head)
        readable = _readable(each, lines)
        if readable > most:
            best, most = each, readable
    combined = FORMATS["combined"]
    if best is combined and not any(_has_agent(combined.read(line)) for line in lines):
        return FORMATS["common"]
    return best or guessed([line for line in lines[:_LINES] if line.startswith(b"{")])


def _readable(format_: LineFormat, lines: Iterable[bytes]) -> int:
    read = map(format_.read, lines)
    return sum(isinstance(each, Entry) or each is Unreadable.NO_REQUEST for each in read)


def _has_agent(read: Read) -> bool:
    return isinstance(read, Entry) and read.agent is not None


def with_head(format_: LineFormat, head: bytes) -> LineFormat:
    """Return the format, with its columns or fields taken from the first lines of a log."""
    return format_.headed(head) if isinstance(format_, CloudFront | Iis | GuessedJson) else format_


def format_for(head: bytes, format_: LineFormat | None) -> LineFormat:
    """Return the format of a log from its first octets.

    Raises :class:`LogError` if no format reads them, and ``TypeError`` unless ``format_`` is a format.
    """
    if format_ is not None:
        if not callable(getattr(format_, "read", None)):
            raise TypeError(f"format_={format_!r}: give a format, such as FORMATS['combined']")
        return with_head(format_, head)
    found = detect(head)
    if found is not None:
        return found
    if any(line.strip() and not line.startswith(b"#") for line in head.split(b"\n")):
        raise LogError(UNRECOGNISED)
    return with_head(FORMATS["cloudfront"], head)  # only comments and blank lines

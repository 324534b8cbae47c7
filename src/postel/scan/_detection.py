"""Formats by name, and which of them a log is written in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from postel.scan._cloudfront import CloudFront
from postel.scan._json_lines import CADDY, TRAEFIK
from postel.scan._line import Entry, LineFormat, Unreadable
from postel.scan._text_formats import Balancer, Combined, Gunicorn, Uvicorn

FORMATS: Final[dict[str, LineFormat]] = {
    each.name: each
    for each in (
        Combined(),
        Combined("common"),
        Gunicorn(),
        Uvicorn(),
        CADDY,
        TRAEFIK,
        Balancer(),
        CloudFront(),
    )
}
"""The formats that have a name of their own. gunicorn's lines look like combined ones."""
_TRIED: Final = ("combined", "uvicorn", "caddy", "traefik", "alb", "cloudfront")
_LINES: Final = 200


def detect(head: bytes) -> LineFormat | None:
    r"""The format in which most of the first lines of a log can be read; ``None`` where none can.

    >>> detect(b'INFO:     127.0.0.1:4711 - "GET / HTTP/1.1" 200 OK\n').name
    'uvicorn'
    """
    lines = [line.removesuffix(b"\r") for line in head.split(b"\n")[:_LINES]]
    best, most = None, 0
    for name in _TRIED:
        each = FORMATS[name]
        if isinstance(each, CloudFront):
            each = each.headed(head)
        readable = _readable(each, lines)
        if readable > most:
            best, most = each, readable
    return best


def _readable(format_: LineFormat, lines: Iterable[bytes]) -> int:
    read = map(format_.read, lines)
    return sum(isinstance(each, Entry) or each is Unreadable.NO_REQUEST for each in read)


def with_head(format_: LineFormat, head: bytes) -> LineFormat:
    """The format as the first lines of a log complete it."""
    return format_.headed(head) if isinstance(format_, CloudFront) else format_

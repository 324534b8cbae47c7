"""Requests that try to walk round a guard: guarded and open paths, written in every way that pieces allow."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Final

from whole import pieces
from whole.generator import double_escape
from whole.request import HOST, Request

KEPT_PATHS: Final = (
    *(b"/admin/panel", b"/docs/private/x", b"/files/private/key.txt", b"/app/admin", b"/secret"),
    *(b"/docs/@me", b"/docs/a+b/x", b"/docs/42/keys"),
)
OPEN_PATHS: Final = (b"/health", b"/public/a", b"/docs/open", b"/files/open.txt", b"/app", b"/files", b"/docs")
_FRONTS: Final = (b"/", b"/./", b"/x/../", b"http://demo.test", b"//demo.test", b"/.", b"\\", b"/;", b"*", b"http:")
_STEERING: Final = (b"X-Original-URL", b"X-Rewrite-URL", b"X-Forwarded-Prefix", b"X-Script-Name", b"X-Forwarded-Host")


def walks(seed: int, count: int) -> Iterator[Request]:
    """The first requests of a seed."""
    source = random.Random(seed)  # noqa: S311 - the same in every run is what is wanted
    for _ in range(count):
        yield walk_of(source)


def walk_of(source: random.Random) -> Request:
    """A request for what is guarded, or for what is open, or for both."""
    kept, free = source.choice(KEPT_PATHS), source.choice(OPEN_PATHS)
    path = source.choice(
        (
            kept,
            kept,
            kept,
            free,
            free + source.choice(pieces.CUTS) + kept,
            free + source.choice((*pieces.DELIMITERS, b"/../", b"/..")) + kept,
            kept + source.choice(pieces.CUTS) + free,
            kept + source.choice((b"/../..", b"/..", b"/x/..", b"/.", b"/")) + free,
        )
    )
    for _ in range(source.choice((0, 1, 1, 1, 2, 2, 3))):
        path = _changed(path, source)
    fields = [(b"Host", _host(source, free))]
    if not source.randrange(6):
        fields.append((source.choice(_STEERING), source.choice((free, kept, b"/x"))))
    return Request(
        path,
        source.choice(("GET", "GET", "GET", "HEAD", "POST")),
        tuple(fields),
        root=source.choice(pieces.ROOTS) if not source.randrange(8) else "",
    )


def _changed(path: bytes, source: random.Random) -> bytes:
    """The path with one thing written in another way, or put in."""
    draw = source.randrange(7)
    place = source.randrange(len(path) + 1)
    front, rest = path[:place], path[place:]
    if draw == 0:
        slashes = [number for number, octet in enumerate(path) if octet == ord("/")]
        place = source.choice(slashes) if slashes else 0
        return path[:place] + source.choice((b"//", source.choice(pieces.DELIMITERS))) + path[place + 1 :]
    if draw == 1:
        octet = source.choice((rest[:1], b"@", b"+", b"/"))
        place = path.find(octet) if octet else -1
        if place < 0:
            return path
        return path[:place] + source.choice((b"%%%02X", b"%%%02x")) % octet[0] + path[place + 1 :]
    if draw == 2:
        return front + (b"%%25%02X" % rest[0] + rest[1:] if rest else double_escape(source))
    if draw == 3:
        return path + source.choice((*pieces.CUTS, *pieces.DELIMITERS))
    if draw == 4:
        return source.choice(_FRONTS) + path
    if draw == 5:
        return front + rest[:1].swapcase() + rest[1:]
    return front + source.choice((*pieces.CUTS, *pieces.DELIMITERS, double_escape(source))) + rest


def _host(source: random.Random, free: bytes) -> bytes:
    if source.randrange(6):
        return HOST
    return HOST + source.choice((free, b"", b":80")) + source.choice(pieces.HOST_PIECES)


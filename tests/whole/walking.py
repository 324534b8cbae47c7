"""Requests that try to bypass a guard: guarded and open paths in every spelling that the pieces allow."""

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
OPEN_PATHS: Final = (
    b"/health",
    b"/public/a",
    b"/docs/open",
    b"/files/open.txt",
    b"/app",
    b"/files",
    b"/docs",
)
_FRONTS: Final = (
    b"/",
    b"/./",
    b"/x/../",
    b"http://demo.test",
    b"//demo.test",
    b"/.",
    b"\\",
    b"/;",
    b"*",
    b"http:",
)
_STEERING: Final = (
    b"X-Original-URL",
    b"X-Rewrite-URL",
    b"X-Forwarded-Prefix",
    b"X-Script-Name",
    b"X-Forwarded-Host",
)


def walks(seed: int, count: int) -> Iterator[Request]:
    """Yield the first requests of a seed."""
    source = random.Random(seed)  # noqa: S311 - the same in every run is what is wanted
    for _ in range(count):
        yield walk_of(source)


def walk_of(source: random.Random) -> Request:
    """Return a request for a guarded path, for an open path, or for a mixture."""
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
    """Return the path with one piece changed or inserted."""
    return source.choice(_CHANGES)(path, source)


def _other_slash(path: bytes, source: random.Random) -> bytes:
    slashes = [number for number, octet in enumerate(path) if octet == ord("/")]
    place = source.choice(slashes) if slashes else 0
    return path[:place] + source.choice((b"//", source.choice(pieces.DELIMITERS))) + path[place + 1 :]


def _escaped(path: bytes, source: random.Random) -> bytes:
    place = source.randrange(len(path) + 1)
    octet = source.choice((path[place : place + 1], b"@", b"+", b"/"))
    escape = source.choice((b"%%%02X", b"%%%02x"))
    return path.replace(octet, escape % octet[0], 1) if octet else path


def _escaped_twice(path: bytes, source: random.Random) -> bytes:
    place = source.randrange(len(path) + 1)
    octet = path[place : place + 1]
    return path[:place] + (b"%%25%02X" % octet[0] if octet else double_escape(source)) + path[place + 1 :]


def _other_end(path: bytes, source: random.Random) -> bytes:
    return path + source.choice((*pieces.CUTS, *pieces.DELIMITERS))


def _other_front(path: bytes, source: random.Random) -> bytes:
    return source.choice(_FRONTS) + path


def _other_case(path: bytes, source: random.Random) -> bytes:
    place = source.randrange(len(path) + 1)
    return path[:place] + path[place : place + 1].swapcase() + path[place + 1 :]


def _put_in(path: bytes, source: random.Random) -> bytes:
    place = source.randrange(len(path) + 1)
    piece = source.choice((*pieces.CUTS, *pieces.DELIMITERS, double_escape(source)))
    return path[:place] + piece + path[place:]


_CHANGES: Final = (_other_slash, _escaped, _escaped_twice, _other_end, _other_front, _other_case, _put_in)


def _host(source: random.Random, free: bytes) -> bytes:
    if source.randrange(6):
        return HOST
    return HOST + source.choice((free, b"", b":80")) + source.choice(pieces.HOST_PIECES)

"""Whole requests of every kind, the same ones for the same seed.

A request is made from a source of random choices. With a seed this is ``random.Random``; hypothesis passes a
source that it can shrink.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Final, TypeVar

from differential.targets import ATTACKS, ODDITIES, PAIRS, PATHS, WORDS
from whole import pieces
from whole.request import HOST, Request

T = TypeVar("T")
FORM: Final = b"application/x-www-form-urlencoded"
_UNRESERVED: Final = b"ABCXYZabcxyz0189-._~"


def requests(seed: int, count: int) -> Iterator[Request]:
    """Yield the first requests of a seed."""
    source = random.Random(seed)  # noqa: S311 - the same in every run
    for _ in range(count):
        yield request_of(source)


def ordinary(seed: int, count: int) -> Iterator[Request]:
    """Yield requests of ordinary clients; every preset except STRICT accepts all of them."""
    source = random.Random(seed)  # noqa: S311 - the same in every run
    for _ in range(count):
        yield ordinary_of(source)


PARTS: Final = ("path", "query", "host", "type", "framing", "cookie", "others", "body", "root", "version")


def request_of(source: random.Random) -> Request:
    """Return a request with some hostile parts. If all parts were hostile, none would be accepted."""
    hostile = {part for part in PARTS if _once_in(source, 3)}
    method = source.choice(pieces.METHODS)
    has_body = method not in {"GET", "HEAD"} or _once_in(source, 6)
    body, kind = body_of(source, hostile) if has_body else (b"", b"")
    fields = [
        *(_hosts(source) if "host" in hostile else [(b"Host", source.choice((HOST, *pieces.HOSTS)))]),
        *(_typed(source, kind) if "type" in hostile else [(b"Content-Type", kind)] if kind else []),
        *(_framing(source, body) if "framing" in hostile else _framed(source, body)),
        *(_cookies(source) if "cookie" in hostile else []),
        *(_others(source) if "others" in hostile else []),
    ]
    path = _hostile_path if "path" in hostile else _ordinary_path
    return Request(
        target=path(source) + query_part(source, is_hostile="query" in hostile),
        method=method,
        fields=tuple(fields),
        body=body,
        size=source.choice((0, 0, 1, 7)),
        version="1.0" if "version" in hostile and _once_in(source, 3) else "1.1",
        root=source.choice(pieces.ROOTS) if "root" in hostile else "",
    )


def ordinary_of(source: random.Random) -> Request:
    """Return a request as a browser sends it."""
    segments = [source.choice(pieces.NAMES) for _ in range(source.randint(0, 3))]
    query = _joined(source, (WORDS,), (1, 3))
    target = b"/" + b"/".join(segments) + (b"?q=" + query if _once_in(source, 2) else b"")
    fields = [(b"Host", source.choice(pieces.HOSTS)), (b"Accept", b"*/*")]
    if _once_in(source, 2):
        return Request(target, fields=(*fields, (b"Cookie", b"sid=1; theme=dark")))
    body = b"q=" + _joined(source, (WORDS,), (0, 4)) + b"&p=1"
    typed = FORM + source.choice((b"", b"; charset=UTF-8", b";charset=utf-8"))
    said = [(b"Content-Type", typed), (b"Content-Length", b"%d" % len(body))]
    return Request(target, "POST", (*fields, *said), body, source.choice((0, 5)))


def target_of(source: random.Random) -> bytes:
    """Return a target with a hostile path, and sometimes a query."""
    return _hostile_path(source) + query_part(source, is_hostile=True)


def query_part(source: random.Random, *, is_hostile: bool) -> bytes:
    """Return the rest of a target, which may be empty."""
    if _once_in(source, 2):
        return b""
    if is_hostile:
        return b"?" + query_of(source)
    return b"?a=1" + _joined(source, (pieces.STEERED, WORDS), (0, 4))


def query_of(source: random.Random) -> bytes:
    """Return a query that some readers split into more or fewer pairs than others."""
    recipe = source.choice(PAIRS)
    pairs = [
        b"".join(recipe.piece(source) for _ in range(source.randint(1, 2)))
        + source.choice((b"=", b"=", b"=", b""))
        + b"".join(recipe.piece(source) for _ in range(source.randint(0, 3)))
        for _ in range(source.randint(1, 3))
    ]
    if _once_in(source, 3):
        pairs.append(b"a=1" + _joined(source, (pieces.STEERED, pieces.HALVES, WORDS), (1, 4)))
    if _once_in(source, 6):
        pairs.insert(source.randint(0, len(pairs)), source.choice((b"", b"=", b"&", b"a=%00")))
    return b"&".join(pairs)


def double_escape(source: random.Random) -> bytes:
    """Return the escape of an escape."""
    octet = source.choice((*_UNRESERVED, *b"/\\%;?#:@\0"))
    return b"%%25%02X" % octet


def _ordinary_path(source: random.Random) -> bytes:
    return b"/" + b"/".join(source.choice(pieces.NAMES) for _ in range(source.randint(0, 4)))


def _hostile_path(source: random.Random) -> bytes:
    if _once_in(source, 2):
        return _put_together(source)
    recipe = source.choice(PATHS)
    return b"/" + b"".join(recipe.piece(source) for _ in range(source.randint(0, 6)))


def _put_together(source: random.Random) -> bytes:
    """Join segments with real and apparent slashes, and add real and apparent ends of a path."""
    path = b""
    for _ in range(source.randint(1, 4)):
        path += source.choice((b"/", b"/", *pieces.DELIMITERS)) + source.choice(pieces.NAMES)
        if _once_in(source, 4):
            path += source.choice((*pieces.CUTS, double_escape(source), double_escape(source)))
        if _once_in(source, 8):
            path += source.choice(pieces.HALVES) + source.choice(WORDS)
    return path if path.startswith(b"/") else b"/" + path


def _hosts(source: random.Random) -> list[tuple[bytes, bytes]]:
    draw = source.randint(0, 11)
    if draw == 0:
        return []
    if draw == 1:
        return [(b"Host", source.choice(pieces.HOSTS)) for _ in range(2)]
    if draw == 2:
        return [
            (b"Host", source.choice((*pieces.HOSTS, b"")) + _joined(source, (pieces.HOST_PIECES,), (1, 3)))
        ]
    return [(b"Host", source.choice((HOST, HOST, *pieces.HOSTS)))]


def content_type_of(source: random.Random) -> bytes:
    """Return a Content-Type, plain or not."""
    value = source.choice(pieces.TYPES) + source.choice(pieces.SLASHES) + source.choice(pieces.SUBTYPES)
    if _once_in(source, 4):
        value = source.choice(pieces.BLANKS) + value
    if _once_in(source, 6):
        value += source.choice(pieces.BLANKS)
    for _ in range(source.choice((0, 0, 1, 1, 2))):
        name = source.choice((b"; charset=", b";charset=", b"; charset =", b"; charset*=", b"; CHARSET="))
        suffix = source.choice((b"", b"''x")) if b"*" in name else b""
        charset = name + source.choice(pieces.CHARSETS) + suffix
        value += source.choice((charset, charset, source.choice(pieces.PARAMETERS)))
    return value


def _typed(source: random.Random, kind: bytes) -> list[tuple[bytes, bytes]]:
    """Return the Content-Type of the body, any other, none, or sometimes two."""
    draw = source.randint(0, 9)
    if draw < 2:
        return []
    count = 2 if draw == 2 else 1
    return [(b"Content-Type", content_type_of(source)) for _ in range(count)]


def body_of(source: random.Random, hostile: set[str]) -> tuple[bytes, bytes]:
    """Return a body and its plain type."""
    draw = source.randint(0, 7)
    if draw == 0:
        return b"", FORM
    if draw == 1:
        return source.choice(pieces.JSON_PIECES), b"application/json"
    if draw == 2:
        return multipart_of(source), b"multipart/form-data; boundary=X"
    if draw == 3:
        return bytes(
            source.randint(0, 255) for _ in range(source.randint(1, 12))
        ), b"application/octet-stream"
    if "body" not in hostile:
        return b"a=1" + _joined(source, (pieces.STEERED, WORDS), (0, 4)), FORM
    return form_of(source), FORM


def form_of(source: random.Random) -> bytes:
    """Return a hostile form, or an ordinary one with one hostile piece."""
    if _once_in(source, 4):
        odd = source.choice((*pieces.FORM_PIECES, bytes((source.randrange(256),))))
        return b"a=1" + odd + source.choice((b"", *WORDS))
    form = query_of(source)
    if _once_in(source, 3):
        form += source.choice((b"&", b"")) + _joined(source, (pieces.FORM_PIECES, ODDITIES, ATTACKS), (1, 3))
    return source.choice((b"", b"", b"&&", b"&")) + form


def forms(seed: int, count: int) -> Iterator[bytes]:
    """Yield the first forms of a seed."""
    source = random.Random(seed)  # noqa: S311 - the same in every run
    for _ in range(count):
        yield form_of(source)


def multipart_of(source: random.Random) -> bytes:
    """Return a multipart form with names and values such as forms have."""
    parts = [
        b"--X\r\nContent-Disposition: form-data; name=%s%s\r\n\r\n%s\r\n"
        % (
            source.choice(pieces.PART_NAMES),
            source.choice((b"", b"", b"", b'; filename="a.txt"')),
            b"".join(source.choice(pieces.PART_PIECES) for _ in range(source.choice((1, 2, 2)))),
        )
        for _ in range(source.randint(1, 3))
    ]
    # More findings than a report lists.
    return b"".join(part * source.choice((1, 1, 1, 40)) for part in parts) + b"--X--\r\n"


def _framed(source: random.Random, body: bytes) -> list[tuple[bytes, bytes]]:
    """Return fields that mark the end of a body, as clients send them."""
    if not body:
        return []
    exact = (b"Content-Length", b"%d" % len(body))
    return [source.choice((exact, exact, exact, (b"Transfer-Encoding", b"chunked")))]


def _framing(source: random.Random, body: bytes) -> list[tuple[bytes, bytes]]:
    """Return fields that mark the end of the body in one way, in two, not at all, or wrongly."""
    exact = b"%d" % len(body)
    chunked = (b"Transfer-Encoding", source.choice((b"chunked", b"Chunked")))
    draw = source.randint(0, 7)
    if draw < 4:
        said = (b"Content-Length", source.choice((b"0", b"0", exact, b"1", b"99")))
        return source.choice(([said, chunked], [chunked, said]))
    if draw < 6:
        return [(b"Content-Length", b"%d" % max(0, len(body) + source.choice((-1, 1, 9))))]
    return [] if draw == 6 else [chunked]


def cookie_of(source: random.Random) -> bytes:
    """Return a Cookie field of up to three pairs."""
    pairs = []
    for _ in range(source.randint(1, 3)):
        name, value = source.choice(pieces.COOKIE_NAMES), _joined(source, (pieces.COOKIE_PIECES,), (0, 3))
        if _once_in(source, 3):
            value = b'"' + value + b'"'
        if _once_in(source, 4):
            name = source.choice((source.choice(pieces.BLANKS) + name, name + source.choice(pieces.BLANKS)))
        pairs.append(name + source.choice((b"=", b"=", b"=", b"")) + value)
    return source.choice((b"; ", b"; ", b";", b",")).join(pairs)


def _cookies(source: random.Random) -> list[tuple[bytes, bytes]]:
    return [(b"Cookie", cookie_of(source)) for _ in range(source.choice((0, 0, 0, 1, 1, 2)))]


def _others(source: random.Random) -> list[tuple[bytes, bytes]]:
    """Return fields that proxies write.

    Content-Encoding comes twice. Some fields come again with underscores in the name.
    """
    found = []
    for _ in range(source.choice((0, 0, 0, 1, 1, 2))):
        name, value = source.choice(pieces.HEADERS), source.choice(pieces.HEADER_VALUES)
        found += [(name, value)] * (2 if name == b"Content-Encoding" else 1)
        if _once_in(source, 4):
            also = name.replace(b"-", b"_", source.choice((1, 9)))
            found.insert(source.randint(0, len(found)), (also, source.choice(pieces.HEADER_VALUES)))
    return found


def _joined(source: random.Random, lists: Sequence[tuple[bytes, ...]], most: tuple[int, int]) -> bytes:
    return b"".join(source.choice(source.choice(lists)) for _ in range(source.randint(*most)))


def _once_in(source: random.Random, count: int) -> bool:
    return source.randrange(count) == 0

"""Cut a URL into its components, and cut these where a finding begins or ends."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from postel import Component, Target

AUTHORITY = re.compile(rb"(?P<scheme>[A-Za-z][A-Za-z0-9+.\-]*+:)(?P<slashes>//)(?P<authority>[^/?#\\]*+)")
"""Scheme and authority of a whole URL. As in browsers, a backslash also ends the authority."""


@dataclass(frozen=True)
class Url:
    """The text that a visitor entered, and the part of it that a client would send."""

    octets: bytes
    target: Target
    host: bytes
    path_at: int
    """Offset of the path in the octets."""
    query_at: int
    """Offset of the query in the octets."""

    @classmethod
    def of(cls, text: str) -> Url:
        """Read a URL, or a path and query. A URL loses its fragment, because clients do not send it."""
        octets = text.encode("utf-8", "replace")
        whole = AUTHORITY.match(octets)
        path_at = whole.end() if whole else 0
        sent = octets[path_at:].partition(b"#")[0] if whole else octets
        path, _, query = sent.partition(b"?")
        host = whole["authority"].rpartition(b"@")[2] if whole else b"example.com"
        return cls(
            octets, Target(path or b"/" if whole else path, query), host, path_at, path_at + len(path) + 1
        )

    @property
    def sent(self) -> bytes:
        """The request target."""
        return self.target.path + (b"?" + self.target.query if self.target.query else b"")

    def place(self, component: Component, offset: int) -> int:
        """Convert an offset in a component to one in the octets."""
        return offset + (self.query_at if component is Component.QUERY else self.path_at)


@dataclass(frozen=True)
class Part:
    """A component, or a delimiter between two."""

    role: str
    begin: int
    end: int


def parts(url: Url) -> Iterator[Part]:
    """Yield every octet of a URL in exactly one part, in order."""
    octets = url.octets
    if whole := AUTHORITY.match(octets):
        yield Part("scheme", *whole.span("scheme"))
        yield Part("delimiter", *whole.span("slashes"))
        yield Part("authority", *whole.span("authority"))
    fragment_at = octets.find(b"#", url.path_at)
    end = len(octets) if fragment_at < 0 else fragment_at
    query_at = octets.find(b"?", url.path_at, end)
    yield from _cut(octets, url.path_at, end if query_at < 0 else query_at, b"/", "segment")
    if query_at >= 0:
        yield Part("delimiter", query_at, query_at + 1)
        for pair in _cut(octets, query_at + 1, end, b"&", "name"):
            equals = octets.find(b"=", pair.begin, pair.end)
            if pair.role == "delimiter" or equals < 0:
                yield pair
                continue
            yield Part("name", pair.begin, equals)
            yield Part("delimiter", equals, equals + 1)
            yield Part("value", equals + 1, pair.end)
    if fragment_at >= 0:
        yield Part("delimiter", fragment_at, fragment_at + 1)
        yield Part("fragment", fragment_at + 1, len(octets))


def _cut(octets: bytes, begin: int, end: int, delimiter: bytes, role: str) -> Iterator[Part]:
    while (found := octets.find(delimiter, begin, end)) >= 0:
        yield Part(role, begin, found)
        yield Part("delimiter", found, found + 1)
        begin = found + 1
    yield Part(role, begin, end)


@dataclass(frozen=True)
class Mark:
    """The place of a finding, and its severity."""

    number: int
    begin: int
    end: int
    severity: str


@dataclass(frozen=True)
class Piece:
    """Octets with one role and the same marks, and the findings that begin with this piece."""

    text: str
    role: str
    numbers: tuple[int, ...]
    severity: str
    begins: tuple[int, ...]


SEVERITIES = ("strict", "note", "repair", "bad")
"""From the least severe: found only by a stricter preset; reported; repaired; refused."""


def pieces(url: Url, marks: Iterable[Mark]) -> list[Piece]:
    """Cut a URL at the ends of its parts and of its marks, but never inside a character."""
    marked = [
        Mark(each.number, _start(url.octets, each.begin), _end(url.octets, each.end), each.severity)
        for each in marks
    ]
    cuts = {each for mark in marked for each in (mark.begin, mark.end)}
    found: list[Piece] = []
    for part in parts(url):
        edges = sorted({part.begin, part.end, *(cut for cut in cuts if part.begin < cut < part.end)})
        for begin, end in itertools.pairwise(edges):
            on = [mark for mark in marked if mark.begin < end and begin < mark.end]
            found.append(
                Piece(
                    visible(url.octets[begin:end].decode()),
                    part.role,
                    tuple(mark.number for mark in on),
                    max((mark.severity for mark in on), key=SEVERITIES.index, default=""),
                    tuple(mark.number for mark in on if mark.begin == begin),
                )
            )
    return found


def _start(octets: bytes, at: int) -> int:
    while 0 < at < len(octets) and octets[at] & 0xC0 == 0x80:
        at -= 1
    return at


def _end(octets: bytes, at: int) -> int:
    while at < len(octets) and octets[at] & 0xC0 == 0x80:
        at += 1
    return at


def visible(text: str) -> str:
    """Return the text with names in place of characters that are invisible or reverse other text."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else f"\u27e8U+{ord(c):04X}\u27e9" for c in text)

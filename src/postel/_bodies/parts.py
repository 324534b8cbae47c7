"""The parts of a form, and the header fields of a part: the language that all parsers read alike.

Parsers accept padding, bare line feeds, text around the parts, folded headers and much else, each in its own
way. This module recognises only what every one of them reads as the same parts: RFC 2046, section 5.1.1, and
RFC 7578, without the liberties of either.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, NamedTuple, final

from postel._alphabet.regex import compiled

MOST_HEADERS: Final = 8
"""Header fields of a part; parsers stop at 8 and more."""
LONGEST_HEADER: Final = 4096
"""Octets of the header fields of a part together; Django stops at 1024 for one, Starlette at 4096."""
_CRLF: Final = b"\r\n"
_FIELD: Final = compiled(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]++):[ \t]?+([^\x00-\x1f\x7f]*+)")
_PARAMETER: Final = compiled(
    rb'[ ]?;[ ]?([A-Za-z*]++)=(?:"((?:[^"\\]|\\[^A-Za-z0-9\\\x80-\xff])*+)"|([!#$%&\'+.^_`|~0-9A-Za-z-]++))'
)
"""A parameter of Content-Disposition; a backslash before a letter is half of a path on Windows."""
_PLAIN_TOKEN: Final = compiled(rb"[!#$&+.^_`|~0-9A-Za-z-]++")
_EXTENDED: Final = compiled(rb"(?i:utf-8)'[A-Za-z-]*+'((?:[!#$&+.^_`|~0-9A-Za-z-]|%[0-9A-Fa-f]{2})++)")
"""RFC 8187, section 3.2.1."""
_TYPE: Final = compiled(rb"[!#$&^_.+0-9A-Za-z-]++/[!#$&^_.+0-9A-Za-z-]++(?:; ?[a-z]++=[!-:<-~]++)*+")
_SAYS_UTF8: Final = compiled(rb"; ?charset=utf-?8\Z")
_DISPOSITION: Final = b"content-disposition"
_PLAIN_CODINGS: Final = frozenset({b"7bit", b"8bit", b"binary"})


@final
@dataclass(frozen=True, slots=True)
class Fault:
    """Why octets are not in the language, and where."""

    offset: int
    detail: str
    """In fixed words."""
    is_coding: bool = False
    """Whether a part is encoded, or in another charset."""


@final
@dataclass(frozen=True, slots=True)
class FormPart:
    """One part: where it is, and what its header fields say."""

    start: int
    """Where its header fields begin."""
    content: int
    """Where its content begins."""
    end: int
    """Where its content ends."""
    name: bytes
    """The name as it stands between its quotes, with its escapes."""
    name_at: int
    """Where the name begins."""
    filename: bytes | None
    """The file name, likewise; ``None`` where the part is a text."""
    filename_at: int
    """Where the file name begins."""
    head: bytes
    """The header fields in their canonical spelling, with the line ends between them."""


@final
class _Field(NamedTuple):
    """A header field of a part."""

    value: bytes
    at: int
    """Where its value begins."""
    spelled: bytes
    """Its name as it was sent."""


def split(body: bytes, boundary: bytes, most: int) -> list[tuple[int, int]] | Fault | None:
    r"""Where the parts begin and end; ``None`` if there are more than ``most``.

    >>> split(b"--x\r\nA: b\r\n\r\nc\r\n--x--\r\n", b"x", 10), split(b"--x--", b"x", 10)
    ([(5, 14)], [])
    """
    mark = b"--" + boundary
    count = body.count(mark)
    if not body.startswith(mark):
        return Fault(0, "it does not begin with its boundary")
    if count - 1 > most:
        return None
    parts: list[tuple[int, int]] = []
    place = len(mark)
    while body.startswith(_CRLF, place):
        start = place + len(_CRLF)
        end = body.find(_CRLF + mark, start)
        if end < 0:
            return Fault(len(body), "its last boundary is missing")
        parts.append((start, end))
        place = end + len(_CRLF) + len(mark)
    if not body.startswith(b"--", place) or body[place + 2 :] not in {b"", _CRLF}:
        return Fault(place, "something stands behind a boundary")
    if count != len(parts) + 1:
        return Fault(place, "its boundary stands where it delimits nothing")
    return parts


def read(body: bytes, start: int, end: int) -> FormPart | Fault:
    """Read the header fields of a part."""
    close = body.find(_CRLF * 2, start, min(end, start + LONGEST_HEADER + 4))
    if close < 0:
        return Fault(start, "header fields that are too long, or have no end")
    said = _fields(body[start:close], start)
    if isinstance(said, Fault):
        return said
    named = _disposition(*said[_DISPOSITION][:2])
    if isinstance(named, Fault):
        return named
    kept: list[bytes] = []
    for name, field in said.items():
        written = named.written() if name == _DISPOSITION else _other(name, field, end - close - 4)
        if isinstance(written, Fault):
            return written
        kept += [written] if written else []
    head = _CRLF.join(kept)
    return FormPart(start, close + 4, end, named.name, named.name_at, named.filename, named.filename_at, head)


def _fields(block: bytes, start: int) -> dict[bytes, _Field] | Fault:
    """The header fields of a block by their names in lower case, one of them a Content-Disposition."""
    said: dict[bytes, _Field] = {}
    place = start
    lines = block.split(_CRLF)
    if len(lines) > MOST_HEADERS:
        return Fault(start, "too many header fields")
    for line in lines:
        match = _FIELD.fullmatch(line)
        name = match[1].lower() if match else b""
        if match is None or name in said:
            return Fault(place, "no header field, or one that is there twice")
        said[name] = _Field(match[2].rstrip(b" "), place + match.start(2), match[1])
        place += len(line) + len(_CRLF)
    return said if _DISPOSITION in said else Fault(start, "no Content-Disposition")


@final
@dataclass(slots=True)
class _Named:
    """What a Content-Disposition says."""

    name: bytes
    name_at: int
    filename: bytes | None
    filename_at: int

    def written(self) -> bytes:
        """The canonical field."""
        field = b'Content-Disposition: form-data; name="' + self.name + b'"'
        return field if self.filename is None else field + b'; filename="' + self.filename + b'"'


def _disposition(value: bytes, at: int) -> _Named | Fault:
    kind, place = value[:9], 9
    if kind.lower() != b"form-data":
        return Fault(at, "a disposition that is not form-data")
    found: dict[bytes, tuple[bytes, int]] = {}
    while match := _PARAMETER.match(value, place):
        name, quoted, token = match[1].lower(), match[2], match[3]
        if name in found or name not in {b"name", b"filename", b"filename*"}:
            return Fault(
                at + match.start(1), "a parameter that readers do not know, or one that is there twice"
            )
        if token is not None and name != b"filename*" and not _PLAIN_TOKEN.fullmatch(token):
            return Fault(at + match.start(3), "a value that has to be quoted")
        spelled: bytes = match[3] if quoted is None else re.sub(rb'\\([^"])', rb"\1", quoted)
        found[name] = (spelled, at + match.start(3 if quoted is None else 2))
        place = match.end()
    if place != len(value) or b"name" not in found:
        return Fault(at + place, "no name, or what is no parameter")
    filename = _filename(found)
    if isinstance(filename, Fault):
        return filename
    return _Named(*found[b"name"], *filename)


def _filename(found: dict[bytes, tuple[bytes, int]]) -> tuple[bytes | None, int] | Fault:
    """The file name, of which there may be a second spelling that says the same."""
    plain, plain_at = found.get(b"filename", (None, 0))
    if b"filename*" not in found:
        return plain, plain_at
    value, at = found[b"filename*"]
    match = _EXTENDED.fullmatch(value)
    extended = (
        None if match is None else re.sub(rb"%(..)", lambda each: bytes.fromhex(each[1].decode()), match[1])
    )
    if extended is None or plain not in {None, extended} or b'"' in extended or b"\\" in extended:
        return Fault(at, "two file names, or one that is not UTF-8")
    return extended, plain_at if plain is not None else at


def _other(name: bytes, field: _Field, length: int) -> bytes | Fault:
    """Another field as it goes on; empty if it says what is plain."""
    value, at, spelled = field
    if not value.isascii():
        return Fault(at, "a header field that is not ASCII")
    match name:
        case b"content-type":
            return _content_type(value, at)
        case b"content-transfer-encoding":
            is_plain = value.lower() in _PLAIN_CODINGS
            return b"" if is_plain else Fault(at, "a Content-Transfer-Encoding", is_coding=True)
        case b"content-length":
            return b"" if value == b"%d" % length else Fault(at, "a wrong Content-Length")
        case _:
            return spelled + b": " + value


def _content_type(value: bytes, at: int) -> bytes | Fault:
    """The type of a part; WebOb decodes the names of a part in its charset, a file's, too."""
    lowered = value.lower()
    if _TYPE.fullmatch(value) is None or lowered.startswith(b"multipart/"):
        return Fault(at, "a Content-Type that readers do not take alike")
    if b"charset" in lowered and _SAYS_UTF8.search(lowered) is None:
        return Fault(at, "a charset other than UTF-8", is_coding=True)
    return b"Content-Type: " + value

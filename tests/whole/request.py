"""A whole request as a value, and as servers hand it over: a scope and messages, an environ, octets.

The scope is that of uvicorn with h11, the environ that of gunicorn. Two properties come from more lenient
servers: a chunked body is delivered whatever Content-Length says, and blanks other than space and TAB stay
around a value.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, Self, final

import wire

Fields = tuple[tuple[bytes, bytes], ...]
HOST: Final = b"demo.test"


@final
@dataclass(frozen=True)
class Request:
    """A request of a client, and the mount of the application."""

    target: bytes = b"/"
    method: str = "GET"
    fields: Fields = ((b"Host", HOST),)
    """The header fields, in order, each name as it is spelled."""
    body: bytes = b""
    size: int = 0
    """How many octets a piece of the body has; 0 if the body arrives whole."""
    version: str = "1.1"
    root: str = ""
    """The prefix under which the server has mounted the application."""

    def values(self, name: bytes) -> list[bytes]:
        """Return the values of the fields with that name."""
        return [value for found, value in self.fields if found.lower() == name]

    def without(self, *names: bytes) -> Self:
        """Return the request without the fields of these names."""
        kept = tuple(each for each in self.fields if each[0].lower() not in names)
        return replace(self, fields=kept)

    def having(self, name: bytes, value: bytes) -> Self:
        """Return the request with only one field of that name, in front of the others."""
        rest = self.without(name.lower())
        return replace(rest, fields=((name, value), *rest.fields))

    def carrying(self, body: bytes) -> Self:
        """Return the request with another body; its length is given if a length was given."""
        changed = replace(self, body=body)
        exact = self.values(b"content-length") == [b"%d" % len(self.body)]
        return changed.having(b"Content-Length", b"%d" % len(body)) if exact else changed

    @property
    def is_chunked(self) -> bool:
        """Whether the body is chunked; servers then ignore Content-Length."""
        return bool(self.values(b"transfer-encoding"))

    @property
    def length(self) -> int | None:
        """Return the value of Content-Length."""
        values = self.values(b"content-length")
        return int(values[-1]) if values and re.fullmatch(rb"[0-9]+", values[-1]) else None

    @property
    def delivered(self) -> bytes:
        """Return the octets of the body that a server gives to the application."""
        return self.body if self.is_chunked else self.body[: self.length or 0]

    @property
    def ends(self) -> bool:
        """Whether the client sends as much as it has announced."""
        return self.is_chunked or len(self.body) >= (self.length or 0)

    @property
    def is_whole(self) -> bool:
        """Whether a server gives the whole body to the application, and no more is announced."""
        return self.ends and self.delivered == self.body

    def pieces(self) -> list[bytes]:
        """Return the body in the pieces in which it arrives."""
        octets = self.delivered
        size = self.size or len(octets) or 1
        return [octets[start : start + size] for start in range(0, len(octets), size)] or [b""]

    def __str__(self) -> str:
        """Return the octets as a client sends them, and the mount if there is one."""
        return repr(octets_of(self)) + (f" under {self.root!r}" if self.root else "")


def strip_blanks(value: bytes) -> bytes:
    """Strip the blanks of RFC 9110, section 5.6.3, from a value."""
    return value.strip(b" \t")


def scope_of(request: Request) -> dict[str, Any]:
    """Return the connection scope."""
    scope = wire.scope_of(request.target, request.method)
    fields = [(name.lower(), strip_blanks(value)) for name, value in request.fields]
    root = request.root
    return {
        **scope,
        "http_version": request.version,
        "headers": fields,
        "root_path": root,
        "path": root + scope["path"],
        "raw_path": root.encode() + scope["raw_path"],
    }


def messages_of(request: Request) -> Iterator[dict[str, Any]]:
    """Yield the messages of ``receive``, in order; the last one is the disconnect."""
    pieces = request.pieces()
    for number, piece in enumerate(pieces, 1):
        yield {
            "type": "http.request",
            "body": piece,
            "more_body": number < len(pieces) or not request.ends,
        }
    while True:
        yield {"type": "http.disconnect"}


_LAST: Final = ("CONTENT_TYPE", "CONTENT_LENGTH")
"""Of these fields gunicorn hands over the last one. It joins repeated other fields with commas."""


def environ_of(request: Request) -> dict[str, Any]:
    """Return the environ; like gunicorn and waitress, leave out fields with an underscore in the name."""
    environ = wire.environ_of(request.target, request.method)
    for key in [key for key in environ if key.startswith("HTTP_")]:
        del environ[key]
    for name, value in request.fields:
        if b"_" in name:
            continue
        key = name.decode().upper().replace("-", "_")
        key = key if key in _LAST else f"HTTP_{key}"
        text = strip_blanks(value).decode("latin-1")
        environ[key] = f"{environ[key]},{text}" if key in environ and key not in _LAST else text
    root = request.root.encode().decode("latin-1")
    return {
        **environ,
        "SERVER_PROTOCOL": f"HTTP/{request.version}",
        "SCRIPT_NAME": root,
        "RAW_URI": root + environ["RAW_URI"],
        "wsgi.input": Wire(request.pieces()),
        "wsgi.input_terminated": True,
    }


class Wire(io.RawIOBase):
    """The body of a WSGI request; a read returns at most one piece."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        super().__init__()
        self._pieces = list(pieces)

    def readable(self) -> bool:
        """Return ``True``: the stream can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        while self._pieces and not self._pieces[0]:
            del self._pieces[0]
        if not self._pieces:
            return 0
        piece = self._pieces[0][: len(buffer)]
        self._pieces[0] = self._pieces[0][len(piece) :]
        buffer[: len(piece)] = piece
        return len(piece)


def octets_of(request: Request) -> bytes:
    """Return what a client sends over a socket."""
    line = b"%s %s HTTP/%s\r\n" % (request.method.encode(), request.target, request.version.encode())
    head = b"".join(b"%s: %s\r\n" % field for field in request.fields)
    return line + head + b"\r\n" + b"".join(_sent(request))


def _sent(request: Request) -> Iterator[bytes]:
    if not request.is_chunked:
        yield request.body
        return
    for piece in request.pieces():
        if piece:
            yield b"%x\r\n%s\r\n" % (len(piece), piece)
    yield b"0\r\n\r\n"

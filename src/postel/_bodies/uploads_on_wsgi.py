"""Multipart forms on WSGI: parsed and spooled while they are read, and handed on as a file object."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple, final

from postel._alphabet.steps import finished
from postel._bodies.body import Body
from postel._bodies.delimiters import Delimiters
from postel._bodies.form_part import FormPart
from postel._bodies.length import Bound
from postel._bodies.multipart import Respelled
from postel._bodies.parts import MultipartParser
from postel._bodies.reading_faults import SHORT_BODY, UNREADABLE, UNWRITTEN, kept
from postel._bodies.spool import Spool, pieces

PIECE: Final = 2**16
"""The most octets to read at once."""


@final
class _Unspooled(io.RawIOBase):
    """A stream that returns octets that were read before, in pieces, and then the rest of the body."""

    def __init__(self, octets: Iterator[bytes], stream: Any, left: int | None) -> None:
        super().__init__()
        self._pieces = octets
        self._piece = memoryview(b"")
        self._stream = stream
        self._left = left

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        wanted = len(buffer)
        if not self._piece:
            self._piece = memoryview(next(self._pieces, b""))
        piece = self._piece[:wanted]
        self._piece = self._piece[wanted:]
        if not piece and self._stream is not None:
            piece = self._stream.read(wanted if self._left is None else min(wanted, self._left))
            if self._left is not None:
                self._left -= len(piece)
        buffer[: len(piece)] = piece
        return len(piece)


@final
class _Uncut(io.BufferedReader):
    """A body whose ``readinto`` never ends within a delimiter, so it may return fewer octets than fit.

    Werkzeug calls ``readinto``. ``read`` returns as many octets as asked for, because WebOb takes fewer for
    the end of the body.
    """

    def __init__(self, raw: io.RawIOBase, delimiters: Delimiters) -> None:
        super().__init__(raw)
        self._delimiters = delimiters
        self._at = 0

    def read(self, size: int | None = -1, /) -> bytes:
        return self._passed(super().read(size))

    def read1(self, size: int = -1, /) -> bytes:
        return self._passed(super().read1(size))

    def readline(self, size: int | None = -1, /) -> bytes:
        return self._passed(super().readline(size))

    def readinto(self, buffer: Any, /) -> int:
        view = memoryview(buffer).cast("B")
        read = self.read(self._delimiters.end(self._at, self._at + len(view)) - self._at)
        view[: len(read)] = read
        return len(read)

    readinto1 = readinto

    def _passed(self, octets: bytes) -> bytes:
        self._at += len(octets)
        return octets


@final
class Upload(NamedTuple):
    """The result of reading a multipart form."""

    fault: Body | None = None
    """Why the form is refused as a whole; ``None`` if all of it was read."""
    behind: bytes = b""
    """Octets that were read but are not in the spool."""


def stream_of(spool: Spool, changes: Sequence[Respelled], parts: Sequence[FormPart]) -> io.BufferedReader:
    """A spool as a file object."""
    return _Uncut(_Unspooled(pieces(spool, changes), None, 0), Delimiters(parts, spool.size, changes))


def untouched(spool: Spool, upload: Upload, stream: Any, length: int | None) -> io.BufferedReader:
    """The body as received. ``length`` is its length; ``None`` if the server ends the stream."""
    octets = chain(pieces(spool), [upload.behind] if upload.behind else [])
    left = None if length is None else max(0, length - spool.size - len(upload.behind))
    return io.BufferedReader(_Unspooled(octets, stream if upload.fault else None, left))


def resumed(octets: bytes, stream: Any, length: int | None) -> io.BufferedReader:
    """Octets that were read before, and then the rest of the body. ``length`` counts both."""
    left = None if length is None else length - len(octets)
    return io.BufferedReader(_Unspooled(iter([octets]), stream, left))


def read_upload(  # noqa: PLR0913 - a stream and what is known of it
    stream: Any, spool: Spool, parser: MultipartParser, bound: Bound, length: int | None, *, ends: bool
) -> Upload:
    """Read a multipart form to its end, or to a fault for which it is refused.

    After a fault of its syntax it is read on, so the size of pieces does not change why it is refused.

    ``ends`` tells that the server ends the stream at the end of the body, whatever the length says.
    """
    most = bound.octets if length is None else length
    wanted = most + 1 if ends else most
    while spool.size < wanted:
        try:
            piece = stream.read(min(PIECE, wanted - spool.size))
        except Exception:  # the server may raise anything, because of what the client sent
            return Upload(UNREADABLE)
        if not piece:
            break
        if fault := kept(spool, piece, bound, length):
            return Upload(fault, piece)
        finished(parser.feeding(piece))
        if parser.fault is not None:
            spool.discard()
        if spool.is_full and not spool.flush():
            return Upload(UNWRITTEN)
    parser.close()
    if length is not None and spool.size < length:
        return Upload(SHORT_BODY)
    return Upload()

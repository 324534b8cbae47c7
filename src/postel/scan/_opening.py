"""Open logs: plain, gzip, bzip2, xz or zstd, recognised by their first octets, as decompressed streams."""

from __future__ import annotations

import bz2
import gzip
import importlib
import io
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO, Final, cast, final

from postel.scan._line import Unreadable

_ZSTD: Final = ("compression.zstd", "backports.zstd")
"""The modules that read zstd: the standard library's from Python 3.14 on, and its backport."""
_MAGIC: Final = {
    b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zX": "xz", b"\x28\xb5\x2f\xfd": "zstd"
}  # fmt: skip
"""The first octets of each format: RFC 1952, section 2.3.1; bzip2's file format; the .xz file format, section
2.1.1.1; RFC 8878, section 3.1.1."""
BLOCK: Final = 256 * 1024
"""The size of a block of a log, in octets."""

_HEAD: Final = 8 * 1024 * 1024
"""How many octets are searched for the end of the first line."""


@final
class LogError(Exception):
    """Raised if a log cannot be opened or read; the message says why, and what would help.

    >>> str(LogError("zstd is not installed: pip install '.[scan]' in the clone"))
    "zstd is not installed: pip install '.[scan]' in the clone"
    """


@final
class Log:
    """An open log: decompressed octets, block by block."""

    __slots__ = ("_damage", "_inside", "_raw", "damaged", "is_compressed")

    def __init__(self, raw: BinaryIO) -> None:
        """Recognise the compression of a stream. The caller must close the stream."""
        # BinaryIO declares no readinto, which all files have.
        self._raw = io.BufferedReader(cast("io.RawIOBase", raw), BLOCK)
        head = self._raw.peek(4)[:4]
        named = [name for magic, name in _MAGIC.items() if head.startswith(magic)]
        self.is_compressed: bool = bool(named)
        self.damaged: Unreadable | None = None
        """Why reading ended early; ``None`` if it did not."""
        self._inside: Any = self._raw
        self._damage: tuple[type[Exception], ...] = ()
        if named == ["gzip"]:
            self._inside, self._damage = gzip.GzipFile(fileobj=self._raw), (OSError, EOFError, zlib.error)
        elif named == ["bzip2"]:
            self._inside, self._damage = bz2.BZ2File(self._raw), (OSError, EOFError)
        elif named == ["xz"]:
            lzma = _lzma()
            self._inside, self._damage = lzma.LZMAFile(self._raw), (lzma.LZMAError, EOFError)
        elif named == ["zstd"]:
            zstd = _zstd()
            self._inside, self._damage = zstd.ZstdFile(self._raw), (zstd.ZstdError, EOFError)

    def seek(self, position: int) -> None:
        """Continue reading at a position; only for logs without compression."""
        self._raw.seek(position)

    def read(self, most: int = BLOCK) -> bytes:
        """Return the next octets; empty at the end, and where a compressed log is damaged."""
        if self.damaged:
            return b""
        try:
            octets: bytes = self._inside.read1(most) if self.is_compressed else self._inside.read(most)
        except self._damage:
            self.damaged = Unreadable.CUT_OFF
            return b""
        return octets

    def head(self) -> bytes:
        """Return the first octets; they hold the first line unless it is very long."""
        head = self.read()
        while head and len(head) < _HEAD and not 0 <= head.find(b"\n") < len(head) - 1:
            more = self.read()
            if not more:
                break
            head += more
        return head

    def blocks(self) -> Iterator[bytes]:
        """Yield the remaining blocks."""
        while block := self.read():
            yield block

    def close(self) -> None:
        """Detach from the stream, and leave it open."""
        self._raw.detach()


def _lzma() -> Any:
    try:
        return importlib.import_module("lzma")
    except ImportError:
        raise LogError("this Python was built without lzma; decompress the log with xz -dc") from None


def _zstd() -> Any:
    for name in _ZSTD:
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    raise LogError("reading zstd needs Python 3.14, or pip install '.[scan]' in the clone")

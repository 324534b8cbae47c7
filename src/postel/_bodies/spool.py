"""Spools: bodies held in memory up to a bound, and beyond it in a temporary file that has no name.

Nothing here knows an event loop. What may wait for the disk (:meth:`Spool.flush`, the pieces of
:func:`pieces`) is called in a worker thread where there is one, and :meth:`Spool.close` never waits for it.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import IO, Final, TypeVar, final

from postel._bodies.form_settings import Forms
from postel._bodies.multipart import Respelled
from postel._errors import PolicyError

PIECE: Final = 2**18
"""Octets that are written or read at once."""
_Result = TypeVar("_Result")


@final
class Room:
    """How much all spools of a middleware together may hold."""

    __slots__ = ("_lock", "left")

    def __init__(self, octets: int) -> None:
        """Begin with room for so many octets."""
        self._lock = threading.Lock()
        self.left = octets

    def take(self, octets: int) -> bool:
        """Whether there is room for so many octets; then they are taken."""
        with self._lock:
            if octets > self.left:
                return False
            self.left -= octets
        return True

    def give(self, octets: int) -> None:
        """Give octets back."""
        with self._lock:
            self.left += octets


@final
class Spool:
    """The octets of one body. Everything is given back when it is closed."""

    __slots__ = (
        "_busy",
        "_closed",
        "_directory",
        "_file",
        "_lock",
        "_memory",
        "_octets",
        "_room",
        "size",
        "written",
    )

    def __init__(self, room: Room, memory: int, directory: str | None) -> None:
        """Hold up to ``memory`` octets in memory, and more of them in a file in ``directory``."""
        self._room = room
        self._memory = memory
        self._directory = directory
        self._octets = bytearray()
        """The octets behind those in the file."""
        self.written = 0
        """Octets in the file."""
        self._file: IO[bytes] | None = None
        self._lock = threading.Lock()
        self._busy = self._closed = False
        self.size = 0

    @property
    def octets(self) -> bytes | None:
        """The whole body; ``None`` if a part of it is in a file."""
        return None if self.written else bytes(self._octets)

    @property
    def is_full(self) -> bool:
        """Whether :meth:`flush` is due before more is added."""
        return len(self._octets) > (PIECE if self.written else self._memory)

    def add(self, octets: bytes) -> bool:
        """Keep octets in memory; ``False`` if all spools together have no room for them."""
        if not self._room.take(len(octets)):
            return False
        self._octets += octets
        self.size += len(octets)
        return True

    def flush(self) -> bool:
        """Write what is in memory to the file; ``False`` where the disk does not take it."""
        try:
            self._alone(self._write)
        except OSError:
            return False
        return True

    def read(self, start: int, end: int) -> bytes:
        """Octets from a place on, at least one of them and none behind ``end``."""
        return self._alone(lambda: self._read(start, end))

    def close(self) -> None:
        """Give back the room, and the file as soon as nobody reads or writes it."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            idle = not self._busy
        self._room.give(self.size)
        self._octets = bytearray()
        if idle and self._file is not None:
            _closed_aside(self._file)

    def _alone(self, work: Callable[[], _Result]) -> _Result:
        """Work with the file. If the spool is closed meanwhile, the file is closed behind it.

        A worker thread goes on with its piece where the request it works for has been cancelled.
        """
        with self._lock:
            if self._closed:
                raise ValueError("the request is over, and its body is closed")
            self._busy = True
        try:
            return work()
        finally:
            if self._done() and self._file is not None:
                self._file.close()

    def _done(self) -> bool:
        """Say that the work is done, and whether the spool was closed meanwhile."""
        with self._lock:
            self._busy = False
            return self._closed

    def _write(self) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile(  # noqa: SIM115 - it is closed with the spool
                buffering=0, prefix="postel-", dir=self._directory
            )
        self._file.seek(self.written)
        left = memoryview(bytes(self._octets))
        while left:
            left = left[self._file.write(left) :]
        self.written += len(self._octets)
        self._octets = bytearray()

    def _read(self, start: int, end: int) -> bytes:
        if self._file is None or start >= self.written:
            return bytes(self._octets[start - self.written : end - self.written])
        self._file.seek(start)
        return self._file.read(min(end, self.written) - start)


def _closed_aside(file: IO[bytes]) -> None:
    """Close a file in a thread, since the system may have much to free; at once where no thread can start."""
    try:
        threading.Thread(target=file.close, name="postel-spool").start()
    except RuntimeError:
        file.close()


def pieces(spool: Spool, changes: Sequence[Respelled] = ()) -> Iterator[bytes]:
    """The octets of a spool, piece by piece, with what is to be other."""
    held = bytearray()
    place = 0
    for start, end, octets in (*changes, Respelled(spool.size, spool.size, b"")):
        while place < start:
            read = spool.read(place, min(start, place + PIECE))
            place += len(read)
            held += read
            if len(held) >= PIECE:
                yield bytes(held)
                held.clear()
        held += octets
        place = end
    if held:
        yield bytes(held)


def check_directory(forms: Forms) -> None:
    """Raise :class:`postel.PolicyError` if uploads need a file, and none can be written."""
    if forms.upload <= forms.memory:
        return
    spool = Spool(Room(1), 0, forms.spool_dir)
    spool.add(b"\0")
    works = spool.flush()
    spool.close()
    if not works:
        raise PolicyError(
            f"Forms(spool_dir={forms.spool_dir!r}): no temporary file can be written there; name a directory "
            f"such as '/var/tmp', or write memory={forms.upload} to hold all uploads in memory"
        )

"""Spools: bodies held in memory up to a limit, and beyond it in an unnamed temporary file.

This module does not depend on an event loop. If one runs, callers use a worker thread to call
:meth:`Spool.flush` and to iterate over :func:`pieces`, which may wait for the disk. :meth:`Spool.close` never
waits.
"""

from __future__ import annotations

import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from os import PathLike
from typing import IO, Final, TypeVar, final

from postel._bodies.form_settings import Forms
from postel._bodies.multipart import Respelled
from postel._errors import PolicyError

PIECE: Final = 2**18
"""How many octets are written or read at once."""
QUOTA_EXCEEDED: Final = "all uploads together would exceed Forms.spool_limit"
_Result = TypeVar("_Result")


@final
class SpoolQuota:
    """The number of octets that all spools of a middleware may hold together."""

    __slots__ = ("_left", "_lock", "_released")

    def __init__(self, octets: int) -> None:
        """Allow ``octets`` in all spools together."""
        self._lock = threading.Lock()
        self._left = octets
        self._released: deque[int] = deque()
        """Numbers of octets that were released and are not counted yet."""

    @property
    def left(self) -> int:
        """How many octets are free."""
        with self._lock:
            return self._counted()

    def reserve(self, octets: int) -> bool:
        """Reserve this many octets; returns False if the quota has no room for them."""
        with self._lock:
            if octets > self._counted():
                return False
            self._left -= octets
        return True

    def release(self, octets: int) -> None:
        """Give back reserved octets. This takes no lock, because the garbage collector may call it."""
        self._released.append(octets)

    def _counted(self) -> int:
        while self._released:
            self._left += self._released.popleft()
        return self._left


@final
class ClosedSpoolError(ValueError):
    """A spool was read or written after the end of its request."""


@final
class Spool:
    """The octets of one body. Its quota and its file are freed when it is closed or garbage-collected."""

    __slots__ = (
        "_busy",
        "_closed",
        "_directory",
        "_discards",
        "_file",
        "_keep",
        "_lock",
        "_memory",
        "_octets",
        "_quota",
        "_reserved",
        "size",
        "written",
    )

    def __init__(
        self,
        quota: SpoolQuota,
        memory: int,
        directory: str | PathLike[str] | None,
        *,
        keep: bool = True,
        discards: bool = False,
    ) -> None:
        """Hold up to ``memory`` octets in memory, and the others in a file in ``directory``.

        ``keep`` tells whether :attr:`octets` is wanted, ``discards`` whether :meth:`discard` has an effect.
        """
        self._quota = quota
        self._keep = keep
        self._discards = discards
        self._memory = memory
        self._directory = directory
        self._octets = bytearray()
        """The end of the body, held in memory: the octets that are not in the file."""
        self.written = 0
        """The number of octets in the file."""
        self._file: IO[bytes] | None = None
        self._lock = threading.Lock()
        self._busy = self._closed = False
        self.size = 0
        """The length of the body."""
        self._reserved = 0
        """How many octets are reserved in the quota: all of the body, or none once it is discarded."""

    @property
    def octets(self) -> bytes | None:
        """A copy of the whole body; ``None`` if some of it is in a file or discarded, or if it is not wanted.

        An empty body is always returned.
        """
        is_whole = not self.written and self._reserved == self.size
        return bytes(self._octets) if is_whole and (self._keep or not self.size) else None

    @property
    def is_closed(self) -> bool:
        """Whether the request is over."""
        return self._closed

    @property
    def is_full(self) -> bool:
        """Whether :meth:`flush` must be called before more octets are added."""
        return len(self._octets) > (PIECE if self.written else self._memory)

    def add(self, octets: bytes) -> bool:
        """Add octets in memory; returns False if the quota has no room for them.

        After :meth:`discard`, they are only counted, and the result is the same as without it.
        """
        if self._reserved < self.size:
            if not self.has_room(len(octets)):
                return False
        elif self._quota.reserve(len(octets)):
            self._octets += octets
            self._reserved += len(octets)
        else:
            return False
        self.size += len(octets)
        return True

    def has_room(self, octets: int) -> bool:
        """Whether the quota has room for this many octets beside those of the body."""
        return self.size - self._reserved + octets <= self._quota.left

    def discard(self) -> None:
        """Free what is held of a body that will be refused, and only count further octets.

        If :attr:`octets` is wanted, this waits until there are more than can be held in memory.
        """
        if not self._discards or (self._keep and self.size <= self._memory):
            return
        self._quota.release(self._reserved)
        self._octets, self._reserved = bytearray(), 0
        if self._file is not None:
            _close_in_thread(self._file)
            self._file = None

    def flush(self) -> bool:
        """Write the octets in memory to the file; ``False`` if that fails."""
        try:
            self._alone(self._write)
        except OSError:
            return False
        return True

    def read(self, start: int, end: int) -> bytes:
        """Read from ``start``, at least one octet and at most up to ``end``."""
        return self._alone(lambda: self._read(start, end))

    def close(self) -> None:
        """Free the quota, and close the file once it is no longer read or written."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            idle = not self._busy
        self._quota.release(self._reserved)
        self._octets = bytearray()
        if idle and self._file is not None:
            _close_in_thread(self._file)

    def __del__(self) -> None:
        """Close the spool: some bridges, such as ``asgiref.wsgi.WsgiToAsgi``, never close a WSGI answer."""
        self.close()

    def _alone(self, work: Callable[[], _Result]) -> _Result:
        """Do work with the file. If the spool is closed during the work, the file is closed afterwards.

        A worker thread continues with its piece even if its request has been cancelled.
        """
        with self._lock:
            if self._closed:
                raise ClosedSpoolError("the request is over, and its body is closed")
            self._busy = True
        try:
            return work()
        finally:
            if self._done() and self._file is not None:
                self._file.close()

    def _done(self) -> bool:
        """Mark the work as done; returns whether the spool was closed during the work."""
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


def _close_in_thread(file: IO[bytes]) -> None:
    """Close a file in a thread, because freeing it may take long; directly if no thread can start."""
    try:
        threading.Thread(target=file.close, name="postel-spool").start()
    except RuntimeError:
        file.close()


def pieces(spool: Spool, changes: Sequence[Respelled] = ()) -> Iterator[bytes]:
    """Yield the octets of a spool in pieces, with the changes applied."""
    pending = bytearray()
    place = 0
    for start, end, octets in (*changes, Respelled(spool.size, spool.size, b"")):
        while place < start:
            read = spool.read(place, min(start, place + PIECE))
            place += len(read)
            pending += read
            if len(pending) >= PIECE:
                yield bytes(pending)
                pending.clear()
        pending += octets
        place = end
    if pending:
        yield bytes(pending)


def check_directory(forms: Forms) -> None:
    """Raise :class:`postel.PolicyError` if uploads need a temporary file and none can be written."""
    if forms.upload <= forms.memory:
        return
    spool = Spool(SpoolQuota(1), 0, forms.spool_dir)
    spool.add(b"\0")
    try:
        works = spool.flush()
    except ValueError:  # the name holds a NUL, or text that cannot be encoded
        works = False
    spool.close()
    if not works:
        raise PolicyError(
            f"Forms(spool_dir={forms.spool_dir!r}): no temporary file can be written there; name a directory "
            f"such as '/var/tmp', or write memory={forms.upload} to hold all uploads in memory"
        )

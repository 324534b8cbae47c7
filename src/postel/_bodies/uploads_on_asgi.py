"""Multipart forms on ASGI: parsed and spooled while they are received, and handed on in pieces."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import MutableMapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import Any, Final, final

from postel._bodies.body import Body
from postel._bodies.delimiters import Delimiters
from postel._bodies.form_part import FormPart
from postel._bodies.length import Bound
from postel._bodies.messages import body_of, received
from postel._bodies.multipart import Respelled, grown
from postel._bodies.parts import MultipartParser
from postel._bodies.reading_faults import DISCONNECTED, SHORT_BODY, UNWRITTEN, kept
from postel._bodies.spool import ClosedSpoolError, Spool, pieces
from postel._bodies.turns import in_turns, off_loop
from postel._http.websocket import Receive

_FAILED: Final = "the body can no longer be read, because reading it has failed before"


@final
@dataclass(frozen=True, slots=True)
class Upload:
    """The result of reading a multipart form."""

    fault: Body | None
    """Why the form is refused as a whole; ``None`` if all of it was read."""
    more: MutableMapping[str, Any] | None = None
    """A message to return after the octets of the spool; ``None`` if the body ends with them."""
    gone: bool = False
    """Whether the client disconnected before the end of the body."""


@final
class Unspooled:
    """A ``receive`` that first returns the octets of a spool.

    Several tasks may call it at the same time, and a call may be cancelled: each piece is returned once, in
    order. When the request is over, octets that were not read are gone, and the message is that of servers.
    """

    __slots__ = ("_is_read", "_left", "_lock", "_more", "_pieces", "_read", "_receive", "_spool", "_waits")

    def __init__(
        self,
        spool: Spool,
        receive: Receive,
        changes: Sequence[Respelled] = (),
        parts: Sequence[FormPart] = (),
        more: MutableMapping[str, Any] | None = None,
    ) -> None:
        """``more`` is a message to return after the spool; ``None`` if the body ends with the spool."""
        self._spool = spool
        self._pieces = Delimiters(parts, spool.size, changes).uncut(pieces(spool, changes))
        self._lock = threading.Lock()
        """Held while a piece is read. Only worker threads ever wait for it."""
        self._read: deque[bytes] = deque()
        """The next piece, once it has been read."""
        self._is_read = False
        """Whether the last piece has been read."""
        self._waits = spool.written > 0
        self._left: int | None = spool.size + grown(changes)
        self._more = more
        self._receive = receive

    async def __call__(self) -> MutableMapping[str, Any]:
        """The next message."""
        while self._left:
            if self._spool.is_closed:
                return {"type": "http.disconnect"}
            with suppress(ClosedSpoolError):
                if self._waits:
                    await off_loop(self._prepare)
                else:
                    self._prepare()
            # Another task may have taken the piece.
            if self._read:
                piece = self._read.popleft()
                self._left -= len(piece)
                return self._message(piece)
            if self._is_read and self._left:
                raise ValueError(_FAILED)
        if self._left == 0:  # an empty body
            return self._message(b"")
        if self._more is None:
            return await self._receive()
        message, self._more = self._more, None
        return message

    def _message(self, piece: bytes) -> MutableMapping[str, Any]:
        more = bool(self._left) or self._more is not None
        self._left = self._left or None
        return body_of(piece, more=more)

    def _prepare(self) -> None:
        """Read the next piece, unless it has been read for a call that was cancelled."""
        with self._lock:
            if not self._read:
                piece = next(self._pieces, None)
                if piece is None:
                    self._is_read = True
                else:
                    self._read.append(piece)


async def read_upload(
    receive: Receive, spool: Spool, parser: MultipartParser, bound: Bound, length: int | None
) -> Upload:
    """Read a multipart form to its end, or to a fault for which it is refused.

    After a fault of its syntax it is read on, so the size of messages does not change why it is refused.
    """
    most = bound.octets if length is None else length
    more, numbers = True, count(1)
    while more:
        octets, more, other = await received(receive, most - spool.size, numbers)
        if fault := kept(spool, octets, bound, length):
            # If the client disconnected, the next message from the server says so again.
            return Upload(fault, body_of(octets, more=more or other is not None))
        if other is not None:
            return Upload(DISCONNECTED, other, gone=True)
        if parser.add(octets):
            await in_turns(parser.parsing())
        if parser.fault is not None:
            spool.discard()
        if spool.is_full and not await off_loop(spool.flush):
            return Upload(UNWRITTEN, body_of(b"", more=True) if more else None)
    parser.close()
    if length is not None and spool.size < length:
        return Upload(SHORT_BODY)
    return Upload(None)

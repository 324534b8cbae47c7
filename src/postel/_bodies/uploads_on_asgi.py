"""Multipart forms on ASGI: parsed and spooled while they are received, and handed on in pieces."""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

from postel._bodies.body import Body, Bound
from postel._bodies.multipart import Respelled, grown
from postel._bodies.parts import MultipartParser
from postel._bodies.spool import QUOTA_EXCEEDED, Spool, pieces
from postel._bodies.turns import in_turns, off_loop
from postel._catalogue.kinds import Kind
from postel._http.websocket import Receive

_NO_OCTETS: Final[MutableMapping[str, Any]] = {"type": "http.request", "body": b"", "more_body": True}


@final
@dataclass(frozen=True, slots=True)
class Upload:
    """The result of reading a multipart form."""

    fault: Body | None
    """Why the form is refused as a whole; ``None`` if all of it was read."""
    more: MutableMapping[str, Any] | None = None
    """A message to send after the spool; ``None`` if the body ends with the spool."""
    gone: bool = False
    """Whether the client disconnected before the end of the body."""


@final
class Unspooled:
    """A ``receive`` that first returns the octets of a spool."""

    __slots__ = ("_left", "_more", "_pieces", "_receive", "_waits")

    def __init__(
        self,
        spool: Spool,
        receive: Receive,
        changes: Sequence[Respelled] = (),
        more: MutableMapping[str, Any] | None = None,
    ) -> None:
        """``more`` is a message to return after the spool; without it, the body ends with the spool."""
        self._pieces = pieces(spool, changes)
        self._waits = spool.written > 0
        self._left: int | None = spool.size + grown(changes)
        self._more = more
        self._receive = receive

    async def __call__(self) -> MutableMapping[str, Any]:
        """The next message."""
        if self._left is None:
            if self._more is None:
                return await self._receive()
            message, self._more = self._more, None
            return message
        piece = (await off_loop(self._next)) if self._waits else self._next()
        self._left -= len(piece)
        more = self._left > 0 or self._more is not None
        if self._left == 0:
            self._left = None
        return {"type": "http.request", "body": piece, "more_body": more}

    def _next(self) -> bytes:
        return next(self._pieces, b"")


async def read_upload(
    receive: Receive, spool: Spool, parser: MultipartParser, bound: Bound, length: int | None
) -> Upload:
    """Read a multipart form to its end, or to a fault for which it is refused."""
    most = bound.octets if length is None else length
    more = True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            return Upload(Body(fault=Kind.WRONG_LENGTH, detail="the client disconnected"), message, gone=True)
        piece = message.get("body", b"")
        more = bool(message.get("more_body", False))
        if spool.size + len(piece) > most:
            longer = Body(fault=Kind.WRONG_LENGTH, detail="more than Content-Length says")
            return Upload(Body(fault=bound.kind) if length is None else longer, message)
        if not spool.add(piece):
            return Upload(Body(fault=Kind.SPOOL_FULL, detail=QUOTA_EXCEEDED), message)
        if parser.add(piece):
            await in_turns(parser.parsing())
        if spool.is_full and not await off_loop(spool.flush):
            fault = Body(fault=Kind.SPOOL_FULL, detail="no temporary file could be written")
            return Upload(fault, _NO_OCTETS if more else None)
    parser.close()
    if length is not None and spool.size < length:
        return Upload(Body(fault=Kind.WRONG_LENGTH, detail="less than Content-Length says"))
    return Upload(None)

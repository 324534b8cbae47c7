"""Why a body is refused while it is read: the same on WSGI and ASGI, and for pieces of any size."""

from __future__ import annotations

from typing import Final

from postel._bodies.body import Body
from postel._bodies.length import Bound
from postel._bodies.spool import QUOTA_EXCEEDED, Spool
from postel._catalogue.kinds import Kind

SHORT_BODY: Final = Body(fault=Kind.WRONG_LENGTH, detail="less than Content-Length says")
DISCONNECTED: Final = Body(fault=Kind.WRONG_LENGTH, detail="the client disconnected")
UNREADABLE: Final = Body(fault=Kind.WRONG_LENGTH, detail="the server could not read the body")
UNWRITTEN: Final = Body(fault=Kind.SPOOL_FULL, detail="no temporary file could be written")


def long_body(bound: Bound, length: int | None) -> Body:
    """A body that is longer than its Content-Length ``length``, or than the bound if it states no length.

    >>> long_body(Bound(5, Kind.LONG_FORM, "Forms.limit"), 3).detail
    'more than Content-Length says'
    """
    if length is None:
        return Body(fault=bound.kind, detail=bound.detail)
    return Body(fault=Kind.WRONG_LENGTH, detail="more than Content-Length says")


def kept(spool: Spool, octets: bytes, bound: Bound, length: int | None) -> Body | None:
    """Keep octets in a spool; returns why they cannot be kept, ``None`` if they are.

    An upload beyond its limit is refused as too long only if the quota has room for all octets up to the
    limit. Otherwise it is refused for lack of room, because smaller pieces would have used up the quota.
    """
    most = bound.octets if length is None else length
    if spool.size + len(octets) > most and spool.has_room(most - spool.size):
        return long_body(bound, length)
    return None if spool.add(octets) else Body(fault=Kind.SPOOL_FULL, detail=QUOTA_EXCEEDED)

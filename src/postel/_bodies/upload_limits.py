"""The limits of an upload: the same on ASGI and WSGI, and for pieces of any size."""

from __future__ import annotations

from postel._bodies.body import Body
from postel._bodies.bound import Bound
from postel._bodies.reading_faults import long_body
from postel._bodies.spool import QUOTA_EXCEEDED, Spool
from postel._catalogue.kinds import Kind


def kept(spool: Spool, octets: bytes, bound: Bound, length: int | None) -> Body | None:
    """Keep octets in a spool; returns why they cannot be kept, ``None`` if they are.

    An upload beyond its limit is refused as too long only if the quota has room for all octets up to the
    limit. Otherwise it is refused for lack of room, because smaller pieces would have used up the quota.
    """
    most = bound.octets if length is None else length
    if spool.size + len(octets) > most and spool.has_room(most - spool.size):
        return long_body(bound, length)
    return None if spool.add(octets) else Body(fault=Kind.SPOOL_FULL, detail=QUOTA_EXCEEDED)

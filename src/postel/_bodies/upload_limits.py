"""The limits of an upload, the same on ASGI and WSGI, and in whatever pieces it is received."""

from __future__ import annotations

from postel._bodies.body import Body, Bound
from postel._bodies.spool import QUOTA_EXCEEDED, Spool
from postel._catalogue.kinds import Kind


def kept(spool: Spool, octets: bytes, bound: Bound, length: int | None) -> Body | None:
    """Keep octets in a spool; returns why they cannot be kept, ``None`` if they are.

    An upload is too long if all octets up to its limit can be held. Otherwise there is no room for it, and
    nobody knows how long it is.
    """
    most = bound.octets if length is None else length
    if spool.size + len(octets) > most and spool.has_room(most - spool.size):
        longer = Body(fault=Kind.WRONG_LENGTH, detail="more than Content-Length says")
        return Body(fault=bound.kind) if length is None else longer
    return None if spool.add(octets) else Body(fault=Kind.SPOOL_FULL, detail=QUOTA_EXCEEDED)

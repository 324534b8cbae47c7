"""Why a body is refused while it is read, in the same words on WSGI and ASGI."""

from __future__ import annotations

from typing import Final

from postel._bodies.body import Body
from postel._bodies.bound import Bound
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

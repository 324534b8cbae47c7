"""The result of reading a body on ASGI: the report, and what the application receives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

from postel._bodies.content_type import ContentType, content_type
from postel._http.headers import header, header_values
from postel._http.report import Report
from postel._http.websocket import Receive, Scope

if TYPE_CHECKING:
    from postel._bodies.spool import Spool


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BodyResult:
    """A request whose body has been read and judged, or needs no judgement."""

    report: Report
    receive: Receive
    headers: list[Any] | None = None
    """The headers for the application; ``None`` if they do not change."""
    gone: bool = False
    """Whether the client disconnected before the end of the body."""
    spool: Spool | None = None
    """The spool to close when the request is over."""

    def close(self) -> None:
        """Close the spool, if there is one."""
        if self.spool is not None:
            self.spool.close()


def declared_by(scope: Scope) -> ContentType:
    """Read the Content-Type from a scope. WSGI bridges and older Djangos merge ``Content_Type`` with it."""
    return content_type(header_values(scope, b"content-type"), header(scope, b"content_type") or b"")

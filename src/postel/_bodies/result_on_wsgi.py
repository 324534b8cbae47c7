"""The result of reading a body on WSGI: the report, and what the application receives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, final

from postel._bodies.content_type import ContentType, content_type
from postel._http.headers import latin1_octets
from postel._http.interop import Environ
from postel._http.report import Report

if TYPE_CHECKING:
    from postel._bodies.spool import Spool


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BodyResult:
    """A request whose body has been read and judged, or needs no judgement."""

    report: Report
    changes: Environ = field(default_factory=dict[str, Any])
    """The new values for the environ; ``None`` removes a key."""
    spool: Spool | None = None
    """The spool to close when the answer is closed."""


@final
class Closing:
    """The answer of an application; closing it also closes a spool."""

    __slots__ = ("_answer", "_spool")

    def __init__(self, answer: Iterable[bytes], spool: Spool) -> None:
        """The application may read the spool until the server closes its answer."""
        self._answer = answer
        self._spool = spool

    def __iter__(self) -> Iterator[bytes]:
        """Iterate over the answer."""
        return iter(self._answer)

    def close(self) -> None:
        """Close the answer and the spool: PEP 3333, specification details."""
        try:
            close = getattr(self._answer, "close", None)
            if close is not None:
                close()
        finally:
            self._spool.close()


def declared_by(environ: Environ) -> ContentType:
    """Read the Content-Type from an environ; some servers set ``HTTP_CONTENT_TYPE`` as well."""
    first, second = (latin1_octets(environ.get(key)) for key in ("CONTENT_TYPE", "HTTP_CONTENT_TYPE"))
    return content_type([first], second)

"""Reports: what an application can ask about its request after postel has judged it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, final

from postel._catalogue import Finding, Kind
from postel._target import Target

KEY: Final = "postel.report"
"""The one key that an environ or scope gets; ``report_of`` is its only reader."""


@final
@dataclass(frozen=True, slots=True)
class Report:
    """What was received, what was found in it, and what the application was given.

    ``report_of`` hands it out; an observer is called with it.
    """

    received: Target
    """Path and query as received. Sign and verify these octets."""
    target: Target | None
    """Path and query as the application reads them; ``None`` where the request was refused."""
    findings: tuple[Finding, ...] = ()
    """What was noticed, at most 32 findings."""
    omitted: int = 0
    """How many more there were."""
    received_prefix: bytes = b""
    """The prefix as it stood in front of the received path, still percent-encoded."""
    verbatim: bool = True
    """Whether ``received`` holds the client's own octets; else the server's decoded view, written as data."""
    blind: frozenset[Kind] = frozenset()
    """The kinds that this server's environ or scope cannot show."""
    enforced: bool = True
    """Whether the policy was acted on; under ``enforce=False`` the request went on untouched."""
    method: str = ""
    client: str = ""
    """The address that the server names as the client's."""

    @property
    def refused(self) -> bool:
        """Whether the policy refuses the request."""
        return self.target is None

    @property
    def changed(self) -> bool:
        """Whether the application reads another path or query than was received."""
        if self.target is None:
            return False
        return (self.target.path, self.target.query) != (self.received.path, self.received.query)

    @property
    def received_target(self) -> bytes:
        """The request target as received: prefix, path, and query behind a ``?``."""
        query = b"?" + self.received.query if self.received.query else b""
        return self.received_prefix + self.received.path + query


def report_of(request: object) -> Report:
    """The report on a request, given its WSGI environ, ASGI scope, or a framework's request object.

    A ``LookupError`` where no postel middleware stands in front.

    >>> report_of({"postel.report": (b"/a", b"q=1", b"")}).received_target
    b'/a?q=1'
    """
    for found in (request, *(getattr(request, name, None) for name in ("scope", "environ", "env"))):
        if isinstance(found, Mapping) and KEY in found:
            return _made(found[KEY])
    raise LookupError(
        f"no report in this {type(request).__name__}: wrap the application in "
        "postel.asgi.NormalizeMiddleware or postel.wsgi.NormalizeMiddleware"
    )


def _made(noted: Any) -> Report:
    if isinstance(noted, Report):
        return noted
    path, query, prefix = noted  # a clean request notes its octets, and its report is made when asked for
    target = Target(path, query)
    return Report(target, target, received_prefix=prefix)


def enforced_before(request: Mapping[str, Any]) -> bool:
    """Whether another postel further out has judged this request and acted on it."""
    noted = request.get(KEY)
    return noted is not None and (not isinstance(noted, Report) or noted.enforced)

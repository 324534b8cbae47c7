"""Reports: what an application can ask about its request after postel has judged it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple, final

from postel._bridges import ENVIRON, SCOPE, as_request
from postel._catalogue import Finding, Kind
from postel._headers import host_of
from postel._octets import percent_decode
from postel._received import hidden_by
from postel._target import Target

KEY: Final = "postel.report"
"""The one key that an environ or scope gets; ``report_of`` is its only reader."""


@final
@dataclass(frozen=True, slots=True)
class Report:
    """What was received, what was found in it, and what the application was given.

    ``report_of`` hands it out; an observer is called with it.

    >>> report = Report(Target(b"/a", b"q=1"), Target(b"/a", b"q=1"))
    >>> report.received_target, report.refused, report.changed
    (b'/a?q=1', False, False)
    """

    received: Target
    """Path and query as received. Sign and verify these octets."""
    target: Target | None
    """Path and query as the application reads them; ``None`` where the request is refused."""
    findings: tuple[Finding, ...] = ()
    """What was noticed; of very many findings the first."""
    omitted: int = 0
    """How many findings more there were; where the request is refused, at least so many."""
    received_prefix: bytes = b""
    """The prefix in front of the received path, percent-encoded; some servers put it there themselves."""
    verbatim: bool = True
    """Whether ``received`` holds the client's own octets; else the server's decoded view, written as data."""
    blind: frozenset[Kind] = frozenset()
    """The kinds that this server's environ or scope cannot show."""
    enforced: bool = True
    """Whether the policy was acted on; under ``enforce=False`` the request went on untouched."""
    method: str = ""
    """The method of the request, as the server names it; ``WebSocket`` where a client opens one."""
    client: str = ""
    """The address that the server names as the client's."""
    received_form: bytes | None = None
    """The octets of a form as received, where ``Forms(keep=True)`` asks for them."""
    location: str | None = None
    """Path and query that a 308 leads to, if the request is redirected, or would be if that were enforced."""

    @property
    def refused(self) -> bool:
        """Whether the policy refuses the request; it may then be redirected to ``location``."""
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

    >>> report_of({"postel.report": (b"/a", b"q=1", b"", b"")}).received_target
    b'/a?q=1'
    """
    for found in (request, *(getattr(request, name, None) for name in ("scope", "environ", "env"))):
        if (noted := _noted(as_request(found))) is not None:
            return noted if isinstance(noted, Report) else _made(noted, as_request(found))
    raise LookupError(
        f"no report in this {type(request).__name__}: wrap the application in "
        "postel.asgi.NormalizeMiddleware or postel.wsgi.NormalizeMiddleware"
    )


def enforced_before(request: Mapping[str, Any]) -> bool:
    """Whether another postel further out has judged this request and acted on it."""
    noted = _noted(request)
    return noted is not None and (not isinstance(noted, Report) or noted.enforced)


@final
class Asked(NamedTuple):
    """Who has asked, and how, in the words of either protocol."""

    method: str
    client: str
    """The address of the client."""
    version: str
    """That of HTTP, such as ``1.1``; empty where the server does not say it."""


def asked_by(request: Mapping[str, Any]) -> Asked:
    """Who has asked, by an environ or scope."""
    default = "WebSocket" if request.get("type") == "websocket" else ""
    method = request.get("REQUEST_METHOD", request.get("method", default))
    client = request.get("REMOTE_ADDR")
    version = request.get("SERVER_PROTOCOL", request.get("http_version"))
    match request.get("client"):
        case [address, *_]:
            client = address
        case _:
            pass
    return Asked(
        method if isinstance(method, str) else "",
        client if isinstance(client, str) else "",
        version.upper().removeprefix("HTTP/") if isinstance(version, str) else "",
    )


def _noted(request: Mapping[str, Any]) -> Any:
    noted = request.get(KEY)
    if noted is not None or (SCOPE not in request and ENVIRON not in request):
        return noted
    for bridge in (SCOPE, ENVIRON):
        if noted is None and bridge in request:
            noted = as_request(request[bridge]).get(KEY)
    return noted


def _made(noted: tuple[bytes, bytes, bytes, bytes], request: Mapping[str, Any]) -> Report:
    """A clean request notes its octets alone; its report is made when somebody asks for it."""
    path, query, prefix, preserved = noted
    received = Target(path, query, percent_decode(prefix), host_of(request))
    target = replace(received, preserved=preserved) if preserved else received
    asked = asked_by(request)
    blind = hidden_by(request)
    return Report(
        received, target, received_prefix=prefix, blind=blind, method=asked.method, client=asked.client
    )

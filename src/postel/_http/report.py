"""Reports: what was received, what was found, and what the application reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple, final

from postel._alphabet.percent import percent_decode
from postel._catalogue.check import Action
from postel._catalogue.finding import Finding
from postel._catalogue.kinds import Kind
from postel._http.headers import host_of
from postel._http.interop import ENVIRON, SCOPE, as_request
from postel._http.received import hidden_by
from postel._normalizer.target import Target

KEY: Final = "postel.report"
"""The key that the middleware adds to an environ or scope. Read it with ``report_of``."""


@final
@dataclass(frozen=True, slots=True)
class Report:
    """What was received, what was found in it, and what the application reads.

    ``report_of`` returns it, and observers are called with it.

    >>> from postel import Target
    >>> report = Report(Target(b"/a", b"q=1"), Target(b"/a", b"q=1"))
    >>> report.received_target, report.refused, report.changed
    (b'/a?q=1', False, False)
    """

    received: Target
    """Path and query as received. Sign and verify these octets."""
    target: Target | None
    """Path and query as the application reads them; ``None`` if the request is refused."""
    findings: tuple[Finding, ...] = ()
    """The findings. At most 32 are listed for a form, a JSON text and each view of the target, and 8 for each
    header."""
    truncated: bool = False
    """Whether there were more findings than those listed, as far as the request was judged."""
    received_prefix: bytes = b""
    """The prefix in front of the received path, percent-encoded; some servers write it there themselves."""
    verbatim: bool = True
    """Whether ``received`` holds the client's octets, and not the server's decoded view, encoded again."""
    blind: frozenset[Kind] = frozenset()
    """The kinds that this server's environ or scope cannot show."""
    enforced: bool = True
    """Whether the policy was enforced; with ``enforce=False`` the request went on untouched."""
    method: str = ""
    """The method of the request, as the server names it; ``WebSocket`` for a handshake."""
    client: str = ""
    """The address that the server names as the client's."""
    received_form: bytes | None = None
    """The octets of a form as received, with ``Forms(keep=True)``."""
    received_json: bytes | None = None
    """The octets of a JSON body as received, with ``Json(keep=True)``."""
    location: str | None = None
    """Path and query that a 308 leads to, if the request is redirected or would be with ``enforce=True``."""
    id: str = field(default="", compare=False)
    """The id of a refused request, also in the answer and the log: 1 to 64 characters, or empty."""

    @property
    def refused(self) -> bool:
        """Whether the policy refuses the request. It may be redirected to ``location`` instead."""
        return self.target is None

    @property
    def verdict(self) -> str:
        """What became of the request, in fixed words; metrics and the log use these.

        ``refused``, ``redirected``, ``edited``, ``reported`` (something is only reported), or ``clean``.
        With ``enforce=False``: ``would refuse``, ``would redirect`` and ``would edit``.

        >>> from postel import report_of
        >>> from postel.wsgi import NormalizeMiddleware
        >>> def app(environ, start_response):
        ...     return [report_of(environ).verdict]
        >>> request = {"PATH_INFO": "/a", "QUERY_STRING": "q=50%", "HTTP_HOST": "example.com"}
        >>> NormalizeMiddleware(app)(request, print), NormalizeMiddleware(app, enforce=False)(request, print)
        (['edited'], ['would edit'])
        """
        if self.location is not None:
            done, would = "redirected", "would redirect"
        elif self.refused:
            done, would = "refused", "would refuse"
        elif any(each.action in {Action.REPORT, Action.REJECT} for each in self.findings):
            return "reported"
        elif self.findings:
            done, would = "edited", "would edit"
        else:
            return "clean"
        return done if self.enforced else would

    @property
    def changed(self) -> bool:
        """Whether the application reads a path or query other than the received one."""
        if self.target is None:
            return False
        return (self.target.path, self.target.query) != (self.received.path, self.received.query)

    @property
    def received_target(self) -> bytes:
        """The request target as received: prefix, path, and the query after a ``?``."""
        query = b"?" + self.received.query if self.received.query else b""
        return self.received_prefix + self.received.path + query


def report_of(request: object) -> Report:
    """Return the report on a request: a WSGI environ, an ASGI scope, or a framework's request object.

    Raises ``LookupError`` if no postel middleware has handled the request.

    >>> from postel.wsgi import NormalizeMiddleware
    >>> def app(environ, start_response):
    ...     report = report_of(environ)
    ...     return [report.received_target, *(each.kind.slug.encode() for each in report.findings)]
    >>> request = {"PATH_INFO": "/a", "QUERY_STRING": "q=50%", "HTTP_HOST": "example.com"}
    >>> NormalizeMiddleware(app)(request, print)
    [b'/a?q=50%', b'malformed-escape']
    """
    for found in (request, *(getattr(request, name, None) for name in ("scope", "environ", "env"))):
        if (stored := _stored(as_request(found))) is not None:
            return stored if isinstance(stored, Report) else _built(stored, as_request(found))
    raise LookupError(
        f"no report in this {type(request).__name__}: wrap the application in "
        "postel.asgi.NormalizeMiddleware or postel.wsgi.NormalizeMiddleware"
    )


def enforced_before(request: Mapping[str, Any]) -> bool:
    """Whether a postel middleware in front has already enforced its policy on this request."""
    stored = _stored(request)
    return stored is not None and (not isinstance(stored, Report) or stored.enforced)


@final
class RequestInfo(NamedTuple):
    """What the server says about the request and the client, for both protocols."""

    method: str
    client: str
    """The address of the client."""
    version: str
    """The version of HTTP, such as ``1.1``; empty if the server does not name it."""


def request_info(request: Mapping[str, Any]) -> RequestInfo:
    """Method, client and version, from an environ or scope."""
    default = "WebSocket" if request.get("type") == "websocket" else ""
    method = request.get("REQUEST_METHOD", request.get("method", default))
    client = request.get("REMOTE_ADDR")
    version = request.get("SERVER_PROTOCOL", request.get("http_version"))
    match request.get("client"):
        case [address, *_]:
            client = address
        case _:
            pass
    return RequestInfo(
        method if isinstance(method, str) else "",
        client if isinstance(client, str) else "",
        version.upper().removeprefix("HTTP/") if isinstance(version, str) else "",
    )


def _stored(request: Mapping[str, Any]) -> Any:
    """What a middleware stored in this environ or scope, or in the one that it was built from."""
    stored = request.get(KEY)
    if stored is not None or (SCOPE not in request and ENVIRON not in request):
        return stored
    for bridge in (SCOPE, ENVIRON):
        if stored is None and bridge in request:
            stored = as_request(request[bridge]).get(KEY)
    return stored


def _built(stored: tuple[bytes, bytes, bytes, bytes], request: Mapping[str, Any]) -> Report:
    """Build the report of a clean request. To save time, the middleware stored only four byte strings."""
    path, query, prefix, preserved = stored
    received = Target(path, query, percent_decode(prefix), host_of(request))
    target = replace(received, preserved=preserved) if preserved else received
    info = request_info(request)
    blind = hidden_by(request)
    return Report(
        received, target, received_prefix=prefix, blind=blind, method=info.method, client=info.client
    )

"""ASGI: the middleware for Starlette, FastAPI, Django, Quart, Litestar, Falcon and every other ASGI application.

Put it outermost, in front of routers, guards and other middleware that look at the path. What a proxy in
front rewrites before the server sees it, nobody behind can see: see SECURITY.md for what servers hide.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias, final

from postel._judging import Judge
from postel._normalizer import Normalizer
from postel._observing import LogObserver, Observation, Observer
from postel._octets import percent_decode
from postel._policy import Policy
from postel._received import as_data
from postel._recovery import prefix_in_front, recover_scope
from postel._refusal import Refusal
from postel._report import KEY, Report, enforced_before
from postel._settings import checked
from postel._target import Target

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
ASGIApp: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

_POLICY_VIOLATION = 1008  # RFC 6455, section 7.4.1


@final
class NormalizeMiddleware:
    """An ASGI application that lets another one read only URLs with a single meaning.

    >>> from postel import Policy
    >>> from postel.asgi import NormalizeMiddleware
    >>> async def app(scope, receive, send): ...
    >>> wrapped = NormalizeMiddleware(app, policy=Policy.STANDARD)
    """

    __slots__ = ("_enforce", "_is_clean", "_judge", "_observation", "_refusal", "app")

    def __init__(
        self,
        app: ASGIApp,
        policy: Policy = Policy.STANDARD,
        *,
        enforce: bool = True,
        refusal: ASGIApp | None = None,
        observer: Observer | None = None,
    ) -> None:
        """Wrap an application.

        ``enforce=False`` only observes. ``refusal`` is any ASGI application, called in place of ``app`` with
        a scope whose path is ``/``. ``observer`` is called with the report of every request in which
        something was found; by default that is logged.
        """
        checked(app, policy, enforce, refusal, observer)
        normalizer = Normalizer(policy)
        self.app = app
        self._enforce = enforce
        self._is_clean = normalizer.is_clean
        self._judge = Judge(normalizer, enforced=enforce)
        self._refusal = refusal
        self._observation = Observation(LogObserver() if observer is None else observer)

    async def __call__(self, scope: Scope, receive: Receive, send: Send | None = None) -> None:
        """Serve a connection; scopes that are neither ``http`` nor ``websocket`` pass untouched."""
        if send is None:
            raise TypeError(
                "called with two arguments, as WSGI does; import NormalizeMiddleware from postel.wsgi"
            )
        if scope.get("type") not in {"http", "websocket"} or enforced_before(scope):
            await self.app(scope, receive, send)
            return
        raw, query = scope.get("raw_path"), scope.get("query_string")
        if (
            self._enforce
            and isinstance(raw, bytes)
            and isinstance(query, bytes)
            and not scope.get("root_path")
            and self._is_clean(raw, query)
            and percent_decode(raw).decode() == scope.get("path")
        ):
            await self.app({**scope, KEY: (raw, query, b"")}, receive, send)
            return
        await self._judged(scope, receive, send)

    async def _judged(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope.get("method") == "OPTIONS" and is_asterisk(scope):
            await self.app({**scope, KEY: (b"*", b"", b"")}, receive, send)
            return
        client = scope.get("client")
        report = self._judge.report(
            recover_scope(scope), str(scope.get("method", "")), str(client[0]) if client else ""
        )
        if report.findings:
            self._observation.tell(report)
        if not self._enforce:
            await self.app({**scope, KEY: report}, receive, send)
        elif report.target is None:
            await self._refuse(scope, receive, send, report)
        else:
            await self.app(_rewritten(scope, report, report.target), receive, send)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send, report: Report) -> None:
        if scope["type"] == "websocket":
            await receive()  # the handshake's websocket.connect; a close before accept is a 403
            await send({"type": "websocket.close", "code": _POLICY_VIOLATION, "reason": ""})
            return
        if self._refusal is not None:
            await self._refusal(_neutral(scope, report), receive, send)
            return
        refusal = Refusal(report, _accept(scope))
        await send(
            {
                "type": "http.response.start",
                "status": refusal.status.value,
                "headers": [(name.encode(), value.encode()) for name, value in refusal.headers],
            }
        )
        body = b"" if scope.get("method") == "HEAD" else refusal.body
        await send({"type": "http.response.body", "body": body})


def is_asterisk(scope: Scope) -> bool:
    """Whether the target is the asterisk-form, with a root_path that the server may have put in front."""
    return scope.get("path") in {"*", f"{scope.get('root_path') or ''}*"} and not scope.get("query_string")


def _rewritten(scope: Scope, report: Report, target: Target) -> Scope:
    """A shallow copy in which every view says the same."""
    prefix = prefix_in_front(scope)
    return {
        **scope,
        "path": prefix + target.path_text,
        "raw_path": as_data(prefix.encode("utf-8", "surrogatepass")) + target.path,
        "query_string": target.query,
        KEY: report,
    }


def _neutral(scope: Scope, report: Report) -> Scope:
    """A shallow copy with a target that a template may show."""
    return {**scope, "path": "/", "raw_path": b"/", "query_string": b"", "root_path": "", KEY: report}


def _accept(scope: Scope) -> str:
    values = [value for name, value in scope.get("headers") or () if name == b"accept"]
    return b",".join(values).decode("latin-1")

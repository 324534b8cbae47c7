"""ASGI: the middleware for Starlette, FastAPI, Django, Quart, Litestar, Falcon and all others that speak it.

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
from postel._recovery import as_data, header, recover_scope
from postel._refusal import Refusal
from postel._report import KEY, Report, asked_by, enforced_before
from postel._settings import ASGI, check_applications, check_judgement
from postel._target import Target

__all__ = ["ASGIApp", "NormalizeMiddleware", "Receive", "Scope", "Send"]

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
        check_applications(ASGI, app=app, refusal=refusal)
        check_judgement(policy, enforce, observer)
        normalizer = Normalizer(policy)
        self.app: ASGIApp = app
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
        if scope.get("type") not in ("http", "websocket") or enforced_before(scope):
            await self.app(scope, receive, send)
        elif self._enforce and (clean := self._clean(scope)) is not None:
            await self.app(clean, receive, send)
        else:
            await self._judged(scope, receive, send)

    def _clean(self, scope: Scope) -> Scope | None:
        """A copy of a scope in which it is proven that there is nothing to do; ``None`` otherwise."""
        raw, query = scope.get("raw_path"), scope.get("query_string")
        if (
            not isinstance(raw, bytes)
            or not isinstance(query, bytes)
            or scope.get("root_path")
            or not self._is_clean(raw, query)
            or percent_decode(raw).decode() != scope.get("path")
        ):
            return None
        return {**scope, KEY: (raw, query, b"")}

    async def _judged(self, scope: Scope, receive: Receive, send: Send) -> None:
        report = self._judge.report(recover_scope(scope), *asked_by(scope))
        if report.findings:
            self._observation.tell(report)
        if not self._enforce:
            await self.app({**scope, KEY: report}, receive, send)
        elif report.target is not None:
            await self.app(_rewritten(scope, report, report.target), receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": _POLICY_VIOLATION})  # before accept: a 403
        elif self._refusal is not None:
            await self._refusal(_neutral(scope, report), receive, send)
        else:
            await _refuse(scope, report, send)


async def _refuse(scope: Scope, report: Report, send: Send) -> None:
    refusal = Refusal(report, (header(scope, b"accept") or b"").decode("latin-1"))
    await send(
        {
            "type": "http.response.start",
            "status": refusal.status.value,
            "headers": [(name.encode(), value.encode()) for name, value in refusal.headers],
        }
    )
    body = b"" if report.method == "HEAD" else refusal.body
    await send({"type": "http.response.body", "body": body})


def _rewritten(scope: Scope, report: Report, target: Target) -> Scope:
    """A shallow copy in which every view says the same."""
    return {
        **scope,
        "path": target.prefix.decode() + target.path_text,
        "raw_path": as_data(target.prefix) + target.path,
        "query_string": target.query,
        KEY: report,
    }


def _neutral(scope: Scope, report: Report) -> Scope:
    """A shallow copy with a target that a template may show."""
    return {**scope, "path": "/", "raw_path": b"/", "query_string": b"", "root_path": "", KEY: report}

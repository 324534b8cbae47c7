"""Judge the Location of responses on both protocols. A refused response is replaced as a whole."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, MutableMapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias, final

from postel._catalogue.check import Action
from postel._http.headers import with_header_list
from postel._http.locations import LocationRules, locations_of
from postel._http.report import Report, report_of
from postel._http.websocket import DENIAL, ASGIApp, DeniedSend, Receive, Scope, Send, can_deny

if TYPE_CHECKING:
    from _typeshed import OptExcInfo
    from _typeshed.wsgi import StartResponse, WSGIApplication

Notify: TypeAlias = Callable[[Mapping[str, Any], Report], Report]
"""Calls the observer; returns the report with its id."""


def _refusal_report(
    rules: LocationRules, notify: Notify, request: Mapping[str, Any], status: object, headers: object
) -> Report | None:
    """The report on a response that is refused; ``None`` if it is sent."""
    values = locations_of(headers)
    if not values:
        return None
    report = report_of(request)
    path = (report.target or report.received).path
    finding = rules.judge(path, status if isinstance(status, int) else 0, values)
    if finding is None:
        return None
    target = None if finding.action is Action.REJECT else report.target or report.received
    found = notify(
        request, replace(report, target=target, findings=(finding,), truncated=False, location=None)
    )
    return found if found.refused and found.enforced else None


# ---- ASGI ----

_HTTP: Final = "http.response"
"""The prefix of the names of messages that answer a request."""


@final
class WatchedASGI:
    """An ASGI application whose responses are judged by their Location."""

    __slots__ = ("_notify", "_refuse", "_rules", "app")

    def __init__(
        self,
        app: ASGIApp,
        rules: LocationRules,
        notify: Notify,
        refuse: Callable[[Scope, Report, Receive, Send], Awaitable[None]],
    ) -> None:
        """``refuse`` sends the answer in place of a refused response."""
        self.app: ASGIApp = app
        self._rules = rules
        self._notify = notify
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a connection; after a refusal, drop everything that the application still sends."""
        is_http = scope.get("type") == "http"
        # A denial may be a redirect: RFC 6455, section 4.2.2.
        if not (is_http or can_deny(scope)):
            await self.app(scope, receive, send)
            return
        start = f"{_HTTP if is_http else DENIAL}.start"
        answering = send if is_http else DeniedSend(send)
        request = dict(scope)  # a copy, because the application may change the scope
        refused = False

        async def watched(message: MutableMapping[str, Any]) -> None:
            nonlocal refused
            if refused:
                return
            if message.get("type") == start:
                message = with_header_list(message)
                status, headers = message.get("status"), message.get("headers")
                report = _refusal_report(self._rules, self._notify, request, status, headers)
                if report is not None:
                    refused = True
                    await self._refuse(request, report, receive, answering)
                    return
            await send(message)

        await self.app(scope, receive, watched)


# ---- WSGI ----


@final
class WatchedWSGI:
    """A WSGI application whose responses are judged by their Location."""

    __slots__ = ("_notify", "_refuse", "_rules", "app")

    def __init__(
        self,
        app: WSGIApplication,
        rules: LocationRules,
        notify: Notify,
        refuse: Callable[[dict[str, Any], StartResponse, Report], Iterable[bytes]],
    ) -> None:
        """``refuse`` returns the answer in place of a refused response."""
        self.app: WSGIApplication = app
        self._rules = rules
        self._notify = notify
        self._refuse = refuse

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        """Serve a request."""
        request = dict(environ)  # a copy, because the application may change the environ

        def judge(status: str, headers: object) -> Report | None:
            return _refusal_report(self._rules, self._notify, request, _status_code(status), headers)

        def refuse(report: Report, start: StartResponse) -> Iterable[bytes]:
            return self._refuse(request, start, report)

        started = _WatchedStart(start_response, judge, refuse)
        answer = self.app(environ, started)
        wrapper = request.get("wsgi.file_wrapper")
        # Iterating over these types never calls start_response, and some servers send them faster.
        finished = (list, tuple, wrapper) if isinstance(wrapper, type) else (list, tuple)
        if started.answer is None and isinstance(answer, finished):
            return answer
        return _WatchedAnswer(answer, started)


@final
class _WatchedStart:
    """The ``start_response`` for an application. It may be called late, during iteration, and repeatedly."""

    __slots__ = ("_judge", "_refuse", "_start", "answer")

    def __init__(
        self,
        start_response: StartResponse,
        judge: Callable[[str, object], Report | None],
        refuse: Callable[[Report, StartResponse], Iterable[bytes]],
    ) -> None:
        self._start = start_response
        self._judge = judge
        self._refuse = refuse
        self.answer: Iterable[bytes] | None = None
        """The answer in place of a refused response; otherwise ``None``."""

    def __call__(
        self, status: str, headers: list[tuple[str, str]], exc_info: OptExcInfo | None = None
    ) -> Callable[[bytes], object]:
        # Applications may name the arguments, because that works on wsgiref and other servers.
        self.answer = None  # from an earlier call, which this call replaces
        # PEP 3333 requires a list, but some servers accept any iterable. It may be readable only once.
        headers = list(headers)
        report = self._judge(status, headers)
        if report is None:
            return self._start(status, headers, exc_info) if exc_info else self._start(status, headers)

        earlier = exc_info

        def start(
            status: str, headers: list[tuple[str, str]], exc_info: OptExcInfo | None = None
        ) -> Callable[[bytes], object]:
            info = exc_info or earlier
            return self._start(status, headers, info) if info else self._start(status, headers)

        self.answer = self._refuse(report, start)
        return _ignored


@final
class _WatchedAnswer:
    """Iterates over the body of a response; if the response is refused, over the body of the refusal."""

    __slots__ = ("_answer", "_replaced", "_rest", "_started")

    def __init__(self, answer: Iterable[bytes], started: _WatchedStart) -> None:
        self._answer = answer
        self._started = started
        self._replaced: Iterable[bytes] = ()
        self._rest = self._chunks()

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        return next(self._rest)

    def _chunks(self) -> Iterator[bytes]:
        if not self._is_replaced():
            for chunk in self._answer:
                # The application may have called start_response while it made this chunk.
                if self._is_replaced():
                    break
                yield chunk
        self._replaced = self._started.answer or ()
        yield from self._replaced

    def _is_replaced(self) -> bool:
        return self._started.answer is not None

    def close(self) -> None:
        """Close both answers: PEP 3333, specification details."""
        try:
            _close(self._answer)
        finally:
            _close(self._replaced)


def _close(answer: Iterable[bytes]) -> None:
    close = getattr(answer, "close", None)
    if close is not None:
        close()


def _ignored(_: bytes) -> None:
    """The ``write`` of a refused response: it writes nothing."""


def _status_code(status: str) -> int:
    """The number of a status line; 0 if there is none."""
    digits = status[:3]
    return int(digits) if digits.isascii() and digits.isdigit() else 0

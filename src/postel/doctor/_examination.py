"""An examination: send the catalogue and check the routes, without postel and behind a policy."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, cast, final

from postel import Kind, Policy
from postel.doctor._answer import Answer
from postel.doctor._application import Application, ApplicationError
from postel.doctor._catalogue import CATALOGUE, SecondMeaning
from postel.doctor._disagreement import Disagreement, closing
from postel.doctor._guards import guard_findings
from postel.doctor._request import Request, field_of
from postel.doctor._routes import Route, named_routes
from postel.doctor._sender import Sender
from postel.doctor._steering import steering_findings

TIMEOUT: Final = 10.0
"""The seconds that an answer may take."""
_MALFORMED: Final = 400
_MISSING: Final = 404
_FAILED: Final = 500
_REFUSING: Final = frozenset({308, *(kind.check.status for kind in Kind)})
"""The statuses with which postel refuses or redirects."""
_SLOW: Final = 1.0
"""If a page takes longer than this many seconds, its variants are not requested."""
IN_PROCESS: Final = "in-process"


@final
@dataclass(frozen=True, slots=True)
class Reading:
    """How an application answers one request that can be read in two ways.

    ``meaning`` describes the request and its second meaning. ``bare`` is the answer without postel,
    ``behind`` the answer behind the policy.

    >>> from postel.doctor import examine
    >>> def app(environ, start_response):
    ...     start_response("200 OK", [])
    ...     return [b"hello"]
    >>> examine(app).readings[0].meaning.name
    'an escaped question mark'
    """

    meaning: SecondMeaning
    bare: Answer
    behind: Answer

    @property
    def is_of_interest(self) -> bool:
        """Whether a place in the framework disagrees with the server, without postel or behind the policy."""
        return bool(self.bare.differences or self.behind.differences)

    def clause(self, policy: Policy) -> str:
        """Return what closes the second meaning: a clause of ``policy`` or one to add, and a setting."""
        is_gone = not self.behind.differences
        return closing(self.meaning.kinds, self.meaning.setting, policy, is_gone=is_gone)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """The results of an examination.

    >>> from postel.doctor import examine
    >>> def app(environ, start_response):
    ...     start_response("200 OK", [])
    ...     return [b"hello"]
    >>> examination = examine(app)
    >>> examination.protocol, examination.server, examination.bare
    ('wsgi', 'in-process', ())

    ``name`` is the name of the application. ``protocol`` is ``"asgi"`` or ``"wsgi"``. ``server`` is the
    server that ran it, and ``versions`` holds the versions of its frameworks. ``routes`` are the routes whose
    guards were examined; routes in ``slow`` take so long that only their plain requests were sent. Routes in
    ``missing`` answer 404 to the plain request: either they do not exist, or their guard answers so.

    ``readings`` holds a :class:`Reading` for each request of the catalogue that was sent, with the places in
    which the framework reads something different from what the server passed on. Code that uses such a place
    can be misled. A finding is more: the application itself answers differently.
    ``bare`` holds the findings without postel, and ``behind`` the findings that remain behind ``policy``.
    """

    name: str
    protocol: str
    server: str
    versions: dict[str, str]
    is_wrapped: bool
    """Whether postel already wraps the application."""
    policy: Policy
    routes: tuple[Route, ...]
    slow: tuple[Route, ...]
    missing: tuple[Route, ...]
    requests: int
    """The number of requests that were sent."""
    readings: tuple[Reading, ...]
    bare: tuple[Disagreement, ...]
    behind: tuple[Disagreement, ...]

    def is_gone(self, finding: Disagreement) -> bool:
        """Whether a finding no longer occurs behind the policy."""
        return finding.key() not in {each.key() for each in self.behind}

    def as_json(self) -> dict[str, object]:
        """Return the results as an object for JSON."""
        return {
            "application": self.name,
            "protocol": self.protocol,
            "server": self.server,
            "versions": self.versions,
            "wrapped": self.is_wrapped,
            "policy": str(self.policy),
            "requests": self.requests,
            "routes": [route.request.line() for route in self.routes],
            "slow": [route.request.line() for route in self.slow],
            "missing": [route.request.line() for route in self.missing],
            "readings": [
                {
                    "family": each.meaning.family.value,
                    "name": each.meaning.name,
                    "request": each.meaning.request.line(),
                    "bare": _reading(each.bare),
                    "behind": _reading(each.behind),
                    "clause": each.clause(self.policy),
                    "curl": each.meaning.request.curl(),
                }
                for each in self.readings
            ],
            "bare": [each.as_json(self.policy, is_gone=self.is_gone(each)) for each in self.bare],
            "behind": [each.as_json(self.policy) for each in self.behind],
        }


def _reading(answer: Answer) -> dict[str, object]:
    places = [
        {"place": each.place, "value": each.value, "source": each.source, "source_value": each.source_value}
        for each in answer.differences
    ]
    return {"status": answer.status, "reached": answer.note is not None, "places": places}


def examine(  # noqa: PLR0913 - settings are given by name
    app: object,
    *,
    policy: Policy = Policy.STANDARD,
    routes: Iterable[str] = (),
    headers: Iterable[tuple[str, str]] = (),
    unsafe_methods: bool = False,
    timeout: float = TIMEOUT,
) -> Examination:
    """Examine a WSGI or ASGI application in this process, without postel and behind a policy.

    ``app`` is the application, or its name: ``"shop.wsgi:application"``. ``routes`` are the pages whose
    guards are examined, such as ``/admin``, ``/search?q=1`` or, with ``unsafe_methods``, ``POST /profile
    name=x``. ``headers`` are sent with each request, in UTF-8. ``timeout`` is the longest time for an answer
    in seconds, which may be a fraction. Raises :class:`ApplicationError` if there is no application to
    examine, and ``ValueError`` for a malformed setting, or a route whose method is sent only with
    ``unsafe_methods``.

    >>> def app(environ, start_response):
    ...     start_response("200 OK", [])
    ...     return [b"hello"]
    >>> examine(app).behind
    ()
    """
    named = named_routes(routes, unsafe_methods=unsafe_methods)
    fields = _fields(headers)
    _check_timeout(timeout)
    application = Application.named(app) if isinstance(app, str) else Application.of(app)
    senders = [Sender(application.asker(each, timeout), fields, None) for each in (None, policy)]
    name = app if isinstance(app, str) else getattr(app, "__qualname__", type(app).__qualname__)
    return examined(
        application,
        name=name,
        server=IN_PROCESS,
        policy=policy,
        senders=senders,
        routes=named,
        unsafe_methods=unsafe_methods,
    )


def _fields(headers: Iterable[tuple[str, str]]) -> tuple[tuple[bytes, bytes], ...]:
    try:
        pairs: list[tuple[object, object]] = [(name, value) for name, value in headers]
    except (TypeError, ValueError):
        pairs = [(None, None)]
    fields = [(name, value) for name, value in pairs if isinstance(name, str) and isinstance(value, str)]
    if isinstance(cast("object", headers), Mapping) or len(fields) < len(pairs):
        shown = repr(headers)[:200]
        raise ValueError(f"headers={shown}: give pairs, such as [('Cookie', 'a=b')]")
    return tuple(field_of(name, value) for name, value in fields)


def _check_timeout(timeout: object) -> None:
    if not isinstance(timeout, int | float) or not timeout > 0:
        raise ValueError(f"timeout={timeout!r}: give a number of seconds, more than 0")


def examined(  # noqa: PLR0913 - the settings of one examination
    application: Application,
    *,
    name: str,
    server: str,
    policy: Policy,
    senders: Sequence[Sender],
    routes: Sequence[Route],
    unsafe_methods: bool,
) -> Examination:
    """Examine an application through two senders; the second one sends requests through the policy."""
    bare, behind = senders
    _check_arrival(bare, is_behind=False)
    _check_arrival(behind, is_behind=True)
    slow, missing = _slow_and_missing(bare, routes)
    routes = [route for route in routes if route not in slow]
    readings = tuple(
        _readings(bare, behind, is_wrapped=application.is_wrapped, unsafe_methods=unsafe_methods)
    )
    return Examination(
        name=name,
        protocol=application.protocol,
        server=server,
        versions=application.versions(),
        is_wrapped=application.is_wrapped,
        policy=policy,
        routes=tuple(routes),
        slow=slow,
        missing=missing,
        readings=readings,
        bare=tuple(_findings(bare, routes)),
        behind=tuple(_findings(behind, routes)),
        requests=bare.sent + behind.sent,
    )


def _check_arrival(ask: Sender, *, is_behind: bool) -> None:
    """Raise ApplicationError if a plain request is answered without reaching the application."""
    answer = ask(Request(b"/"))
    if answer.note is not None or not 0 < answer.status < _FAILED:
        return
    if is_behind and answer.status in _REFUSING:
        raise ApplicationError(
            f"postel answers {answer.status} to a plain request; check the policy and the header fields"
        )
    if answer.status == _MALFORMED:
        raise ApplicationError("the server answers 400 to a plain request; check the header fields")
    raise ApplicationError("another program answers on the application's port; try again")


def _slow_and_missing(ask: Sender, routes: Sequence[Route]) -> tuple[tuple[Route, ...], tuple[Route, ...]]:
    """Return the slow routes and those that answer 404.

    Raises ApplicationError if no request is answered, or all fail.
    """
    answers = [ask(Request(b"/"))]
    slow: list[Route] = []
    missing: list[Route] = []
    for route in filter(lambda each: each.is_read, routes):
        # The first answer of a page may include the time to load modules, so each page has two attempts.
        if all(_takes_long(ask, route, answers) for _ in range(2)):
            slow.append(route)
        if answers[-1].status == _MISSING:
            missing.append(route)
    if not any(answer.status for answer in answers):
        raise ApplicationError("the application does not answer; is it waiting for something?")
    if all(answer.status >= _FAILED for answer in answers):
        why = f": {answers[0].raised}" if answers[0].raised else ""
        raise ApplicationError(f"the application answers {answers[0].status} to every plain request{why}")
    return tuple(slow), tuple(missing)


def _takes_long(ask: Sender, route: Route, answers: list[Answer]) -> bool:
    begin = time.monotonic()
    answers.append(ask(route.request))
    return time.monotonic() - begin > _SLOW


def _readings(bare: Sender, behind: Sender, *, is_wrapped: bool, unsafe_methods: bool) -> Iterator[Reading]:
    for meaning in CATALOGUE:
        if meaning.request.method == "GET" or unsafe_methods:
            answer = bare(meaning.request)
            if is_wrapped and answer.status in _REFUSING:
                # postel refused, so the framework did not read the request.
                answer = replace(answer, note=None)
            yield Reading(meaning, answer, behind(meaning.request))


def _findings(ask: Sender, routes: Sequence[Route]) -> Iterator[Disagreement]:
    yield from guard_findings(ask, routes)
    yield from steering_findings(ask, routes)

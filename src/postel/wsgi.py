"""WSGI: the middleware for Flask, Django, Werkzeug, Falcon, Bottle, Pyramid and all others that speak it.

Put it outermost, in front of routers, guards and other middleware that look at the path. What a proxy in
front rewrites before the server sees it, nobody behind can see: see SECURITY.md for what servers hide.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, final

from postel._catalogue import Kind
from postel._check import Component
from postel._host import Hosts, lacks_legally
from postel._judging import Judge
from postel._observing import LogObserver, Observation, Observer
from postel._octets import percent_decode
from postel._policy import Policy
from postel._recovery import as_data, recover_environ
from postel._redirect import redirected
from postel._refusal import Refusal
from postel._report import KEY, Report, asked_by, enforced_before
from postel._sampling import Sample
from postel._settings import WSGI, Settings, check_applications, sampled
from postel._target import Target

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication

__all__ = ["Environ", "NormalizeMiddleware"]

Environ: TypeAlias = dict[str, Any]


@final
class NormalizeMiddleware:
    """A WSGI application that lets another one read only URLs with a single meaning.

    >>> from postel import Policy
    >>> from postel.wsgi import NormalizeMiddleware
    >>> def app(environ, start_response): ...
    >>> wrapped = NormalizeMiddleware(app, policy=Policy.STANDARD)
    """

    __slots__ = ("_hosts", "_judge", "_observation", "_quick", "_refusal", "_settings", "app")

    def __init__(  # noqa: PLR0913 - settings are given by name
        self,
        app: WSGIApplication,
        policy: Policy = Policy.STANDARD,
        *,
        enforce: bool = True,
        refusal: WSGIApplication | None = None,
        observer: Observer | None = None,
        routes: Mapping[str, Policy] | None = None,
        prefix: str | None = None,
        redirect: bool = False,
        sample: Sample | float | None = None,
        statuses: Mapping[Kind, int] | None = None,
        hosts: Iterable[str] | None = None,
    ) -> None:
        """Wrap an application.

        ``policy`` says what is done about each kind of fault, ``routes`` what holds instead for paths below
        ``/such/a/prefix``, relative to the application.

        ``enforce=False`` only observes. ``sample`` enforces on a share of the requests, ``0.1`` at random or
        :class:`postel.Sample` by client, and only observes the rest.

        ``prefix`` is where the application is mounted (SCRIPT_NAME, root_path); where it is given, any other
        is refused. ``redirect=True`` answers GET and HEAD with a 308 where the path's structure was mended.

        ``refusal`` is any WSGI application, called in place of ``app`` with a request for ``/``; without,
        the answer is short, and ``statuses`` says its status by kind. ``observer`` is called with the report
        of every request in which something was found; by default that is logged.

        A Host that is none is refused; with ``hosts``, such as ``["example.com", "*.example.com"]``, so is
        any other, with a 421.

        What could not work is a :class:`postel.PolicyError`.
        """
        check_applications(WSGI, app=app, refusal=refusal)
        self.app: WSGIApplication = app
        self._settings = Settings(
            policy=policy,
            enforce=enforce,
            observer=observer,
            routes={} if routes is None else routes,
            prefix=prefix,
            redirect=redirect,
            sample=sampled(sample),
            refusal=refusal,
            statuses={} if statuses is None else statuses,
            hosts=Hosts(hosts),
        )
        self._judge = Judge(self._settings)
        self._hosts = self._settings.hosts
        self._quick = enforce and sample is None  # else what is clean might be noted as enforced
        self._refusal = refusal
        self._observation = Observation(LogObserver() if observer is None else observer)

    def __call__(
        self, environ: Environ, start_response: StartResponse | None = None, *others: object
    ) -> Iterable[bytes]:
        """Serve a request."""
        if start_response is None or others:
            raise TypeError(
                f"called with {1 if start_response is None else 2 + len(others)} arguments, as ASGI does; "
                "import NormalizeMiddleware from postel.asgi"
            )
        if enforced_before(environ):
            return self.app(environ, start_response)
        if self._quick and (clean := self._clean(environ)) is not None:
            return self.app(clean, start_response)
        return self._judged(environ, start_response)

    def _clean(self, environ: Environ) -> Environ | None:
        """A copy of an environ in which it is proven that there is nothing to do; ``None`` otherwise."""
        raw = environ.get("REQUEST_URI") or environ.get("RAW_URI")
        name = environ.get("SCRIPT_NAME", "")
        if not (isinstance(raw, str) and raw.isascii() and isinstance(name, str) and name.isascii()):
            return None
        target, mark, query = raw.partition("?")
        path, prefix = target.encode(), b""
        if name:
            prefix = as_data(name.encode())
            if not path.startswith(prefix + b"/"):
                return None
            path = path[len(prefix) :]
        if (
            not self._proves_host(environ)
            or environ.get("RAW_URI", raw) != raw
            or environ.get("QUERY_STRING", "") != query
            or (mark and not query)
            or any(key in environ for key in _STALE)
            or not self._judge.proves(path, query.encode(), prefix)
            or percent_decode(path).decode("latin-1") != environ.get("PATH_INFO")
        ):
            return None
        return {**environ, KEY: (path, query.encode(), prefix)}

    def _proves_host(self, environ: Environ) -> bool:
        """Whether there is nothing wrong with the Host, or legally none."""
        host = environ.get("HTTP_HOST")
        if host is None:
            version = str(environ.get("SERVER_PROTOCOL")).upper().removeprefix("HTTP/")
            return self._hosts.is_open and lacks_legally(version)
        return isinstance(host, str) and bool(self._hosts.proves_text(host))

    def _judged(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        report = self._judge.report(recover_environ(environ), asked_by(environ))
        if report.findings:
            self._observation.tell(report)
        if not report.enforced:
            return self.app({**environ, KEY: report}, start_response)
        if (there := self._judge.location(report)) is not None:
            start_response("308 Permanent Redirect", redirected(there))
            return []
        if report.target is not None:
            return self.app(_rewritten(environ, report, report.target), start_response)
        if self._refusal is not None:
            return self._refusal(_neutral(environ, report), start_response)
        refusal = Refusal(report, str(environ.get("HTTP_ACCEPT", "")), self._settings.statuses)
        start_response(f"{refusal.status.value} {refusal.status.phrase}", refusal.headers)
        return [] if report.method == "HEAD" else [refusal.body]


_STALE = ("SCRIPT_URL", "SCRIPT_URI", "REDIRECT_URL")
"""Further views that some servers add, and some frameworks believe."""


def _rewritten(environ: Environ, report: Report, target: Target) -> Environ:
    """A shallow copy in which every view says the same."""
    query = b"?" + target.query if target.query else b""
    rewritten = {
        **environ,
        "PATH_INFO": target.path_octets.decode("latin-1"),
        "QUERY_STRING": target.query.decode("latin-1"),
        KEY: report,
    }
    return _everywhere(rewritten, (as_data(target.prefix) + target.path + query).decode("latin-1"))


def _neutral(environ: Environ, report: Report) -> Environ:
    """A shallow copy with a target that a template may show."""
    neutral = {**environ, "SCRIPT_NAME": "", "PATH_INFO": "/", "QUERY_STRING": "", KEY: report}
    if any(each.component is Component.HOST for each in report.findings):
        neutral.pop("HTTP_HOST", None)
    return _everywhere(neutral, "/")


def _everywhere(environ: Environ, raw: str) -> Environ:
    for key in ("REQUEST_URI", "RAW_URI"):
        if key in environ:
            environ[key] = raw
    for key in _STALE:
        environ.pop(key, None)
    return environ

"""WSGI: the middleware for Flask, Django, Werkzeug, Falcon, Bottle, Pyramid and others.

Put it outermost, in front of routers, guards and all other middleware that looks at the path. It cannot see
what a proxy in front has rewritten; SECURITY.md lists what servers hide.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Literal, final

from postel._alphabet.percent import percent_decode
from postel._alphabet.steps import finished
from postel._bodies.form_settings import Forms
from postel._bodies.json_settings import Json
from postel._bodies.result_on_wsgi import BodyResult, Closing, declared_by
from postel._bodies.settings import Bodies
from postel._catalogue.check import Action
from postel._catalogue.kinds import Kind
from postel._http.header_names import KEYS, named_in
from postel._http.headers import latin1_octets
from postel._http.interop import ENVIRON, SCOPE, Environ
from postel._http.locations import Locations
from postel._http.observers import Observer
from postel._http.recovery import encoded_path, recover_environ
from postel._http.redirect import redirect_headers
from postel._http.report import KEY, Report, enforced_before, request_info
from postel._http.sampling import Sample
from postel._middleware.body_readers import wsgi_reader
from postel._middleware.environ import neutral, rewritten
from postel._middleware.pipeline import Pipeline, Request
from postel._middleware.settings import WSGI, Settings
from postel._middleware.watched import WatchedWSGI
from postel._policy.policy import Policy

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication

__all__ = ["Environ", "NormalizeMiddleware"]


@final
class NormalizeMiddleware:
    """WSGI middleware: the wrapped application reads only URLs that have one meaning.

    >>> from postel import Policy
    >>> from postel.wsgi import NormalizeMiddleware
    >>> def app(environ, start_response): ...
    >>> wrapped = NormalizeMiddleware(app, policy=Policy.STANDARD)
    """

    __slots__ = (
        "_is_clean",
        "_judges_rest",
        "_most",
        "_pipeline",
        "_preserved",
        "_prove_path",
        "_prove_query",
        "_proves_host",
        "_proves_type",
        "_read_body",
        "_refusal",
        "_skips_clean",
        "app",
    )

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
        redirect: bool | None = None,
        sample: Sample | float | None = None,
        statuses: Mapping[Kind, int] | None = None,
        hosts: Iterable[str] | None = None,
        locations: Locations
        | Literal["report", "refuse"]
        | Mapping[str, Locations | Literal["report", "refuse"] | None]
        | None = None,
        forms: Forms | bool = False,
        json: Json | bool = False,
        bodies: Bodies | None = None,
        headers: Mapping[str, Action] | None = None,
        request_id: str | None = None,
        help_url: str | None = None,
    ) -> None:
        """Wrap an application. Raises :class:`postel.PolicyError` if a setting cannot work.

        ``policy`` says what happens to each kind of fault. ``routes`` maps prefixes of paths to policies of
        their own, such as ``{"/packages": policy}``.

        ``enforce=False`` only reports. ``sample`` enforces the policy on a share of the requests, and only
        reports on the rest: ``0.1`` picks requests at random, :class:`postel.Sample` can pick clients.

        ``prefix`` is where the application is mounted (``SCRIPT_NAME``). Other prefixes are refused.

        A GET or HEAD of up to 1,024 octets that is refused only for consecutive slashes (``/a//b``) is
        answered with a 308 to the path with single ones, if that is accepted. ``redirect=False`` refuses it;
        ``redirect=True`` also redirects where the policy repairs the structure of the path.

        ``refusal`` is a WSGI application that answers refused requests; it receives a request for ``/``.
        Without it the answer is a short text, and ``statuses`` sets its status by kind. ``observer`` is
        called with the report of each request in which something was found; the default logs it.

        The answer, the log line and the report of a refused request share a random id. ``request_id`` names
        a request header, such as ``"X-Request-ID"``, whose value is used instead, if it has 1 to 64 letters,
        digits and ``._-``. ``help_url`` is a page that the default answer links to.

        Malformed Hosts are refused with 400. If ``hosts`` is given, such as
        ``["example.com", "*.example.com"]``, all other Hosts are refused with 421.

        ``locations="refuse"`` answers with 403 in place of a response whose Location is malformed or leads to
        a host outside ``hosts``; ``"report"`` reports it. :class:`postel.Locations` lists other hosts that
        you redirect to, and ``{"/": "refuse", "/oauth": "report"}`` decides by route (``/``: other paths).

        ``forms=True`` or :class:`postel.Forms` judges forms, urlencoded and multipart, and gives the
        application the judged body. ``json=True`` or :class:`postel.Json` judges JSON, and refuses bodies
        of types that are not judged, unless ``Json(others="untouched")`` lets them pass. Both arguments are
        short for ``bodies``, a :class:`postel.Bodies`.

        ``headers`` judges ``cookie`` and ``referer``: ``Action.DROP_PAIR`` drops a faulty cookie,
        ``Action.DROP`` a faulty Referer; ``Action.REJECT`` refuses, and ``Action.REPORT`` reports.
        """
        self._refusal = refusal
        self._pipeline = Pipeline(
            Settings(
                protocol=WSGI,
                app=app,
                refusal=refusal,
                policy=policy,
                enforce=enforce,
                observer=observer,
                routes=routes,
                prefix=prefix,
                redirect=redirect,
                sample=sample,
                statuses=statuses,
                hosts=hosts,
                locations=locations,
                forms=forms,
                json=json,
                bodies=bodies,
                headers=headers,
                request_id=request_id,
                help_url=help_url,
            )
        )
        self._read_body = wsgi_reader(self._pipeline.bodies)
        self.app: WSGIApplication = app
        """The wrapped application; with ``locations=``, the application that judges its responses."""
        if self._pipeline.locations.is_on:
            self.app = WatchedWSGI(app, self._pipeline.locations, self._observed, self._refuse)
        # Every plain request needs these; an attribute of the middleware is one look-up instead of two.
        self._is_clean = self._pipeline.is_clean
        self._judges_rest = self._pipeline.judges_rest
        self._skips_clean = self._pipeline.skips_clean
        self._preserved = self._pipeline.preserved
        self._prove_path, self._prove_query, self._most = self._pipeline.target_proofs
        self._proves_host = self._pipeline.proves_host_text
        self._proves_type = self._pipeline.proves_type

    def __call__(
        self, environ: Environ, start_response: StartResponse | None = None, *others: object
    ) -> Iterable[bytes]:
        """Serve a request. Raises ``TypeError`` if called as in ASGI."""
        if start_response is None or others:
            raise TypeError(
                "called with one argument or with more than two, as in ASGI; "
                "import NormalizeMiddleware from postel.asgi"
            )
        # Without these keys, no other postel has judged the request. Testing them first saves two calls.
        if (KEY in environ or SCOPE in environ or ENVIRON in environ) and enforced_before(environ):
            self._pipeline.warn_inner(self)
            return self.app(environ, start_response)
        if self._skips_clean and (clean := self._clean(environ)) is not None:
            return self.app(clean, start_response)
        return self._judged(environ, start_response)

    def _clean(self, environ: Environ) -> Environ | None:
        """A copy of an environ that needs no judgement; ``None`` if that is not proven.

        Every plain request pays for this, so each test is the cheapest that works. The full judgement handles
        values of unusual types.
        """
        raw_uri, host, typed = environ.get("RAW_URI"), environ.get("HTTP_HOST"), environ.get("CONTENT_TYPE")
        raw, script_name = environ.get("REQUEST_URI", raw_uri), environ.get("SCRIPT_NAME", "")
        path_info, query_string = environ.get("PATH_INFO"), environ.get("QUERY_STRING", "")
        if not (
            type(raw) is str
            and type(script_name) is str
            and type(path_info) is str
            and type(query_string) is str
        ):
            return None
        target, mark, query = raw.partition("?")
        if (
            not raw.isascii()
            or query != query_string
            or (mark and not query)
            or (raw is not raw_uri and "RAW_URI" in environ and (type(raw_uri) is not str or raw != raw_uri))
            or "SCRIPT_URL" in environ  # one by one, which is faster than a set for so few keys
            or "SCRIPT_URI" in environ
            or "REDIRECT_URL" in environ
            or not (
                self._proves_host(host)
                if type(host) is str
                else host is None and self._pipeline.proves_no_host(environ)
            )
            or (typed and not (type(typed) is str and typed.isascii() and self._proves_type(typed.encode())))
            or "HTTP_CONTENT_TYPE" in environ
            or not KEYS.keys().isdisjoint(environ.keys())  # two views: only the few keys are looked up
            or (self._judges_rest and not self._proves_rest(environ))
        ):
            return None
        path, octets, prefix = target.encode(), query.encode(), b""
        if script_name:
            prefix = encoded_path(latin1_octets(script_name))
            if not self._pipeline.proves_mounted(path, octets, prefix):
                return None
            path, target = path[len(prefix) :], target[len(prefix) :]
        elif (
            "%" in target
            or len(path) + len(octets) > self._most
            or self._prove_path(path) is None
            or (octets and self._prove_query(octets) is None)
        ) and not self._is_clean(path, octets):
            return None
        # Without an escape, the path is its own decoded view.
        if (percent_decode(path).decode("latin-1") if "%" in target else target) != path_info:
            return None
        clean = dict(environ)  # a copy: some servers reuse an environ, and the key must not stay in it
        kept = self._preserved
        clean[KEY] = (path, octets, prefix, self._pipeline.preserved_in(path) if kept is None else kept)
        return clean

    def _proves_rest(self, environ: Environ) -> bool:
        """Whether neither an untyped body nor the fields of ``headers=`` need judgement."""
        method, typed = environ.get("REQUEST_METHOD"), bool(environ.get("CONTENT_TYPE"))
        return self._pipeline.proves_rest(method, self._fields(environ), is_typed=typed)

    def _fields(self, environ: Environ) -> dict[str, list[bytes]]:
        """The values of the header fields that ``headers=`` names."""
        values = {name: environ.get(f"HTTP_{name.upper()}") for name in self._pipeline.field_names}
        return {name: [latin1_octets(value)] for name, value in values.items() if value is not None}

    def _sent_ids(self, environ: Mapping[str, Any]) -> list[bytes]:
        """The value of the header that ``request_id=`` names, if the request has it."""
        name = self._pipeline.id_header
        value = None if name is None else environ.get(f"HTTP_{name.upper().replace('-', '_')}")
        return [] if value is None else [latin1_octets(value)]

    def _judged(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        request = Request(
            recover_environ(environ),
            request_info(environ),
            self._fields(environ),
            declared_by(environ),
            named_in(environ),
        )
        judgement = finished(self._pipeline.judging(request))
        report, read_body = judgement.report, self._read_body
        result = BodyResult(report)
        if read_body is not None and report.location is None and report.target is not None:
            result = read_body(environ, report, request.declared)
        if result.spool is None:
            return self._answered(environ, start_response, result, judgement.fields)
        with ExitStack() as stack:
            stack.callback(result.spool.close)
            answer = self._answered(environ, start_response, result, judgement.fields)
            stack.pop_all()  # the answer needs the spool until it is closed
        return Closing(answer, result.spool)

    def _answered(
        self,
        environ: Environ,
        start_response: StartResponse,
        result: BodyResult,
        fields: Mapping[str, Sequence[bytes]],
    ) -> Iterable[bytes]:
        """Call the application, or answer in its place."""
        report = self._observed(environ, result.report)
        if not report.enforced:
            return self.app({**environ, **result.changes, KEY: report}, start_response)
        if report.location is not None:
            start_response("308 Permanent Redirect", redirect_headers(report.location))
            return [b""]  # with no chunk at all, hypercorn sends no headers
        if report.target is not None:
            changes = {**result.changes, **_as_keys(fields)}
            return self.app(rewritten(environ, changes, report, report.target), start_response)
        return self._refuse(environ, start_response, report)

    def _observed(self, environ: Mapping[str, Any], report: Report) -> Report:
        """Call the observer if something was found; returns the report with its id."""
        prefix = ("SCRIPT_NAME", environ.get("SCRIPT_NAME"))
        return self._pipeline.observe(report, self._sent_ids(environ), prefix)

    def _refuse(self, environ: Environ, start_response: StartResponse, report: Report) -> Iterable[bytes]:
        if self._refusal is not None:
            return self._refusal(neutral(environ, report), start_response)
        refusal = self._pipeline.refusal(report, str(environ.get("HTTP_ACCEPT", "")))
        start_response(f"{refusal.status.value} {refusal.status.phrase}", refusal.headers)
        return [b"" if report.method == "HEAD" else refusal.body]


def _as_keys(fields: Mapping[str, Sequence[bytes]]) -> Environ:
    """The changes to an environ for header fields; ``None`` removes a key."""
    return {
        f"HTTP_{name.upper()}": values[0].decode("latin-1") if values else None
        for name, values in fields.items()
    }

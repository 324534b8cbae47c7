"""ASGI: the middleware for Starlette, FastAPI, Django, Quart, Litestar, Falcon and others.

Put it outermost, in front of routers, guards and all other middleware that looks at the path. It cannot see
what a proxy in front has rewritten; SECURITY.md lists what servers hide.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, final

from postel._bodies.content_type import ContentType
from postel._bodies.form_settings import Forms
from postel._bodies.json_settings import Json
from postel._bodies.result_on_asgi import BodyResult, declared_by
from postel._bodies.settings import Bodies
from postel._bodies.turns import in_turns
from postel._catalogue.check import Action
from postel._catalogue.kinds import Kind
from postel._http.header_names import EXAMINED
from postel._http.headers import header, header_values, names_of, with_header_list
from postel._http.interop import ENVIRON, SCOPE
from postel._http.locations import Locations
from postel._http.observers import Observer
from postel._http.recovery import recover_scope
from postel._http.redirect import redirect_headers
from postel._http.report import KEY, Report, enforced_before, request_info
from postel._http.sampling import Sample
from postel._http.websocket import ASGIApp, DeniedReceive, DeniedSend, Receive, Scope, Send, can_deny, neutral
from postel._middleware.body_readers import asgi_reader
from postel._middleware.outermost import warn_unless_outermost
from postel._middleware.pipeline import Pipeline, Request
from postel._middleware.scope import judged_fields, proven, rewritten
from postel._middleware.settings import ASGI, Settings
from postel._middleware.watched import WatchedASGI
from postel._policy.policy import Policy

__all__ = ["ASGIApp", "NormalizeMiddleware", "Receive", "Scope", "Send"]

_POLICY_VIOLATION = 1008  # RFC 6455, section 7.4.1


@final
class NormalizeMiddleware:
    """ASGI middleware: the wrapped application reads only URLs that have one meaning.

    >>> from postel import Policy
    >>> from postel.asgi import NormalizeMiddleware
    >>> async def app(scope, receive, send): ...
    >>> wrapped = NormalizeMiddleware(app, policy=Policy.STANDARD)
    """

    __slots__ = (
        "_most_fields",
        "_pipeline",
        "_preserved",
        "_proofs",
        "_read_body",
        "_refusal",
        "app",
    )

    def __init__(  # noqa: PLR0913 - settings are given by name
        self,
        app: ASGIApp,
        policy: Policy = Policy.STANDARD,
        *,
        enforce: bool = True,
        refusal: ASGIApp | None = None,
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
        rebuilt_urls: Literal["detect", "safe", "refuse"]
        | Mapping[str, Literal["detect", "safe", "refuse"]] = "detect",
    ) -> None:
        """Wrap an application. Raises :class:`postel.PolicyError` if a setting cannot work.

        ``policy`` says what happens to each kind of fault. ``routes`` maps prefixes of paths to policies of
        their own, such as ``{"/packages": policy}``.

        ``enforce=False`` only reports. ``sample`` enforces the policy on a share of the requests, and only
        reports on the rest: ``0.1`` picks requests at random, :class:`postel.Sample` can pick clients.

        ``prefix`` is where the application is mounted (``root_path``). Other prefixes are refused.

        A GET or HEAD of up to 1,024 octets that is refused only for consecutive slashes (``/a//b``) is
        answered with a 308 to the path with single ones, if that is accepted. ``redirect=False`` refuses it;
        ``redirect=True`` also redirects where the policy repairs the structure of the path.

        ``refusal`` is an ASGI application that answers refused requests; it receives a request for ``/``.
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

        ``rebuilt_urls="detect"`` refuses an escaped ``?`` or ``#`` in the path if Starlette is loaded and
        builds ``request.url`` from the decoded path, as it did before 1.9. ``"safe"`` never refuses these,
        and ``"refuse"`` always does; ``{"/": "refuse", "/wiki": "safe"}`` decides by route; without
        ``/``, other paths have ``"detect"``.
        """
        self._refusal = refusal
        self._pipeline = Pipeline(
            Settings(
                protocol=ASGI,
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
                rebuilt_urls=rebuilt_urls,
            )
        )
        self._read_body = asgi_reader(self._pipeline.bodies)
        self.app: ASGIApp = app
        """The wrapped application; with ``locations=``, the application that judges its responses."""
        if self._pipeline.locations.is_on:
            self.app = WatchedASGI(app, self._pipeline.locations, self._observed, self._refuse)
        # Every plain request needs these; an attribute of the middleware is one look-up instead of two.
        self._most_fields = self._pipeline.most_fields
        self._preserved = self._pipeline.preserved
        proofs = self._pipeline.target_proofs
        self._proofs = (self._pipeline.proves_host, proofs.prove_path, proofs.prove_query, proofs.most)

    async def __call__(self, scope: Scope, receive: Receive, send: Send | None = None) -> None:
        """Serve a connection; other scopes pass untouched. Raises ``TypeError`` if called as in WSGI."""
        if send is None:
            raise TypeError(
                "called with two arguments, as in WSGI; import NormalizeMiddleware from postel.wsgi"
            )
        if (clean := self._clean(scope)) is not None:
            await self.app(clean, receive, send)
        elif scope.get("type") not in ("http", "websocket"):
            warn_unless_outermost(scope, NormalizeMiddleware)
            await self.app(scope, receive, send)
        elif enforced_before(scope):
            self._pipeline.warn_inner(self)
            await self.app(scope, receive, send)
        else:
            await self._judged(scope, receive, send)

    def _clean(  # noqa: PLR0911, PLR0912 - function calls would make it slower
        self, scope: Scope
    ) -> Scope | None:
        """A copy of a scope that needs no judgement; ``None`` if that is not proven.

        Every plain request pays for this, so each test is the cheapest that works. The full judgement handles
        values of unusual types.
        """
        host = typed = cookie = None
        stored: tuple[bytes, bytes, bytes, bytes | None] | None
        try:
            # Without these keys, no other postel has judged the request. Testing them first saves a call.
            if scope["type"] not in ("http", "websocket") or (
                (KEY in scope or SCOPE in scope or ENVIRON in scope) and enforced_before(scope)
            ):
                return None
            headers: object = scope["headers"]
            if type(headers) is not list and type(headers) is not tuple:  # reading may exhaust an iterator
                return None
            if len(scope["headers"]) > self._most_fields:
                return None
            for name, value in scope["headers"]:
                if host is None and name == b"host":
                    if type(value) is not bytes:
                        return None
                    host = value
                elif name not in EXAMINED:  # one test for most headers
                    if 0x5F in name:  # "_": some readers take it for a hyphen
                        return None
                elif cookie is None and name == b"cookie":
                    cookie = name
                elif typed is None and name == b"content-type":
                    if type(value) is not bytes:
                        return None
                    typed = value
                else:  # repeated, or one of header_names.NAMED
                    return None
            raw, query, decoded = scope["raw_path"], scope["query_string"], scope["path"]
            root = scope.get("root_path", "")
            if (
                type(raw) is not bytes
                or type(query) is not bytes
                or type(decoded) is not str
                or type(root) is not str
            ):
                return None
            # A method that is an attribute is called faster through a variable.
            proves_host, prove_path, prove_query, most = self._proofs
            if (
                host is None
                or typed
                or root
                or len(raw) + len(query) > most
                or raw.decode() != decoded
                or not proves_host(host)
                or (query and prove_query(query) is None)
                or prove_path(raw) is None
            ):
                stored = proven(scope, host, typed, self._pipeline)
                if stored is None:
                    return None
            else:
                stored = raw, query, b"", self._preserved
        except (KeyError, TypeError, ValueError):
            return None
        clean = dict(scope)  # a copy: some servers reuse a scope, and the key must not stay in it
        clean[KEY] = stored
        return clean

    async def _judged(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope = with_header_list(scope)
        is_http = scope["type"] == "http"  # a WebSocket has no body, so no Content-Type
        request = Request(
            recover_scope(scope),
            request_info(scope),
            judged_fields(scope, self._pipeline.field_names),
            declared_by(scope) if is_http else ContentType(),
            names_of(scope),
            mount=str(scope.get("root_path") or "").encode("utf-8", "replace"),
            is_handshake=not is_http,
        )
        judgement = await in_turns(self._pipeline.judging(request))
        report, read_body = judgement.report, self._read_body
        result = BodyResult(report, receive)
        if read_body is not None and is_http and report.location is None and report.target is not None:
            result = await read_body(scope, receive, report, request.declared)
        with contextlib.closing(result):
            await self._answered(scope, result, judgement.fields, send)

    async def _answered(
        self, scope: Scope, result: BodyResult, fields: Mapping[str, Sequence[bytes]], send: Send
    ) -> None:
        """Call the application, or answer in its place."""
        receive = result.receive
        report = self._observed(scope, result.report)
        if result.gone:
            # The client has stopped sending, but may still read. If it does not read, some servers raise.
            with contextlib.suppress(OSError):
                await self._refuse(scope, report, DeniedReceive(receive), send)
        elif not report.enforced:
            await self.app({**scope, KEY: report}, receive, send)
        elif report.location is not None:
            await _answer(send, 308, redirect_headers(report.location))
        elif report.target is not None:
            await self.app(rewritten(scope, result.headers, report, report.target, fields), receive, send)
        elif scope["type"] == "http":
            await self._refuse(scope, report, receive, send)
        elif can_deny(scope):
            await self._refuse(scope, report, DeniedReceive(receive), DeniedSend(send))
        else:
            await send({"type": "websocket.close", "code": _POLICY_VIOLATION})  # servers answer 403

    def _observed(self, scope: Mapping[str, Any], report: Report) -> Report:
        """Call the observer if something was found; returns the report with its id."""
        name = self._pipeline.id_header
        sent = header_values(scope, name.encode()) if name else ()
        prefix = ("root_path (--root-path)", scope.get("root_path"))
        return self._pipeline.observe(report, sent, prefix)

    async def _refuse(self, scope: Scope, report: Report, receive: Receive, send: Send) -> None:
        if self._refusal is not None:
            # The body is withheld, because it is faulty or was not judged.
            await self._refusal(neutral(scope, report), DeniedReceive(receive), send)
            return
        accept = (header(scope, b"accept") or b"").decode("latin-1")
        refusal = self._pipeline.refusal(report, accept)
        body = b"" if report.method == "HEAD" else refusal.body
        await _answer(send, refusal.status.value, refusal.headers, body)


async def _answer(send: Send, status: int, headers: list[tuple[str, str]], body: bytes = b"") -> None:
    encoded = [(name.encode(), value.encode()) for name, value in headers]
    await send({"type": "http.response.start", "status": status, "headers": encoded})
    await send({"type": "http.response.body", "body": body})

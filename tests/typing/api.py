"""The public names as users write them, for type checkers; this file is never run."""

# ruff: noqa: TC002 - all imports here are for type checkers
from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, assert_type
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from django.core.asgi import get_asgi_application
from django.core.wsgi import get_wsgi_application
from fastapi import FastAPI
from flask import Flask, request
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from werkzeug.exceptions import BadRequest

import postel.asgi
import postel.wsgi
from postel import (
    LATIN,
    TRACKING_NAMES,
    Accepted,
    Action,
    Bodies,
    Characters,
    Component,
    Finding,
    Forms,
    Json,
    Kind,
    Limits,
    Locations,
    Normalizer,
    Policy,
    Rejected,
    Report,
    Target,
    report_of,
)

# -- policies ------------------------------------------------------------------------------------------------

policy = (
    Policy.STANDARD.preserving(Kind.ENCODED_SLASH)
    .allowing(Kind.TAB, Kind.LINE_BREAK, on=Component.QUERY)
    .reporting(Kind.EMPTY_NAME, on=[Component.QUERY, Component.FORM])
    .repairing(Kind.MALFORMED_ESCAPE, names=["q"])
    .replacing(Kind.ILL_FORMED_UTF8, names=("q",))
    .dropping(Kind.INVISIBLE)
    .dropping_pairs(Kind.ILL_FORMED_UTF8, on=Component.QUERY, names=TRACKING_NAMES)
    .rejecting(Kind.PATH_PARAMETER)
    .accepting(LATIN | Characters.of("\u4e00", (0x370, 0x3FF)), names=["q"])
    .local(names=["next"])
    .limiting(pairs=100)
)
assert_type(policy, Policy)
assert_type(policy.action(Kind.NUL, Component.PATH), Action)
assert_type(policy.limits, Limits)

# -- forms, hosts, headers -----------------------------------------------------------------------------------

forms = Forms(limit=100_000, over="untouched", charsets=["windows-1252"], signed=["x-sig"], keep=True)
assert_type(forms.limit, int)
all_bodies = Bodies(forms=Forms(upload=2**26), multipart="judge", json=True, others="refuse")
json_settings = Json(limit=100_000, types=["application/csp-report"], signed=["stripe-signature"])
assert_type(json_settings.string, int | None)

locations = Locations("refuse", exceptions=["pay.example"])

# -- ASGI ----------------------------------------------------------------------------------------------------


def observe(report: Report) -> None:
    """Count findings."""
    assert_type(report.findings, tuple[Finding, ...])
    assert_type(report.received_target, bytes)
    assert_type(report.target, Target | None)
    assert_type(report.blind, frozenset[Kind])


async def asgi_app(scope: Scope, receive: Receive, send: Send) -> None:
    """Read the report."""
    assert_type(report_of(scope), Report)


starlette = Starlette(
    middleware=[
        Middleware(postel.asgi.NormalizeMiddleware),
        Middleware(postel.asgi.NormalizeMiddleware, policy=policy, enforce=False, observer=observe),
    ]
)
fastapi = FastAPI()
fastapi.add_middleware(postel.asgi.NormalizeMiddleware)
fastapi.add_middleware(
    postel.asgi.NormalizeMiddleware, policy=Policy.LENIENT, refusal=JSONResponse({}, status_code=400)
)
wrapped_asgi: ASGIApp = postel.asgi.NormalizeMiddleware(asgi_app, policy, enforce=True, refusal=None)
leaving_asgi: ASGIApp = postel.asgi.NormalizeMiddleware(
    asgi_app, hosts=["example.com"], locations={"/": "refuse", "/oauth": None, "/pay": locations}
)
twice_asgi: ASGIApp = postel.asgi.NormalizeMiddleware(postel.asgi.NormalizeMiddleware(starlette))
django_asgi: ASGIApp = postel.asgi.NormalizeMiddleware(get_asgi_application())


class DjangoHandler:
    """An application whose types are those of django-stubs."""

    async def __call__(
        self,
        scope: dict[str, Any],
        receive: Callable[[], Awaitable[Mapping[str, Any]]],
        send: Callable[[Mapping[str, Any]], Awaitable[None]],
    ) -> None:
        """Answer a request."""


stubbed_asgi: ASGIApp = postel.asgi.NormalizeMiddleware(DjangoHandler(), refusal=DjangoHandler())


async def starlette_view(request: Request) -> JSONResponse:
    """Return the octets for a signature."""
    return JSONResponse({"signed": report_of(request).received.query.decode("latin-1")})


# -- WSGI ----------------------------------------------------------------------------------------------------


def wsgi_app(environ: WSGIEnvironment, start_response: StartResponse) -> list[bytes]:
    """Read the report."""
    assert_type(report_of(environ), Report)
    return []


flask = Flask(__name__)
wrapped_flask: WSGIApplication = postel.wsgi.NormalizeMiddleware(flask)
flask.wsgi_app = postel.wsgi.NormalizeMiddleware(flask.wsgi_app)  # type: ignore[method-assign]  # as Flask documents it
wrapped_wsgi: WSGIApplication = postel.wsgi.NormalizeMiddleware(
    wsgi_app, policy, enforce=False, refusal=BadRequest(), observer=observe
)
leaving_wsgi: WSGIApplication = postel.wsgi.NormalizeMiddleware(
    wsgi_app, hosts=["example.com"], locations="report"
)
twice_wsgi: WSGIApplication = postel.wsgi.NormalizeMiddleware(postel.wsgi.NormalizeMiddleware(wsgi_app))
# Without django-stubs, pyright infers a type for this application that is not WSGI's.
django_on_wsgi: Any = get_wsgi_application()
django_wsgi: WSGIApplication = postel.wsgi.NormalizeMiddleware(django_on_wsgi)


def flask_view() -> str:
    """Return as text whether the URL was changed."""
    return str(report_of(request).changed)


# -- the pure part -------------------------------------------------------------------------------------------

normalizer = Normalizer(policy)
outcome = normalizer.normalize(Target(path=b"/caf%C3%A9", query=b"q=1"))
assert_type(outcome, Accepted | Rejected)
assert_type(normalizer.is_clean(b"/", b""), bool)
if isinstance(outcome, Accepted):
    assert_type(outcome.target.path_text, str)
    assert_type(outcome.target.segments, tuple[str, ...])
    assert_type(outcome.target.pairs, tuple[tuple[str, str], ...])
assert_type(outcome.findings, tuple[Finding, ...])

# -- errors that type checkers must find ---------------------------------------------------------------------

# mypy reports an unused ignore, so it must find an error in each of these lines.
wrong: Any
wrong = postel.asgi.NormalizeMiddleware(wsgi_app)  # type: ignore[arg-type]  # WSGI, not ASGI
wrong = postel.wsgi.NormalizeMiddleware(asgi_app)  # type: ignore[arg-type]  # ASGI, not WSGI
wrong = postel.asgi.NormalizeMiddleware(asgi_app, "standard")  # type: ignore[arg-type]  # no Policy
wrong = postel.asgi.NormalizeMiddleware(asgi_app, policy, False)  # type: ignore[call-arg]  # a third positional argument

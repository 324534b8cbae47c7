"""A parameter in an older encoding: frameworks read its text behind postel, and receive UTF-8."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import flask
import pytest
from django.core.asgi import get_asgi_application
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, JsonResponse
from django.urls import path as django_path
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

import postel.asgi
import postel.wsgi
from applications import django_configured
from postel import Policy, Report
from together import together
from wire import ask_asgi, ask_wsgi

if TYPE_CHECKING:
    from starlette.requests import Request

WESTERN = Policy.parse("standard charset[q]=windows-1252")


def flask_app() -> Any:
    app = flask.Flask("search", static_folder=None)

    @app.route("/search")
    def search() -> flask.Response:
        return flask.jsonify(flask.request.args.to_dict())

    return app


def starlette_app() -> Any:
    async def search(request: Request) -> JSONResponse:
        return JSONResponse(dict(request.query_params))

    return Starlette(routes=[Route("/search", search)])


def django_view(request: HttpRequest) -> JsonResponse:
    return JsonResponse(request.GET.dict())


urlpatterns = [django_path("search", django_view)]

FRAMEWORKS = {
    "flask": (flask_app, postel.wsgi.NormalizeMiddleware, ask_wsgi),
    "django-wsgi": (get_wsgi_application, postel.wsgi.NormalizeMiddleware, ask_wsgi),
    "starlette": (starlette_app, postel.asgi.NormalizeMiddleware, ask_asgi),
    "django-asgi": (get_asgi_application, postel.asgi.NormalizeMiddleware, ask_asgi),
}
SHOWN = ("QUERY_STRING", "RAW_URI", "query_string")


class Search:
    """A framework behind postel, the target that it received, and the reports."""

    def __init__(self, framework: str, **settings: Any) -> None:
        app, middleware, self._ask = FRAMEWORKS[framework]
        self._framework = app()
        self.wire: dict[str, Any] = {}
        self.reports: list[Report] = []
        inner: Any = self._wsgi if self._ask is ask_wsgi else self._asgi
        self._app: Any = middleware(inner, observer=self.reports.append, **settings)

    def _wsgi(self, environ: dict[str, Any], start_response: Any) -> Any:
        self.wire = {key: environ[key] for key in SHOWN if key in environ}
        return self._framework(environ, start_response)

    async def _asgi(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        self.wire = {key: scope[key] for key in SHOWN if key in scope}
        await self._framework(scope, receive, send)

    def ask(self, query: bytes) -> Any:
        """Return what the framework reads, or the status if it reads nothing."""
        self.wire = {}
        answer = self._ask(self._app, b"/search?" + query)
        return json.loads(answer.body) if answer.status == 200 else answer.status


search_of = functools.cache(Search)  # Compiling a policy takes longer than a request.


@pytest.fixture(scope="module", params=FRAMEWORKS)
def framework(request: pytest.FixtureRequest) -> Iterator[str]:
    with django_configured(ROOT_URLCONF=__name__):
        yield str(request.param)


@together(
    ("query", "read"),
    [
        (b"q=%C4rzteblatt", {"q": "Ärzteblatt"}),
        (b"q=%c4rzteblatt", {"q": "Ärzteblatt"}),
        (b"q=\xc4rzteblatt", {"q": "Ärzteblatt"}),
        (b"q=%C3%84rzteblatt", {"q": "Ärzteblatt"}),
        (b"p=1&q=f%FCr+50+%80%26&r=x", {"p": "1", "q": "für 50 €&", "r": "x"}),
        (b"p=%C4rzteblatt", 400),
        (b"q=%81", 400),
        (b"q=%C4%00", 400),
    ],
)
def test_what_a_framework_reads(framework: str, query: bytes, read: Any) -> None:
    assert search_of(framework, policy=WESTERN).ask(query) == read


def test_the_framework_receives_escaped_utf_8(framework: str) -> None:
    search = search_of(framework, policy=WESTERN)
    search.ask(b"q=\xc4rzte+%E9")
    wire = {key: value.encode() if isinstance(value, str) else value for key, value in search.wire.items()}
    expected = b"q=%C3%84rzte+%C3%A9"
    assert wire.pop("RAW_URI", b"/search?" + expected) == b"/search?" + expected
    assert list(wire.values()) == [expected]


def test_the_query_is_refused_without_a_charset_and_unchanged_without_enforcement(framework: str) -> None:
    assert search_of(framework).ask(b"q=%C4rzteblatt") == 400
    reporting = search_of(framework, policy=WESTERN, enforce=False)
    reporting.ask(b"q=%C4rzteblatt")
    assert b"%C4rzteblatt" in str(reporting.wire).encode()
    [finding] = reporting.reports[-1].findings
    assert finding.detail == "read as windows-1252"

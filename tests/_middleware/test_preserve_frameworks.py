"""PRESERVE in front of frameworks: different paths stay different, even behind a second postel."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from typing import Any

import flask
import pytest
from django.core.asgi import get_asgi_application
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, JsonResponse
from django.urls import path as django_path
from fastapi import FastAPI, Request

import postel.asgi
import postel.wsgi
from applications import django_configured
from postel import Kind, Policy, report_of
from together import together
from wire import ask_asgi, ask_wsgi

PRESERVING = {
    "STRICT": Policy.STRICT.preserving(Kind.ENCODED_SLASH).allowing(Kind.UNSAFE_DOUBLE_ESCAPE),
    "STANDARD": Policy.STANDARD.preserving(Kind.ENCODED_SLASH).allowing(Kind.UNSAFE_DOUBLE_ESCAPE),
    "LENIENT": Policy.LENIENT,
}
DELIMITERS = PRESERVING["STANDARD"].preserving(Kind.ENCODED_DELIMITER)


def flask_app() -> Any:
    app = flask.Flask("units", static_folder=None)

    @app.route("/units/<unit>")
    def show(unit: str) -> flask.Response:
        return flask.jsonify(unit=unit, received=report_of(flask.request).received_target.decode())

    return app


def fastapi_app() -> Any:
    app = FastAPI(openapi_url=None)

    @app.get("/units/{unit}")
    def show(unit: str, request: Request) -> dict[str, str]:
        return {"unit": unit, "received": report_of(request).received_target.decode()}

    return app


def django_view(request: HttpRequest, unit: str) -> JsonResponse:
    received = report_of(request.environ if hasattr(request, "environ") else request).received_target
    return JsonResponse({"unit": unit, "received": received.decode()})


urlpatterns = [django_path("units/<str:unit>", django_view)]

FRAMEWORKS = {
    "flask": (flask_app, postel.wsgi.NormalizeMiddleware, ask_wsgi),
    "django-wsgi": (get_wsgi_application, postel.wsgi.NormalizeMiddleware, ask_wsgi),
    "fastapi": (fastapi_app, postel.asgi.NormalizeMiddleware, ask_asgi),
    "django-asgi": (get_asgi_application, postel.asgi.NormalizeMiddleware, ask_asgi),
}
VIEWS = (
    "PATH_INFO",
    "QUERY_STRING",
    "RAW_URI",
    "SCRIPT_NAME",
    "path",
    "raw_path",
    "query_string",
    "root_path",
)


class Stack:
    """A framework behind one postel for each policy; the first is the outermost."""

    def __init__(self, framework: str, *policies: Policy) -> None:
        app, middleware, self._ask = FRAMEWORKS[framework]
        self._framework = app()
        self.seen: dict[str, Any] = {}
        self._app: Any = self._wsgi if self._ask is ask_wsgi else self._asgi
        for policy in reversed(policies):
            self._app = middleware(self._app, policy, observer=repr)

    def _wsgi(self, environ: dict[str, Any], start_response: Any) -> Any:
        self.seen = {key: environ[key] for key in VIEWS if key in environ}
        return self._framework(environ, start_response)

    async def _asgi(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        self.seen = {key: scope[key] for key in VIEWS if key in scope}
        await self._framework(scope, receive, send)

    def ask(self, target: bytes) -> Any:
        """Return what the framework reads, or the status if it reads nothing."""
        self.seen = {}
        answer = self._ask(self._app, target)
        return json.loads(answer.body) if answer.status == 200 else answer.status

    def unit(self, target: bytes) -> Any:
        read = self.ask(target)
        return read["unit"] if isinstance(read, dict) else read


stack_of = functools.cache(Stack)  # Compiling a policy takes longer than a request.


@pytest.fixture(scope="module")
def urls() -> Iterator[None]:
    with django_configured(ROOT_URLCONF=__name__):
        yield


@pytest.fixture(scope="module", params=FRAMEWORKS)
def framework(request: pytest.FixtureRequest, urls: None) -> str:
    return str(request.param)


@pytest.fixture(params=PRESERVING)
def policy(request: pytest.FixtureRequest) -> Policy:
    return PRESERVING[request.param]


UNITS = {
    b"/units/kg%2Fs": "kg%2Fs",
    b"/units/kg%252Fs": "kg%252Fs",
    b"/units/kg%25252Fs": "kg%25252Fs",
    b"/units/kg%25s": "kg%25s",
    b"/units/kg%C2%B7m": "kg\u00b7m",
    b"/units/m%2Fs%2Fs": "m%2Fs%2Fs",
    b"/units/kg": "kg",
}


@together("target", UNITS, ids=ascii)
def test_different_paths_stay_different(framework: str, policy: Policy, target: bytes) -> None:
    read = stack_of(framework, policy).ask(target)
    assert read == {"unit": UNITS[target], "received": target.decode()}
    assert len(set(UNITS.values())) == len(UNITS)


def test_without_preserving_the_paths_are_not_told_apart(framework: str) -> None:
    """Otherwise this file would test nothing: a slash selects another route, and the escape is lost."""
    stack = stack_of(framework, Policy.STANDARD.reporting(Kind.UNSAFE_DOUBLE_ESCAPE))
    assert stack.unit(b"/units/kg%2Fs") == 400
    assert stack.unit(b"/units/kg%252Fs") == "kg%2Fs"


def test_an_escape_that_is_not_preserved_is_decoded(framework: str) -> None:
    assert stack_of(framework, PRESERVING["STANDARD"]).unit(b"/units/kg%3Fs") == "kg?s"
    assert stack_of(framework, DELIMITERS).unit(b"/units/kg%3Fs") == "kg%3Fs"
    assert stack_of(framework, DELIMITERS).unit(b"/units/kg%253Fs") == "kg%253Fs"


TARGETS = [
    *UNITS,
    b"/units/kg%2fs?q=a%2Fb&r=50%25",
    b"/units/%7ekg%2fs",
    b"/units/k%67%252fs?q=%252F",
    b"/units/kg%2Fs?q=caf\xc3\xa9",
    b"/units/a%2F%2Fb",
]


@pytest.mark.no_cover
@together("target", TARGETS, ids=ascii)
def test_a_second_postel_inside_changes_nothing(framework: str, policy: Policy, target: bytes) -> None:
    """Whatever its policy, the second postel recognises that the first has acted, and does nothing."""
    once = stack_of(framework, policy)
    answer = once.ask(target)
    for inner in (policy, Policy.STRICT, DELIMITERS):
        twice = stack_of(framework, policy, inner)
        assert twice.ask(target) == answer
        assert twice.seen == once.seen
        assert {key: type(each) for key, each in twice.seen.items()} == {
            key: type(each) for key, each in once.seen.items()
        }


@together("hostile", [b"/units/..%2Fadmin", b"/units/a%2F..%2Fb", b"/units/kg%2F.", b"/units/%2F.."])
def test_a_preserved_segment_is_judged_as_if_split(framework: str, policy: Policy, hostile: bytes) -> None:
    assert stack_of(framework, policy).unit(hostile) == 400

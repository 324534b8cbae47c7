"""Applications for the tests:

those of examples/, and one for each framework that returns what it reads of a URL.
"""

import contextlib
import functools
import importlib
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import flask
from django.conf import settings
from django.core.asgi import get_asgi_application
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, JsonResponse
from django.urls import re_path
from django.utils.functional import empty
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

import postel.asgi
import postel.wsgi
from postel import Policy, Report
from wire import Answer, ask_asgi, ask_wsgi

EXAMPLES = Path(__file__).parent.parent / "examples"


def example(name: str) -> ModuleType:
    """Import a module of examples/ by its name alone, as the commands that start it do."""
    if str(EXAMPLES) not in sys.path:
        sys.path.append(str(EXAMPLES))
    return importlib.import_module(name)


@contextlib.contextmanager
def django_settings(held: object) -> Iterator[None]:
    """Give Django other settings during the block.

    Django can be configured once in a process, and several test modules have their own settings.
    """
    before = settings._wrapped
    settings._wrapped = held
    try:
        yield
    finally:
        settings._wrapped = before


@contextlib.contextmanager
def django_configured(**options: Any) -> Iterator[None]:
    with django_settings(empty):
        settings.configure(ALLOWED_HOSTS=["*"], **options)
        yield


@functools.cache
def settings_of_the_example() -> object:
    """Return the settings that examples/django_app.py makes when it is imported."""
    with django_settings(empty):
        example("django_app")
        return settings._wrapped


@dataclass(frozen=True)
class Reading:
    """The result of a request: what the framework read and the target that it received, or a refusal."""

    status: int
    path: str | None = None
    pairs: list[tuple[str, str]] | None = None
    handed: bytes | None = None
    kinds: tuple[str, ...] = ()


def flask_app() -> Any:
    app = flask.Flask("any", static_folder=None)
    app.url_map.merge_slashes = False

    @app.route("/", defaults={"rest": ""}, provide_automatic_options=False, methods=["GET", "OPTIONS"])
    @app.route("/<path:rest>", provide_automatic_options=False, methods=["GET", "OPTIONS"])
    def show(rest: str) -> flask.Response:
        return flask.jsonify(path=f"/{rest}", pairs=list(flask.request.args.items(multi=True)))

    return app


async def starlette_view(request: Request) -> JSONResponse:
    rest = request.path_params["rest"]
    return JSONResponse({"path": f"/{rest}", "pairs": request.query_params.multi_items()})


def starlette_app() -> Any:
    return Starlette(routes=[Route("/{rest:path}", starlette_view, methods=["GET", "OPTIONS"])])


def django_view(request: HttpRequest, rest: str) -> JsonResponse:
    pairs = [(name, value) for name, values in request.GET.lists() for value in values]
    return JsonResponse({"path": f"/{rest}", "pairs": pairs})


urlpatterns = [re_path(r"(?s)^(?P<rest>.*)\Z", django_view)]


@dataclass(frozen=True)
class Stack:
    """An application of a framework, called as a server would call it, with or without postel."""

    name: str
    app: Callable[[], Any]
    is_asgi: bool

    def ask(self, target: bytes, policy: Policy | None, method: str = "GET") -> tuple[Answer, bytes | None]:
        """Return the answer, and the target that the application received, if it was called."""
        return (self._ask_asgi if self.is_asgi else self._ask_wsgi)(target, policy, method)

    def read(self, target: str | bytes, policy: Policy = Policy.STANDARD, method: str = "GET") -> Reading:
        """Send a request to one of ``STACKS``, behind postel."""
        octets = target.encode("latin-1") if isinstance(target, str) else target
        with django_configured(ROOT_URLCONF="applications"):
            return _reading(*self.ask(octets, policy, method))

    def _ask_wsgi(self, target: bytes, policy: Policy | None, method: str) -> tuple[Answer, bytes | None]:
        handed: list[bytes] = []
        app = self.app()

        def spy(environ: dict[str, Any], start_response: Any) -> Any:
            handed.append(environ["RAW_URI"].encode("latin-1"))
            return app(environ, start_response)

        asked = postel.wsgi.NormalizeMiddleware(spy, policy, observer=ignore) if policy else spy
        return ask_wsgi(asked, target, method), handed[0] if handed else None

    def _ask_asgi(self, target: bytes, policy: Policy | None, method: str) -> tuple[Answer, bytes | None]:
        handed: list[bytes] = []
        app = self.app()

        async def spy(scope: Any, receive: Any, send: Any) -> None:
            query = scope["query_string"]
            handed.append(scope["raw_path"] + (b"?" + query if query else b""))
            await app(scope, receive, send)

        asked = postel.asgi.NormalizeMiddleware(spy, policy, observer=ignore) if policy else spy
        return ask_asgi(asked, target, method), handed[0] if handed else None


def ignore(report: Report) -> None:
    """Ignore a report, so that intended refusals are not logged."""


def _reading(answer: Answer, handed: bytes | None) -> Reading:
    if handed is None:
        return Reading(answer.status, kinds=tuple(json.loads(answer.body)["kinds"]))
    if answer.kind != "application/json":
        return Reading(answer.status, handed=handed)
    read = json.loads(answer.body)
    return Reading(answer.status, read["path"], [tuple(pair) for pair in read["pairs"]], handed)


STACKS = [
    Stack("flask", flask_app, is_asgi=False),
    Stack("django-wsgi", get_wsgi_application, is_asgi=False),
    Stack("django-asgi", get_asgi_application, is_asgi=True),
    Stack("starlette", starlette_app, is_asgi=True),
]

"""Applications as people write them, each with one vulnerability, and applications without any."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl

import fastapi
import flask
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse
from django.urls import path
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from postel import uri
from readers.of_django import configured


@dataclass(frozen=True)
class Application:
    """An application: how it is made in a folder, which requests it gets, and what the doctor must find."""

    name: str
    make: Callable[[Path], contextlib.AbstractContextManager[Any]]
    routes: tuple[str, ...]
    rule: str = ""
    clauses: tuple[str, ...] = ()
    policy: str = "standard"
    """The policy under which the doctor runs."""

    def __str__(self) -> str:
        return self.name


# -- Starlette -----------------------------------------------------------------------------------------------


def starlette(place: str) -> Any:
    async def health(_: Any) -> PlainTextResponse:
        return PlainTextResponse("well")

    async def panel(_: Any) -> PlainTextResponse:
        return PlainTextResponse("the panel")

    class Guard:
        def __init__(self, app: Any) -> None:
            self.app = app

        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            path = scope[place].decode() if place == "raw_path" else scope[place]
            is_kept = scope["type"] == "http" and path.startswith("/admin")
            await (PlainTextResponse("forbidden", 403) if is_kept else self.app)(scope, receive, send)

    routes = [Route("/health", health), Route("/admin/panel", panel)]
    return Starlette(routes=routes, middleware=[Middleware(Guard)])


@contextlib.contextmanager
def guard_on_the_raw_path(_: Path) -> Iterator[Any]:
    yield starlette("raw_path")


@contextlib.contextmanager
def guard_on_the_path(_: Path) -> Iterator[Any]:
    yield starlette("path")


# -- Flask ---------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def guard_of_static_files(folder: Path) -> Iterator[Any]:
    (folder / "private").mkdir(exist_ok=True)
    (folder / "private" / "key.txt").write_text("SECRET")
    app = flask.Flask("files", static_folder=str(folder), static_url_path="/static")

    @app.before_request
    def guard() -> Any:
        return ("forbidden", 403) if flask.request.path.startswith("/static/private") else None

    yield app


def redirecting(follows: Callable[[str], bool]) -> Any:
    app = flask.Flask("login", static_folder=None)

    @app.get("/login")
    def login() -> Any:
        target = flask.request.args.get("next", "/")
        return flask.redirect(target if follows(target) else "/")

    return app


@contextlib.contextmanager
def redirect_to_anything(_: Path) -> Iterator[Any]:
    yield redirecting(lambda _: True)


@contextlib.contextmanager
def redirect_to_what_is_local(_: Path) -> Iterator[Any]:
    yield redirecting(uri.is_local)


# -- Django --------------------------------------------------------------------------------------------------


def report(request: Any) -> HttpResponse:
    return HttpResponse(f"the report of {request.GET.get('user')}")


class Urls:
    urlpatterns: Final = [path("report", report)]


class QueryGuard:
    """Denies the report of one user, by the query as it was sent."""

    def __init__(self, app: Any) -> None:
        self.app = app

    def __call__(self, environ: Any, start_response: Any) -> Any:
        if ("user", "admin") in parse_qsl(environ["QUERY_STRING"]):
            start_response("403 Forbidden", [])
            return [b"forbidden"]
        return self.app(environ, start_response)


@contextlib.contextmanager
def guard_on_the_query(_: Path) -> Iterator[Any]:
    with configured(ROOT_URLCONF=Urls()):
        yield QueryGuard(get_wsgi_application())


class Kept:
    @staticmethod
    def panel(request: Any) -> HttpResponse:
        is_known = request.headers.get("Authorization") == "Basic eDp5"
        return HttpResponse("the panel") if is_known else HttpResponse(status=401)

    urlpatterns: Final = [path("panel/", panel), path("health/", lambda _: HttpResponse("well"))]


@contextlib.contextmanager
def guard_in_the_view(_: Path) -> Iterator[Any]:
    with configured(ROOT_URLCONF=Kept()):
        yield get_wsgi_application()


@contextlib.contextmanager
def form_of_any_type(_: Path) -> Iterator[Any]:
    with configured(REST_FRAMEWORK={"UNAUTHENTICATED_USER": None}):
        from rest_framework.parsers import FormParser  # noqa: PLC0415 - when Django has settings
        from rest_framework.response import Response  # noqa: PLC0415
        from rest_framework.views import APIView  # noqa: PLC0415

        class Profile(APIView):
            authentication_classes = ()
            permission_classes = ()
            parser_classes = (FormParser,)

            def post(self, request: Any) -> Response:
                return Response({"name": request.data.get("name")})

        class OfRest:
            urlpatterns: Final = [path("profile", Profile.as_view())]

        with configured(ROOT_URLCONF=OfRest(), REST_FRAMEWORK={"UNAUTHENTICATED_USER": None}):
            yield get_wsgi_application()


# -- FastAPI -------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def guard_by_dependency(_: Path) -> Iterator[Any]:
    def admin(authorization: str = fastapi.Header("")) -> None:
        if authorization != "Bearer x":
            raise fastapi.HTTPException(401)

    app = fastapi.FastAPI()

    @app.get("/pages/{name}")
    def page(name: str) -> str:
        return name

    @app.get("/admin/panel", dependencies=[fastapi.Depends(admin)])
    def panel() -> str:
        return "the panel"

    yield app


HOLES: Final = (
    Application(
        "guard on raw_path",
        guard_on_the_raw_path,
        ("/health", "/admin/panel"),
        "guard",
        ("spelling=repair",),
    ),
    Application(
        "Flask, before_request and static files",
        guard_of_static_files,
        ("/static/private/key.txt",),
        "guard",
        ("dot-segment=reject", "encoded-dot-segment=reject"),
    ),
    Application(
        "Django on WSGI, a charset",
        guard_on_the_query,
        ("/report?user=guest",),
        "charset",
        ("steering-charset=reject",),
    ),
    Application(
        "DRF, a wildcard content type",
        form_of_any_type,
        ("POST /profile name=x",),
        "content type",
        ("malformed-content-type=reject, with forms=True",),
    ),
    Application(
        "Flask, a redirect to args[next]",
        redirect_to_anything,
        ("/login",),
        "redirect",
        ("add foreign-reference[next]=reject, or redirect only where postel.uri.is_local() is true",),
        policy="standard foreign-reference[next]=reject",
    ),
)
CORRECT: Final = (
    Application("Starlette, a guard on the path", guard_on_the_path, ("/health", "/admin/panel")),
    Application("Flask, a checked redirect", redirect_to_what_is_local, ("/login", "/login?next=/")),
    Application("Django, a guard in the view", guard_in_the_view, ("/panel/", "/health/")),
    Application("FastAPI, a dependency", guard_by_dependency, ("/pages/a", "/admin/panel")),
)

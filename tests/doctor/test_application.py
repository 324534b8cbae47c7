"""Applications: how they are found, the message if there is none, and their routes."""

from __future__ import annotations

import os
import sys
from typing import Any, Final

import bottle
import falcon
import fastapi
import flask
import litestar
import pytest
from django.core.wsgi import get_wsgi_application
from django.urls import include, path, re_path
from pyramid.config import Configurator
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.routing import Route as StarletteRoute
from werkzeug.wrappers import Request, Response

from doctor import somebodys
from postel.doctor import ApplicationError
from postel.doctor._application import Application
from postel.doctor._routes import MOST, SOURCES, Route, known_routes
from readers.of_django import configured

ERRORS: Final = [
    pytest.param("doctor.nowhere:app", False, "there is no module 'doctor.nowhere' here", id="no module"),
    pytest.param("nowhere_at_all.x:app", False, "there is no module 'nowhere_at_all' here", id="no package"),
    pytest.param("doctor.py:app", False, "'doctor.py' is not a module name: write doctor:app", id="a file"),
    pytest.param("./a/b.py", False, "not a module name: write a.b:app", id="a path"),
    pytest.param(
        "\x1b[2J",
        False,
        r"'\x1b[2J' is not a module name: write module:app",
        id="a name with control characters",
    ),
    pytest.param(":app", False, "not a module name: write module:app", id="an empty name"),
    pytest.param(
        "doctor.broken:app", False, "cannot be imported: RuntimeError: no database", id="a module that raises"
    ),
    pytest.param(
        "doctor.leaving:app",
        False,
        "cannot be imported: SystemExit: usage",
        id="a module that ends the process",
    ),
    pytest.param(
        "doctor.needing",
        False,
        "'doctor.needing' needs 'nowhere_to_be_found', which is not",
        id="a missing dependency",
    ),
    pytest.param("doctor.somebodys", False, "'doctor.somebodys' has no attribute 'app'", id="no app"),
    pytest.param("doctor.somebodys:Inner.number", False, "int is not an application", id="not callable"),
    pytest.param(
        "doctor.somebodys:make", False, "if it is a factory, call it, or add --factory", id="a factory"
    ),
    pytest.param(
        "doctor.somebodys:make_not",
        True,
        "raised instead of returning an application: RuntimeError: no settings",
        id="a factory that raises",
    ),
]


@pytest.mark.parametrize(("name", "factory", "said"), ERRORS)
def test_a_missing_application_gives_a_message(name: str, factory: bool, said: str) -> None:
    with pytest.raises(ApplicationError) as raised:
        Application.named(name, factory=factory)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_an_application_is_found_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Application.named("doctor.somebodys:Inner.plain").protocol == "wsgi"
    assert Application.named("doctor.somebodys:make", factory=True).app is somebodys.plain
    assert Application.named("doctor.somebodys:waiting_too").protocol == "asgi"
    monkeypatch.setattr(sys, "path", [each for each in sys.path if each != os.getcwd()])
    assert Application.named("doctor.somebodys:plain").frameworks == ()
    assert sys.path[0] == os.getcwd()


def test_compiled_applications_are_recognised_by_their_arguments() -> None:
    assert Application.of(lambda scope, receive, send: None).protocol == "asgi"
    with pytest.raises(ApplicationError):
        Application.of(max)


class Wrapping:
    """Middleware around an application."""

    def __init__(self, app: Any) -> None:
        self.app = app

    def __call__(self, environ: Any, start_response: Any) -> Any:
        return self.app(environ, start_response)


def test_a_framework_is_found_behind_middleware() -> None:
    assert Application.of(Wrapping(Wrapping(flask.Flask("x")))).frameworks == ("flask",)
    endless = Wrapping(None)
    endless.app = endless
    assert Application.of(endless).is_wrapped is False


@Request.application
def greet(request: Request) -> Response:
    return Response("hello")


def test_a_toolkit_is_found_in_a_module_that_imports_it() -> None:
    assert Application.of(greet).frameworks == ("werkzeug",)
    assert Application.of(Wrapping(Wrapping(greet))).frameworks == ("werkzeug",)
    assert lines(greet) == []
    assert Application.of(Bare()).frameworks == ("werkzeug",)  # This module defines the class.
    assert Application.of(somebodys.plain).frameworks == ()


class Bare:
    def __call__(self, environ: Any, start_response: Any) -> Any: ...


def test_a_framework_without_a_package_has_no_version(monkeypatch: pytest.MonkeyPatch) -> None:
    application = Application(somebodys.plain, "wsgi", ("nowhere",))
    assert application.versions() == {"nowhere": "unknown"}


# -- routes --------------------------------------------------------------------------------------------------


def lines(app: Any, source: str | None = None) -> list[str]:
    return [route.request.line() for route in known_routes(Application.of(app), source)]


async def page(request: Any) -> None: ...


def test_routes_of_starlette_are_found() -> None:
    routes = [
        StarletteRoute("/a/{name:path}", page),
        StarletteRoute("/post", page, methods=["POST"]),
        Mount("/m", routes=[StarletteRoute("/inner", page)]),
    ]
    assert lines(Starlette(routes=routes)) == ["GET /a/1", "GET /m/inner"]


def test_routes_of_fastapi_are_found() -> None:
    app = fastapi.FastAPI(openapi_url=None)
    app.get("/items/{item}")(lambda item: item)
    app.post("/items")(lambda: None)
    assert lines(app, "openapi") == ["GET /items/1"]


def test_routes_of_litestar_are_found() -> None:
    # Both handlers have the same operation id, so Litestar cannot generate an OpenAPI document.
    handlers = [litestar.get("/items/{item:int}")(shown), litestar.post("/items")(shown)]
    assert "GET /items/1" in lines(litestar.Litestar(handlers[:1]), "openapi")
    with pytest.raises(
        ApplicationError, match="--routes-from openapi: cannot read the routes: ImproperlyConf"
    ):
        lines(litestar.Litestar(handlers), "openapi")
    assert "GET /items/1" in lines(litestar.Litestar(handlers))
    assert lines(litestar.Litestar(handlers, openapi_config=None)) == ["GET /items/1"]


async def shown() -> str: ...


class Resource:
    def on_get(self, request: Any, response: Any, **arguments: Any) -> None: ...


class Posted:
    def on_post(self, request: Any, response: Any) -> None: ...


def test_routes_of_falcon_are_found() -> None:
    app = falcon.App()
    app.add_route("/items/{item:int}", Resource())
    app.add_route("/keys/{key:uuid}", Resource())
    app.add_route("/posted", Posted())
    uuid = "00000000-0000-4000-8000-000000000000"
    assert lines(app, "routes") == ["GET /items/1", f"GET /keys/{uuid}"]


def test_routes_of_pyramid_are_found() -> None:
    with Configurator() as config:
        config.add_route("year", r"/years/{year:\d{4}}/all")
        config.add_route("rest", "files/*rest")
        app = config.make_wsgi_app()
    assert lines(app, "routes") == ["GET /years/1/all", "GET /files/1"]


def test_routes_of_bottle_are_found() -> None:
    app = bottle.Bottle()
    app.get("/items/<item:int>")(lambda item: item)
    app.post("/items")(lambda: None)
    assert lines(app) == ["GET /items/1"]


def test_routes_of_flask_are_found() -> None:
    app = flask.Flask("x", static_folder=None)
    app.add_url_rule("/items/<int:item>", "item", lambda item: item)
    app.add_url_rule("/items", "items", lambda: None, methods=["POST"])
    assert lines(app, "url_map") == ["GET /items/1"]


def test_routes_of_django_are_found() -> None:
    class Urls:
        urlpatterns: Final = [
            path("items/<int:item>/", lambda request: None),
            path("more/", include([path("inner/", lambda request: None)])),
            re_path(r"^old/(\d+)$", lambda request: None),
            re_path(r"^users\.json/(?P<pk>[^/.]+)/$", lambda request: None),
            re_path(r"^either[ab]$", lambda request: None),
        ]

    with configured(ROOT_URLCONF=Urls()):
        assert lines(get_wsgi_application(), "urlconf") == [
            "GET /items/1/",
            "GET /more/inner/",
            "GET /old/1",
            "GET /users.json/1/",
        ]


def test_the_number_of_routes_is_bounded() -> None:
    app = flask.Flask("x", static_folder=None)
    for number in range(MOST + 5):
        app.add_url_rule(f"/{number}", str(number), lambda: "")
    assert len(lines(app)) == MOST


@pytest.mark.parametrize("source", SOURCES)
def test_a_missing_source_of_routes_is_named(source: str) -> None:
    with pytest.raises(ApplicationError, match=source):
        lines(somebodys.plain, source)
    assert lines(somebodys.plain) == []


def test_the_text_of_a_route_has_a_method_a_path_and_a_body() -> None:
    assert Route.parse("/a?b=1").request.line() == "GET /a?b=1"
    assert Route.parse("PUT /a").request.line() == "PUT /a"
    assert Route.parse("/a name=x y").request.body == b"name=x y"
    assert Route.parse("/a name=x").request.line() == "POST /a"
    assert [Route.parse(text).is_read for text in ("HEAD /", "PUT /")] == [True, False]
    for text in ("", "a", "get /", "/\n", "/é"):
        with pytest.raises(ValueError, match="a route is"):
            Route.parse(text)

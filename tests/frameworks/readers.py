"""One application for each framework, which returns what its own accessors give for a URL.

An application answers with the path, the one parameter of its route, the query, and the full URL. With these
routes and settings, a framework neither redirects nor drops anything by itself.
"""

# Each framework is imported where its application is made.
# ruff: noqa: PLC0415

from __future__ import annotations

import itertools
import json
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, JsonResponse
from django.urls import re_path

Pairs = Iterable[tuple[str, str]]
NUMBERS = itertools.count()


def told(path: str, rest: str, pairs: Pairs, url: str) -> dict[str, Any]:
    return {"path": path, "rest": rest, "pairs": [list(pair) for pair in pairs], "url": url}


def flattened(lists: Iterable[tuple[str, Iterable[str]]]) -> list[tuple[str, str]]:
    return [(name, value) for name, values in lists for value in values]


# -- Django --------------------------------------------------------------------------------------------------


def django_view(request: HttpRequest, rest: str) -> JsonResponse:
    pairs = flattened(request.GET.lists())
    return JsonResponse(told(request.path, rest, pairs, request.build_absolute_uri()))


urlpatterns = [re_path(r"(?s)^(?P<rest>.*)\Z", django_view)]


def django_wsgi() -> Any:
    from django.core.wsgi import get_wsgi_application

    return get_wsgi_application()


def django_asgi() -> Any:
    from django.core.asgi import get_asgi_application

    return get_asgi_application()


# -- Flask and Quart -----------------------------------------------------------------------------------------


def flask_app() -> Any:
    import flask

    app = flask.Flask("reader", static_folder=None)
    app.url_map.merge_slashes = False

    @app.route("/", defaults={"rest": ""})
    @app.route("/<path:rest>")
    def show(rest: str) -> Any:
        request = flask.request
        return flask.jsonify(told(request.path, rest, request.args.items(multi=True), request.url))

    return app


def quart_app() -> Any:
    import quart

    app = quart.Quart("reader", static_folder=None)
    app.url_map.merge_slashes = False

    @app.route("/", defaults={"rest": ""})
    @app.route("/<path:rest>")
    async def show(rest: str) -> Any:
        request = quart.request
        return quart.jsonify(told(request.path, rest, request.args.items(multi=True), request.url))

    return app


# -- Starlette and FastAPI -----------------------------------------------------------------------------------


def starlette_app() -> Any:
    from starlette.applications import Starlette
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    async def show(request: Any) -> JSONResponse:
        rest, pairs = request.path_params["rest"], request.query_params.multi_items()
        return JSONResponse(told(request.scope["path"], rest, pairs, str(request.url)))

    return Starlette(routes=[Route("/{rest:path}", show)])


def fastapi_app() -> Any:
    import fastapi

    app = fastapi.FastAPI(openapi_url=None)

    async def show(rest: str, request: fastapi.Request) -> dict[str, Any]:
        return told(request.scope["path"], rest, request.query_params.multi_items(), str(request.url))

    show.__annotations__["request"] = fastapi.Request
    app.get("/{rest:path}")(show)
    return app


# -- Falcon --------------------------------------------------------------------------------------------------


def _falcon_told(request: Any, rest: str) -> dict[str, Any]:
    lists = [
        (name, values if isinstance(values, list) else [values]) for name, values in request.params.items()
    ]
    return told(request.path, rest, flattened(lists), request.url)


class FalconReader:
    def on_get(self, request: Any, response: Any, rest: str = "") -> None:
        response.media = _falcon_told(request, rest)


class AsyncFalconReader:
    async def on_get(self, request: Any, response: Any, rest: str = "") -> None:
        response.media = _falcon_told(request, rest)


def falcon_wsgi() -> Any:
    import falcon

    return _falcon(falcon.App(), FalconReader())


def falcon_asgi() -> Any:
    import falcon.asgi

    return _falcon(falcon.asgi.App(), AsyncFalconReader())


def _falcon(app: Any, reader: Any) -> Any:
    app.add_route("/", reader)
    app.add_route("/{rest:path}", reader)
    return app


# -- Litestar, Bottle, Pyramid, Sanic ------------------------------------------------------------------------


def litestar_app() -> Any:
    import litestar

    async def show(request: Any) -> dict[str, Any]:
        rest, pairs = request.path_params.get("rest", ""), request.query_params.multi_items()
        return told(request.scope["path"], rest, pairs, str(request.url))

    show.__annotations__.update({"request": litestar.Request, "return": dict[str, Any]})
    return litestar.Litestar([litestar.get(["/", "/{rest:path}"])(show)], openapi_config=None)


def bottle_app() -> Any:
    import bottle

    app = bottle.Bottle()
    app.config["catchall"] = False

    @app.route("/")
    @app.route("/<rest:path>")
    def show(rest: str = "") -> dict[str, Any]:
        request = bottle.request
        return told(request.path, rest, request.query.decode().allitems(), request.url)

    return app


def pyramid_app() -> Any:
    from pyramid.config import Configurator

    def show(request: Any) -> dict[str, Any]:
        return told(request.path_info, request.matchdict["rest"], request.GET.items(), request.url)

    with Configurator() as config:
        config.add_route("any", "/{rest:.*}")
        config.add_view(show, route_name="any", renderer="json")
        return config.make_wsgi_app()


def sanic_app() -> Any:
    import sanic

    logging.getLogger("sanic.error").setLevel(logging.CRITICAL)
    app = sanic.Sanic(f"reader{next(NUMBERS)}", configure_logging=False)  # unique in a process
    app.config.MOTD = False

    async def show(request: Any, rest: str = "") -> Any:
        pairs = flattened(request.get_args(keep_blank_values=True).items())
        return sanic.response.json(told(request.path, rest, pairs, request.url))

    app.add_route(show, "/", unquote=True)
    app.add_route(show, "/<rest:path>", name="rest", unquote=True)
    return app


@dataclass(frozen=True)
class Framework:
    """A framework, how its application is created, and the package that has its version."""

    name: str
    make: Callable[[], Any]
    protocol: str
    distribution: str


FRAMEWORKS = [
    Framework("Django, WSGI", django_wsgi, "wsgi", "Django"),
    Framework("Django, ASGI", django_asgi, "asgi", "Django"),
    Framework("Flask", flask_app, "wsgi", "Flask"),
    Framework("Quart", quart_app, "asgi", "Quart"),
    Framework("Starlette", starlette_app, "asgi", "starlette"),
    Framework("FastAPI", fastapi_app, "asgi", "fastapi"),
    Framework("Falcon, WSGI", falcon_wsgi, "wsgi", "falcon"),
    Framework("Falcon, ASGI", falcon_asgi, "asgi", "falcon"),
    Framework("Litestar", litestar_app, "asgi", "litestar"),
    Framework("Bottle", bottle_app, "wsgi", "bottle"),
    Framework("Pyramid", pyramid_app, "wsgi", "pyramid"),
    Framework("Sanic, ASGI", sanic_app, "asgi", "sanic"),
]


@dataclass(frozen=True)
class Read:
    """The answer of a framework: what it has read, or a status."""

    status: int
    path: str | None = None
    rest: str | None = None
    pairs: tuple[tuple[str, str], ...] = ()
    url: str | None = None


def read(status: int, body: bytes) -> Read:
    try:
        found = json.loads(body)
    except ValueError:
        return Read(status)
    if not isinstance(found, dict) or found.keys() != {"path", "rest", "pairs", "url"}:
        return Read(status)
    pairs = tuple((name, value) for name, value in found["pairs"])
    return Read(status, found["path"], found["rest"], pairs, found["url"])

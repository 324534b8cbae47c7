"""Applications with one route, ``POST /``, around a view of each framework."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bottle
import falcon
import falcon.asgi
import litestar
from pyramid.config import Configurator
from starlette.applications import Starlette
from starlette.routing import Route


def starlette_app(view: Callable[..., Any]) -> Any:
    return Starlette(routes=[Route("/", view, methods=["POST"])])


def litestar_app(handler: Any) -> Any:
    return litestar.Litestar([handler], openapi_config=None)


def falcon_app(resource: object) -> Any:
    app = falcon.App()
    app.add_route("/", resource)
    return app


def falcon_asgi_app(resource: object) -> Any:
    app = falcon.asgi.App()
    app.add_route("/", resource)
    return app


def bottle_app(view: Callable[[], str]) -> Any:
    """Create an application that lets exceptions of a view propagate, as the others do."""
    app = bottle.Bottle()
    app.config["catchall"] = False
    app.route("/", "POST", view)
    return app


def pyramid_app(view: Callable[[Any], Any]) -> Any:
    with Configurator() as config:
        config.add_route("show", "/", request_method="POST")
        config.add_view(view, route_name="show")
        return config.make_wsgi_app()

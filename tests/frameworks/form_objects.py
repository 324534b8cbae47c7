"""One application for each framework that returns what its own form object holds, whatever the method."""

# Each framework is imported where its application is made.
# ruff: noqa: PLC0415

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import path

from frameworks.readers import NUMBERS

METHODS = ("POST", "PUT", "PATCH", "DELETE", "GET")
TOLD: list[str] = []
"""The names and the values of the form object that was read last."""


def tell(pairs: Iterable[tuple[Any, Any]]) -> str:
    """Add the names and values of a form object to ``TOLD``: texts unchanged, and files as text."""
    TOLD.extend(str(each) for pair in pairs for each in pair)
    return "told"


# -- Django and Django REST framework ------------------------------------------------------------------------


def django_view(request: HttpRequest) -> HttpResponse:
    return HttpResponse(tell((name, each) for name, values in request.POST.lists() for each in values))


urlpatterns = [path("", django_view)]


def django_wsgi() -> Any:
    from django.core.wsgi import get_wsgi_application

    return get_wsgi_application()


def django_asgi() -> Any:
    from django.core.asgi import get_asgi_application

    return get_asgi_application()


def rest_framework() -> Any:
    """A view of Django REST framework; ``request.data`` is a form if its parsers find one."""
    from django.core.wsgi import get_wsgi_application
    from django.http import QueryDict
    from rest_framework.parsers import FormParser, MultiPartParser
    from rest_framework.response import Response
    from rest_framework.views import APIView

    class Show(APIView):
        authentication_classes = ()
        permission_classes = ()
        parser_classes = (FormParser, MultiPartParser)

        def show(self, request: Any) -> Any:
            if isinstance(request.data, QueryDict):
                tell((name, each) for name, values in request.data.lists() for each in values)
            return Response("told")

        get = post = put = patch = delete = show

    urlpatterns.append(path("rest", Show.as_view()))
    return get_wsgi_application()


# -- Flask and Quart -----------------------------------------------------------------------------------------


def flask_app() -> Any:
    import flask

    app = flask.Flask("forms", static_folder=None)
    app.add_url_rule("/", "show", lambda: tell(flask.request.form.items(multi=True)), methods=METHODS)
    return app.wsgi_app


def quart_app() -> Any:
    import quart

    app = quart.Quart("forms", static_folder=None)

    async def show() -> str:
        return tell((await quart.request.form).items(multi=True))

    app.add_url_rule("/", "show", show, methods=METHODS)
    return app


# -- Starlette, FastAPI, Litestar, Sanic ---------------------------------------------------------------------


def starlette_app() -> Any:
    from starlette.applications import Starlette
    from starlette.responses import PlainTextResponse
    from starlette.routing import Route

    async def show(request: Any) -> PlainTextResponse:
        return PlainTextResponse(tell((await request.form()).multi_items()))

    return Starlette(routes=[Route("/", show, methods=list(METHODS))])


def fastapi_app() -> Any:
    import fastapi

    app = fastapi.FastAPI(openapi_url=None)

    async def show(request: fastapi.Request) -> str:
        return tell((await request.form()).multi_items())

    show.__annotations__["request"] = fastapi.Request
    app.api_route("/", methods=list(METHODS))(show)
    return app


def litestar_app() -> Any:
    import litestar

    async def show(request: Any) -> str:
        return tell((await request.form()).multi_items())

    show.__annotations__.update({"request": litestar.Request, "return": str})
    route = litestar.route("/", http_method=list(METHODS), status_code=200)
    return litestar.Litestar([route(show)], openapi_config=None)


def sanic_app() -> Any:
    import sanic

    logging.getLogger("sanic.error").setLevel(logging.CRITICAL)
    app = sanic.Sanic(f"forms{next(NUMBERS)}", configure_logging=False)  # unique in a process
    app.config.MOTD = False

    async def show(request: Any) -> Any:
        form = request.get_form(keep_blank_values=True) or {}
        return sanic.response.text(tell((name, each) for name, values in form.items() for each in values))

    app.add_route(show, "/", methods=METHODS, ignore_body=False)
    return app


# -- Falcon --------------------------------------------------------------------------------------------------


class FalconForm:
    """A resource of Falcon; a multipart form is read part by part."""

    def on_post(self, request: Any, _response: Any) -> None:
        from falcon.media.multipart import MultipartForm

        media = request.get_media()
        if isinstance(media, MultipartForm):
            tell((part.name, part.get_text()) for part in media)
        else:
            tell(media.items())

    on_get = on_put = on_patch = on_delete = on_post


class AsyncFalconForm:
    """A resource of Falcon on ASGI."""

    async def on_post(self, request: Any, _response: Any) -> None:
        from falcon.asgi.multipart import MultipartForm

        media = await request.get_media()
        if isinstance(media, MultipartForm):
            tell([(part.name, await part.get_text()) async for part in media])
        else:
            tell(media.items())

    on_get = on_put = on_patch = on_delete = on_post


def falcon_wsgi() -> Any:
    import falcon

    app = falcon.App()
    app.add_route("/", FalconForm())
    return app


def falcon_asgi() -> Any:
    import falcon.asgi

    app = falcon.asgi.App()
    app.add_route("/", AsyncFalconForm())
    return app


# -- Pyramid and Bottle --------------------------------------------------------------------------------------


def pyramid_app() -> Any:
    from pyramid.config import Configurator

    with Configurator() as config:
        config.add_route("any", "/")
        config.add_view(lambda request: tell(request.POST.items()), route_name="any", renderer="json")
        return config.make_wsgi_app()


def bottle_app() -> Any:
    import bottle

    app = bottle.Bottle()
    app.config["catchall"] = False
    app.route("/", METHODS, lambda: tell(bottle.request.POST.allitems()))
    return app


# -- all of them ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reader:
    """A framework, how its application is created, and what postel does with bodies of other types."""

    name: str
    make: Callable[[], Any]
    is_asgi: bool
    others: str = "untouched"
    target: bytes = b"/"


READERS = [
    Reader("Flask", flask_app, is_asgi=False),
    Reader("Django, WSGI", django_wsgi, is_asgi=False),
    Reader("Django, ASGI", django_asgi, is_asgi=True),
    Reader("Django REST framework", rest_framework, is_asgi=False, target=b"/rest"),
    Reader("Starlette", starlette_app, is_asgi=True),
    Reader("FastAPI", fastapi_app, is_asgi=True),
    Reader("Litestar", litestar_app, is_asgi=True),
    Reader("Falcon, WSGI", falcon_wsgi, is_asgi=False),
    Reader("Falcon, ASGI", falcon_asgi, is_asgi=True),
    Reader("Quart", quart_app, is_asgi=True),
    Reader("Pyramid", pyramid_app, is_asgi=False),
    Reader("Sanic, ASGI", sanic_app, is_asgi=True),
    # Bottle reads every type as a form, so postel must refuse other types.
    Reader("Bottle", bottle_app, is_asgi=False, others="refuse"),
]
"""Eleven frameworks, two of them on both protocols."""

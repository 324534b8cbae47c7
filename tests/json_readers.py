"""What frameworks read from a JSON body, with or without postel."""

from __future__ import annotations

import asyncio
import functools
import io
import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import bottle
import flask
import litestar
import quart
from django.core.asgi import get_asgi_application
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse
from django.urls import path
from fastapi import Body as FastAPIBody
from fastapi import FastAPI
from litestar.exceptions import SerializationException
from pyramid.response import Response as PyramidResponse
from starlette.requests import Request  # noqa: TC002 - Starlette reads the annotation
from starlette.responses import Response

import postel.asgi
import postel.wsgi
from applications import django_configured, ignore
from one_route import bottle_app, falcon_app, falcon_asgi_app, litestar_app, pyramid_app, starlette_app
from postel import Forms, Policy
from wire import environ_of, scope_of

READ: Final = "read"
"""The answer of an application that has read a value; the value itself is in ``GIVEN``."""
GIVEN: Final[list[Any]] = []


def keep(value: Any) -> str:
    GIVEN.append(value)
    return READ


# -- applications that answer 400 to invalid JSON ------------------------------------------------------------


def flask_app() -> Any:
    app = flask.Flask("json", static_folder=None)
    app.add_url_rule("/", "show", lambda: keep(flask.request.get_json()), methods=["POST"])
    return app


def quart_app() -> Any:
    app = quart.Quart("json", static_folder=None)

    @app.post("/")
    async def show() -> str:
        return keep(await quart.request.get_json())

    return app


def django_view(request: HttpRequest) -> HttpResponse:
    try:
        return HttpResponse(keep(json.loads(request.body)))
    except json.JSONDecodeError:
        return HttpResponse(status=400)


@functools.cache
def drf_view() -> Any:
    """Create the view after Django has settings, because Django REST framework reads them at import."""
    from rest_framework.views import APIView  # noqa: PLC0415

    class Show(APIView):
        authentication_classes = ()
        permission_classes = ()

        def post(self, request: Any) -> HttpResponse:
            return HttpResponse(keep(request.data))

    return Show.as_view()


def drf_entry(request: HttpRequest) -> HttpResponse:
    return drf_view()(request)


urlpatterns: Final = [path("", django_view), path("drf", drf_entry)]


async def starlette_view(request: Request) -> Response:
    try:
        return Response(keep(await request.json()))
    except json.JSONDecodeError:
        return Response(status_code=400)


def fastapi_app() -> Any:
    app = FastAPI()

    @app.post("/")
    async def show(value: Any = FastAPIBody()) -> str:  # noqa: B008 - FastAPI reads this default
        return keep(value)

    return app


@litestar.post("/", status_code=200)
async def litestar_view(request: litestar.Request[Any, Any, Any]) -> str:
    return keep(await request.json())


class FalconResource:
    """A resource of Falcon."""

    def on_post(self, request: Any, response: Any) -> None:
        response.text = keep(request.get_media())


class AsyncFalconResource:
    """A resource of Falcon on ASGI."""

    async def on_post(self, request: Any, response: Any) -> None:
        response.text = keep(await request.get_media())


def bottle_view() -> str:
    return keep(bottle.request.json)


# -- applications that read JSON under any Content-Type ------------------------------------------------------


def loads(octets: bytes) -> str | None:
    """Parse a body, as Flask and Quart do if they ignore its type; return ``None`` for an answer of 400."""
    try:
        return keep(json.loads(octets))
    except json.JSONDecodeError:
        return None


def forced_flask_app() -> Any:
    app = flask.Flask("json", static_folder=None)
    app.add_url_rule("/", "show", lambda: keep(flask.request.get_json(force=True)), methods=["POST"])
    return app


def forced_quart_app() -> Any:
    app = quart.Quart("json", static_folder=None)

    @app.post("/")
    async def show() -> str:
        return keep(await quart.request.get_json(force=True))

    return app


def forced_fastapi_app() -> Any:
    app = FastAPI()
    app.add_api_route("/", starlette_view, methods=["POST"])
    return app


@litestar.post("/", status_code=200)
async def forced_litestar_view(request: litestar.Request[Any, Any, Any]) -> litestar.Response[str]:
    """Check the body first: Litestar answers 500 to invalid JSON, and reads None from an empty body."""
    if not await request.body():
        return litestar.Response("", status_code=400)
    try:
        return litestar.Response(keep(await request.json()))
    except SerializationException:
        return litestar.Response("", status_code=400)


class ForcedFalconResource:
    """A resource of Falcon that reads the stream."""

    def on_post(self, request: Any, response: Any) -> None:
        response.text = loads(request.bounded_stream.read())
        response.status = 200 if response.text else 400


class ForcedAsyncFalconResource:
    """A resource of Falcon on ASGI that reads the stream."""

    async def on_post(self, request: Any, response: Any) -> None:
        response.text = loads(await request.stream.read())
        response.status = 200 if response.text else 400


def forced_bottle_view() -> Any:
    return loads(bottle.request.body.read()) or bottle.HTTPResponse(status=400)


def pyramid_view(request: Any) -> PyramidResponse:
    try:
        return PyramidResponse(keep(request.json_body))
    except json.JSONDecodeError:
        return PyramidResponse(status=400)


# -- requests ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reading:
    """The result of a body: the status, and the value that a view has read, if any."""

    status: int
    value: str | None = None
    """The value as text. Different values, or values of different types, have different texts."""
    asked: bool = True
    """Whether the application was called at all."""


@dataclass(frozen=True)
class Framework:
    """An application of a framework that returns what it reads from JSON."""

    name: str
    make: Callable[[], Any]
    is_asgi: bool
    target: bytes = b"/"
    urls: str = "json_readers"
    """The module of Django's views."""

    def read(self, octets: bytes, types: Sequence[bytes], policy: Policy | None = None) -> Reading:
        """Return what the framework reads from a body, behind postel if a policy is given."""
        GIVEN.clear()
        with self.settings():
            stack = stack_of(self, policy)
            stack.asked = False
            ask = _ask_asgi if self.is_asgi else _ask_wsgi
            try:
                status = ask(stack.outer, self.target, octets, types)
            except Exception:  # Servers answer a request with a 500 after any exception.
                status = 500
        return Reading(status, spelled(GIVEN[-1]) if status == 200 and GIVEN else None, stack.asked)

    def settings(self) -> AbstractContextManager[None]:
        """Return the settings for Django. Creating them takes longer than most readings."""
        if not self.name.startswith("Django"):
            return nullcontext()
        return django_configured(ROOT_URLCONF=self.urls, REST_FRAMEWORK={"UNAUTHENTICATED_USER": None})


def spelled(value: Any) -> str:
    """Return a value as text, with the order of its members."""
    return repr(value)


def _ask_wsgi(app: Any, target: bytes, octets: bytes, types: Sequence[bytes]) -> int:
    told: list[int] = []
    environ = {
        **environ_of(target, "POST"),
        "CONTENT_LENGTH": str(len(octets)),
        "wsgi.input": io.BytesIO(octets),
    }
    if types:
        environ["CONTENT_TYPE"] = types[-1].decode("latin-1")  # Of two fields, gunicorn hands on the last.
    b"".join(app(environ, lambda status, *_: told.append(int(status[:3]))))
    return told[-1]


def _ask_asgi(app: Any, target: bytes, octets: bytes, types: Sequence[bytes]) -> int:
    told: list[int] = []
    messages = [{"type": "http.request", "body": octets, "more_body": False}]

    async def receive() -> Any:
        if messages:
            return messages.pop()
        return await asyncio.Event().wait()

    async def send(message: Any) -> None:
        told.extend([message["status"]] if "status" in message else [])

    scope = scope_of(target, "POST")
    scope["headers"] += [(b"content-type", each) for each in types]
    scope["headers"] += [(b"content-length", b"%d" % len(octets))]
    asyncio.run(app(scope, receive, send))
    return told[-1]


class Stack:
    """An application, with or without postel, and whether it was called."""

    def __init__(self, framework: Framework, policy: Policy | None) -> None:
        self.app = framework.make()
        self.asked = False
        spy = self.asgi if framework.is_asgi else self.wsgi
        middleware = (postel.asgi if framework.is_asgi else postel.wsgi).NormalizeMiddleware
        self.outer: Any = spy
        if policy is not None:
            forms = Forms(multipart="judge", limit=2**22)
            self.outer = middleware(spy, policy, forms=forms, json=True, observer=ignore)

    def wsgi(self, environ: Any, start_response: Any) -> Any:
        self.asked = True
        return self.app(environ, start_response)

    async def asgi(self, scope: Any, receive: Any, send: Any) -> None:
        self.asked = True
        await self.app(scope, receive, send)


@functools.cache  # Creating an application takes longer than calling it.
def stack_of(framework: Framework, policy: Policy | None) -> Stack:
    return Stack(framework, policy)


FRAMEWORKS: Final = [
    Framework("Flask", flask_app, is_asgi=False),
    Framework("Quart", quart_app, is_asgi=True),
    Framework("Django", get_wsgi_application, is_asgi=False),
    Framework("Django on ASGI", get_asgi_application, is_asgi=True),
    Framework("Django REST framework", get_wsgi_application, is_asgi=False, target=b"/drf"),
    Framework("Starlette", partial(starlette_app, starlette_view), is_asgi=True),
    Framework("FastAPI", fastapi_app, is_asgi=True),
    Framework("Litestar", partial(litestar_app, litestar_view), is_asgi=True),
    Framework("Falcon", partial(falcon_app, FalconResource()), is_asgi=False),
    Framework("Falcon on ASGI", partial(falcon_asgi_app, AsyncFalconResource()), is_asgi=True),
    Framework("Bottle", partial(bottle_app, bottle_view), is_asgi=False),
    Framework("Pyramid", partial(pyramid_app, pyramid_view), is_asgi=False),
]
FORCED: Final = [
    Framework("Flask", forced_flask_app, is_asgi=False),
    Framework("Quart", forced_quart_app, is_asgi=True),
    Framework("Django", get_wsgi_application, is_asgi=False),
    Framework("Django on ASGI", get_asgi_application, is_asgi=True),
    Framework("Starlette", partial(starlette_app, starlette_view), is_asgi=True),
    Framework("FastAPI", forced_fastapi_app, is_asgi=True),
    Framework("Litestar", partial(litestar_app, forced_litestar_view), is_asgi=True),
    Framework("Falcon", partial(falcon_app, ForcedFalconResource()), is_asgi=False),
    Framework("Falcon on ASGI", partial(falcon_asgi_app, ForcedAsyncFalconResource()), is_asgi=True),
    Framework("Bottle", partial(bottle_app, forced_bottle_view), is_asgi=False),
    Framework("Pyramid", partial(pyramid_app, pyramid_view), is_asgi=False),
]
"""Applications that read JSON whatever the Content-Type says."""

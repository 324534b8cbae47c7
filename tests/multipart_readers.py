"""What frameworks read from a multipart form, with or without postel."""

from __future__ import annotations

import functools
from collections.abc import Sequence
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
from fastapi import FastAPI
from fastapi import Request as FastAPIRequest
from pyramid.response import Response as PyramidResponse
from starlette.requests import Request  # noqa: TC002 - Starlette reads the annotation
from starlette.responses import Response

from json_readers import GIVEN, READ, Framework
from one_route import bottle_app, falcon_app, falcon_asgi_app, litestar_app, pyramid_app, starlette_app

MODULE: Final = "multipart_readers"


def keep(pairs: Sequence[tuple[str, str, str | None, bytes]]) -> str:
    """Keep texts and files by name, each in order; some frameworks keep no other order."""
    read: dict[tuple[str, str], list[tuple[str | None, bytes]]] = {}
    for what, name, filename, content in pairs:
        read.setdefault((what, name), []).append((filename, content))
    GIVEN.append(sorted(read.items(), key=repr))  # A name can be None.
    return READ


def text(name: str, value: str) -> tuple[str, str, str | None, bytes]:
    return "text", name, None, value.encode("utf-8", "surrogatepass")


def file(name: str, filename: str | None, content: bytes) -> tuple[str, str, str | None, bytes]:
    return "file", name, filename, content


def flask_app() -> Any:
    app = flask.Flask("parts", static_folder=None)

    @app.post("/")
    def show() -> str:
        texts = [text(*each) for each in flask.request.form.items(multi=True)]
        files = flask.request.files.items(multi=True)
        return keep([*texts, *(file(name, each.filename, each.read()) for name, each in files)])

    return app


def quart_app() -> Any:
    app = quart.Quart("parts", static_folder=None)

    @app.post("/")
    async def show() -> str:
        texts = [text(*each) for each in (await quart.request.form).items(multi=True)]
        files = (await quart.request.files).items(multi=True)
        return keep([*texts, *(file(name, each.filename, each.read()) for name, each in files)])

    return app


def django_view(request: HttpRequest) -> HttpResponse:
    texts = [text(name, each) for name, values in request.POST.lists() for each in values]
    files = [(name, each) for name, values in request.FILES.lists() for each in values]
    return HttpResponse(keep([*texts, *(file(name, each.name, each.read()) for name, each in files)]))


@functools.cache
def drf_view() -> Any:
    """Create the view after Django has settings, because Django REST framework reads them at import."""
    from rest_framework.views import APIView  # noqa: PLC0415

    class Show(APIView):
        authentication_classes = ()
        permission_classes = ()

        def post(self, request: Any) -> HttpResponse:
            pairs = [(name, each) for name, values in request.data.lists() for each in values]
            return HttpResponse(
                keep(
                    [
                        file(name, each.name, each.read()) if hasattr(each, "read") else text(name, each)
                        for name, each in pairs
                    ]
                )
            )

    return Show.as_view()


def drf_entry(request: HttpRequest) -> HttpResponse:
    return drf_view()(request)


urlpatterns: Final = [path("", django_view), path("drf", drf_entry)]


async def read_items(items: Any) -> str:
    """Keep what Starlette and Litestar return: texts, and files whose content must be awaited."""
    return keep(
        [
            text(name, each) if isinstance(each, str) else file(name, each.filename, await each.read())
            for name, each in items
        ]
    )


async def starlette_view(request: Request) -> Response:
    async with request.form() as form:
        return Response(await read_items(form.multi_items()))


def fastapi_app() -> Any:
    app = FastAPI()

    @app.post("/")
    async def show(request: FastAPIRequest) -> str:
        async with request.form() as form:
            return await read_items(form.multi_items())

    return app


@litestar.post("/", status_code=200)
async def litestar_view(request: litestar.Request[Any, Any, Any]) -> str:
    return await read_items((await request.form()).multi_items())


class FalconResource:
    """A resource of Falcon."""

    def on_post(self, request: Any, response: Any) -> None:
        read = [
            text(part.name, part.text or "")
            if part.filename is None
            else file(part.name, part.filename, part.stream.read())
            for part in request.get_media()
        ]
        response.text = keep(read)


class AsyncFalconResource:
    """A resource of Falcon on ASGI."""

    async def on_post(self, request: Any, response: Any) -> None:
        read = [
            text(part.name, (await part.text) or "")
            if part.filename is None
            else file(part.name, part.filename, await part.stream.read())
            async for part in await request.get_media()
        ]
        response.text = keep(read)


def bottle_view() -> str:
    return keep(
        [
            file(name, each.raw_filename, each.file.read())
            if isinstance(each, bottle.FileUpload)
            else text(name, each)
            for name, each in bottle.request.POST.allitems()
        ]
    )


def pyramid_view(request: Any) -> PyramidResponse:
    read = [
        file(name, each.filename, each.file.read())
        if hasattr(each, "file")
        else text(name, each or "")  # WebOb has b"" if no file was chosen.
        for name, each in request.POST.items()
    ]
    return PyramidResponse(keep(read))


FRAMEWORKS: Final = [
    Framework("Flask", flask_app, is_asgi=False),
    Framework("Quart", quart_app, is_asgi=True),
    Framework("Django", get_wsgi_application, is_asgi=False, urls=MODULE),
    Framework("Django on ASGI", get_asgi_application, is_asgi=True, urls=MODULE),
    Framework("Django REST framework", get_wsgi_application, is_asgi=False, target=b"/drf", urls=MODULE),
    Framework("Starlette", partial(starlette_app, starlette_view), is_asgi=True),
    Framework("FastAPI", fastapi_app, is_asgi=True),
    Framework("Litestar", partial(litestar_app, litestar_view), is_asgi=True),
    Framework("Falcon", partial(falcon_app, FalconResource()), is_asgi=False),
    Framework("Falcon on ASGI", partial(falcon_asgi_app, AsyncFalconResource()), is_asgi=True),
    Framework("Bottle", partial(bottle_app, bottle_view), is_asgi=False),
    Framework("Pyramid", partial(pyramid_app, pyramid_view), is_asgi=False),
]

"""FastAPI: what an endpoint reads from a request."""

from __future__ import annotations

from typing import Any

import fastapi
from fastapi.responses import Response  # noqa: TC002 - FastAPI reads the annotation

from readers.asking import Reader
from readers.of_starlette import StaticFiles, answered, read
from readers.of_starlette import everything as everything_of_starlette
from readers.places import METHODS, VIEWS


def everything() -> Any:
    app = fastapi.FastAPI(openapi_url=None)

    async def show(rest: str, request: fastapi.Request) -> Response:
        return answered(**await read(request, "show", rest=rest))

    app.api_route("/{rest:path}", methods=METHODS, name="show", response_model=None)(show)
    return app


def site(folder: Any) -> Any:
    app = fastapi.FastAPI(openapi_url=None)
    for view in VIEWS:
        app.get(view, response_model=None)(_named(view))

    async def unit(unit: str, request: fastapi.Request) -> Response:
        return answered(served="unit", **await read(request, "unit", unit=unit))

    async def slash(unit: str, request: fastapi.Request) -> Response:
        return answered(served="slash", **await read(request, "slash", unit=unit))

    app.get("/units/{unit}", name="unit", response_model=None)(unit)
    app.get("/slash/{unit}/", name="slash", response_model=None)(slash)
    app.mount("/m", everything_of_starlette(), name="m")
    app.mount("/static", StaticFiles(directory=folder), name="static")
    return app


def _named(served: str) -> Any:
    async def view(request: fastapi.Request) -> Response:
        return answered(served=served, **await read(request))

    return view


READERS = [Reader("FastAPI", "asgi", "fastapi", everything, site)]

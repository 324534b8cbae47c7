"""Starlette: what an endpoint reads from a request."""

from __future__ import annotations

from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request  # noqa: TC002 - Starlette reads the annotation
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from readers.asking import Reader
from readers.places import BODIES, METHODS, VIEWS, Places, as_json, awaited, pairs, told


async def read(request: Request, name: str = "", **arguments: Any) -> Places:
    places: dict[str, Any] = {
        "path": lambda: request.scope["path"],
        "script": lambda: request.scope.get("root_path", ""),
        "query": lambda: pairs(request.query_params.multi_items()),
        "url": lambda: str(request.url),
        "url.path": lambda: request.url.path,
        "url, replaced": lambda: str(request.url.replace(scheme="https")),
        "base_url, the root": lambda: str(request.base_url),
        "host": lambda: request.url.netloc,
        "cookies": lambda: pairs(request.cookies.items()),
        "forwarded for": lambda: request.headers.get("X-Forwarded-For"),
    }
    if name:
        places["url_for"] = lambda: str(request.url_for(name, **arguments))
    found = told(places)
    if request.method in BODIES:
        found |= await awaited(
            {
                "body": lambda: body(request),
                "form": lambda: form(request),
                "json": request.json,
            }
        )
    return {**found, **arguments}


async def body(request: Request) -> str:
    return (await request.body()).decode("latin-1")


async def form(request: Request) -> list[list[str]]:
    return pairs((await request.form()).multi_items())


def answered(**places: Any) -> Response:
    return Response(as_json(places), media_type="application/json")


async def show(request: Request) -> Response:
    return answered(**await read(request, "show", rest=request.path_params["rest"]))


def named(served: str, name: str = "") -> Any:
    async def view(request: Request) -> Response:
        return answered(served=served, **await read(request, name, **request.path_params))

    return view


def everything() -> Any:
    return Starlette(routes=[Route("/{rest:path}", show, methods=METHODS, name="show")])


def site_routes(folder: Any) -> list[Any]:
    return [
        *(Route(view, named(view)) for view in VIEWS),
        Route("/units/{unit}", named("unit", "unit"), name="unit"),
        Route("/slash/{unit}/", named("slash", "slash"), name="slash"),
        Mount("/m", everything(), name="m"),
        Mount("/static", StaticFiles(directory=folder), name="static"),
    ]


def site(folder: Any) -> Any:
    return Starlette(routes=site_routes(folder))


READERS = [Reader("Starlette", "asgi", "starlette", everything, site)]

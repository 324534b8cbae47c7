"""Litestar: what a handler reads from a request."""

from __future__ import annotations

from typing import Any

import litestar
from litestar.types import Receive, Scope, Send  # noqa: TC002 - Litestar reads the annotations

from readers.asking import Reader
from readers.places import BODIES, METHODS, VIEWS, Places, as_json, awaited, pairs, told

QUIET: dict[str, Any] = {"openapi_config": None, "logging_config": None}


async def read(request: Any, name: str = "", **arguments: Any) -> Places:
    places: dict[str, Any] = {
        "path": lambda: request.scope["path"],
        "script": lambda: request.scope.get("root_path", ""),
        "query": lambda: pairs(request.query_params.multi_items()),
        "url": lambda: str(request.url),
        "url.path": lambda: request.url.path,
        "base_url, the root": lambda: str(request.base_url),
        "host": lambda: request.url.netloc,
        "cookies": lambda: pairs(request.cookies.items()),
        "forwarded for": lambda: request.headers.get("X-Forwarded-For"),
    }
    if name:
        places["url_for"] = lambda: request.url_for(name, **arguments)
    found = told(places)
    if request.method in BODIES:
        found |= await awaited(
            {"body": lambda: body(request), "form": lambda: form(request), "json": request.json}
        )
    return {**found, **arguments}


async def body(request: Any) -> str:
    found: bytes = await request.body()
    return found.decode("latin-1")


async def form(request: Any) -> list[list[str]]:
    return pairs((await request.form()).multi_items())


def handler(paths: Any, name: str, **served: str) -> Any:
    methods = [each for each in METHODS if each not in {"HEAD", "OPTIONS"}]

    async def show(request: Any) -> Any:
        found = {"rest": ""} if name == "show" else {}
        places = await read(request, name, **{**found, **request.path_params})
        return litestar.Response(
            as_json({**places, **served}), media_type="application/json", status_code=200
        )

    show.__annotations__.update({"request": litestar.Request, "return": litestar.Response})
    return litestar.route(paths, http_method=methods, name=name, status_code=200)(show)


def everything() -> Any:
    return litestar.Litestar([handler(["/", "/{rest:path}"], "show")], **QUIET)


def site(folder: Any) -> Any:
    inner = everything()

    async def mounted(scope: Scope, receive: Receive, send: Send) -> None:
        await inner(scope, receive, send)

    handlers = [
        *(handler(view, view, served=view) for view in VIEWS),
        handler("/units/{unit:str}", "unit", served="unit"),
        handler("/slash/{unit:str}/", "slash", served="slash"),
        _mount(mounted),
    ]
    try:
        from litestar.static_files import create_static_files_router  # noqa: PLC0415
    except ImportError:  # Litestar before 2.6
        from litestar.static_files.config import StaticFilesConfig  # noqa: PLC0415

        files = StaticFilesConfig(path="/static", directories=[folder])
        return litestar.Litestar(handlers, static_files_config=[files], **QUIET)
    router = create_static_files_router(path="/static", directories=[folder])
    return litestar.Litestar([*handlers, router], **QUIET)


def _mount(app: Any) -> Any:
    try:
        return litestar.asgi("/m", is_mount=True, copy_scope=True)(app)
    except TypeError:  # Litestar before 2.13 has no copy_scope
        return litestar.asgi("/m", is_mount=True)(app)


READERS = [Reader("Litestar", "asgi", "litestar", everything, site)]

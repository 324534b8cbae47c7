"""Guarded applications of Starlette and FastAPI."""

# Each framework is imported where its application is made.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final
from urllib.parse import unquote

from whole.guarded import (
    SECRET,
    Guard,
    Guarded,
    Seen,
    any_other,
    around,
    below,
    folder,
    inner_path,
    starlette_url,
)

STARLETTE_PLACES: Final[dict[str, Seen]] = {
    "request.url.path": lambda request: starlette_url(request.scope),
    "request.url.path, unquoted": lambda request: unquote(starlette_url(request.scope)),
    "request.scope": lambda request: inner_path(request.scope),
}


def _starlette_routes(check: Callable[[Any], None]) -> list[Any]:
    from starlette.responses import Response
    from starlette.routing import Mount, Route
    from starlette.staticfiles import StaticFiles

    def view(answer: Callable[..., bytes]) -> Any:
        async def shown(request: Any) -> Response:
            check(request)
            return Response(answer(**request.path_params))

        return shown

    methods = ["GET", "POST", "HEAD", "PUT"]
    return [
        Route("/admin/panel", view(lambda: SECRET), methods=methods),
        Route("/docs/{rest:path}", view(below), methods=methods),
        Mount("/app", routes=[Route("/admin", view(lambda: SECRET), methods=methods)]),
        Mount("/files", StaticFiles(directory=folder())),
        Route("/{rest:path}", view(any_other), methods=methods),
    ]


def starlette_app(guard: Guard | None = None, seen: Seen | None = None, *, decorated: bool = False) -> Any:
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.middleware import Middleware
    from starlette.middleware.base import BaseHTTPMiddleware
    from starlette.responses import PlainTextResponse

    def lets(request: Any) -> bool:
        return guard is None or seen is None or guard(seen(request))

    async def guarded(request: Any, call_next: Any) -> Any:
        return await call_next(request) if lets(request) else PlainTextResponse("guarded", 403)

    def check(request: Any) -> None:
        if decorated and not lets(request):
            raise HTTPException(403)

    middleware = [] if decorated or guard is None else [Middleware(BaseHTTPMiddleware, dispatch=guarded)]
    return Starlette(routes=_starlette_routes(check), middleware=middleware)


def fastapi_app(guard: Guard | None = None, seen: Seen | None = None) -> Any:
    import fastapi
    from fastapi.staticfiles import StaticFiles
    from starlette.responses import PlainTextResponse, Response

    app = fastapi.FastAPI(openapi_url=None)

    def panel() -> Response:
        return Response(SECRET)

    def docs(rest: str) -> Response:
        return Response(below(rest))

    def other(rest: str) -> Response:
        return Response(any_other(rest))

    async def guarded(request: Any, call_next: Any) -> Any:
        if guard is None or seen is None or guard(seen(request)):
            return await call_next(request)
        return PlainTextResponse("guarded", 403)

    methods = ["GET", "POST"]
    app.api_route("/admin/panel", methods=methods)(_annotated(panel))
    app.api_route("/docs/{rest:path}", methods=methods)(_annotated(docs, rest=str))
    inner = fastapi.FastAPI(openapi_url=None)
    inner.api_route("/admin", methods=methods)(_annotated(panel))
    app.mount("/app", inner)
    app.mount("/files", StaticFiles(directory=folder()))
    app.api_route("/{rest:path}", methods=methods)(_annotated(other, rest=str))
    if guard is not None:
        app.middleware("http")(guarded)
    return app


def _annotated(view: Any, **types: Any) -> Any:
    """Replace the names in annotations with types; a framework would search the names among the globals."""
    from starlette.responses import Response

    view.__annotations__ = {**types, "return": Response}
    return view


def starlette_guards() -> Iterator[Guarded]:
    yield from around("Starlette", "asgi", starlette_app)
    yield from around("FastAPI", "asgi", fastapi_app)
    for place, seen in STARLETTE_PLACES.items():
        yield Guarded(
            "Starlette", f"middleware, {place}", "asgi", lambda guard, seen=seen: starlette_app(guard, seen)
        )
        yield Guarded(
            "FastAPI", f"middleware, {place}", "asgi", lambda guard, seen=seen: fastapi_app(guard, seen)
        )

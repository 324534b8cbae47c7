"""Guarded applications of the other frameworks: Litestar, Falcon, Bottle, Pyramid."""

# Each framework is imported where its application is made.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final
from urllib.parse import unquote, urlsplit

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
    inside,
    root_of,
)
from whole.guarded_django import django_guards
from whole.guarded_starlette import starlette_guards
from whole.guarded_werkzeug import flask_guards, quart_guards

# -- Litestar ------------------------------------------------------------------------------------------------


def litestar_url(connection: Any) -> str:
    return inside(connection.url.path, connection.scope.get("root_path", ""))


LITESTAR_PLACES: Final[dict[str, Seen]] = {
    "scope": lambda connection: inner_path(connection.scope),
    "url.path": litestar_url,
    "url.path, unquoted": lambda connection: unquote(litestar_url(connection)),
}


def litestar_app(guard: Guard | None = None, seen: Seen | None = None) -> Any:
    import litestar
    from litestar.exceptions import PermissionDeniedException
    from litestar.static_files import create_static_files_router

    def guarded(connection: Any, _: Any) -> None:
        if guard is not None and seen is not None and not guard(seen(connection)):
            raise PermissionDeniedException

    async def panel() -> bytes:
        return SECRET

    async def docs(rest: str) -> bytes:
        return below(rest.removeprefix("/"))

    async def other(request: Any) -> bytes:
        return any_other(request.path_params.get("rest", "").removeprefix("/"))

    other.__annotations__.update({"request": litestar.Request, "return": bytes})
    for each in (panel, docs):
        each.__annotations__.update({"rest": str} if each is docs else {}, **{"return": bytes})
    return litestar.Litestar(
        [
            litestar.get("/admin/panel")(panel),
            litestar.get("/app/admin")(panel),
            litestar.get("/docs/{rest:path}")(docs),
            litestar.get(["/", "/{rest:path}"])(other),
            create_static_files_router("/files", [folder()]),
        ],
        guards=[guarded],
        openapi_config=None,
        logging_config=None,
    )


def litestar_guards() -> Iterator[Guarded]:
    yield from around("Litestar", "asgi", litestar_app)
    for place, seen in LITESTAR_PLACES.items():
        yield Guarded(
            "Litestar", f"a guard, {place}", "asgi", lambda guard, seen=seen: litestar_app(guard, seen)
        )


# -- Falcon --------------------------------------------------------------------------------------------------

FALCON_PLACES: Final[dict[str, Seen]] = {
    "req.path": lambda request: request.path,
    "req.uri": lambda request: inside(urlsplit(request.uri).path, request.root_path),
    "req.uri, unquoted": lambda request: unquote(inside(urlsplit(request.uri).path, request.root_path)),
}


class FalconResource:
    """A view."""

    def __init__(self, answer: Callable[..., bytes]) -> None:
        self.answer = answer

    def on_get(self, _: Any, response: Any, **given: Any) -> None:
        response.data = self.answer(**given)


class AsyncFalconResource(FalconResource):
    """A view on ASGI."""

    async def on_get(self, _: Any, response: Any, **given: Any) -> None:  # Falcon awaits it on ASGI.
        response.data = self.answer(**given)


class FalconGuard:
    """A middleware."""

    def __init__(self, guard: Guard, seen: Seen) -> None:
        self.guard, self.seen = guard, seen

    def process_request(self, request: Any, _: Any) -> None:
        import falcon

        if not self.guard(self.seen(request)):
            raise falcon.HTTPForbidden

    async def process_request_async(self, request: Any, response: Any) -> None:
        self.process_request(request, response)


def falcon_app(protocol: str, guard: Guard | None = None, seen: Seen | None = None) -> Any:
    import falcon
    import falcon.asgi

    middleware = [FalconGuard(guard, seen)] if guard is not None and seen is not None else []
    app: Any = (falcon.App if protocol == "wsgi" else falcon.asgi.App)(middleware=middleware)
    resource = FalconResource if protocol == "wsgi" else AsyncFalconResource
    app.add_route("/admin/panel", resource(lambda: SECRET))
    app.add_route("/app/admin", resource(lambda: SECRET))
    app.add_route("/docs/{rest:path}", resource(below))
    app.add_route("/", resource(lambda: any_other("")))
    app.add_route("/{rest:path}", resource(any_other))
    app.add_static_route("/files", folder())
    return app


def falcon_guards() -> Iterator[Guarded]:
    for protocol in ("wsgi", "asgi"):
        name = f"Falcon, {protocol.upper()}"
        yield from around(name, protocol, lambda protocol=protocol: falcon_app(protocol))
        for place, seen in FALCON_PLACES.items():
            yield Guarded(
                name,
                f"middleware, {place}",
                protocol,
                lambda guard, protocol=protocol, seen=seen: falcon_app(protocol, guard, seen),
            )


# -- Bottle --------------------------------------------------------------------------------------------------

BOTTLE_PLACES: Final[dict[str, Seen]] = {
    "request.path": lambda request: request.path,
    "request.url, unquoted": lambda request: unquote(bottle_url(request)),
}


def bottle_url(request: Any) -> str:
    return inside(urlsplit(request.url).path, root_of(request.environ))


def bottle_app(guard: Guard | None = None, seen: Seen | None = None) -> Any:
    import bottle

    app = bottle.Bottle()

    @app.hook("before_request")
    def check() -> None:
        if guard is not None and seen is not None and not guard(seen(bottle.request)):
            bottle.abort(403)

    app.route("/admin/panel", callback=lambda: SECRET)
    app.route("/app/admin", callback=lambda: SECRET)
    app.route("/docs/<rest:path>", callback=below)
    app.route("/files/<rest:path>", callback=lambda rest: bottle.static_file(rest, root=folder()))
    app.route("/", callback=lambda: any_other(""))
    app.route("/<rest:path>", callback=any_other)
    return app


def bottle_guards() -> Iterator[Guarded]:
    yield from around("Bottle", "wsgi", bottle_app)
    for place, seen in BOTTLE_PLACES.items():
        yield Guarded(
            "Bottle", f"before_request, {place}", "wsgi", lambda guard, seen=seen: bottle_app(guard, seen)
        )


# -- Pyramid -------------------------------------------------------------------------------------------------

PYRAMID_PLACES: Final[dict[str, Seen]] = {
    "request.path_info": lambda request: request.path_info,
    "request.path, unquoted": lambda request: unquote(inside(request.path, root_of(request.environ))),
    "request.url, unquoted": lambda request: unquote(
        inside(urlsplit(request.url).path, root_of(request.environ))
    ),
}


class Node(dict[str, Any]):
    """A node of a tree of resources, for traversal."""


def tree(_: Any) -> Node:
    return Node(tree=Node(private=Node(key=Node()), open=Node()))


def pyramid_app(guard: Guard | None = None, seen: Seen | None = None) -> Any:
    from pyramid.config import Configurator
    from pyramid.response import Response

    def tween_factory(handler: Any, _: Any) -> Any:
        def tween(request: Any) -> Any:
            if guard is not None and seen is not None and not guard(seen(request)):
                return Response(b"guarded", 403)
            return handler(request)

        return tween

    with Configurator() as config:
        config.add_tween("whole.guarded_more.pyramid_tween")
        PYRAMID_TWEENS.append(tween_factory)
        for name, pattern, answer in (
            ("panel", "/admin/panel", lambda: SECRET),
            ("mounted", "/app/admin", lambda: SECRET),
            ("docs", "/docs/{rest:.*}", below),
        ):
            config.add_route(name, pattern)
            config.add_view(_pyramid_view(answer), route_name=name)
        config.add_static_view("files", folder())
        config.add_route("other", "/{rest:.*}")
        config.add_view(_pyramid_view(any_other), route_name="other")
        return config.make_wsgi_app()


PYRAMID_TWEENS: Final[list[Any]] = []


def pyramid_tween(handler: Any, registry: Any) -> Any:
    """The tween of the application that is being created; Pyramid names it by its path."""
    return PYRAMID_TWEENS[-1](handler, registry)


def _pyramid_view(answer: Callable[..., bytes]) -> Any:
    from pyramid.response import Response

    def view(request: Any) -> Any:
        return Response(answer(**request.matchdict))

    return view


def pyramid_guards() -> Iterator[Guarded]:
    yield from around("Pyramid", "wsgi", pyramid_app)
    for place, seen in PYRAMID_PLACES.items():
        yield Guarded(
            "Pyramid", f"a tween, {place}", "wsgi", lambda guard, seen=seen: pyramid_app(guard, seen)
        )


@cache
def all_guarded() -> tuple[Guarded, ...]:
    """Return every installed framework with a guard in every place."""
    makers = (
        flask_guards,
        quart_guards,
        django_guards,
        starlette_guards,
        litestar_guards,
        falcon_guards,
        bottle_guards,
        pyramid_guards,
    )
    return tuple(each for maker in makers for each in maker())

"""Falcon, on WSGI and on ASGI: what a resource reads from a request."""

from __future__ import annotations

from typing import Any

import falcon
import falcon.asgi

from readers.asking import Reader
from readers.places import BODIES, METHODS, VIEWS, Places, as_json, awaited, flattened, pairs, told


def read(request: Any, **arguments: Any) -> Places:
    places = {
        "path": lambda: request.path,
        "script": lambda: request.root_path,
        "query": lambda: flattened(request.params.items()),
        "url": lambda: request.url,
        "relative_uri": lambda: request.relative_uri,
        "forwarded_uri": lambda: request.forwarded_uri,
        "prefix": lambda: request.prefix,
        "host": lambda: request.host,
        "cookies": lambda: pairs(request.cookies.items()),
        "forwarded for": lambda: request.get_header("X-Forwarded-For"),
    }
    return {**told(places), **arguments}


def of_media(media: Any) -> Places:
    """Return a mapping as a form and as JSON, and anything else as JSON."""
    if isinstance(media, dict):
        return {"form": flattened(media.items()), "json": media}
    return {"form": [], "json": media}


class Shown:
    """A resource that answers every method, on WSGI."""

    served: str | None = None

    def show(self, request: Any, response: Any, **arguments: Any) -> None:
        found = read(
            request, **({"rest": ""} if self.served is None else {"served": self.served}) | arguments
        )
        if request.method in BODIES:
            media = told({"media": lambda: self.media(request)})["media"]
            found |= {"form": media, "json": media} if "raised" in media else media
        response.content_type, response.text = falcon.MEDIA_JSON, as_json(found)

    @staticmethod
    def media(request: Any) -> Places:
        media = request.get_media()
        if isinstance(media, falcon.media.multipart.MultipartForm):
            return {"form": pairs((part.name, part.get_text()) for part in media), "json": None}
        return of_media(media)


class AsyncShown:
    """A resource that answers every method, on ASGI."""

    served: str | None = None

    async def show(self, request: Any, response: Any, **arguments: Any) -> None:
        found = read(
            request, **({"rest": ""} if self.served is None else {"served": self.served}) | arguments
        )
        if request.method in BODIES:
            media = (await awaited({"media": lambda: self.media(request)}))["media"]
            found |= {"form": media, "json": media} if "raised" in media else media
        response.content_type, response.text = falcon.MEDIA_JSON, as_json(found)

    @staticmethod
    async def media(request: Any) -> Places:
        media = await request.get_media()
        if isinstance(media, falcon.asgi.multipart.MultipartForm):
            return {"form": pairs([(part.name, await part.get_text()) async for part in media]), "json": None}
        return of_media(media)


for _resource in (Shown, AsyncShown):
    for _method in METHODS:
        setattr(_resource, f"on_{_method.lower()}", _resource.show)


def _everything(app: Any, resource: Any) -> Any:
    try:
        app.add_route("/{rest:path}", resource)
    except ValueError:  # Falcon before 4.0: no route matches all paths, so a sink receives them.
        app.add_sink(resource.show, "(?s:/(?P<rest>.*))")
    else:
        app.add_route("/", resource)
    return app


def _site(app: Any, shown: Any, folder: Any) -> Any:
    for served, route in (
        *zip(VIEWS, VIEWS, strict=True),
        ("unit", "/units/{unit}"),
        ("slash", "/slash/{unit}/"),
    ):
        resource = shown()
        resource.served = served
        app.add_route(route, resource)
    app.add_static_route("/static", str(folder))
    return app


READERS = [
    Reader(
        "Falcon, WSGI",
        "wsgi",
        "falcon",
        lambda: _everything(falcon.App(), Shown()),
        lambda folder: _site(falcon.App(), Shown, folder),
    ),
    Reader(
        "Falcon, ASGI",
        "asgi",
        "falcon",
        lambda: _everything(falcon.asgi.App(), AsyncShown()),
        lambda folder: _site(falcon.asgi.App(), AsyncShown, folder),
    ),
]

"""Quart: what a view reads from a request."""

from __future__ import annotations

from typing import Any

import quart

from readers.asking import Reader
from readers.places import BODIES, METHODS, VIEWS, Places, as_json, awaited, pairs, told


async def read(**arguments: Any) -> Places:
    request = quart.request
    places = told(
        {
            "path": lambda: request.path,
            "script": lambda: request.root_path,
            "query": lambda: pairs(request.args.items(multi=True)),
            "url": lambda: request.url,
            "base_url": lambda: request.base_url,
            "url_root": lambda: request.url_root,
            "full_path": lambda: request.full_path,
            "host": lambda: request.host,
            "host_url": lambda: request.host_url,
            "url_for": lambda: quart.url_for(request.endpoint or "", **arguments),
            "url_for, external": lambda: quart.url_for(request.endpoint or "", _external=True, **arguments),
            "cookies": lambda: pairs(request.cookies.items(multi=True)),
            "forwarded for": lambda: request.headers.get("X-Forwarded-For"),
        }
    )
    if request.method in BODIES:
        places |= await awaited({"body": body, "form": form, "json": in_json})
    return {**places, **arguments}


async def body() -> str:
    return (await quart.request.get_data(as_text=False)).decode("latin-1")


async def form() -> list[list[str]]:
    request = quart.request
    return pairs([*(await request.form).items(multi=True), *(await request.files).items(multi=True)])


async def in_json() -> Any:
    return await quart.request.get_json() if quart.request.is_json else None


def answered(**places: Any) -> quart.Response:
    return quart.Response(as_json(places), mimetype="application/json")


def everything() -> Any:
    app = quart.Quart("everything", static_folder=None)
    app.url_map.merge_slashes = False

    async def show(rest: str) -> quart.Response:
        return answered(**await read(rest=rest))

    options: dict[str, Any] = {"methods": METHODS, "provide_automatic_options": False}
    app.add_url_rule("/", "show", show, defaults={"rest": ""}, **options)
    app.add_url_rule("/<path:rest>", "show", **options)
    return app


def site(folder: Any) -> Any:
    app = quart.Quart("site", static_folder=str(folder), static_url_path="/static")

    async def show(served: str, **found: Any) -> quart.Response:
        return answered(served=served, **await read(**found))

    for view in VIEWS:
        app.add_url_rule(view, view, _bound(show, view))
    for rule in ("/units/<unit>", "/slash/<unit>/"):
        app.add_url_rule(rule, rule, _bound(show, rule))
    return app


def _bound(show: Any, served: str) -> Any:
    async def view(**found: Any) -> quart.Response:
        found_of_view: quart.Response = await show(served, **found)
        return found_of_view

    return view


READERS = [Reader("Quart", "asgi", "Quart", everything, site)]

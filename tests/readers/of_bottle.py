"""Bottle: what a view reads from a request."""

from __future__ import annotations

from typing import Any

import bottle

from readers.asking import Reader
from readers.places import BODIES, METHODS, VIEWS, Places, as_json, pairs, told


def read(name: str = "", app: Any = None, **arguments: Any) -> Places:
    request = bottle.request
    places: dict[str, Any] = {
        "path": lambda: request.path,
        "script": lambda: request.script_name,
        "query": lambda: pairs(request.query.decode().allitems()),
        "url": lambda: request.url,
        "fullpath": lambda: request.fullpath,
        "host": lambda: request.urlparts.netloc,
        "cookies": lambda: pairs(request.cookies.items()),
        "forwarded for": lambda: request.get_header("X-Forwarded-For"),
    }
    if name:
        places["url_for"] = lambda: app.get_url(name, **arguments)
    if request.method in BODIES:
        places |= {
            "body": lambda: request.body.read().decode("latin-1"),
            "form": lambda: pairs(request.POST.decode().allitems()),
            "json": lambda: request.json,
        }
    return {**told(places), **arguments}


def answered(**places: Any) -> str:
    bottle.response.content_type = "application/json"
    return as_json(places)


def _app() -> Any:
    app = bottle.Bottle()
    app.config["catchall"] = False
    return app


def everything() -> Any:
    app = _app()
    # The filter is a regular expression, because `path` needs at least one character.
    app.route(
        "/<rest:re:(?s:.*)>", METHODS, lambda rest: answered(**read("show", app, rest=rest)), name="show"
    )
    return app


def site(folder: Any) -> Any:
    app = _app()
    for view in VIEWS:
        app.route(view, "GET", lambda view=view: answered(served=view, **read()))
    for name, rule in (("unit", "/units/<unit>"), ("slash", "/slash/<unit>/")):
        app.route(
            rule,
            "GET",
            lambda unit, name=name: answered(served=name, **read(name, app, unit=unit)),
            name=name,
        )
    app.route("/static/<file:path>", "GET", lambda file: bottle.static_file(file, str(folder)))
    app.mount("/m/", everything())
    return app


READERS = [Reader("Bottle", "wsgi", "bottle", everything, site)]

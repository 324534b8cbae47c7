"""Flask: what a view reads from a request."""

from __future__ import annotations

from typing import Any

import flask
from werkzeug.middleware.dispatcher import DispatcherMiddleware

from readers.asking import Reader
from readers.places import BODIES, METHODS, VIEWS, Places, as_json, pairs, told


def read(**arguments: Any) -> Places:
    request = flask.request
    places = {
        "path": lambda: request.path,
        "script": lambda: request.root_path,
        "query": lambda: pairs(request.args.items(multi=True)),
        "url": lambda: request.url,
        "base_url": lambda: request.base_url,
        "url_root": lambda: request.url_root,
        "full_path": lambda: request.full_path,
        "host": lambda: request.host,
        "host_url": lambda: request.host_url,
        "url_for": lambda: flask.url_for(request.endpoint or "", **arguments),
        "url_for, external": lambda: flask.url_for(request.endpoint or "", _external=True, **arguments),
        "cookies": lambda: pairs(request.cookies.items(multi=True)),
        "forwarded for": lambda: request.headers.get("X-Forwarded-For"),
    }
    if request.method in BODIES:
        places |= {
            "body": lambda: request.get_data(cache=True).decode("latin-1"),
            "form": lambda: pairs([*request.form.items(multi=True), *request.files.items(multi=True)]),
            "json": lambda: request.get_json() if request.is_json else None,
        }
    return {**told(places), **arguments}


def answered(**places: Any) -> flask.Response:
    return flask.Response(as_json(places), mimetype="application/json")


def everything() -> Any:
    app = flask.Flask("everything", static_folder=None)
    app.url_map.merge_slashes = False
    options: dict[str, Any] = {"methods": METHODS, "provide_automatic_options": False}
    app.add_url_rule("/", "show", lambda rest: answered(**read(rest=rest)), defaults={"rest": ""}, **options)
    app.add_url_rule("/<path:rest>", "show", **options)
    return app


def site(folder: Any) -> Any:
    app = flask.Flask("site", static_folder=str(folder), static_url_path="/static")
    for view in VIEWS:
        app.add_url_rule(view, view, lambda view=view: answered(served=view, **read()))
    for rule in ("/units/<unit>", "/slash/<unit>/"):
        app.add_url_rule(rule, rule, lambda rule=rule, **found: answered(served=rule, **read(**found)))
    app.wsgi_app = DispatcherMiddleware(app.wsgi_app, {"/m": everything()})
    return app


READERS = [Reader("Flask", "wsgi", "Flask", everything, site)]

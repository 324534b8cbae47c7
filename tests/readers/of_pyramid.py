"""Pyramid: what a view reads from a request."""

from __future__ import annotations

from typing import Any

from pyramid.config import Configurator
from pyramid.httpexceptions import HTTPNotFound
from pyramid.response import Response
from pyramid.wsgi import wsgiapp2

from readers.asking import Reader
from readers.places import BODIES, VIEWS, Places, as_json, pairs, told


def read(request: Any, name: str = "", **arguments: Any) -> Places:
    places: dict[str, Any] = {
        "path": lambda: request.path_info,
        "script": lambda: request.script_name,
        "query": lambda: pairs(request.GET.items()),
        "url": lambda: request.url,
        "path_url": lambda: request.path_url,
        "path_qs": lambda: request.path_qs,
        "quoted path": lambda: request.path,
        "application_url": lambda: request.application_url,
        "host": lambda: request.host,
        "cookies": lambda: pairs(request.cookies.items()),
        "forwarded for": lambda: request.headers.get("X-Forwarded-For"),
    }
    if name:
        places["url_for"] = lambda: request.route_path(name, **arguments)
        places["url_for, external"] = lambda: request.route_url(name, **arguments)
    if request.method in BODIES:
        places |= {
            "body": lambda: request.body.decode("latin-1"),
            "form": lambda: pairs(request.POST.items()),
            "json": lambda: request.json_body,
        }
    return {**told(places), **arguments}


def shown(name: str, **served: str) -> Any:
    def view(request: Any) -> Any:
        places = {**read(request, name, **request.matchdict), **served}
        return Response(as_json(places), content_type="application/json", charset="UTF-8")

    return view


def everything() -> Any:
    with Configurator() as config:
        config.add_route("show", "/{rest:(?s:.*)}")
        config.add_view(shown("show"), route_name="show")
        return config.make_wsgi_app()


def site(folder: Any) -> Any:
    with Configurator() as config:
        for view in VIEWS:
            config.add_route(view, view)
            config.add_view(shown(view, served=view), route_name=view)
        for name, pattern in (("unit", "/units/{unit}"), ("slash", "/slash/{unit}/")):
            config.add_route(name, pattern)
            config.add_view(shown(name, served=name), route_name=name)
        config.add_route("m", "/m/*subpath")
        config.add_view(wsgiapp2(everything()), route_name="m")
        config.add_static_view("static", str(folder))
        config.add_notfound_view(lambda _: HTTPNotFound(), append_slash=True)
        return config.make_wsgi_app()


READERS = [Reader("Pyramid", "wsgi", "pyramid", everything, site)]

"""The URL that a framework builds for a matched route: ``url_for``, ``reverse``, ``route_path``.

Each function matches a request as the framework's router does, and returns the path that the framework builds
from the match; ``None`` if no route matches.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from postel.doctor._received import ReceivedRequest

_FULL: Final = 2
"""The value of ``Match.FULL`` of Starlette."""


def of_werkzeug(received: ReceivedRequest) -> str | None:
    """Return the path from Flask or Quart, whose applications have a ``url_map``."""
    url_map: Any = getattr(received.inner, "url_map", None)
    if url_map is None:
        return None
    values = received.values
    if received.is_environ:
        bound = url_map.bind_to_environ(values)
        method = values["REQUEST_METHOD"]
    else:
        bound = url_map.bind(received.host, script_name=values.get("root_path", ""), path_info=values["path"])
        method = values["method"]
    endpoint, arguments = bound.match(method=method)
    return str(bound.build(endpoint, arguments))


def of_starlette(received: ReceivedRequest) -> str | None:
    """Return the path from Starlette or FastAPI; mounted applications are not examined."""
    for route in getattr(received.inner, "routes", ()):
        match, child = route.matches(received.values)
        if match.value == _FULL:
            if not hasattr(route, "path_format") or hasattr(route, "routes"):
                return None
            root: str = received.values.get("root_path", "")
            return root + str(route.url_path_for(route.name, **child.get("path_params", {})))
    return None


def of_django(request: Any) -> str:
    """Return the path from Django, including the prefix that the application is mounted at."""
    urls: Any = import_module("django.urls")
    match = urls.resolve(request.path_info)
    written: str = urls.reverse(match.view_name, args=match.args, kwargs=match.kwargs)
    root: str = request.path.removesuffix(request.path_info)
    return root + "/" + written.removeprefix(urls.get_script_prefix())


def of_pyramid(received: ReceivedRequest, request: Any) -> str | None:
    """Return the path from Pyramid, if a route matches; traversal has no routes."""
    found = received.inner.routes_mapper(request)
    route = found["route"]
    return None if route is None else str(request.script_name + route.generate(found["match"]))

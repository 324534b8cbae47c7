"""Adapters: read a request as a framework's own request object does.

Frameworks are imported when they are used, because most applications use only one. Each adapter is a function
that returns the places of a request; a place is a function that reads one value.
"""

from __future__ import annotations

import io
from collections.abc import Awaitable, Callable, Iterable, Mapping
from importlib import import_module
from types import SimpleNamespace
from typing import Any, Final, cast

from postel.doctor import _url_for
from postel.doctor._received import ReceivedRequest

Places = Mapping[str, Callable[[], object]]
"""Functions that read a place, by role and name: ``url: request.url``. Their results may need ``await``."""
Adapter = Callable[[ReceivedRequest], Places]


def werkzeug(received: ReceivedRequest) -> Places:
    """Flask, and other frameworks on Werkzeug."""
    request: Any = import_module("werkzeug.wrappers").Request(_environ(received), populate_request=False)
    return {
        "path: request.path": lambda: request.root_path + request.path,
        "url: request.url": lambda: request.url,
        "url: request.full_path": lambda: request.root_path + request.full_path,
        "written: url_for()": lambda: _url_for.of_werkzeug(received),
        "query: request.args": lambda: _pairs(request.args.items(multi=True)),
        "form: request.form": lambda: _pairs(request.form.items(multi=True)),
        "cookies: request.cookies": lambda: _pairs(request.cookies.items(multi=True)),
    }


def django(received: ReceivedRequest) -> Places:
    """Django, on WSGI or ASGI."""
    request = _of_django(received)
    return {
        "path: request.path": lambda: request.path,
        "url: request.build_absolute_uri()": request.build_absolute_uri,
        "written: reverse()": lambda: _url_for.of_django(request),
        "query: request.GET": lambda: _listed(request.GET.lists()),
        "form: request.POST": lambda: _listed(request.POST.lists()),
        "cookies: request.COOKIES": lambda: _pairs(request.COOKIES.items()),
        "forwarded: request.headers": lambda: request.headers.get("X-Forwarded-For"),
    }


def rest_framework(received: ReceivedRequest) -> Places:
    """Django REST framework, which reads the body with its own parsers."""
    parsers: Any = import_module("rest_framework.parsers")
    request: Any = import_module("rest_framework.request").Request(
        _of_django(received), parsers=[parsers.FormParser(), parsers.MultiPartParser()]
    )
    return {"form: request.data": lambda: _listed(getattr(request.data, "lists", list)())}


def starlette(received: ReceivedRequest) -> Places:
    """Starlette and FastAPI."""
    request: Any = import_module("starlette.requests").Request(_scope(received), _receive(received))
    return {
        "path: request.scope": lambda: request.scope["path"],
        "url: request.url": lambda: str(request.url),
        "written: url_for()": lambda: _url_for.of_starlette(received),
        "query: request.query_params": lambda: _pairs(request.query_params.multi_items()),
        "form: request.form()": lambda: _form(request.form()),
        "cookies: request.cookies": lambda: _pairs(request.cookies.items()),
        "forwarded: request.headers": lambda: request.headers.get("X-Forwarded-For"),
    }


def litestar(received: ReceivedRequest) -> Places:
    """Litestar."""
    handler = SimpleNamespace(resolve_request_max_body_size=lambda: None)
    # "app" is the name before Litestar 2.15.
    scope = {
        **_scope(received),
        "app": received.inner,
        "litestar_app": received.inner,
        "route_handler": handler,
    }
    request: Any = import_module("litestar").Request(scope, _receive(received))
    return {
        "path: request.scope": lambda: request.scope["path"],
        "url: request.url": lambda: str(request.url),
        "query: request.query_params": lambda: _pairs(request.query_params.multi_items()),
        "form: request.form()": lambda: _form(request.form()),
        "cookies: request.cookies": lambda: _pairs(request.cookies.items()),
        "forwarded: request.headers": lambda: request.headers.get("X-Forwarded-For"),
    }


def falcon(received: ReceivedRequest) -> Places:
    """Falcon, on WSGI or ASGI."""
    if received.is_environ:
        request: Any = import_module("falcon").Request(_environ(received))
    else:
        request = import_module("falcon.asgi").Request(_scope(received), _receive(received))
    return {
        "path: req.path": lambda: request.root_path + request.path,
        "url: req.url": lambda: request.url,
        "query: req.params": lambda: _listed(request.params.items()),
        "cookies: req.cookies": lambda: _pairs(request.cookies.items()),
        "forwarded: req.get_header()": lambda: request.get_header("X-Forwarded-For"),
    }


def quart(received: ReceivedRequest) -> Places:
    """Quart."""
    scope = received.values
    headers = import_module("werkzeug.datastructures").Headers(
        [(name.decode("latin-1").title(), value.decode("latin-1")) for name, value in scope["headers"]]
    )
    request: Any = import_module("quart.wrappers").Request(
        scope["method"],
        scope["scheme"],
        scope["path"],
        scope["query_string"],
        headers,
        scope.get("root_path", ""),
        scope["http_version"],
        _scope(received),
        send_push_promise=_receive(received),
    )

    async def form() -> list[tuple[str, str]]:
        request.body.append(received.body)
        request.body.set_complete()
        return _pairs((await request.form).items(multi=True))

    return {
        "path: request.path": lambda: request.path,
        "url: request.url": lambda: request.url,
        "url: request.full_path": lambda: request.full_path,
        "written: url_for()": lambda: _url_for.of_werkzeug(received),
        "query: request.args": lambda: _pairs(request.args.items(multi=True)),
        "form: request.form": form,
        "cookies: request.cookies": lambda: _pairs(request.cookies.items(multi=True)),
        "forwarded: request.headers": lambda: request.headers.get("X-Forwarded-For"),
    }


def bottle(received: ReceivedRequest) -> Places:
    """Bottle."""
    environ = _environ(received)
    # Bottle itself does this before it routes.
    environ["PATH_INFO"] = environ["PATH_INFO"].encode("latin-1").decode("utf-8", "ignore")
    request: Any = import_module("bottle").LocalRequest(environ)
    return {
        "path: request.path": lambda: request.script_name.rstrip("/") + request.path,
        "url: request.url": lambda: request.url,
        "query: request.query": lambda: _pairs(request.query.decode().allitems()),
        "form: request.forms": lambda: _pairs(request.forms.decode().allitems()),
        "cookies: request.cookies": lambda: _pairs(request.cookies.items()),
    }


def pyramid(received: ReceivedRequest) -> Places:
    """Pyramid, which uses WebOb."""
    request: Any = import_module("pyramid.request").Request(_environ(received))
    return {
        "path: request.path_info": lambda: request.script_name + request.path_info,
        "url: request.url": lambda: request.url,
        "written: route_path()": lambda: _url_for.of_pyramid(received, request),
        "query: request.GET": lambda: _pairs(request.GET.items()),
        "form: request.POST": lambda: _pairs(request.POST.items()),
        "cookies: request.cookies": lambda: _pairs(request.cookies.items()),
    }


ADAPTERS: Final[dict[str, tuple[Adapter, ...]]] = {
    "flask": (werkzeug,),
    "werkzeug": (werkzeug,),
    "django": (django,),
    "rest_framework": (django, rest_framework),
    "starlette": (starlette,),
    "fastapi": (starlette,),
    "litestar": (litestar,),
    "falcon": (falcon,),
    "quart": (quart,),
    "bottle": (bottle,),
    "pyramid": (pyramid,),
}
"""The adapters by package of the framework."""


def route_of(values: Mapping[str, Any]) -> str:
    """Return the route that a framework matched, from the environ or the scope; empty if it is unknown."""
    rule = getattr(values.get("werkzeug.request"), "url_rule", None)
    if rule is not None:
        return str(rule)
    for key in ("path_template", "endpoint"):  # Litestar; Starlette
        if key in values:
            found = values[key]
            return str(getattr(found, "__qualname__", None) or (found if isinstance(found, str) else ""))
    route = values.get("bottle.route") or values.get("bfg.routes.route")
    return str(getattr(route, "rule", None) or getattr(route, "pattern", None) or "")


def _environ(received: ReceivedRequest) -> dict[str, Any]:
    kept = {key: value for key, value in received.values.items() if key.isupper() or key.startswith("wsgi.")}
    return {**kept, "wsgi.input": _file(received), "wsgi.errors": io.StringIO()}


def _of_django(received: ReceivedRequest) -> Any:
    if received.is_environ:
        return import_module("django.core.handlers.wsgi").WSGIRequest(_environ(received))
    return import_module("django.core.handlers.asgi").ASGIRequest(_scope(received), _file(received))


def _scope(received: ReceivedRequest) -> dict[str, Any]:
    """Copy the scope, so that values cached by this request do not reach the application's own request."""
    return {**received.values, "state": {}}


def _file(received: ReceivedRequest) -> io.BytesIO:
    return io.BytesIO(received.body)


def _receive(received: ReceivedRequest) -> Callable[[], Awaitable[dict[str, Any]]]:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": received.body, "more_body": False}

    return receive


def _pairs(items: Iterable[tuple[object, object]]) -> list[tuple[str, str]]:
    return [(str(name), str(value)) for name, value in items]


def _listed(items: Iterable[tuple[object, object]]) -> list[tuple[str, str]]:
    """Return pairs from items in which a name has one value or a list of values."""
    found: list[tuple[str, str]] = []
    for name, values in items:
        several = cast("list[object]", values) if isinstance(values, list) else [values]
        found += _pairs((name, each) for each in several)
    return found


async def _form(reading: Awaitable[Any]) -> list[tuple[str, str]]:
    return _pairs((await reading).multi_items())

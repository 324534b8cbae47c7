"""Applications that refuse everyone at /admin and /q, for the tests with servers.

One process serves every combination. A header of a request selects it: the framework, what the guard in front
of it reads, and the policy of postel, which is in front of the guard. The guards are written as people
write them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import falcon
import falcon.asgi
import flask
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

import postel.asgi
import postel.wsgi
from postel import Policy, Report

GUARDED = "what only some may read"
OPEN = "what everyone may read"
POLICIES = {"bare": None, "STANDARD": Policy.STANDARD, "LENIENT": Policy.LENIENT}
GUARDS = ("path", "raw", "none")
HEADER = "X-Stack"
GUARDED_PATHS = ("/q", "/admin", "/admin/panel")


def guards(path: str) -> bool:
    return path in {"/q", "/admin"} or path.startswith("/admin/")


def ignore(_: Report) -> None:
    """Ignore a report, because refusals are intended here."""


# -- WSGI ----------------------------------------------------------------------------------------------------


def flask_app() -> Any:
    app = flask.Flask("guarded", static_folder=None)
    for number, path in enumerate(GUARDED_PATHS):
        app.add_url_rule(path, f"secret{number}", lambda: GUARDED)
    app.add_url_rule("/", "index", lambda: OPEN)
    return app.wsgi_app


class Resource:
    """A resource of Falcon."""

    def __init__(self, text: str) -> None:
        self.text = text

    def on_get(self, _request: Any, response: Any) -> None:
        response.text = self.text


class AsyncResource(Resource):
    """A resource of Falcon on ASGI."""

    async def on_get(self, request: Any, response: Any) -> None:
        super().on_get(request, response)


def falcon_app(app: Any, resource: type[Resource]) -> Any:
    for path in GUARDED_PATHS:
        app.add_route(path, resource(GUARDED))
    app.add_route("/", resource(OPEN))
    return app


class WSGIGuard:
    """Refuses requests for guarded paths, by the one value that the guard reads."""

    def __init__(self, app: Any, looks_at: str) -> None:
        self.app, self.looks_at = app, looks_at

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        path = environ["PATH_INFO"]
        if self.looks_at == "raw":
            raw = environ.get("REQUEST_URI", environ.get("RAW_URI", path))
            path = raw.partition("?")[0]
        if self.looks_at != "none" and guards(path):
            start_response("403 Forbidden", [("Content-Type", "text/plain")])
            return [b"forbidden"]
        return self.app(environ, start_response)  # An app is Any.


WSGI_APPS = {"flask": flask_app(), "falcon": falcon_app(falcon.App(), Resource)}
WSGI_STACKS = {
    f"{name} {looks_at} {policy_name}": (
        postel.wsgi.NormalizeMiddleware(guard, policy, observer=ignore) if policy else guard
    )
    for name, app in WSGI_APPS.items()
    for looks_at in GUARDS
    for guard in (WSGIGuard(app, looks_at),)
    for policy_name, policy in POLICIES.items()
}


def wsgi(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    return WSGI_STACKS[environ["HTTP_X_STACK"]](environ, start_response)


# -- ASGI ----------------------------------------------------------------------------------------------------


async def secret(_: Any) -> PlainTextResponse:
    return PlainTextResponse(GUARDED)


async def index(_: Any) -> PlainTextResponse:
    return PlainTextResponse(OPEN)


class ASGIGuard:
    """Refuses requests for guarded paths, by the one value that the guard reads."""

    def __init__(self, app: Any, looks_at: str) -> None:
        self.app, self.looks_at = app, looks_at

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        path = scope["raw_path"].decode("latin-1") if self.looks_at == "raw" else scope["path"]
        if self.looks_at != "none" and guards(path):
            await PlainTextResponse("forbidden", 403)(scope, receive, send)
        else:
            await self.app(scope, receive, send)


ASGI_APPS = {
    "starlette": Starlette(routes=[*(Route(path, secret) for path in GUARDED_PATHS), Route("/", index)]),
    "falcon": falcon_app(falcon.asgi.App(), AsyncResource),
}
ASGI_STACKS = {
    f"{name} {looks_at} {policy_name}": (
        postel.asgi.NormalizeMiddleware(guard, policy, observer=ignore) if policy else guard
    )
    for name, app in ASGI_APPS.items()
    for looks_at in GUARDS
    for guard in (ASGIGuard(app, looks_at),)
    for policy_name, policy in POLICIES.items()
}


async def asgi(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] != "http":
        return
    stack = dict(scope["headers"])[HEADER.lower().encode()].decode()
    await ASGI_STACKS[stack](scope, receive, send)

"""An application of Starlette with guards, and views of every kind that return what they have served.

Only Starlette and postel are imported, so that this runs with every version of Starlette.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

from starlette.applications import Starlette
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

import postel.asgi
from postel import Policy, Report

HOST = "postel.test"
OPEN_FILES = ("open/a.txt", "health")
SECRET_FILES = ("secret/key.txt", "open/secret/key.txt", "secret")


def is_open(path: str) -> bool:
    """Whether a guard with a list of open paths lets a path pass."""
    inside = path.startswith(("/public/", "/static/open/")) and "secret" not in path
    return inside or path in {"/health", "/static/health"}


def is_secret(path: str) -> bool:
    """Whether a guard with a list of secret paths stops a path."""
    return path.startswith(("/secret", "/m/secret", "/static/secret", "/static/open/secret")) or path == "/q"


Passes = Callable[[str], bool]
GUARDS: dict[str, Passes] = {
    "open paths": is_open,
    "all except secret paths": lambda path: not is_secret(path),
}
LOOKS: dict[str, Callable[[Any], str]] = {
    "request.url.path": lambda scope: Request(scope).url.path,
    "scope": lambda scope: str(scope["path"]),
}


# -- views: each answers with the path of what it serves -----------------------------------------------------


def named(path: str) -> Any:
    async def show(_: Request) -> PlainTextResponse:
        return PlainTextResponse(path)

    return show


async def by_parameter(request: Request) -> PlainTextResponse:
    return PlainTextResponse("/" + request.path_params["rest"])


def application(folder: Path) -> Starlette:
    """Return routes, a mount, static files, and one route for all other paths."""
    for name in (*OPEN_FILES, *SECRET_FILES[:2]):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"/static/{name}")
    paths = ("/health", "/secret", "/public/a", "/q")
    return Starlette(
        routes=[
            *(Route(path, named(path)) for path in paths),
            Mount("/m", routes=[Route("/secret", named("/m/secret")), Route("/health", named("/m/health"))]),
            Mount("/static", StaticFiles(directory=folder)),
            Route("/{rest:path}", by_parameter),
        ]
    )


# -- guards --------------------------------------------------------------------------------------------------


@dataclass
class Watched:
    """An application, and the path that each guard saw in the last request; ``None`` if there was none."""

    app: Any
    saw: dict[str, str] | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.saw = {name: look(scope) for name, look in LOOKS.items()}
        await self.app(scope, receive, send)


def guarded(app: Any, passes: Passes) -> Any:
    """Return an application behind a guard as people write it."""

    async def guard(request: Request, call_next: Any) -> Any:
        return await call_next(request) if passes(request.url.path) else PlainTextResponse("forbidden", 403)

    return BaseHTTPMiddleware(app, guard)


def ignore(_: Report) -> None:
    """Ignore a report, because refusals are intended here."""


def behind(app: Any, policy: Policy, **settings: Any) -> Any:
    return postel.asgi.NormalizeMiddleware(app, policy, observer=ignore, **settings)


# -- requests ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Answer:
    status: int
    body: str


def scope_of(target: bytes) -> dict[str, Any]:
    """Return the scope of uvicorn for a GET request."""
    path, _, query = target.partition(b"?")
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": unquote_to_bytes(path).decode("utf-8", "replace"),
        "raw_path": path,
        "query_string": query,
        "root_path": "",
        "headers": [(b"host", HOST.encode())],
        "client": ("192.0.2.1", 50000),
        "server": ("127.0.0.1", 8000),
        "state": {},
    }


async def ask(app: Any, target: bytes) -> Answer:
    statuses: list[int] = []
    body = bytearray()
    messages = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> Any:
        return messages.pop() if messages else await asyncio.Event().wait()

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])
        body.extend(message.get("body", b""))

    await app(scope_of(target), receive, send)
    return Answer(statuses[-1], body.decode())

"""A small library on Starlette, behind postel. Each page says what it has read.

``uvicorn --app-dir examples starlette_app:app``

``bare`` is the same application without postel, to compare.
"""

from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from postel.asgi import NormalizeMiddleware


async def index(request: Request) -> Response:
    """Show links to try."""
    return FileResponse(Path(__file__).with_name("index.html"))


async def show(request: Request) -> Response:
    """Say what was read: the path, its parameters, the query."""
    return JSONResponse(
        {
            "view": request.scope["route"].name,
            "path": request.scope["path"],
            "parameters": request.path_params,
            "query": request.query_params.multi_items(),
        }
    )


class AdminGuard:
    """Keeps everyone from /admin. It reads the raw path, where ``%2F`` does not separate segments."""

    def __init__(self, app: ASGIApp) -> None:
        """Guard an application."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve all paths outside /admin."""
        guarded = scope["type"] == "http" and scope["raw_path"].split(b"/")[:2] == [b"", b"admin"]
        app = PlainTextResponse("For librarians only.\n", 403) if guarded else self.app
        await app(scope, receive, send)


routes = [
    Route("/", index),
    Route("/search", show, name="search"),
    Route("/books/{title}", show, name="book"),
    Route("/admin", show, name="admin"),
    Route("/admin/panel", show, name="admin"),
]
bare = Starlette(routes=routes, middleware=[Middleware(AdminGuard)])
app = Starlette(routes=routes, middleware=[Middleware(NormalizeMiddleware), Middleware(AdminGuard)])

"""A small library on FastAPI, behind postel. Each page says what it has read.

``uvicorn --app-dir examples fastapi_app:app``
"""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, PlainTextResponse, Response

from postel.asgi import NormalizeMiddleware

app = FastAPI()


def read(request: Request, view: str) -> dict[str, Any]:
    """Say what was read: the path, its parameters, the query."""
    return {
        "view": view,
        "path": request.scope["path"],
        "parameters": request.path_params,
        "query": request.query_params.multi_items(),
    }


@app.get("/")
def index() -> FileResponse:
    """Show links to try."""
    return FileResponse(Path(__file__).with_name("index.html"))


@app.get("/search")
def search(request: Request) -> dict[str, Any]:
    """Search."""
    return read(request, "search")


@app.get("/books/{title}")
def book(title: str, request: Request) -> dict[str, Any]:
    """Show one book."""
    return read(request, "book")


@app.get("/admin")
@app.get("/admin/panel")
def admin(request: Request) -> dict[str, Any]:
    """Show the page that only librarians may see."""
    return read(request, "admin")


@app.middleware("http")
async def guard(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
    """Keep everyone from /admin."""
    if request.scope["path"].split("/")[:2] == ["", "admin"]:
        return PlainTextResponse("For librarians only.\n", 403)
    return await call_next(request)


app.add_middleware(NormalizeMiddleware)  # the last one added is the outermost

"""A small library on Flask, behind postel. Each page says what it has read.

``gunicorn --chdir examples flask_app:app``

``bare`` is the same application without postel, to compare.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flask import Flask, Response, jsonify, request, send_file

from postel.wsgi import NormalizeMiddleware

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

library = Flask(__name__)


@library.get("/")
def index() -> Response:
    """Show links to try."""
    return send_file(Path(__file__).with_name("index.html"))


@library.get("/search", endpoint="search")
@library.get("/books/<title>", endpoint="book")
@library.get("/admin", endpoint="admin")
@library.get("/admin/panel", endpoint="admin")
def show(**parameters: Any) -> Response:
    """Say what was read: the path, its parameters, the query."""
    return jsonify(
        view=request.endpoint,
        path=request.path,
        parameters=parameters,
        query=list(request.args.items(multi=True)),
    )


class AdminGuard:
    """Keeps everyone from /admin."""

    def __init__(self, app: WSGIApplication) -> None:
        """Guard an application."""
        self.app = app

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Serve all paths outside /admin."""
        guarded = environ["PATH_INFO"].split("/")[:2] == ["", "admin"]
        app = Response("For librarians only.\n", 403) if guarded else self.app
        return app(environ, start_response)


bare = AdminGuard(library)
app = NormalizeMiddleware(bare)

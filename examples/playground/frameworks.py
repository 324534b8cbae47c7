"""What Django, Flask and Starlette read from a URL, without postel and behind it.

The frameworks run in this process, and get each request in the form in which gunicorn (WSGI) or uvicorn
(ASGI) would pass it on. The page shows their answers as they are.
"""

import asyncio
import io
import json
import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_to_bytes

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, JsonResponse
from django.urls import re_path
from flask import Flask, Response, jsonify, request
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

import postel.asgi
import postel.wsgi
from postel import Report

from .anatomy import Url, visible

settings.configure(
    ALLOWED_HOSTS=["*"], LOGGING_CONFIG=None, ROOT_URLCONF=__name__, SECRET_KEY=secrets.token_hex()
)
logging.getLogger("django").setLevel(logging.CRITICAL)  # failures are shown on the page, not logged


def _django_view(request: HttpRequest) -> JsonResponse:
    pairs = [(name, value) for name, values in request.GET.lists() for value in values]
    return JsonResponse({"path": request.path, "pairs": pairs})


urlpatterns = [re_path(r"(?s)^.*\Z", _django_view)]


def _flask() -> Flask:
    app = Flask(__name__, static_folder=None)
    app.url_map.merge_slashes = False  # otherwise Flask would only redirect a path with //
    app.logger.disabled = True

    @app.route("/", defaults={"rest": ""})
    @app.route("/<path:rest>")
    def show(rest: str) -> Response:
        return jsonify(path=request.path, pairs=list(request.args.items(multi=True)))

    return app


async def _starlette_view(request: Request) -> JSONResponse:
    return JSONResponse({"path": request.scope["path"], "pairs": request.query_params.multi_items()})


def _ignore(_: Report) -> None:
    """Ignore a report, because the page shows it."""


@dataclass(frozen=True)
class Reading:
    """The result of one request: what was read, or why nothing was."""

    path: str = ""
    pairs: tuple[tuple[str, str], ...] = ()
    ended: str = ""


@dataclass(frozen=True)
class Framework:
    """A framework's application, without postel and behind it."""

    name: str
    ask: Callable[[Any, Url], tuple[int, bytes]]
    bare: Any
    behind: Any

    def read(self, url: Url) -> tuple[str, Reading, Reading]:
        """Return the name and both readings."""
        return self.name, self._read(self.bare, url), self._read(self.behind, url)

    def _read(self, app: Any, url: Url) -> Reading:
        try:
            status, body = self.ask(app, url)
        except Exception as error:  # the page shows every error of a framework
            return Reading(ended=f"500 {type(error).__name__}")
        try:
            read = json.loads(body)
        except ValueError:
            return Reading(ended=str(status))
        if status != 200:
            return Reading(ended=f"{status} {', '.join(read['kinds'])}")
        pairs = tuple((visible(name), visible(value)) for name, value in read["pairs"])
        return Reading(visible(read["path"]), pairs)


def ask_wsgi(app: Any, url: Url) -> tuple[int, bytes]:
    """Call the application as gunicorn does."""
    target = url.sent
    path, _, query = target.partition(b"#")[0].partition(b"?")
    began: list[str] = []
    environ = {
        "REQUEST_METHOD": "GET",
        "RAW_URI": target.decode("latin-1"),
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
        "QUERY_STRING": query.decode("latin-1"),
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "8000",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_HOST": url.host.decode("latin-1"),
        "HTTP_ACCEPT": "application/json",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(),
        "wsgi.errors": io.StringIO(),
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    chunks = app(environ, lambda status, headers, *_: began.append(status))
    try:
        return int(began[-1][:3]), b"".join(chunks)
    finally:
        if close := getattr(chunks, "close", None):
            close()


def ask_asgi(app: Any, url: Url) -> tuple[int, bytes]:
    """Call the application as uvicorn with h11 does."""
    path, _, query = url.sent.partition(b"?")
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": unquote_to_bytes(path).decode("utf-8", "replace"),
        "raw_path": path,
        "query_string": query,
        "root_path": "",
        "headers": [(b"host", url.host), (b"accept", b"application/json")],
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 8000),
    }
    asyncio.run(app(scope, receive, send))
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])


def _all() -> list[Framework]:
    flask, django = _flask(), get_wsgi_application()
    starlette = Starlette(routes=[Route("/{rest:path}", _starlette_view)])
    return [
        Framework("Django", ask_wsgi, django, postel.wsgi.NormalizeMiddleware(django, observer=_ignore)),
        Framework("Flask", ask_wsgi, flask, postel.wsgi.NormalizeMiddleware(flask, observer=_ignore)),
        Framework(
            "Starlette", ask_asgi, starlette, postel.asgi.NormalizeMiddleware(starlette, observer=_ignore)
        ),
    ]


FRAMEWORKS = _all()

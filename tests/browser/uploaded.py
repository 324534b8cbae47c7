"""Applications for the servers: a page with a form, and what the framework behind postel reads of an upload.

In the answer, ``sent`` is what the server read, and ``handed`` what postel hands on.
"""

from __future__ import annotations

import hashlib
from typing import Any, Final

import flask
from starlette.applications import Starlette
from starlette.requests import Request  # noqa: TC002 - Starlette reads the annotation
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

import postel.asgi
import postel.wsgi
from postel import Report, report_of

PAGE: Final = """<!doctype html><meta charset=utf-8><title>Upload</title>
<form action=/upload method=post enctype=multipart/form-data>
<input name=größe><textarea name=text></textarea>
<input type=file name=empty><input type=file name=quoted><input type=file name=several multiple>
<input type=file name=unchosen><button>Send</button></form>
"""


def ignore(_: Report) -> None:
    """Ignore a report, because refusals are intended here."""


def digest(octets: bytes | bytearray) -> str:
    return f"{len(octets)} {hashlib.sha256(octets).hexdigest()}"


def told(request: Any, sent: bytes | bytearray, handed: bytes, **read: Any) -> dict[str, Any]:
    findings = [finding.kind.slug for finding in report_of(request).findings]
    return {"sent": digest(sent), "handed": digest(handed), "findings": findings, **read}


async def show(_: Request) -> Response:
    return HTMLResponse(PAGE)


async def upload(request: Request) -> Response:
    handed = await request.body()
    texts, files = [], []
    async with request.form() as form:
        for name, each in form.multi_items():
            if isinstance(each, str):
                texts.append((name, each))
            else:
                files.append((name, each.filename, (await each.read()).hex()))
    return JSONResponse(told(request, request.scope["test.sent"], handed, texts=texts, files=files))


_behind: Final = postel.asgi.NormalizeMiddleware(
    Starlette(routes=[Route("/", show), Route("/upload", upload, methods=["POST"])]),
    forms=True,
    observer=ignore,
)


async def starlette_app(scope: Any, receive: Any, send: Any) -> None:
    """Serve Starlette behind postel, and keep the octets that the server hands to postel."""
    sent = bytearray()

    async def kept() -> Any:
        message = await receive()
        sent.extend(message.get("body", b""))
        return message

    await _behind({**scope, "test.sent": sent}, kept, send)


class Kept:
    """The ``wsgi.input`` of a server, which keeps what was read of it."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.sent = bytearray()

    def read(self, size: int = -1) -> bytes:
        octets: bytes = self.stream.read(size)
        self.sent += octets
        return octets


_flask: Final = flask.Flask("uploaded", static_folder=None)


@_flask.get("/")
def flask_show() -> str:
    return PAGE


@_flask.post("/upload")
def flask_upload() -> Any:
    # Cached, so that Flask reads the form from these octets.
    handed = flask.request.get_data(cache=True, parse_form_data=False)
    texts = list(flask.request.form.items(multi=True))
    files = [(name, each.filename, each.read().hex()) for name, each in flask.request.files.items(multi=True)]
    environ = flask.request.environ
    return told(environ, environ["test.kept"].sent, handed, texts=texts, files=files)


_behind_wsgi: Final = postel.wsgi.NormalizeMiddleware(_flask, forms=True, observer=ignore)


def flask_app(environ: dict[str, Any], start_response: Any) -> Any:
    """Serve Flask behind postel, and keep the octets that the server hands to postel."""
    environ["wsgi.input"] = environ["test.kept"] = Kept(environ["wsgi.input"])
    return _behind_wsgi(environ, start_response)

"""Applications for servers that say whether a NUL is in their form object, with and without postel.

A header of a request selects the framework and the postel in front: ``form on lax`` is the most lenient
possible reader, behind a postel that judges forms. That reader needs only the standard library.
"""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qsl

import postel.asgi
import postel.wsgi

MARK = "form "
NUL, READ, NOTHING = "NUL is in the form", "a form without NUL", "no form"


def said(text: Iterable[str]) -> str:
    """Return the answer for a form object with this text."""
    joined = "|".join(text)
    return NUL if "\0" in joined else READ if joined else NOTHING


def lax(content_type: str, body: bytes) -> str:
    """Read a body as a form if any reader that guesses at the type could do so; wildcards count."""
    squeezed = re.sub(r"[^a-z*]", "", content_type.lower())
    if not re.search(r"urlencoded|formdata|multipart|\*", squeezed):
        return said(())
    text = body.decode("latin-1")
    return said([text] if "formdata" in squeezed else (each for pair in parse_qsl(text) for each in pair))


# -- WSGI ----------------------------------------------------------------------------------------------------


def lax_wsgi(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    ends = environ.get("wsgi.input_terminated") or environ.get("CONTENT_LENGTH")
    length = None if environ.get("wsgi.input_terminated") else int(environ.get("CONTENT_LENGTH") or 0)
    body = environ["wsgi.input"].read(*(() if length is None else (length,))) if ends else b""
    answer = lax(environ.get("CONTENT_TYPE") or "", body).encode()
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(answer)))])
    return [answer]


@functools.cache
def wsgi_stack(mode: str, name: str) -> Any:
    app = (
        lax_wsgi if name == "lax" else getattr(importlib.import_module("formed_frameworks"), f"{name}_wsgi")()
    )
    return app if mode == "bare" else postel.wsgi.NormalizeMiddleware(app, forms=True, observer=repr)


def wsgi(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    _, mode, name = environ["HTTP_X_STACK"].split()
    return wsgi_stack(mode, name)(environ, start_response)  # An app is Any.


# -- ASGI ----------------------------------------------------------------------------------------------------


async def lax_asgi(scope: Any, receive: Any, send: Any) -> None:
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message.get("body", b""), message.get("more_body", False)
    types = [value.decode("latin-1") for name, value in scope["headers"] if name == b"content-type"]
    answer = lax(",".join(types), body).encode()
    headers = [(b"content-type", b"text/plain"), (b"content-length", str(len(answer)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": answer})


@functools.cache
def asgi_stack(mode: str, name: str) -> Any:
    app = (
        lax_asgi if name == "lax" else getattr(importlib.import_module("formed_frameworks"), f"{name}_asgi")()
    )
    return app if mode == "bare" else postel.asgi.NormalizeMiddleware(app, forms=True, observer=repr)


async def asgi(scope: Any, receive: Any, send: Any) -> None:
    _, mode, name = dict(scope["headers"])[b"x-stack"].decode().split()
    await asgi_stack(mode, name)(scope, receive, send)

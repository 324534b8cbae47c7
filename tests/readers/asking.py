"""Send whole requests to an application of a framework, and return what it has read.

    seen = ask(App(reader, reader.everything()), Request(b"/wiki/C%23"))
    seen.places["url"]

Nothing here needs a framework. The environ and the scope are those of ``wire.py``, with the request's own
fields, body and framing.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import wire

HOST: Final = b"postel.test"
PATIENCE: Final = 20.0
"""The seconds to wait for an application that does not answer."""


@dataclass(frozen=True)
class Request:
    """A request as a server hands it over."""

    target: bytes = b"/"
    method: str = "GET"
    headers: tuple[tuple[bytes, bytes], ...] = ()
    """All fields except Host and those that frame the body."""
    host: bytes | None = HOST
    body: bytes = b""
    framing: str = "length"
    """``length``, ``chunked``, or ``length 0 and chunked``."""
    prefix: str = ""
    """SCRIPT_NAME or root_path."""

    def fields(self) -> list[tuple[bytes, bytes]]:
        """Return all fields in the order in which they are sent."""
        found = [(b"Host", self.host)] if self.host is not None else []
        found += self.headers
        if self.framing == "length" and (self.body or self.method in {"POST", "PUT", "PATCH"}):
            found.append((b"Content-Length", b"%d" % len(self.body)))
        if self.framing == "length 0 and chunked":
            found.append((b"Content-Length", b"0"))
        if self.framing != "length":
            found.append((b"Transfer-Encoding", b"chunked"))
        return found


@dataclass(frozen=True)
class Seen:
    """The result of a request."""

    status: int
    places: Mapping[str, Any] = field(default_factory=dict)
    """What the view read, by the name of the place: an accessor such as ``url``.

    ``file`` is the text of a static file, ``location`` the target of a redirect by the framework.
    """
    asked: bool = False
    """Whether the application was called at all."""
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    raised: str = ""
    """The exception that left the application, for which a server answers 500."""

    def header(self, name: str) -> str | None:
        return next((value for each, value in self.headers if each.lower() == name.lower()), None)


@dataclass(frozen=True)
class Reader:
    """A framework: how its applications are created, and the package that has its version."""

    name: str
    protocol: str
    """``wsgi`` or ``asgi``."""
    distribution: str
    everything: Callable[[], Any]
    """Makes an application whose only view serves every path; it neither redirects nor merges slashes."""
    site: Callable[[Any], Any] | None = None
    """Makes an application with routes, a mount and static files, with the framework's own defaults."""
    entered: Callable[[], Any] = contextlib.nullcontext
    """Makes the context in which applications are made and called; Django has only one set of settings."""

    def __str__(self) -> str:
        return self.name


class App:
    """An application of a reader, with or without something in front, which keeps whether it was called.

    ``wrap`` takes the application and returns what stands in front of it. ``spied`` is called with the
    environ or scope that the application gets.
    """

    def __init__(
        self,
        reader: Reader,
        application: Any,
        wrap: Callable[[Any], Any] | None = None,
        spied: Callable[[Any], object] | None = None,
    ) -> None:
        self.reader = reader
        self.asked = False
        self._spied = spied
        self._application = application
        spy = self._asgi if reader.protocol == "asgi" else self._wsgi
        self.outer: Any = spy if wrap is None else wrap(spy)

    def _wsgi(self, environ: Any, start_response: Any) -> Any:
        self._note(environ)
        return self._application(environ, start_response)

    async def _asgi(self, scope: Any, receive: Any, send: Any) -> None:
        self._note(scope)
        await self._application(scope, receive, send)

    def _note(self, environ_or_scope: Any) -> None:
        self.asked = True
        if self._spied is not None:
            self._spied(environ_or_scope)


def ask(app: App, request: Request) -> Seen:
    """Return what an application reads from a request."""
    return ask_all(app, [request])[0]


def ask_all(app: App, requests: Iterable[Request]) -> list[Seen]:
    """Return what an application reads from each request; one event loop for all of them saves time."""
    return list(each_asked(app, requests))


def each_asked(app: App, requests: Iterable[Request]) -> Iterator[Seen]:
    with app.reader.entered():
        if app.reader.protocol == "wsgi":
            for request in requests:
                yield _ask_wsgi(app, request)
        else:
            with asyncio.Runner() as runner:
                for request in requests:
                    yield runner.run(_ask_asgi(app, request))


# -- WSGI ----------------------------------------------------------------------------------------------------


def environ_of(request: Request) -> dict[str, Any]:
    """Return the environ of a request. Fields of one name are joined, and ``_`` equals ``-``."""
    environ = wire.environ_of(request.target, request.method)
    for name in wire.HEADERS:
        del environ[f"HTTP_{name.upper()}"]
    environ |= {"SCRIPT_NAME": request.prefix, "wsgi.input": io.BytesIO(request.body)}
    for name, value in request.fields():
        key = name.decode("latin-1").upper().replace("-", "_")
        key = key if key in {"CONTENT_TYPE", "CONTENT_LENGTH"} else f"HTTP_{key}"
        text = value.decode("latin-1")
        joined = "; " if key == "HTTP_COOKIE" else ","
        single = key in {"CONTENT_TYPE", "CONTENT_LENGTH", "HTTP_HOST"}
        environ[key] = text if single or key not in environ else f"{environ[key]}{joined}{text}"
    if request.framing != "length":
        environ["wsgi.input_terminated"] = True
    return environ


def _ask_wsgi(app: App, request: Request) -> Seen:
    started: list[tuple[str, list[tuple[str, str]]]] = []
    written: list[bytes] = []

    def start_response(status: str, headers: list[tuple[str, str]], *_: object) -> Callable[[bytes], None]:
        started.append((status, headers))
        return written.append

    app.asked = False
    try:
        chunks = app.outer(environ_of(request), start_response)
        body = b"".join([*written, *chunks])
        if close := getattr(chunks, "close", None):
            close()
    except Exception as error:
        return Seen(500, asked=app.asked, raised=repr(error))
    status, headers = started[-1]
    return _seen(int(status[:3]), headers, body, app.asked)


# -- ASGI ----------------------------------------------------------------------------------------------------


def scope_of(request: Request) -> dict[str, Any]:
    scope = wire.scope_of(request.target, request.method)
    scope["headers"] = [(name.lower(), value) for name, value in request.fields()]
    scope["root_path"] = request.prefix
    if request.prefix:
        scope["path"] = request.prefix + scope["path"]
        scope["raw_path"] = request.prefix.encode() + scope["raw_path"]
    return scope


async def _ask_asgi(app: App, request: Request) -> Seen:
    started: list[Any] = []
    body = bytearray()
    messages = [{"type": "http.request", "body": request.body, "more_body": False}]

    async def receive() -> Any:
        return messages.pop() if messages else await asyncio.Event().wait()

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            started.append(message)
        elif message["type"] == "http.response.pathsend":
            with open(message["path"], "rb") as file:
                body.extend(file.read())
        else:
            body.extend(message.get("body", b""))

    app.asked = False
    try:
        await asyncio.wait_for(app.outer(scope_of(request), receive, send), PATIENCE)
    except Exception as error:
        return Seen(500, asked=app.asked, raised=repr(error))
    headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in started[-1]["headers"]]
    return _seen(started[-1]["status"], headers, bytes(body), app.asked)


def _seen(status: int, headers: list[tuple[str, str]], body: bytes, asked: bool) -> Seen:
    found = {name.lower(): value for name, value in headers}
    places: dict[str, Any] = {}
    if not asked:
        pass
    elif "location" in found:
        places = {"location": found["location"]}
    elif status == 200 and found.get("content-type", "").startswith("application/json"):
        with contextlib.suppress(ValueError):
            places = json.loads(body)
    elif status == 200 and body:
        places = {"file": body.decode("utf-8", "replace")}
    return Seen(status, places, asked, tuple(headers), body)

"""Requests as servers hand them over: the target unchanged, without a socket and without a client.

The environ is that of gunicorn 27, the scope that of uvicorn 0.54 with h11; ``test_wire.py`` compares them
with the servers themselves.
"""

from __future__ import annotations

import asyncio
import io
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote_to_bytes

HEADERS = {"Host": "demo.test", "Accept": "application/json"}


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def kind(self) -> str:
        return self.headers.get("content-type", "")


def environ_of(target: bytes, method: str = "GET") -> dict[str, Any]:
    before_fragment = target.partition(b"#")[0]
    path, _, query = before_fragment.partition(b"?")
    if b"://" in path and not path.startswith(b"/"):
        rest = path.partition(b"://")[2]
        path = rest[rest.index(b"/") :] if b"/" in rest else b""
    return {
        "REQUEST_METHOD": method,
        "RAW_URI": target.decode("latin-1"),
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
        "QUERY_STRING": query.decode("latin-1"),
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "8000",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "SERVER_SOFTWARE": "gunicorn",
        "REMOTE_ADDR": "127.0.0.1",
        "REMOTE_PORT": "50000",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": False,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        **{f"HTTP_{name.upper()}": value for name, value in HEADERS.items()},
    }


def scope_of(target: bytes, method: str = "GET") -> dict[str, Any]:
    path, _, query = target.partition(b"?")
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote_to_bytes(path).decode("utf-8", "replace"),
        "raw_path": path,
        "query_string": query,
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()],
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 8000),
        "state": {},
    }


def ask_wsgi(app: Any, target: bytes, method: str = "GET") -> Answer:
    started: list[tuple[str, list[tuple[str, str]]]] = []

    def start_response(status: str, headers: list[tuple[str, str]], *_: object) -> None:
        started.append((status, headers))

    chunks: Iterable[bytes] = app(environ_of(target, method), start_response)
    body = b"".join(chunks)
    if close := getattr(chunks, "close", None):
        close()
    status, headers = started[-1]
    return Answer(int(status[:3]), {name.lower(): value for name, value in headers}, body)


@dataclass
class Connection:
    """The two callables that an ASGI application receives:

    a request without a body, and a collector of the answer.
    """

    answered: asyncio.Event = field(default_factory=asyncio.Event)
    asked: bool = False
    start: Mapping[str, Any] = field(default_factory=dict)
    body: bytes = b""

    async def receive(self) -> dict[str, Any]:
        if self.asked:
            await self.answered.wait()
            return {"type": "http.disconnect"}
        self.asked = True
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(self, message: Mapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.start = message
        else:
            self.body += message.get("body", b"")
            if not message.get("more_body"):
                self.answered.set()


def ask_asgi(app: Any, target: bytes, method: str = "GET") -> Answer:
    connection = Connection()
    asyncio.run(app(scope_of(target, method), connection.receive, connection.send))
    headers = {name.decode().lower(): value.decode() for name, value in connection.start["headers"]}
    return Answer(connection.start["status"], headers, connection.body)

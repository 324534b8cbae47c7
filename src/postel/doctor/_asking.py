"""Send requests to an application: in this process, or over a socket on the loopback."""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
import threading
import time
from collections.abc import Callable
from typing import Any, Final, Protocol

from postel.doctor._answer import LONGEST, Answer
from postel.doctor._request import Request

_LEAST: Final = 0.001
"""The shortest timeout in seconds; 0 would make a socket non-blocking."""
_STATUS: Final = re.compile(rb"HTTP/1\.[01] (\d{3})\b")


class Asker(Protocol):
    """A callable that sends a request and returns the answer."""

    def __call__(self, request: Request, /) -> Answer:
        """Send the request."""
        ...


def wsgi_asker(app: Callable[..., Any], timeout: float) -> Asker:
    """Create an asker for a WSGI application; an uncaught exception becomes a 500, as on a server."""

    def asked(request: Request) -> Answer:
        started: list[tuple[str, list[tuple[str, str]]]] = []
        written: list[bytes] = []

        def start(status: str, headers: list[tuple[str, str]], *_: object) -> Callable[[bytes], None]:
            started.append((status, headers))
            return written.append

        chunks = app(request.environ(), start)
        length = 0
        try:
            for chunk in chunks:
                written.append(chunk)
                length += len(chunk)
                if length > LONGEST:  # some streams have no end
                    break
        finally:
            getattr(chunks, "close", _nothing)()
        status, headers = started[-1]
        return Answer.of(int(status[:3]), headers, b"".join(written))

    return lambda request: _in_time(lambda: asked(request), timeout)


def asgi_asker(app: Callable[..., Any], timeout: float) -> Asker:
    """Create an asker for an ASGI application; each request has its own event loop, and no lifespan runs."""

    async def asked(request: Request) -> Answer:
        started: dict[str, Any] = {}
        body = bytearray()
        messages = [{"type": "http.request", "body": request.body, "more_body": False}]

        async def receive() -> Any:
            return messages.pop() if messages else await asyncio.Event().wait()

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                started.update(message)
            body.extend(message.get("body", b""))
            if len(body) > LONGEST:
                raise OSError("the client disconnected")  # ends a stream that has no end, as a server does

        try:
            await asyncio.wait_for(app(request.scope(), receive, send), timeout)
        except Exception:
            if len(body) <= LONGEST:
                raise
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in started["headers"]]
        return Answer.of(started["status"], headers, bytes(body))

    return lambda request: _in_time(lambda: asyncio.run(asked(request)), timeout + 1)


def error_line(error: BaseException) -> str:
    """Write an exception as one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"


def _nothing() -> None:
    """Do nothing, for iterables without ``close``."""


def _in_time(ask: Callable[[], Answer], timeout: float) -> Answer:
    """Ask in a thread, so that the caller can continue even if the application never returns."""
    answers: list[Answer] = []

    def run() -> None:
        try:
            answers.append(ask())
        except TimeoutError:
            answers.append(Answer(0))
        except Exception as error:
            answers.append(Answer(500, raised=error_line(error)))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(timeout)
    return answers[0] if answers else Answer(0)


def socket_asker(port: int, timeout: float) -> Asker:
    """Create an asker for a server on a port of 127.0.0.1; each request has its own connection."""

    def asked(request: Request) -> Answer:
        received = bytearray()
        address = ("127.0.0.1", port)
        end = time.monotonic() + timeout
        with contextlib.suppress(OSError), socket.create_connection(address, timeout) as connection:
            connection.sendall(request.octets())
            while len(received) < LONGEST and (piece := connection.recv(65536)):
                received += piece
                connection.settimeout(max(end - time.monotonic(), _LEAST))
        return _parsed(bytes(received))

    return asked


def _parsed(received: bytes) -> Answer:
    head, _, body = received.partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    status = _STATUS.match(lines[0])
    if status is None:
        return Answer(0)
    headers = [
        (name.decode("latin-1").strip(), value.decode("latin-1").strip())
        for name, _, value in (line.partition(b":") for line in lines[1:])
    ]
    if any(name.lower() == "transfer-encoding" for name, _ in headers):
        body = _dechunked(body)
    return Answer.of(int(status[1]), headers, body)


def _dechunked(body: bytes) -> bytes:
    """Join the chunks of a body (RFC 9112, section 7.1)."""
    whole = b""
    while body:
        size, _, body = body.partition(b"\r\n")
        with contextlib.suppress(ValueError):
            length = int(size.partition(b";")[0], 16)
            whole += body[:length]
            body = body[length + 2 :]
    return whole

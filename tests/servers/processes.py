"""Real servers on loopback, and a client that sends a target as it stands."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TIMEOUT = 30.0
ATTEMPTS = 3  # between asking for a free port and listening on it, somebody else can take it


@dataclass(frozen=True)
class Server:
    """How a server is started, and the names of the stacks that it can run."""

    name: str
    module: str
    protocol: str
    arguments: str

    def command(self, port: int) -> list[str]:
        return [sys.executable, "-m", self.module, *self.arguments.format(port=port).split()]


SERVERS = [
    Server("gunicorn", "gunicorn", "wsgi", "--no-control-socket --bind 127.0.0.1:{port} guarded:wsgi"),
    Server("waitress", "waitress", "wsgi", "--listen=127.0.0.1:{port} guarded:wsgi"),
    Server("granian-wsgi", "granian", "wsgi", "--no-log --interface wsgi --port {port} guarded:wsgi"),
    Server("uvicorn-h11", "uvicorn", "asgi", "--http h11 --port {port} guarded:asgi"),
    Server("uvicorn-httptools", "uvicorn", "asgi", "--http httptools --port {port} guarded:asgi"),
    Server("granian-asgi", "granian", "asgi", "--no-log --interface asgi --port {port} guarded:asgi"),
]


@dataclass(frozen=True)
class Answer:
    """The status and the body of an answer; the status is 0 where the server only closed the connection."""

    status: int
    body: str


@contextlib.contextmanager
def running(server: Server) -> Iterator[int]:
    """Run a server while the block runs, and say on which port."""
    if find_spec(server.module) is None:
        missing = f"{server.module} is not installed"
        (pytest.fail if os.environ.get("POSTEL_REQUIRE_SERVERS") else pytest.skip)(missing)
    for attempt in range(ATTEMPTS):
        port = free_port()
        process = subprocess.Popen(  # noqa: S603 - the commands stand above
            server.command(port),
            cwd=HERE,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            if listens(process, port):
                yield port
                return
            if attempt == ATTEMPTS - 1:
                pytest.fail(f"{server.name} does not start: {stop(process)}")
        finally:
            stop(process)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def listens(process: subprocess.Popen[bytes], port: int) -> bool:
    end = time.monotonic() + TIMEOUT
    while process.poll() is None and time.monotonic() < end:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return True
        time.sleep(0.05)
    return False


def stop(process: subprocess.Popen[bytes]) -> str:
    """End a server and the workers that it has started, and return what it has said."""
    process.terminate()
    try:
        output, _ = process.communicate(timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # a session of its own: the group is what was started here
        output, _ = process.communicate()
    except ValueError:
        return ""  # it has ended and said all before
    return output.decode(errors="replace")


def ask(port: int, target: bytes, stack: str) -> Answer:
    """Send one GET request with the target as it stands."""
    fields = f"Host: h.test\r\nX-Stack: {stack}\r\nConnection: close".encode()
    received = b""
    with socket.create_connection(("127.0.0.1", port), TIMEOUT) as connection:
        connection.sendall(b"GET " + target + b" HTTP/1.1\r\n" + fields + b"\r\n\r\n")
        with contextlib.suppress(ConnectionResetError):
            while piece := connection.recv(65536):
                received += piece
    head, _, body = received.partition(b"\r\n\r\n")
    return Answer(int(head.split(b" ", 2)[1]) if head else 0, body.decode("latin-1"))

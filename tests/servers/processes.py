"""Real servers on the loopback, started and stopped, and a client that sends a target unchanged."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Protocol

import pytest

HERE = Path(__file__).parent
TIMEOUT = 30.0
ATTEMPTS = 3  # Another process can take a free port before the server listens on it.


class Startable(Protocol):
    """A program that can be run: its name, its command, and its environment."""

    @property
    def name(self) -> str: ...

    @property
    def environment(self) -> tuple[tuple[str, str], ...]: ...

    def command(self, port: int) -> list[str]: ...

    def is_missing(self) -> bool: ...


@dataclass(frozen=True)
class Server:
    """A server that is a Python module, and the protocol of its applications."""

    name: str
    module: str
    protocol: str
    arguments: str
    environment: tuple[tuple[str, str], ...] = ()

    def command(self, port: int) -> list[str]:
        return [sys.executable, "-m", self.module, *self.arguments.format(port=port).split()]

    def is_missing(self) -> bool:
        return find_spec(self.module) is None


@dataclass(frozen=True)
class Program(Server):
    """A server that is a program outside of Python; its module only tells whether it is installed."""

    def command(self, port: int) -> list[str]:
        program = Path(sys.executable).with_name(self.module)
        return [str(program), *self.arguments.format(port=port).split()]


@dataclass(frozen=True)
class Launched(Server):
    """A server that ``launch.py`` runs; ``arguments`` is its name in that file."""

    def command(self, port: int) -> list[str]:
        return [sys.executable, str(HERE / "launch.py"), self.arguments, str(port)]


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
    """Status and body of an answer; the status is 0 if the server only closed the connection."""

    status: int
    body: str
    location: str | None = None


@dataclass(frozen=True)
class Process:
    """A running server, and the file with its output."""

    name: str
    port: int
    running: subprocess.Popen[bytes]
    output: IO[bytes]

    def said(self) -> str:
        self.output.seek(0)
        return self.output.read().decode(errors="replace")

    def listens(self) -> bool:
        end = time.monotonic() + TIMEOUT
        while self.running.poll() is None and time.monotonic() < end:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return True
            time.sleep(0.05)
        return False

    def stop(self) -> None:
        """Stop the server and its workers."""
        self.running.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.running.wait(TIMEOUT)
        # uWSGI leaves workers behind. The server has a session of its own, so only its own processes are
        # stopped.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.running.pid, signal.SIGKILL)
        self.running.wait()


@contextlib.contextmanager
def running(server: Startable, log: list[str] | None = None) -> Iterator[int]:
    """Run a server during the block, and yield its port; afterwards its output is in the log."""
    with started(server) as process:
        try:
            yield process.port
        finally:
            process.stop()
            if log is not None:
                log.append(process.said())


@contextlib.contextmanager
def started(server: Startable) -> Iterator[Process]:
    """Run a server during the block; its output can be read until the block ends."""
    if server.is_missing():
        absent(server.name)
    for attempt in range(ATTEMPTS):
        with tempfile.TemporaryFile() as output:
            process = _start(server, output)
            try:
                if process.listens():
                    yield process
                    return
                if attempt == ATTEMPTS - 1:
                    pytest.fail(f"{server.name} does not start: {process.said()}")
            finally:
                process.stop()


def absent(name: str) -> None:
    """Skip the current test if its server is missing, or fail if all servers are required."""
    (pytest.fail if os.environ.get("POSTEL_REQUIRE_SERVERS") else pytest.skip)(f"{name} is not installed")


def _start(server: Startable, output: IO[bytes]) -> Process:
    port = free_port()
    process = subprocess.Popen(  # noqa: S603 - the commands stand in this folder
        server.command(port),
        cwd=HERE,
        env={**os.environ, **dict(server.environment)},
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    return Process(server.name, port, process, output)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def ask(port: int, target: bytes, stack: str) -> Answer:
    """Send one GET request with the target unchanged, to one of the guarded applications."""
    return get(port, target, f"X-Stack: {stack}")


def get(port: int, target: bytes, *fields: str) -> Answer:
    """Send one GET request with the target and these fields unchanged."""
    return send(port, target, f"127.0.0.1:{port}", *fields)


def send(port: int, target: bytes, host: str, *fields: str, patience: float = TIMEOUT) -> Answer:
    """Send one GET request to a Host; an answer that takes too long counts as none."""
    lines = [f"Host: {host}", *fields]
    if not any(each.startswith("Connection:") for each in fields):
        lines.append("Connection: close")
    received = b""
    request = b"GET " + target + b" HTTP/1.1\r\n" + "\r\n".join(lines).encode() + b"\r\n\r\n"
    silenced = contextlib.suppress(ConnectionError, TimeoutError)
    with socket.create_connection(("127.0.0.1", port), patience) as connection, silenced:
        connection.sendall(request)
        while piece := connection.recv(65536):
            received += piece
    head, _, body = received.partition(b"\r\n\r\n")
    status, *headers = head.decode("latin-1").split("\r\n")
    found = {name.lower(): value.strip() for name, _, value in (each.partition(":") for each in headers)}
    said = re.search(r"HTTP/1\.[01] (\d{3})\b", status)  # after a bare space, uWSGI writes text in front
    return Answer(int(said[1]) if said else 0, body.decode("latin-1"), found.get("location"))

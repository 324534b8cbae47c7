"""Real servers on loopback, started and ended, and a client that sends a target as it stands."""

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
ATTEMPTS = 3  # between asking for a free port and listening on it, somebody else can take it


class Startable(Protocol):
    """What can be run: its name, its command, and what it needs around it."""

    @property
    def name(self) -> str: ...

    @property
    def environment(self) -> tuple[tuple[str, str], ...]: ...

    def command(self, port: int) -> list[str]: ...

    def is_missing(self) -> bool: ...


@dataclass(frozen=True)
class Server:
    """A server that is a Python module, and the protocol of the applications that it runs."""

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
    """A server that is a program beside the interpreter; its module only says whether it is there."""

    def command(self, port: int) -> list[str]:
        program = Path(sys.executable).with_name(self.module)
        return [str(program), *self.arguments.format(port=port).split()]


@dataclass(frozen=True)
class Launched(Server):
    """A server that ``launch.py`` runs; its arguments are its name there."""

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
    """The status and the body of an answer; the status is 0 where the server only closed the connection."""

    status: int
    body: str
    location: str | None = None


@dataclass(frozen=True)
class Process:
    """A server that runs, and where it writes what it says."""

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
        """End it and the workers that it has started."""
        self.running.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.running.wait(TIMEOUT)
        # uWSGI leaves workers behind. A session of its own: only what was started here.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.running.pid, signal.SIGKILL)
        self.running.wait()


@contextlib.contextmanager
def running(server: Startable, log: list[str] | None = None) -> Iterator[int]:
    """Run a server while the block runs, and say on which port; what it has said is then in the log."""
    with started(server) as process:
        try:
            yield process.port
        finally:
            process.stop()
            if log is not None:
                log.append(process.said())


@contextlib.contextmanager
def started(server: Startable) -> Iterator[Process]:
    """Run a server while the block runs; what it has said can be read until the block is left."""
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
    """Skip what needs a server that is not there; where all should be, fail."""
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
    """Send one GET request with the target as it stands, to one of the guarded applications."""
    return get(port, target, f"X-Stack: {stack}")


def get(port: int, target: bytes, *fields: str) -> Answer:
    """Send one GET request with the target and these fields as they stand."""
    return send(port, target, f"127.0.0.1:{port}", *fields)


def send(port: int, target: bytes, host: str, *fields: str, patience: float = TIMEOUT) -> Answer:
    """Send one GET request to a Host; where nothing comes back for too long, that is no answer."""
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
    said = re.search(r"HTTP/1\.[01] (\d{3})\b", status)  # uWSGI writes in front what followed a bare space
    return Answer(int(said[1]) if said else 0, body.decode("latin-1"), found.get("location"))

"""Real servers on loopback, and a client that sends a target as it stands."""

from __future__ import annotations

import contextlib
import os
import shutil
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
    environment: tuple[tuple[str, str], ...] = ()

    def command(self, port: int) -> list[str]:
        return [sys.executable, "-m", self.module, *self.arguments.format(port=port).split()]

    def is_missing(self) -> bool:
        return find_spec(self.module) is None


@dataclass(frozen=True)
class Nginx:
    """nginx in front of another server, with a URI in proxy_pass: it decodes a path and writes it anew."""

    backend: int
    folder: Path
    name: str = "nginx"
    environment: tuple[tuple[str, str], ...] = ()

    def command(self, port: int) -> list[str]:
        configuration = self.folder / "nginx.conf"
        configuration.write_text(NGINX.format(port=port, backend=self.backend, folder=self.folder))
        return [nginx() or "nginx", "-p", str(self.folder), "-c", str(configuration), "-e", "stderr"]

    def is_missing(self) -> bool:
        return nginx() is None


NGINX = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log stderr error;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_set_header Host $http_host;
            proxy_pass http://127.0.0.1:{backend}/;
        }}
    }}
}}
"""


def nginx() -> str | None:
    """Where nginx is: what `make test-servers` has unpacked, or the system's own."""
    return os.environ.get("POSTEL_NGINX") or shutil.which("nginx", path=f"{os.defpath}:/usr/sbin:/sbin")


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


@contextlib.contextmanager
def running(server: Server | Nginx, log: list[str] | None = None) -> Iterator[int]:
    """Run a server while the block runs, and say on which port; what it has said is then in the log."""
    if server.is_missing():
        missing = f"{server.name} is not installed"
        (pytest.fail if os.environ.get("POSTEL_REQUIRE_SERVERS") else pytest.skip)(missing)
    for attempt in range(ATTEMPTS):
        port = free_port()
        process = subprocess.Popen(  # noqa: S603 - the commands stand above
            server.command(port),
            cwd=HERE,
            env={**os.environ, **dict(server.environment)},
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
            said = stop(process)
            if log is not None:
                log.append(said)


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
    """Send one GET request with the target as it stands, to one of the guarded applications."""
    return get(port, target, f"X-Stack: {stack}")


def get(port: int, target: bytes, *fields: str) -> Answer:
    """Send one GET request with the target and these fields as they stand."""
    lines = [f"Host: 127.0.0.1:{port}", *fields]
    if not any(each.startswith("Connection:") for each in fields):
        lines.append("Connection: close")
    received = b""
    with socket.create_connection(("127.0.0.1", port), TIMEOUT) as connection:
        connection.sendall(b"GET " + target + b" HTTP/1.1\r\n" + "\r\n".join(lines).encode() + b"\r\n\r\n")
        with contextlib.suppress(ConnectionResetError):
            while piece := connection.recv(65536):
                received += piece
    head, _, body = received.partition(b"\r\n\r\n")
    status, *headers = head.decode("latin-1").split("\r\n")
    found = {name.lower(): value.strip() for name, _, value in (each.partition(":") for each in headers)}
    return Answer(int(status.split(" ", 2)[1]) if head else 0, body.decode("latin-1"), found.get("location"))

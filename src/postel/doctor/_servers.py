"""Servers: start one on a port of 127.0.0.1, and stop it with all its processes."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final, final

from postel import Policy
from postel.doctor._application import Application, ApplicationError

_TIMEOUT: Final = 60.0
"""The seconds that a server may take until it listens, including the import of the application."""
_GRACE: Final = 2.0
"""The seconds that a server may take to stop before it is killed; it may wait for answers that never come."""
_ATTEMPTS: Final = 3
"""Attempts to start; another program can take a free port before the server listens on it."""
_MODULE: Final = "postel_doctor_served"
_LONGEST: Final = 300
"""The most characters of a server's output that a message repeats."""
_WSGIREF: Final = (
    "-c 'import importlib; from wsgiref.simple_server import WSGIRequestHandler, make_server; "
    "WSGIRequestHandler.log_message = lambda *_: None; "
    'make_server("127.0.0.1", {port}, importlib.import_module("{module}").app).serve_forever()\''
)

SERVERS: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "uvicorn": (("asgi", "-m uvicorn --log-level warning --host 127.0.0.1 --port {port} {module}:app"),),
    "gunicorn": (
        ("wsgi", "-m gunicorn --log-level warning --no-control-socket --bind 127.0.0.1:{port} {module}:app"),
    ),
    "hypercorn": (
        ("asgi", "-m hypercorn --bind 127.0.0.1:{port} {module}:app"),
        ("wsgi", "-m hypercorn --bind 127.0.0.1:{port} wsgi:{module}:app"),
    ),
    "granian": tuple(
        (protocol, f"-m granian --log-level warning --interface {protocol} --port {{port}} {{module}}:app")
        for protocol in ("asgi", "wsgi")
    ),
    "waitress": (("wsgi", "-m waitress --listen=127.0.0.1:{port} {module}:app"),),
    "daphne": (("asgi", "-m daphne -v 0 --bind 127.0.0.1 --port {port} {module}:app"),),
    "wsgiref": (("wsgi", _WSGIREF),),
}
"""The command of each server for each protocol; preferred servers come first."""


def server_for(protocol: str, wanted: str | None) -> str | None:
    """Return the name of the server to run; ``None`` if none is installed for this protocol.

    Raises ApplicationError if the wanted server is not installed, or does not speak the protocol.
    """
    if wanted is None:
        return next((name for name in SERVERS if protocol in dict(SERVERS[name]) and find_spec(name)), None)
    if find_spec(wanted) is None:
        raise ApplicationError(f"{wanted} is not installed in {sys.executable}")
    if protocol not in dict(SERVERS[wanted]):
        raise ApplicationError(
            f"{wanted} does not serve {protocol.upper()}; leave --server out, or name another server"
        )
    return wanted


@final
@dataclass(frozen=True, slots=True)
class Service:
    """A server for an application; ``name`` is the name of the application."""

    server: str
    arguments: Sequence[str]
    application: Application
    name: str
    factory: bool

    @contextlib.contextmanager
    def running(self, policy: Policy | None) -> Generator[int, None, None]:
        """Run the server while the block runs, and yield its port. Raises ApplicationError if that fails."""
        with tempfile.TemporaryDirectory(prefix="postel-doctor-") as folder, contextlib.ExitStack() as stack:
            log = Path(folder, "log")
            for _ in range(_ATTEMPTS):
                process, port = self._start(log, policy, stack)
                if _listens(process, port):
                    try:
                        yield port
                    except ApplicationError as error:
                        raise ApplicationError(f"{error}{_why(log, policy)}") from None
                    return
                if process.poll() is None:
                    raise ApplicationError(
                        f"{self.server} did not listen on 127.0.0.1:{port} within {_TIMEOUT:.0f} seconds: "
                        f"{_last_line(log)}"
                    )
            raise ApplicationError(f"{self.server} does not start: {_last_line(log)}")

    def _start(
        self, log: Path, policy: Policy | None, stack: contextlib.ExitStack
    ) -> tuple[subprocess.Popen[bytes], int]:
        """Start the server; the exit stack stops it."""
        reading, writing = os.pipe()
        stack.callback(os.close, writing)
        text = "" if policy is None else str(policy)
        log.with_name(f"{_MODULE}.py").write_text(
            "from postel.doctor._served import served\n"
            f"app = served({self.name!r}, {text!r}, {reading}, factory={self.factory})\n"
        )
        port = _free_port()
        template = dict(SERVERS[self.server])[self.application.protocol]
        words = [each.format(port=port, module=_MODULE) for each in shlex.split(template)]
        paths = [str(log.parent), os.getcwd(), *(each for each in sys.path if each)]
        with log.open("wb") as output:
            process = subprocess.Popen(  # noqa: S603 - the commands are in SERVERS; the user adds arguments
                [sys.executable, *words, *self.arguments],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths))},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                pass_fds=(reading,),
            )
        os.close(reading)
        stack.callback(_stop, process)
        return process, port


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def _listens(process: subprocess.Popen[bytes], port: int) -> bool:
    end = time.monotonic() + _TIMEOUT
    while process.poll() is None and time.monotonic() < end:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return True
        time.sleep(0.02)
    return False


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Stop a server and its workers, which are one group of processes."""
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _why(log: Path, policy: Policy | None) -> str:
    """Return the last line of the log for a message, if the application runs without a policy."""
    is_silent = policy is not None or not log.read_text("utf-8", "replace").strip()
    return "" if is_silent else f"; its log ends with: {_last_line(log)}"


def _last_line(log: Path) -> str:
    lines = [line for line in log.read_text("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1][:_LONGEST] if lines else "its log is empty"

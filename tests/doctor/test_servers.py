"""Servers run on the loopback only, and stop however the doctor ends."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

import pytest

from doctor import somebodys
from postel import Policy
from postel.doctor import ApplicationError
from postel.doctor._application import Application
from postel.doctor._asking import socket_asker
from postel.doctor._request import Request
from postel.doctor._served import served, watch
from postel.doctor._servers import SERVERS, Service, server_for

ROOT: Final = Path(__file__).parent.parent.parent
NAME: Final = "doctor.somebodys:plain"
WHILE: Final = 120
"""The seconds after which a test gives up; the machine may be busy."""
T = TypeVar("T")


def service(name: str = NAME, *, server: str = "wsgiref", arguments: tuple[str, ...] = ()) -> Service:
    application = Application(somebodys.plain, "asgi" if server == "uvicorn" else "wsgi")
    return Service(server, arguments, application, name, factory=False)


def is_free(port: int) -> bool:
    with socket.socket() as listener:
        return listener.connect_ex(("127.0.0.1", port)) != 0


@pytest.mark.parametrize("policy", [None, Policy.STANDARD], ids=["bare", "behind"])
def test_a_server_runs_as_long_as_the_block(policy: Policy | None) -> None:
    with service().running(policy) as port:
        ask = socket_asker(port, 10)
        assert ask(Request(b"/admin")).status == 403
        assert ask(Request(b"/%00")).status == (400 if policy else 404)
    assert is_free(port)


def test_a_server_that_does_not_start_is_reported_with_its_last_output() -> None:
    said = r"wsgiref does not start: .*RuntimeError: no database"
    with pytest.raises(ApplicationError, match=said), service("doctor.broken:app").running(None):
        pass


def test_the_message_says_that_a_server_wrote_no_output(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SERVERS, "wsgiref", (("wsgi", "-c 'import os; os._exit(1)'"),))
    with pytest.raises(ApplicationError, match="its log is empty"), service().running(None):
        pass


def test_a_server_that_neither_listens_nor_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("postel.doctor._servers._TIMEOUT", 0.2)
    monkeypatch.setattr("postel.doctor._servers._GRACE", 0.2)
    stubborn = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
    monkeypatch.setitem(SERVERS, "wsgiref", (("wsgi", f"-c '{stubborn}'"),))
    said = r"wsgiref did not listen on 127\.0\.0\.1:\d+ within 0 seconds: its log is empty"
    with pytest.raises(ApplicationError, match=said), service().running(None):
        pass


def test_errors_are_reported_with_the_last_output_of_the_bare_server() -> None:
    def fail(name: str, policy: Policy | None) -> None:
        with service(name).running(policy) as port:
            assert socket_asker(port, 10)(Request(b"/")).status
            raise ApplicationError("it fails")

    def failed(name: str, policy: Policy | None) -> str:
        with pytest.raises(ApplicationError) as raised:
            fail(name, policy)
        return str(raised.value)

    assert (
        failed("doctor.somebodys:failing", None) == "it fails; its log ends with: RuntimeError: no database"
    )
    assert failed("doctor.somebodys:failing", Policy.STANDARD) == failed(NAME, None) == "it fails"


def test_which_server_is_selected(monkeypatch: pytest.MonkeyPatch) -> None:
    assert server_for("wsgi", "wsgiref") == "wsgiref"
    monkeypatch.setattr("postel.doctor._servers.find_spec", {"wsgiref": True}.get)
    assert (server_for("wsgi", None), server_for("asgi", None)) == ("wsgiref", None)
    with pytest.raises(ApplicationError, match="uvicorn is not installed in"):
        server_for("asgi", "uvicorn")
    with pytest.raises(ApplicationError, match="wsgiref does not serve ASGI"):
        server_for("asgi", "wsgiref")


# -- if the doctor is killed ---------------------------------------------------------------------------------


def test_the_end_of_a_pipe_ends_the_process_that_watches_it() -> None:
    reading, writing = os.pipe()
    ended = threading.Event()
    thread = watch(reading, ended.set)
    assert thread is not None
    os.close(writing)
    assert ended.wait(WHILE)
    os.close(reading)


def test_a_stream_that_is_not_a_pipe_is_not_watched(tmp_path: Path) -> None:
    with (tmp_path / "file").open("wb") as file:
        assert watch(file.fileno(), lambda: None) is None
        closed = file.fileno()
    assert watch(closed, lambda: None) is None


def test_the_program_that_a_server_runs() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    os.close(writing)
    assert type(served(NAME, "", reading, factory=False)).__name__ == "WsgiProbe"
    assert type(served(NAME, "strict", reading, factory=False)).__name__ == "NormalizeMiddleware"


@pytest.mark.servers
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT], ids=lambda one: one.name)
@pytest.mark.parametrize("server", ["uvicorn", "gunicorn", "wsgiref"])
def test_a_killed_doctor_leaves_no_servers(server: str, number: signal.Signals) -> None:
    app = "examples.starlette_app:bare" if server == "uvicorn" else "examples.flask_app:bare"
    command = [sys.executable, "-m", "postel", "doctor", app, "--yes", "--server", server]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
    found = until(lambda: servers_of(process.pid))
    assert found
    process.send_signal(number)
    process.wait(WHILE)
    assert until(lambda: not in_sessions(found))


def in_sessions(leaders: list[int]) -> list[int]:
    """Return the processes of these sessions, including workers of servers.

    If there are none, no port is in use.
    """
    found: list[int] = []
    for each in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(ProcessLookupError):
            if os.getsid(int(each.name)) in leaders:
                found.append(int(each.name))
    return found


def servers_of(parent: int) -> list[int]:
    """Return the processes whose sessions the doctor has begun, once both servers run."""
    children = [int(pid) for pid in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]
    return children if len({*children} & {*in_sessions(children)}) > 1 else []


def until(look: Callable[[], T]) -> T:
    """Wait for a condition, and return its value, or its last value after a long time."""
    end = time.monotonic() + WHILE
    while not (found := look()) and time.monotonic() < end:
        time.sleep(0.02)
    return found


@pytest.mark.servers
@pytest.mark.parametrize(
    ("server", "app"),
    [
        (server, "examples.starlette_app:bare" if protocol == "asgi" else "examples.flask_app:bare")
        for server, commands in SERVERS.items()
        for protocol, _ in commands
    ],
)
def test_every_server_runs(server: str, app: str) -> None:
    command = [sys.executable, "-m", "postel", "doctor", app, "--yes", "--server", server]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=5 * WHILE, check=False)  # noqa: S603
    assert (ended.returncode, ended.stderr) == (0, "")
    # This application is vulnerable to leading slashes. waitress merges them, so its run finds nothing.
    assert ("a guard is bypassed by" in ended.stdout) is (server != "waitress")
    assert ended.stdout.endswith("findings without postel, 0 behind the policy\n")

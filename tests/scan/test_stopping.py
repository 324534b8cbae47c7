"""A scan that is stopped ends at once, and so do its processes."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Final, TypeVar

import pytest

from postel.scan import count_parts, parts_of
from postel.scan._parts import _prepare_process

T = TypeVar("T")
LINE: Final = b'192.0.2.1 - - [01/Jan/2026:00:00:00 +0000] "GET /a?q=%C3%A9 HTTP/1.1" 200 9\n'
WHILE: Final = 20
"""The longest time in seconds to wait for processes."""


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of several parts, whose count takes some seconds."""
    path = tmp_path_factory.mktemp("logs") / "access.log"
    path.write_bytes(LINE * 1_200_000)
    return path


def children_of(process: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def until(look: Callable[[], T]) -> T:
    end = time.monotonic() + WHILE
    while not (found := look()) and time.monotonic() < end:
        time.sleep(0.02)
    return found


@pytest.fixture
def heeds_sigint() -> Iterator[None]:
    """Let started processes handle SIGINT, even if a shell has started these tests in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeds_sigint")
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(
    ("signals", "status"),
    [
        ([signal.SIGINT], 130),
        ([signal.SIGINT, signal.SIGINT], 130),
        ([signal.SIGTERM], -signal.SIGTERM),
        ([signal.SIGKILL], -signal.SIGKILL),
    ],
    ids=["Ctrl-C", "Ctrl-C twice", "SIGTERM", "SIGKILL"],
)
def test_a_stopped_scan_leaves_no_process(signals: list[int], status: int, log: Path) -> None:
    command = [sys.executable, "-m", "postel", "scan", "--workers", "2", str(log)]
    with subprocess.Popen(  # noqa: S603
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        # Two processes that count, and the one with which multiprocessing tracks resources.
        assert until(lambda: len(children_of(process.pid)) == 3)
        children = children_of(process.pid)
        for number in signals:
            process.send_signal(number)
        assert process.wait(WHILE) == status
    assert until(lambda: not any(map(is_running, children)))


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_an_exception_of_the_caller_ends_the_processes(log: Path) -> None:
    seen: list[int] = []

    def progress(octets: int) -> None:
        seen.append(octets)
        raise RuntimeError

    with pytest.raises(RuntimeError):
        count_parts(parts_of(str(log)), workers=2, progress=progress)
    assert len(seen) == 1


@pytest.mark.parametrize("parent", [SimpleNamespace(join=lambda: None), None], ids=["a parent", "no parent"])
def test_a_process_that_counts_ends_with_its_parent(
    parent: SimpleNamespace | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("multiprocessing.parent_process", lambda: parent)
    codes: list[int] = []
    monkeypatch.setattr("os._exit", codes.append)
    before = signal.getsignal(signal.SIGINT)
    try:
        _prepare_process()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN  # only the parent handles Ctrl-C
    finally:
        signal.signal(signal.SIGINT, before)
    if parent is not None:
        assert until(lambda: codes) == [1]
    assert len(codes) == (parent is not None)

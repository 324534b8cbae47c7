"""Measure the processor time of a request to a whole server, without postel and behind it, under wrk.

wrk is a Debian package; without it, nothing is measured. Each request has a different target.
"""

from __future__ import annotations

import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
_LUA: Final = """
local n = math.random(100000, 999999)
request = function()
  n = n + 1
  return wrk.format(nil, "/articles/" .. n .. "/comments?page=2&sort=newest&id=" .. n)
end
"""
SERVERS: Final = {
    "uvicorn + Starlette": ["uvicorn", "--no-access-log", "--log-level", "warning", "--port"],
    "gunicorn + Flask": ["gunicorn", "--workers", "1", "--log-level", "warning", "--bind"],
    "gunicorn + Django": ["gunicorn", "--workers", "1", "--log-level", "warning", "--bind"],
}
_APPS: Final = {
    "uvicorn + Starlette": "starlette",
    "gunicorn + Flask": "flask",
    "gunicorn + Django": "django",
}


def measure(wrk: str, starts: int, seconds: int = 1) -> dict[str, dict[str, float]]:
    """Return the median processor seconds for a request, and the median ratios to the server without postel.

    A second server without postel runs beside the two. Its ratio shows how much chance changes the result.
    The servers are started ``starts`` times, because the cost of a request differs by some per cent from one
    process of the same server to the next.
    """
    return {name: _compared(wrk, name, starts, seconds) for name in SERVERS}


def _compared(wrk: str, name: str, starts: int, seconds: int) -> dict[str, float]:
    sides = ["bare", "postel", "bare again"]
    costs: dict[str, list[float]] = {side: [] for side in sides}
    for _ in range(starts):
        sides.reverse()
        with ExitStack() as stack:
            script = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "targets.lua"
            script.write_text(_LUA, "utf-8")
            running = {side: _started(stack, name, side.split()[0]) for side in sides}
            for _, port in running.values():  # to warm up
                _loaded(wrk, script, port, seconds)
            for side, (process, port) in running.items():
                before = _cpu(process.pid)
                served = _loaded(wrk, script, port, seconds)
                costs[side].append((_cpu(process.pid) - before) / served)
    return {side: statistics.median(each) for side, each in costs.items()} | {
        f"ratio of {side}": statistics.median(
            each / bare for bare, each in zip(costs["bare"], costs[side], strict=True)
        )
        for side in ("postel", "bare again")
    }


def _started(stack: ExitStack, name: str, side: str) -> tuple[subprocess.Popen[bytes], int]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = SERVERS[name]
    where = str(port) if command[-1] == "--port" else f"127.0.0.1:{port}"
    process = subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, "-m", *command, where, f"{_APPS[name]}_{side}:app"],
        env={**os.environ, "PYTHONPATH": str(HERE / "applications")},
    )
    stack.callback(process.wait)
    stack.callback(process.terminate)
    for _ in range(200):
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return process, port
        time.sleep(0.05)
    raise TimeoutError(f"{name} does not listen")


def _loaded(wrk: str, script: Path, port: int, seconds: int) -> int:
    done = subprocess.run(  # noqa: S603 - our own command
        [wrk, "-t1", "-c8", f"-d{seconds}s", "-s", str(script), f"http://127.0.0.1:{port}"],
        capture_output=True,
        text=True,
        check=True,
    )
    if "Non-2xx" in done.stdout:
        raise ValueError(done.stdout)
    found = re.search(r"(\d+) requests in", done.stdout)
    assert found, done.stdout  # noqa: S101 - a script
    return int(found[1])


def _cpu(pid: int) -> float:
    """Return the processor seconds of a process and of its children."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    own = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return own + sum(_cpu(int(child)) for child in children)

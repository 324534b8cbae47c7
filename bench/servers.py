"""Measure the processor time of a request to a whole server, without postel and behind it, under wrk.

wrk is a Debian package; without it, nothing is measured. Each request has a different target.
"""

from __future__ import annotations

import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
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
_SERVERS: Final = {
    "uvicorn + Starlette": ("starlette", ["uvicorn", "--interface", "asgi3", "--no-access-log", "--port"]),
    "gunicorn + Flask": ("flask", ["gunicorn", "--workers", "1", "--bind"]),
    "gunicorn + Django": ("django", ["gunicorn", "--workers", "1", "--bind"]),
}
_FIELDS: Final = {
    "Host": {},
    "of a browser": {
        "Sec-Ch-Ua": '"Chromium";v="140", "Not=A?Brand";v="24"',
        "Sec-Ch-Ua-Mobile": "?0",
        "Sec-Ch-Ua-Platform": '"Linux"',
        "Upgrade-Insecure-Requests": "1",
        "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0",
        "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
        "Sec-Fetch-Site": "same-origin",
        "Sec-Fetch-Mode": "navigate",
        "Sec-Fetch-User": "?1",
        "Sec-Fetch-Dest": "document",
        "Referer": "https://example.com/articles",
        "Accept-Encoding": "gzip, deflate, br, zstd",
        "Accept-Language": "en-GB,en;q=0.9",
        "Cookie": "session=0f3b8a5c2d; theme=dark",
    },
}
"""The header fields of the requests."""
_WARM: Final = 5
"""The number of rounds that are left out, because the server is not warm yet."""


def measure(wrk: str, starts: int, seconds: int = 5) -> Iterator[tuple[str, str, dict[str, float]]]:
    """Yield a server, the name of the fields, and the medians: processor seconds for a request, and ratios.

    In one process of the server, applications without postel and behind it answer in turns
    (``applications/turns.py``). Each ratio compares two neighbouring turns. The ratio of the second
    application without postel shows how much chance changes the result. The server is started ``starts``
    times.
    """
    for name in _SERVERS:
        for fields in _FIELDS:
            rounds = [each for _ in range(starts) for each in _rounds(wrk, name, fields, seconds)]
            medians = {side: statistics.median(each[side] for each in rounds) for side in rounds[0]}
            for side in "postel", "bare again":
                ratios = (each[side] / each["bare"] for each in rounds)
                medians[f"ratio of {side}"] = statistics.median(ratios)
            yield name, fields, medians


def _rounds(wrk: str, name: str, fields: str, seconds: int) -> list[dict[str, float]]:
    """Start a server, load it, and return the processor seconds of a request in each round of turns."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        script, costs = folder / "targets.lua", folder / "costs"
        script.write_text(_LUA, "utf-8")
        port = _started(stack, name, costs)
        sent = [part for each in _FIELDS[fields].items() for part in ("--header", ": ".join(each))]
        done = subprocess.run(  # noqa: S603 - our own command
            [wrk, "-t1", "-c8", f"-d{seconds}s", "-s", str(script), *sent, f"http://127.0.0.1:{port}"],
            capture_output=True,
            text=True,
            check=True,
        )
        if "Non-2xx" in done.stdout:
            raise ValueError(done.stdout)
        return [json.loads(line) for line in costs.read_text("ascii").splitlines()[_WARM:]]


def _started(stack: ExitStack, name: str, costs: Path) -> int:
    """Start a server that writes its costs to a file; returns its port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    application, command = _SERVERS[name]
    where = str(port) if command[-1] == "--port" else f"127.0.0.1:{port}"
    process = subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, "-m", *command, where, "--log-level", "warning", f"{application}_turns:app"],
        env={**os.environ, "PYTHONPATH": str(HERE / "applications"), "POSTEL_BENCH_COSTS": str(costs)},
    )
    stack.callback(process.wait)
    stack.callback(process.terminate)
    for _ in range(200):
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return port
        time.sleep(0.05)
    raise TimeoutError(f"{name} does not listen")

"""Measure how long an ordinary request waits while others send the most expensive inputs to the same worker.

    python bench/load.py [--policy TEXT] [--seconds N] [--search N] [--seed N] [--write FILE]

uvicorn runs with one worker, and all requests are sent over sockets. Each second it receives 20 targets
of 8 KiB and one form of 1 MiB. Every 50 milliseconds it also receives an ordinary request, even if earlier
ones wait for their answers. The targets and the form are the most expensive ones that a short search by
``worst.py`` finds. The search uses only octets that a client can send, because servers refuse targets with
raw controls or octets beyond ASCII. For comparison, two more loads are measured: plain targets and forms of
the same lengths, and the ordinary requests alone.

A wait is the time on the clock from the connection to the last octet of the answer. The exit status is 1 if
an ordinary request was answered wrongly. With ``--write`` the table becomes the section "Over a socket" of
FILE.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import socket
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import worst
from page_sections import with_section

from postel import Normalizer, Policy
from postel._bodies.form_settings import Forms
from postel._bodies.urlencoded import FormRules

TITLE: Final = "## Over a socket"
INTRODUCTION: Final = """\
How long an ordinary request waits at uvicorn with one worker, which also receives 20 targets of 8 KiB and a
form of 1 MiB each second (`make bench-load`). In the first row, the targets and forms are the most
expensive ones that a search found and that a client can send; in the second row, they are plain ones of the
same lengths. The waits are in milliseconds on the clock, from the connection to the end of the answer;
client and server share the machine."""
HEAD: Final = (
    "| load | ordinary requests | median | 99th percentile | longest | answers to the others |\n"
    "|---|---:|---:|---:|---:|---|"
)
TARGETS_A_SECOND: Final = 20
ORDINARY_A_SECOND: Final = 20
_KIB: Final = 1024
_MIB: Final = 1024 * _KIB
_PATIENCE: Final = 60.0
_HERE: Final = Path(__file__).parent
_SENDABLE: Final = re.compile(rb"[!-\"$-~]*+")
"""Octets that every server passes on in a target. Some servers cut the target at ``#``."""


@dataclass(frozen=True)
class Load:
    """The requests that are sent beside the ordinary ones: targets in turns, and a form."""

    targets: Sequence[bytes] = ()
    form: bytes = b""


@dataclass
class Waits:
    """The waits of ordinary requests in seconds, how many were answered wrongly, and the other answers."""

    ordinary: list[float] = field(default_factory=list[float])
    wrong: int = 0
    others: Counter[int] = field(default_factory=Counter[int])

    def quantile(self, share: float) -> float:
        """Return the wait that this share of the ordinary requests does not exceed."""
        return sorted(self.ordinary)[min(len(self.ordinary) - 1, int(share * len(self.ordinary)))]


@contextmanager
def serving(policy: str) -> Iterator[int]:
    """Run the server, and yield its port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [
        "uvicorn",
        "--no-access-log",
        "--log-level",
        "critical",
        "--port",
        str(port),
        "load_postel:app",
    ]
    source = os.environ.get("PYTHONPATH", "")
    process = subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, "-m", *command],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, [str(_HERE / "applications"), source])),
            "LOAD_POLICY": policy,
        },
        stderr=subprocess.DEVNULL,  # refusals are logged
    )
    try:
        ends = time.monotonic() + _PATIENCE
        while time.monotonic() < ends and process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.1)
        else:
            raise OSError("uvicorn did not start")
        yield port
    finally:
        process.terminate()
        process.wait()


async def _answer(port: int, request: bytes) -> tuple[int, bytes]:
    """Return status and body of the answer to a request; the status is 0 if the server hangs up."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(request)
        head, _, body = (await asyncio.wait_for(reader.read(-1), _PATIENCE)).partition(b"\r\n\r\n")
        return int(head[9:12] or 0), body
    except ConnectionError:
        return 0, b""
    finally:
        writer.close()


def _get(target: bytes) -> bytes:
    return b"GET %b HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n" % target


def _post(form: bytes) -> bytes:
    return (
        b"POST /form HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n"
        b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%b" % (len(form), form)
    )


async def _sent(port: int, load: Load, seconds: float) -> Waits:
    waits = Waits()

    async def other(request: bytes) -> None:
        waits.others[(await _answer(port, request))[0]] += 1

    async def ordinary(number: int) -> None:
        query = b"page=2&sort=newest&id=%d" % number
        begins = time.perf_counter()
        status, body = await _answer(port, _get(b"/articles/%d?%b" % (number, query)))
        waits.ordinary.append(time.perf_counter() - begins)
        waits.wrong += (status, body) != (200, b"/articles/%d %b 0" % (number, query))

    async def every(interval: float, requests: Sequence[bytes]) -> None:
        begins, number = time.monotonic(), 0
        async with asyncio.TaskGroup() as group:
            while (due := begins + number * interval) < begins + seconds:
                await asyncio.sleep(max(0, due - time.monotonic()))
                group.create_task(other(requests[number % len(requests)]) if requests else ordinary(number))
                number += 1

    async with asyncio.TaskGroup() as group:
        if load.targets:
            group.create_task(every(1 / TARGETS_A_SECOND, [_get(target) for target in load.targets]))
        if load.form:
            group.create_task(every(1, [_post(load.form)]))
        group.create_task(every(1 / ORDINARY_A_SECOND, ()))
    return waits


def measured(port: int, load: Load, seconds: float) -> Waits:
    """Send a load for some seconds, and an ordinary request every 50 milliseconds."""
    return asyncio.run(_sent(port, load, seconds))


def plain() -> Load:
    """Return targets and a form without faults, as long as the most expensive ones."""
    path = b"/" + b"/".join([b"articles" * 16] * 63)
    query = b"&".join(b"name%d=value" % number for number in range(560))
    form = b"&".join(b"name%d=%b" % (number, b"some+text+" * 104) for number in range(1000))
    return Load((path, b"/search?" + query), form[:_MIB])


def most_expensive(policy: Policy, seconds: float, seed: int | None) -> Load:
    """Search for the most expensive inputs that a client can send, under a policy."""
    chance = random.Random(seed)  # noqa: S311 - inputs, no secrets
    normalizer = Normalizer(policy)
    form = FormRules(policy, Forms())
    rows = [
        worst.Row("path", lambda octets: normalizer.normalize(worst.Target(b"/" + octets))),
        worst.Row("query", lambda octets: normalizer.normalize(worst.Target(b"/", octets))),
        worst.Row("form", form.judge, worst.FORM, form.judging),
    ]
    every = list(worst.PIECES)
    found: list[bytes] = []
    for row in rows:
        # Only octets that every server passes on, and in a path no "?", which would begin the query.
        fit = [
            piece
            for piece in every
            if _SENDABLE.fullmatch(piece) and (row.name == "query" or b"?" not in piece)
        ]
        worst.PIECES[:] = every if row.name == "form" else fit
        best = worst.search(row, seconds / len(rows), chance)[0]
        sys.stderr.write(f"{row.name}: {worst._shown(row, best.shape)}, {best.cost:.1f} Y\n")
        found.append(best.shape.octets(_MIB if row.name == "form" else 8 * _KIB - 64))
    worst.PIECES[:] = every
    path, query, body = found
    return Load((b"/" + path, b"/?" + query), body)


def _row(name: str, waits: Waits) -> str:
    cells = [
        name,
        str(len(waits.ordinary)),
        *(
            f"{1000 * wait:.1f}"
            for wait in (statistics.median(waits.ordinary), waits.quantile(0.99), max(waits.ordinary))
        ),
        ", ".join(f"{count} x {status or 'none'}" for status, count in sorted(waits.others.items())) or "-",
    ]
    return f"| {' | '.join(cells)} |"


def main() -> int:
    """Measure, print the table, and return 1 if an ordinary request was answered wrongly."""
    parser = argparse.ArgumentParser(
        description="Measure how long an ordinary request waits while others are served."
    )
    parser.add_argument("--policy", default="standard", help="a policy's text form")
    parser.add_argument("--seconds", type=float, default=30, help="for each load")
    parser.add_argument(
        "--search", type=float, default=60, help="seconds of the search for the most expensive inputs"
    )
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--write", type=Path, help="the page whose section the table becomes")
    options = parser.parse_args()
    loads = {
        "most expensive": most_expensive(Policy.parse(options.policy), options.search, options.seed),
        "plain": plain(),
        "none": Load(),
    }
    lines = [HEAD]
    sys.stdout.write(HEAD + "\n")
    wrong = 0
    medians: dict[str, float] = {}
    with serving(options.policy) as port:
        measured(port, Load(), 1)  # the first requests warm up
        for name, load in loads.items():
            waits = measured(port, load, options.seconds)
            wrong += waits.wrong
            medians[name] = statistics.median(waits.ordinary)
            lines.append(_row(name, waits))
            sys.stdout.write(lines[-1] + "\n")
            sys.stdout.flush()
    ratio = medians["most expensive"] / medians["plain"]
    conclusion = f"With the most expensive inputs, the median is {ratio:.1f} times that with plain ones."
    sys.stdout.write(f"{conclusion}\n{wrong} ordinary requests were answered wrongly.\n")
    if options.write is not None:
        section = "\n\n".join([TITLE, INTRODUCTION, "\n".join(lines), conclusion]) + "\n\n"
        options.write.write_text(with_section(options.write.read_text("utf-8"), TITLE, section), "utf-8")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())

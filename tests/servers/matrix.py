"""What a server hands over for every target, with and without postel; each server is started once."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

from postel import Policy
from servers import http2
from servers.processes import Answer, Process, Server, Startable, absent, send, started
from targets import HOST, SAMPLES, Sample

BARE: Final = "bare"
POLICIES: Final = {"STRICT": Policy.STRICT, "STANDARD": Policy.STANDARD, "LENIENT": Policy.LENIENT}
PATIENCE: Final = 15.0
ASKED_AT_ONCE: Final = 4

Ask = Callable[[int, bytes, tuple[str, ...]], Answer]


@dataclass(frozen=True)
class Configuration:
    """A server as it is deployed: its command, its protocol, and its prefix."""

    name: str
    protocol: str
    server: Callable[[Path, int], Startable]
    """Makes the server; the arguments are its folder, and the port of the server behind it."""
    distributions: tuple[str, ...] = ()
    """The packages that it needs, whose versions matter; empty for a server that is not a Python package."""
    behind: Server | None = None
    """The server behind this one, if this one is a proxy."""
    http2: bool = False
    written: str = ""
    """The prefix that clients write in front of a target to reach the application."""
    mount: str = ""
    """The prefix that the server names to the application."""
    fields: tuple[str, ...] = ()

    @property
    def asks(self) -> Ask:
        return http2.ask if self.http2 else ask


@dataclass(frozen=True)
class Reply:
    """The result of one request: what the application received, or postel's verdict, or neither."""

    status: int
    view: dict[str, Any] | None = None
    report: dict[str, Any] | None = None

    @property
    def reached(self) -> bool:
        """Whether the server itself accepted the request."""
        return self.view is not None or self.report is not None


@dataclass
class Run:
    """A configuration after all requests, with its output."""

    configuration: Configuration
    replies: dict[tuple[str, str], Reply] = field(default_factory=dict)
    """The replies, by stack and name of the target."""
    said: str = ""
    """The log of the server about requests that reach the application."""

    def of(self, stack: str, sample: Sample) -> Reply:
        return self.replies[stack, sample.name]

    @property
    def samples(self) -> list[Sample]:
        """Return the targets that can be sent to the server and that reach the application."""
        return [sample for sample in asked_of(self.configuration) if self.of(BARE, sample).reached]


def asked_of(configuration: Configuration) -> list[Sample]:
    """Return the targets to send. Behind a prefix, only those with a leading slash reach the application."""
    return [sample for sample in SAMPLES if sample.origin or not configuration.written]


def ask(port: int, target: bytes, fields: tuple[str, ...]) -> Answer:
    return send(port, target, HOST, *fields, patience=PATIENCE)


@cache
def run(configuration: Configuration) -> Run:
    """Start a server, send it every target once, and stop it.

    The output of a server about requests that it refuses itself does not matter. So the bare application gets
    all targets first, and then only those that have reached it are used.
    """
    made = Run(configuration)
    with serving(configuration) as process, ThreadPoolExecutor(ASKED_AT_ONCE) as pool:

        def reply(question: tuple[str, Sample]) -> tuple[tuple[str, str], Reply]:
            stack, sample = question
            target = configuration.written.encode() + sample.octets
            found = configuration.asks(process.port, target, (f"X-Stack: {stack}", *configuration.fields))
            return (stack, sample.name), read(found)

        made.replies.update(pool.map(reply, [(BARE, sample) for sample in asked_of(configuration)]))
        said_before = len(process.said())
        made.replies.update(pool.map(reply, [(stack, each) for stack in POLICIES for each in made.samples]))
        made.said = process.said()[said_before:]
    return made


@contextlib.contextmanager
def serving(configuration: Configuration) -> Iterator[Process]:
    """Run a configuration, and the server behind it."""
    for distribution in configuration.distributions:
        if not is_installed(distribution):
            absent(f"{configuration.name}: {distribution}")
    with contextlib.ExitStack() as stack:
        port = stack.enter_context(started(configuration.behind)).port if configuration.behind else 0
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="postel-")))
        yield stack.enter_context(started(configuration.server(folder, port)))


def is_installed(distribution: str) -> bool:
    with contextlib.suppress(PackageNotFoundError):
        return bool(version(distribution))
    return False


def read(answer: Answer) -> Reply:
    try:
        said = json.loads(answer.body.encode("latin-1"))
    except ValueError:
        return Reply(answer.status)
    if not isinstance(said, dict) or said.keys() != {"view", "report"}:
        return Reply(answer.status)
    return Reply(answer.status, said["view"], said["report"])

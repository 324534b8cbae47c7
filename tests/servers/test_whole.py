"""Requests over sockets have the same verdict as requests to the same middleware in this process."""

from __future__ import annotations

import contextlib
import json
import socket
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest

from postel import Policy, report_of
from servers.processes import SERVERS, TIMEOUT, running
from whole.generator import requests
from whole.request import Request, octets_of
from whole.serving import Probe

pytestmark = pytest.mark.servers

ASKED = ("gunicorn", "waitress", "uvicorn-h11", "granian-asgi")
JUDGING = [
    replace(each, arguments=each.arguments.replace("guarded:", "judged:"))
    for each in SERVERS
    if each.name in ASKED
]
COUNT = 400
SETTINGS = {"policy": Policy.STANDARD, "forms": True}


@dataclass
class Judged:
    """A running server, and the same middleware in this process."""

    name: str
    port: int
    probe: Probe


@pytest.fixture(scope="module", params=JUDGING, ids=lambda each: each.name)
def judged(request: pytest.FixtureRequest) -> Iterator[Judged]:
    log: list[str] = []
    with running(request.param, log) as port:
        yield Judged(request.param.name, port, Probe(request.param.protocol, SETTINGS))
    assert "Traceback" not in "".join(log), log


def sent(port: int, request: Request) -> dict[str, Any] | None:
    """Return the verdict on a request, or ``None`` if the server answers by itself or not at all."""
    received = b""
    silenced = contextlib.suppress(OSError)  # Some servers close the connection when they refuse a request.
    with socket.create_connection(("127.0.0.1", port), TIMEOUT) as connection, silenced:
        connection.sendall(octets_of(request))
        while piece := connection.recv(65536):
            received += piece
    begin = received.find(b'{"seen"')
    return None if begin < 0 else json.JSONDecoder().raw_decode(received[begin:].decode())[0]


def in_process(probe: Probe, request: Request) -> dict[str, Any]:
    passage = probe.ask(request)
    target = None if passage.given is None else report_of(passage.given).target
    return {
        "passes": target is not None,
        "path": target and target.path.decode("latin-1"),
        "query": target and target.query.decode("latin-1"),
        "body": None if passage.body is None else passage.body.decode("latin-1"),
    }


def asked() -> Iterator[Request]:
    """Yield complete requests without a mount; each closes its connection. HTTP/1.0 has no chunks."""
    for request in requests(0, COUNT):
        if request.ends and not request.root and not (request.is_chunked and request.version == "1.0"):
            yield request.having(b"Connection", b"close")


def is_shown(request: Request, seen: dict[str, Any]) -> bool:
    """Whether a server shows what was sent, so that the verdict must be the same."""
    for name in ("content-type", "content-length", "transfer-encoding", "cookie"):
        values = [value.strip(b" \t").decode("latin-1") for value in request.values(name.encode())]
        if len(values) > 1 or seen[name] != (values[0] if values else ""):
            return False  # waitress decodes the chunks and writes the length; others join two fields.
    return seen["target"] == request.target.decode("latin-1") and len(request.values(b"host")) < 2


def test_server_and_process_have_the_same_verdict(judged: Judged) -> None:
    compared = 0
    for request in asked():
        found = sent(judged.port, request)
        if found is None or not is_shown(request, found["seen"]):
            continue
        compared += 1
        assert found["verdict"] == in_process(judged.probe, request), (str(request), found)
    assert compared > 150

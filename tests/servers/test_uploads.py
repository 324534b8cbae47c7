"""Long uploads on real servers: constant memory, and nothing left of those that are interrupted.

POSTEL_UPLOAD is the size of an upload in MiB, by default 64.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import socket
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import pytest

from servers.processes import SERVERS, TIMEOUT, running

pytestmark = [
    pytest.mark.servers,
    pytest.mark.skipif(sys.platform != "linux", reason="memory and open files are read from /proc"),
]

MIB: Final = 2**20
SIZE: Final = int(os.environ.get("POSTEL_UPLOAD", "64")) * MIB
ALLOWED: Final = 32 * MIB
"""The most memory that a process may take for one upload of any length, in octets."""
WAITS: Final = TIMEOUT + SIZE / MIB / 4
HEAD: Final = b'--zz\r\nContent-Disposition: form-data; name="a"; filename="f"\r\n\r\n'
END: Final = b"\r\n--zz--\r\n"
PIECE: Final = bytes(range(256)) * 256
LENGTH: Final = len(HEAD) + SIZE + len(END)
READERS: Final = [
    replace(each, arguments=each.arguments.replace("guarded:", "uploaded:"))
    for each in SERVERS
    if each.name != "waitress"  # waitress itself keeps uploads in files, up to 1 GiB.
]


@dataclass
class Running:
    """A running server, and its spool directory."""

    name: str
    port: int
    directory: Path


@pytest.fixture(scope="module", params=READERS, ids=lambda each: each.name)
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    directory = tmp_path_factory.mktemp("spool")
    wanted = replace(request.param, environment=(("POSTEL_TEST_SPOOL", str(directory)),))
    log: list[str] = []
    with running(wanted, log) as port:
        yield Running(request.param.name, port, directory)
    assert "Traceback" not in "".join(log), log
    assert not any(directory.iterdir())


def begun(server: Running, method: str, framing: str) -> socket.socket:
    """Return a connection on which the head of a request was sent."""
    connected = socket.create_connection(("127.0.0.1", server.port), WAITS)
    kind = "Content-Type: multipart/form-data; boundary=zz\r\n" if method == "POST" else ""
    connected.sendall(
        f"{method} / HTTP/1.1\r\nHost: h\r\n{kind}{framing}\r\nConnection: close\r\n\r\n".encode()
    )
    return connected


def answer(connected: socket.socket) -> dict[str, Any]:
    """Return the answer of the application."""
    received = b""
    while piece := connected.recv(2**16):
        received += piece
    found = re.search(rb"\{.*\}", received)
    assert received.startswith(b"HTTP/1.1 200 "), received
    assert found is not None
    said: dict[str, Any] = json.loads(found[0])
    return said


def asked(server: Running) -> dict[str, Any]:
    with begun(server, "GET", "Accept: */*") as connected:
        return answer(connected)


@pytest.mark.parametrize("chunked", [False, True], ids=["length", "chunked"])
def test_a_long_upload_takes_little_memory(server: Running, chunked: bool) -> None:
    before = asked(server)["peak"] * 1024
    digest = hashlib.blake2b()
    with begun(
        server, "POST", "Transfer-Encoding: chunked" if chunked else f"Content-Length: {LENGTH}"
    ) as client:
        for piece in (HEAD, *[PIECE] * (SIZE // len(PIECE)), END):
            digest.update(piece)
            client.sendall(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)
        if chunked:
            client.sendall(b"0\r\n\r\n")
        said = answer(client)
    assert (said["length"], said["digest"]) == (LENGTH, digest.hexdigest())
    assert said["peak"] * 1024 - before < ALLOWED
    assert not any(server.directory.iterdir())  # While an upload is read, its file has no name.


@pytest.mark.parametrize("framing", [f"Content-Length: {LENGTH}", "Transfer-Encoding: chunked"])
def test_a_client_that_stops_half_way_leaves_no_file(server: Running, framing: str) -> None:
    for _ in range(3):
        with begun(server, "POST", framing) as client:
            pieces = [HEAD, *[PIECE] * (4 * MIB // len(PIECE))]
            for piece in pieces:
                client.sendall(piece if "Length" in framing else b"%x\r\n%b\r\n" % (len(piece), piece))
    deadline = time.monotonic() + TIMEOUT
    while asked(server)["files"]:  # A server may notice a disconnect late.
        assert time.monotonic() < deadline
        time.sleep(0.1)

"""Bodies and the Host on real servers: streams stay streams, and a client that disconnects does no harm."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import pytest

from bodies import FORM
from servers.posted import EARLY, PIECE, ROOM
from servers.processes import SERVERS, TIMEOUT, running

pytestmark = pytest.mark.servers

TEXT = "text/plain"
READERS = [replace(each, arguments=each.arguments.replace("guarded:", "posted:")) for each in SERVERS]
STREAMING = ("gunicorn", "uvicorn-h11", "uvicorn-httptools")


@dataclass
class Running:
    """A running server, with its name and port."""

    name: str
    port: int


@pytest.fixture(scope="module", params=READERS, ids=lambda each: each.name)
def server(request: pytest.FixtureRequest) -> Iterator[Running]:
    log: list[str] = []
    with running(request.param, log) as port:
        yield Running(request.param.name, port)
    assert "Traceback" not in "".join(log), log


@pytest.fixture
def streaming(server: Running) -> Running:
    if server.name not in STREAMING:
        pytest.skip("streaming is tested with gunicorn and uvicorn")
    return server


class Client:
    """A connection on which a request is sent piece by piece."""

    def __init__(self, server: Running) -> None:
        self.socket = socket.create_connection(("127.0.0.1", server.port), TIMEOUT)
        self.received = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def begin(self, path: str, stack: str, content_type: str, *fields: str) -> None:
        lines = [
            f"POST {path} HTTP/1.1", "Host: h", f"X-Stack: {stack}", f"Content-Type: {content_type}",
            "Connection: close", *fields,
        ]  # fmt: skip
        self.send("\r\n".join(lines).encode() + b"\r\n\r\n")

    def send(self, octets: bytes) -> None:
        self.socket.sendall(octets)

    def chunk(self, octets: bytes) -> None:
        self.send(b"%x\r\n%s\r\n" % (len(octets), octets))

    def expect(self, octets: bytes) -> None:
        """Wait until these octets have been received."""
        while octets not in self.received:
            piece = self.socket.recv(65536)
            assert piece, self.received
            self.received += piece

    def answer(self) -> tuple[int, bytes]:
        """Return the status, 0 if there is none, and the body as received."""
        with contextlib.suppress(ConnectionResetError):
            while piece := self.socket.recv(65536):
                self.received += piece
        head, _, body = self.received.partition(b"\r\n\r\n")
        return int(head.split(b" ", 2)[1]) if head else 0, body


def ask(
    server: Running, path: str, stack: str, content_type: str, octets: bytes, *, chunked: bool
) -> tuple[int, Any]:
    """Post a body, and return what the application has read."""
    with Client(server) as client:
        if chunked:
            client.begin(path, stack, content_type, "Transfer-Encoding: chunked")
            for start in range(0, len(octets), 7):
                client.chunk(octets[start : start + 7])
            client.send(b"0\r\n\r\n")
        else:
            client.begin(path, stack, content_type, f"Content-Length: {len(octets)}")
            client.send(octets)
        status, body = client.answer()
    found = re.search(rb"\{.*\}", body)
    return status, json.loads(found[0]) if found else body.decode()


def works(server: Running) -> bool:
    return ask(server, "/", "on", FORM, b"q=50%", chunked=False)[1]["body"] == "q=50%25"


# -- JSON ----------------------------------------------------------------------------------------------------

JSON = "application/json"


@pytest.mark.parametrize("chunked", [False, True], ids=["length", "chunked"])
def test_json_is_handed_on_octet_for_octet_or_refused(server: Running, chunked: bool) -> None:
    octets = '{"q": "Ä",  "n": [1e2, 01234567890123456789]}'.replace("01", "1").encode()
    status, read = ask(server, "/", "json", JSON, octets, chunked=chunked)
    assert status == 200
    assert read == {"body": octets.decode("latin-1"), "length": str(len(octets)), "framing": None}
    _, read = ask(server, "/", "json", JSON, b"\xef\xbb\xbf[]", chunked=chunked)
    assert (read["body"], read["length"]) == ("[]", "2")
    for faulty, kind in [
        (b'{"a":1,"a":2}', "duplicate-name"),
        (b"[" * 50_000, "deep-json"),
        (b"[1", "json-syntax"),
    ]:
        status, said = ask(server, "/", "json", JSON, faulty, chunked=chunked)
        assert (status, kind in said) == (400, True)
    # The server answers before it reads the body, so a client that still sends chunks would find the
    # connection closed.
    status, said = ask(server, "/", "json", TEXT, b"[]", chunked=False)
    assert (status, "unjudged-body" in said) == (415, True)


def test_json_after_100_continue_is_read(server: Running) -> None:
    with Client(server) as client:
        client.begin("/", "json", JSON, "Content-Length: 2", "Expect: 100-continue")
        with contextlib.suppress(TimeoutError):
            client.socket.settimeout(1)
            client.expect(b"100 Continue")
        client.socket.settimeout(TIMEOUT)
        client.send(b"[]")
        client.answer()
    assert b'"body": "[]"' in client.received


# -- multipart forms -----------------------------------------------------------------------------------------

PARTS = "multipart/form-data; boundary=zz"
HEAD = b'--zz\r\nContent-Disposition: form-data; name="a"'
FILE = HEAD + b'; filename="f"\r\n\r\n' + bytes(range(256)) * 200 + b"\r\n"
LONG = FILE + HEAD + b"\r\n\r\n1\r\n--zz--\r\n"


@pytest.mark.parametrize("chunked", [False, True], ids=["length", "chunked"])
def test_a_multipart_form_goes_through_the_spool(server: Running, chunked: bool) -> None:
    status, read = ask(server, "/", "uploads", PARTS, LONG, chunked=chunked)
    assert status == 200
    assert read == {"body": LONG.decode("latin-1"), "length": str(len(LONG)), "framing": None}
    _, read = ask(server, "/", "uploads", PARTS, LONG.replace(HEAD, HEAD.lower()), chunked=chunked)
    assert read["body"] == LONG.decode("latin-1")
    for faulty, kind in [(LONG[:-9], "multipart-syntax"), (LONG.replace(b"\n1", b"\n\0"), "nul")]:
        status, said = ask(server, "/", "uploads", PARTS, faulty, chunked=chunked)
        assert (status, kind in said) == (400, True)


def test_an_upload_after_100_continue_is_read(server: Running) -> None:
    with Client(server) as client:
        client.begin("/", "uploads", PARTS, f"Content-Length: {len(LONG)}", "Expect: 100-continue")
        with contextlib.suppress(TimeoutError):
            client.socket.settimeout(1)
            client.expect(b"100 Continue")
        client.socket.settimeout(TIMEOUT)
        client.send(LONG)
        client.answer()
    assert b'"length": "%d"' % len(LONG) in client.received


def test_interrupted_uploads_release_their_room(server: Running) -> None:
    for _ in range(8):
        with Client(server) as client:
            client.begin("/", "uploads", PARTS, f"Content-Length: {len(LONG)}")
            client.send(LONG[:-1000])
    deadline = time.monotonic() + TIMEOUT
    longest = HEAD + b'; filename="f"\r\n\r\n' + b"a" * (ROOM - 1000) + b"\r\n--zz--\r\n"
    # A server may notice a disconnect late.
    while ask(server, "/", "uploads", PARTS, longest, chunked=False)[0] != 200:
        assert time.monotonic() < deadline
        time.sleep(0.1)


# -- forms ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chunked", [False, True], ids=["length", "chunked"])
def test_a_form_is_handed_on_as_a_fresh_body(server: Running, chunked: bool) -> None:
    octets = "q=Ä 50%&p=two%0D%0Alines".encode()
    status, read = ask(server, "/", "on", FORM, octets, chunked=chunked)
    assert status == 200
    assert read == {"body": "q=%C3%84 50%25&p=two%0D%0Alines", "length": "31", "framing": None}
    status, said = ask(server, "/", "on", FORM, b"q=%00&p=1", chunked=chunked)
    assert (status, "nul" in said) == (400, True)
    _, read = ask(server, "/", "off", FORM, b"q=%00\xff", chunked=chunked)
    assert read["body"] == "q=%00\xff"


def test_a_form_that_arrives_slowly_is_read(server: Running) -> None:
    with Client(server) as client:
        client.begin("/", "on", FORM, "Transfer-Encoding: chunked")
        for octet in b"q=%zz&p=1":
            client.chunk(bytes((octet,)))
            time.sleep(0.01)
        client.send(b"0\r\n\r\n")
        status, body = client.answer()
    assert status == 200
    assert b"q=%25zz&p=1" in body


def test_ten_mebioctets_are_refused_without_being_read(server: Running) -> None:
    """The client sends only a little; the rest is never needed."""
    with Client(server) as client:
        client.begin("/", "on", FORM, f"Content-Length: {10 * 2**20}")
        if server.name == "waitress":
            client.send(b"a" * 10 * 2**20)  # waitress calls the application only with the whole body.
        status, _ = client.answer()
    assert status == 413
    assert works(server)


def test_ten_mebioctets_in_chunks_are_refused_before_their_end(server: Running) -> None:
    if server.name == "waitress":
        pytest.skip("it calls the application only with the whole body")
    with Client(server) as client:
        client.begin("/", "on", FORM, "Transfer-Encoding: chunked")
        for _ in range(17):
            client.chunk(b"a" * 2**16)
        client.chunk(b"a")
        client.expect(b" 413 ")
    assert works(server)


@pytest.mark.parametrize("framing", ["Content-Length: 100", "Transfer-Encoding: chunked"])
@pytest.mark.parametrize("ending", ["closed", "half-closed", "no chunk"])
def test_an_interrupted_request_ends_cleanly(server: Running, framing: str, ending: str) -> None:
    with Client(server) as client:
        client.begin("/", "on", FORM, framing)
        client.send(b"not a chunk\r\n" if ending == "no chunk" else b"5\r\nq=%00\r\n")
        if ending != "closed":
            client.socket.shutdown(socket.SHUT_WR)
            status, body = client.answer()
            if server.name == "granian-wsgi" and "chunked" in framing:
                assert status in {200, 400}  # granian hands over an empty body that has ended
                assert status == 400 or b'"body": ""' in body
            else:
                assert status in {0, 400}
    assert works(server)


# -- streams -------------------------------------------------------------------------------------------------

UNREAD = [("bare", FORM), ("off", FORM), ("off", TEXT), ("on", TEXT)]


@pytest.mark.parametrize(("stack", "content_type"), UNREAD)
@pytest.mark.parametrize("chunked", [False, True], ids=["length", "chunked"])
def test_octets_pass_unchanged(server: Running, stack: str, content_type: str, chunked: bool) -> None:
    octets = bytes(range(256)) * 4
    status, read = ask(server, "/", stack, content_type, octets, chunked=chunked)
    assert status == 200
    assert read["body"].encode("latin-1") == octets
    _, bare = ask(server, "/", "bare", content_type, octets, chunked=chunked)
    assert read == bare


@pytest.mark.parametrize(("stack", "content_type"), UNREAD)
def test_an_answer_streams_while_the_request_does(streaming: Running, stack: str, content_type: str) -> None:
    with Client(streaming) as client:
        client.begin("/stream", stack, content_type, "Transfer-Encoding: chunked")
        for piece in (b"one=1", b"two=%", b"zz\xff\0z"):
            client.chunk(piece.ljust(PIECE))
            client.expect(piece)  # The client receives a piece before it sends the next one.
        client.send(b"0\r\n\r\n")
        status, _ = client.answer()
    assert status == 200


@pytest.mark.parametrize(("stack", "content_type"), UNREAD)
def test_an_answer_may_come_before_the_body(streaming: Running, stack: str, content_type: str) -> None:
    with Client(streaming) as client:
        client.begin("/early", stack, content_type, "Content-Length: 1000")
        client.send(b"q=1")
        client.expect(EARLY)


@pytest.mark.parametrize(("stack", "content_type"), [*UNREAD, ("on", FORM)])
def test_trailers_do_no_harm(streaming: Running, stack: str, content_type: str) -> None:
    with Client(streaming) as client:
        client.begin("/", stack, content_type, "Transfer-Encoding: chunked", "Trailer: X-Sum")
        client.chunk(b"q=1&p=2")
        client.send(b"0\r\nX-Sum: 5\r\n\r\n")
        status, body = client.answer()
    assert status == 200
    assert b"q=1&p=2" in body


def test_a_form_after_100_continue_is_read(server: Running) -> None:
    with Client(server) as client:
        client.begin("/", "on", FORM, "Content-Length: 5", "Expect: 100-continue")
        if server.name != "waitress":
            client.expect(b" 100 ")
        client.send(b"q=50%")
        client.expect(b"q=50%25")


# -- Host ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "fields", "statuses"),
    [
        ("1.1", ["Host: h"], {200}),
        ("1.1", ["Host: h:80"], {200}),
        ("1.1", ["Host: [::1]:80"], {200}),
        ("1.1", ["Host: h/docs?"], {400}),
        ("1.1", ["Host: h#"], {400}),
        ("1.1", ["Host: u@h"], {400}),
        ("1.1", ["Host: h h"], {400}),
        ("1.1", ["Host: h:99999"], {400}),
        ("1.1", ["Host:"], {400}),
        ("1.1", ["Host: a", "Host: b"], {400}),
        ("1.1", ["Host: a", "Host: a"], {400}),
        ("1.1", [], {400}),
        ("1.0", [], {200}),
        ("1.0", ["Host: h/docs?"], {400}),
    ],
    ids=str,
)
def test_malformed_hosts_are_refused(
    server: Running, version: str, fields: list[str], statuses: set[int]
) -> None:
    lines = [f"GET /early HTTP/{version}", *fields, "X-Stack: off", "Connection: close"]
    with Client(server) as client:
        client.send("\r\n".join(lines).encode() + b"\r\n\r\n")
        status, body = client.answer()
    assert status in statuses
    assert b"docs" not in body

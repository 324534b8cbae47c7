"""JSON and multipart forms over HTTP/2, with a length and without."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from servers import http2
from servers.processes import Answer, Server, running
from servers.test_bodies import HEAD, JSON, LONG, PARTS

pytestmark = pytest.mark.servers

SERVERS = [
    Server(
        "granian",
        "granian",
        "asgi",
        "--no-log --http 2 --interface asgi --port {port} posted:asgi",
    ),
    Server(
        "gunicorn",
        "gunicorn",
        "wsgi",
        "--no-control-socket --log-level warning --bind 127.0.0.1:{port} -k gthread --threads 4 "
        "--http-protocols h2,h1 --http2-cleartext prior-knowledge posted:wsgi",
    ),
    Server("hypercorn", "hypercorn", "asgi", "--bind 127.0.0.1:{port} posted:asgi"),
]


@pytest.fixture(scope="module", params=SERVERS, ids=lambda each: each.name)
def port(request: pytest.FixtureRequest) -> Iterator[int]:
    pytest.importorskip("h2")
    with running(request.param) as listening:
        yield listening


def ask(port: int, stack: str, content_type: str, octets: bytes, *, length: bool) -> Answer:
    fields = [(b"x-stack", stack.encode()), (b"content-type", content_type.encode())]
    if length:
        fields.append((b"content-length", b"%d" % len(octets)))
    return http2.send(port, b"POST", b"/", fields, octets)


@pytest.mark.parametrize("length", [False, True], ids=["without a length", "with a length"])
def test_json_is_handed_on_or_refused(port: int, length: bool) -> None:
    answer = ask(port, "json", JSON, b"\xef\xbb\xbf[1]", length=length)
    assert (answer.status, json.loads(answer.body)["body"]) == (200, "[1]")
    answer = ask(port, "json", JSON, b'{"a":1,"a":2}', length=length)
    assert (answer.status, "duplicate-name" in answer.body) == (400, True)


@pytest.mark.parametrize("length", [False, True], ids=["without a length", "with a length"])
def test_a_multipart_form_is_handed_on_or_refused(port: int, length: bool) -> None:
    for octets in (LONG, LONG.replace(HEAD, HEAD.lower())):
        answer = ask(port, "uploads", PARTS, octets, length=length)
        read = json.loads(answer.body)
        assert (answer.status, read["body"], read["length"]) == (200, LONG.decode("latin-1"), str(len(LONG)))
    answer = ask(port, "uploads", PARTS, LONG[:-9], length=length)
    assert (answer.status, "multipart-syntax" in answer.body) == (400, True)

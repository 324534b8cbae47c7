"""Framing and Content-Type on real servers: every body that a reader reads as a form has been judged."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import pytest

from bodies import FORM
from servers.processes import SERVERS, Launched, Program, Server, running
from servers.test_bodies import TEXT, Client, Running

pytestmark = pytest.mark.servers

POSTED: Final = (("POSTEL_TEST_APPLICATIONS", "posted"),)
READERS: Final = [
    *(replace(each, arguments=each.arguments.replace("guarded:", "posted:")) for each in SERVERS),
    Server("hypercorn", "hypercorn", "asgi", "--bind 127.0.0.1:{port} posted:asgi"),
    Server("hypercorn-wsgi", "hypercorn", "wsgi", "--bind 127.0.0.1:{port} wsgi:posted:wsgi"),
    Server("cheroot", "cheroot", "wsgi", "--bind 127.0.0.1:{port} posted:wsgi"),
    Launched("werkzeug", "werkzeug", "wsgi", "werkzeug", POSTED),
    Launched("wsgiref", "wsgiref", "wsgi", "wsgiref", POSTED),
    Program(
        "uWSGI",
        "pyuwsgi",
        "wsgi",
        "--die-on-term --need-app --disable-logging --http-socket 127.0.0.1:{port} --module posted:wsgi",
    ),
]
WITHOUT_LENGTH: Final = {"waitress", "granian-wsgi", "granian-asgi"}
"""Servers that hide a length beside chunks: waitress writes another one, granian drops it."""
DELIVERING: Final = {"uvicorn-h11", "hypercorn", *WITHOUT_LENGTH}
"""Servers that hand over decoded chunks. cheroot and Werkzeug also do, if the application reads past the
length."""


@pytest.fixture(scope="module", params=READERS, ids=lambda each: each.name)
def server(request: pytest.FixtureRequest) -> Iterator[Running]:
    log: list[str] = []
    with running(request.param, log) as port:
        yield Running(request.param.name, port)
    assert "Traceback" not in "".join(log), log


def ask(
    server: Running, stack: str, content_type: str, octets: bytes, *fields: str, target: str = "/"
) -> tuple[int, Any]:
    """Send a body unchanged, and return what the application has read."""
    lines = [
        f"POST {target} HTTP/1.1", "Host: h", f"X-Stack: {stack}", f"Content-Type: {content_type}",
        "Connection: close", *fields,
    ]  # fmt: skip
    with Client(server) as client:
        client.send("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + octets)
        status, body = client.answer()
    found = re.search(rb"\{.*\}", body)
    return status, json.loads(found[0])["body"] if found else body.decode("latin-1")


# -- a length beside chunks ----------------------------------------------------------------------------------

CODED: Final = "Transfer-Encoding: chunked"


@pytest.mark.parametrize("length", [0, 5, 3])
@pytest.mark.parametrize("first", ["length", "coding"])
def test_a_length_with_chunks_bypasses_no_rule(server: Running, length: int, first: str) -> None:
    fields = [f"Content-Length: {length}", CODED][:: 1 if first == "length" else -1]
    hostile, plain = (b"%x\r\n%s\r\n0\r\n\r\n" % (len(each), each) for each in (b"q=%00", b"q=1"))
    if server.name in DELIVERING:
        assert ask(server, "bare", FORM, hostile, *fields) == (200, "q=%00")
    status, said = ask(server, "on", FORM, hostile, *fields)
    assert status == 400
    assert "q=%00" not in said
    status, _ = ask(server, "on", FORM, plain, *fields)
    assert status == (200 if server.name in WITHOUT_LENGTH else 400)


def test_chunks_without_a_length_are_judged_or_refused(server: Running) -> None:
    """wsgiref, uWSGI and hypercorn on WSGI do not decode chunks, and do not show where the body ends."""
    hostile, plain = (b"%x\r\n%s\r\n0\r\n\r\n" % (len(each), each) for each in (b"q=%00", b"q=1"))
    assert ask(server, "on", FORM, hostile, CODED)[0] == 400
    undone = server.name not in {"wsgiref", "hypercorn-wsgi", "uWSGI"}
    assert ask(server, "on", FORM, plain, CODED)[0] == (200 if undone else 400)


# -- Content-Type --------------------------------------------------------------------------------------------

LENGTH: Final = "Content-Length: 5"


@pytest.mark.parametrize(
    "content_type",
    [
        f"\xa0{FORM}", f"{FORM}\x0b", f"\x1c{FORM}", f"{FORM}\x1f", f"\r\n {FORM}",
        "application / x-www-form-urlencoded", "application/x-url-encoded", "*/*", f"a/b, {FORM}",
        "multipart/form-data; boundary=x",
    ],
    ids=ascii,
)  # fmt: skip
def test_no_type_bypasses_a_rule(server: Running, content_type: str) -> None:
    status, said = ask(server, "on", content_type, b"q=%00", LENGTH)
    if server.name == "granian-wsgi" and not content_type.isascii():
        assert status == 200  # the server hands over an empty type, which no framework reads as a form
        return
    assert status in {400, 415}  # A refusal of a server itself is a 400, too.
    assert "q=%00" not in said


def test_two_types_bypass_no_rule(server: Running) -> None:
    """Servers hand over the first, the second or both. If a body is read as a form, postel has judged it."""
    for first, second in ((TEXT, FORM), (FORM, TEXT)):
        status, said = ask(server, "on", first, b"q=%00", f"Content-Type: {second}", LENGTH)
        assert status in {400, 415} or (
            server.name in {"wsgiref", "granian-wsgi", "cheroot", "werkzeug"}
            and (status, said) == (200, "q=%00")
        )


@pytest.mark.parametrize("stack", ["off", "on"])
def test_a_charset_that_steers_is_refused(server: Running, stack: str) -> None:
    """It is refused even if the body is empty, and whether or not forms are judged."""
    for content_type in (
        "text/plain; charset=utf-7", "a/b; CHARSET=rot13", "a/b; charset*=BOGUS''x", "a/b; charset=latin-1",
    ):  # fmt: skip
        status, _ = ask(server, stack, content_type, b"", "Content-Length: 0", target="/?a=%C3%A9+ACY-")
        assert status == 415
    for content_type in ("text/plain; charset=utf-8", 'text/plain;charset="UTF-8"', "application/json"):
        status, said = ask(server, stack, content_type, b"{\xff}", "Content-Length: 3", target="/?a=%C3%A9")
        assert (status, said) == (200, "{\xff}")

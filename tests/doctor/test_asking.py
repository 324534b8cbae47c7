"""Requests and answers: the octets on a socket, the command for a shell, and the parsed answer."""

from __future__ import annotations

import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

import pytest

from doctor import somebodys
from postel.doctor._answer import LONGEST, NOTE, Answer, Difference, Note
from postel.doctor._asking import asgi_asker, socket_asker, wsgi_asker
from postel.doctor._request import Request, field_of
from wire import environ_of, scope_of

FORM: Final = (b"Content-Type", b"text/plain")
BASH: Final = shutil.which("bash")
CURL: Final = [
    pytest.param(Request(b"/a%2Fb"), "http://127.0.0.1:8000/a%2Fb", id="plain"),
    pytest.param(Request(b"/a?b=1&c"), "'http://127.0.0.1:8000/a?b=1&c'", id="quoted"),
    pytest.param(
        Request(b"/it's\xe9"), r"--request-target $'/it\'s\xe9' http://127.0.0.1:8000/", id="escaped"
    ),
    pytest.param(Request(b"/a#b"), "--request-target '/a#b' http://127.0.0.1:8000/", id="a number sign"),
    pytest.param(Request(b"/", "HEAD"), "--head http://127.0.0.1:8000/", id="HEAD"),
    pytest.param(Request(b"/", "PUT"), "-X PUT http://127.0.0.1:8000/", id="another method"),
    pytest.param(
        Request(b"http://x/a"), "--request-target http://x/a http://127.0.0.1:8000/", id="absolute form"
    ),
    pytest.param(
        Request(b"\\a"), r"--request-target '\a' http://127.0.0.1:8000/", id="a target without a slash"
    ),
    pytest.param(Request(b"/", host=b"x/y"), "-H 'Host: x/y' http://127.0.0.1:8000/", id="Host"),
    pytest.param(
        Request(b"/", "POST", (FORM,), body=b"a", framing="both"),
        "-H 'Content-Type: text/plain' -H 'Content-Length: 0' -H 'Transfer-Encoding: chunked' "
        "--data-raw a http://127.0.0.1:8000/",
        id="both lengths",
    ),
    pytest.param(
        Request(b"/", "POST", (FORM,), body=b"\0", framing="chunked"),
        "-H 'Content-Type: text/plain' -H 'Transfer-Encoding: chunked' "
        r"--data-raw $'\x00' http://127.0.0.1:8000/",
        id="chunked",
    ),
]


@pytest.mark.parametrize(("request_", "words"), CURL)
def test_a_request_is_written_as_a_command_for_curl(request_: Request, words: str) -> None:
    assert request_.curl() == f"curl -i --globoff --path-as-is {words}"


@pytest.mark.skipif(None in {BASH, shutil.which("curl")}, reason="bash or curl is not installed")
@pytest.mark.parametrize(
    "request_",
    [
        pytest.param(Request(b"/a#b"), id="a number sign"),
        pytest.param(Request(b"/{a,b}[1-3]?c[]"), id="brackets"),
        pytest.param(Request(b"/a\xff"), id="a bare octet"),
        pytest.param(Request(b"/a b"), id="a space"),
        pytest.param(Request(b"/a/../b%00'"), id="dot segments"),
        pytest.param(Request(b"/", "POST", (FORM,), body=b"@/etc/hostname"), id="an at sign"),
        pytest.param(Request(b"/", "POST", (FORM,), body=b"a\r\nb\n"), id="line breaks"),
    ],
)
def test_curl_sends_the_request_of_the_command(request_: Request) -> None:
    received = bytearray()
    with listening(b"HTTP/1.1 204 OK\r\n\r\n", received, until=request_.body) as port:
        command = request_.curl(f"http://127.0.0.1:{port}")
        subprocess.run([str(BASH), "-c", command], check=True, capture_output=True, timeout=60)  # noqa: S603
    head, _, body = bytes(received).partition(b"\r\n\r\n")
    line = b"%s %s HTTP/1.1" % (request_.method.encode(), request_.target)
    assert (head.split(b"\r\n", maxsplit=1)[0], body) == (line, request_.body)


def test_the_octets_that_are_sent_over_a_socket() -> None:
    assert Request(b"/a").octets() == b"GET /a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    posted = Request(b"/", "POST", host=b"x", body=b"ab").octets()
    assert posted == b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nConnection: close\r\n\r\nab"
    chunked = Request(b"/", "POST", body=b"ab", framing="chunked").octets()
    assert chunked.endswith(b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\nab\r\n0\r\n\r\n")
    assert Request(b"/", "POST", framing="both").octets().endswith(b"\r\n\r\n0\r\n\r\n")


def test_environ_and_scope_equal_those_of_servers() -> None:
    request = Request(
        b"http://x/a%C3%A9?b",
        headers=((b"Cookie", b"a=1"), (b"Cookie", b"b=2"), (b"X-A", b"1"), (b"X_A", b"2")),
    )
    environ, scope = request.environ(), request.scope()
    assert environ.keys() - environ_of(b"/").keys() <= {
        "HTTP_HOST",
        "HTTP_COOKIE",
        "HTTP_X_A",
        "RAW_URI",
        "REQUEST_URI",
    }
    assert (environ["PATH_INFO"], environ["QUERY_STRING"]) == ("/a\xc3\xa9", "b")
    assert (environ["HTTP_COOKIE"], environ["HTTP_X_A"]) == ("a=1; b=2", "1,2")
    assert scope.keys() - scope_of(b"/").keys() == set()
    assert (scope["path"], scope["raw_path"]) == ("/aé", b"/a%C3%A9")
    assert Request(b"/", framing="chunked").environ()["wsgi.input_terminated"] is True


def test_a_header_field_is_sent_in_utf_8_and_other_octets_stay() -> None:
    assert field_of(" X ", " \xe9\udcff ") == (b"X", b"\xc3\xa9\xff")


def test_a_difference_is_a_sentence_with_verbs() -> None:
    one = Difference("request.url", "/a", "PATH_INFO", "/b")
    assert one.sentence() == "request.url is /a, but PATH_INFO is /b"
    two = Difference("request.url", "raises KeyError", "PATH_INFO", "/b")
    assert two.sentence() == "request.url raises KeyError, but PATH_INFO is /b"


def test_a_note_is_one_line_of_ascii() -> None:
    note = Note("/é", (Difference("request.url", "a\nb", "PATH_INFO", "é"),))
    assert note.text().isascii()
    assert "\n" not in note.text()
    answer = Answer.of(200, [(NOTE.title(), note.text()), ("Location", "/x")], b"")
    assert answer.note == note
    assert (answer.header("location"), answer.header("x-none"), answer.headers) == (
        "/x",
        "",
        (("location", "/x"),),
    )


# -- in this process -----------------------------------------------------------------------------------------


def endless(environ: dict[str, Any], start_response: Any) -> Iterator[bytes]:
    start_response("200 OK", [])
    while True:
        yield b"x" * 65536


async def endless_too(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    while True:
        await send({"type": "http.response.body", "body": b"x" * 65536, "more_body": True})


def test_an_endless_answer_is_cut_off() -> None:
    for answer in (wsgi_asker(endless, 5)(Request(b"/")), asgi_asker(endless_too, 5)(Request(b"/"))):
        assert (answer.status, len(answer.body)) == (200, LONGEST + 65536)


def test_a_very_slow_answer_is_given_up() -> None:
    gone = threading.Event()

    def drip(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            while True:
                connection.sendall(b"x")
                time.sleep(0.05)
        gone.set()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        thread = threading.Thread(target=lambda: drip(listener.accept()[0]), daemon=True)
        thread.start()
        assert socket_asker(port, 0.2)(Request(b"/")).status == 200
        thread.join(10)
    assert gone.is_set()


def test_an_exception_of_an_application_is_a_500() -> None:
    answer = wsgi_asker(somebodys.failing, 5)(Request(b"/"))
    assert answer == Answer(500, raised="RuntimeError: no database")


@pytest.mark.parametrize(
    "ask",
    [wsgi_asker(somebodys.waiting, 0.05), asgi_asker(somebodys.waiting_too, 0.05)],
    ids=["wsgi", "asgi"],
)
def test_an_application_that_does_not_answer_is_abandoned(ask: Any) -> None:
    assert ask(Request(b"/")) == Answer(0)


def test_written_chunks_are_read_and_the_answer_is_closed() -> None:
    closed: list[bool] = []

    class Chunks(list[bytes]):
        def close(self) -> None:
            closed.append(True)

    def app(environ: Any, start_response: Any) -> Any:
        start_response("200 OK", [])(b"a")
        return Chunks([b"b"])

    answer = wsgi_asker(app, 5)(Request(b"/"))
    assert (answer.body, closed) == (b"ab", [True])


# -- over a socket -------------------------------------------------------------------------------------------

ANSWERS: Final = [
    pytest.param(b"HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody", 200, b"body", id="plain"),
    pytest.param(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1;x\r\nc\r\n0\r\n\r\n",
        200,
        b"abc",
        id="chunked",
    ),
    pytest.param(b"HTTP/1.0 404 No\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", 404, b"", id="no chunks"),
    pytest.param(b"", 0, b"", id="nothing"),
    pytest.param(b"SSH-2.0\r\n", 0, b"", id="no HTTP"),
]


@contextmanager
def listening(answer: bytes, received: bytearray | None = None, *, until: bytes = b"") -> Iterator[int]:
    """Answer one request once its body ends with ``until``."""
    got = bytearray() if received is None else received
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.settimeout(60)
                while not (b"\r\n\r\n" in got and got.endswith(until)) and (more := connection.recv(65536)):
                    got.extend(more)
                connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        yield listener.getsockname()[1]
        thread.join()


@pytest.mark.parametrize(("answer", "status", "body"), ANSWERS)
def test_answers_over_a_socket(answer: bytes, status: int, body: bytes) -> None:
    with listening(answer) as port:
        found = socket_asker(port, 5)(Request(b"/"))
    assert (found.status, found.body) == (status, body)


def test_a_port_without_a_server_gives_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert socket_asker(port, 5)(Request(b"/")) == Answer(0)

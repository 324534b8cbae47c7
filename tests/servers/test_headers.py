"""Headers on real servers: names that merge, quoted cookies, a Host that changes the URL, and a missing Host.

Also tested here: a root path of the server that ends in a slash, which makes every request faulty.
"""

from __future__ import annotations

import contextlib
import json
import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from servers import http2
from servers.configurations import DAPHNE, GRANIAN, GUNICORN, H2C, HYPERCORN, UVICORN
from servers.processes import TIMEOUT, Server, get, started
from targets import HOST

pytestmark = pytest.mark.servers

NAMES_PASS = [
    Server("uvicorn-h11", "uvicorn", "asgi", f"{UVICORN}h11 headed:asgi"),
    Server("uvicorn-httptools", "uvicorn", "asgi", f"{UVICORN}httptools headed:asgi"),
    Server("hypercorn", "hypercorn", "asgi", f"{HYPERCORN}headed:asgi"),
    Server("granian", "granian", "asgi", f"{GRANIAN}asgi headed:asgi"),
]
NAMES_GO = [
    Server("daphne", "daphne", "asgi", f"{DAPHNE}headed:asgi"),
    Server("gunicorn-asgi", "gunicorn", "asgi", f"{GUNICORN}-k asgi headed:asgi"),
    Server("gunicorn", "gunicorn", "wsgi", f"{GUNICORN}headed:wsgi"),
    Server("waitress", "waitress", "wsgi", "--listen=127.0.0.1:{port} headed:wsgi"),
]
MERGED = [
    Server("granian-wsgi", "granian", "wsgi", f"{GRANIAN}wsgi headed:wsgi"),
    Server("cheroot", "cheroot", "wsgi", "--bind 127.0.0.1:{port} headed:wsgi"),
    Server("hypercorn-wsgi", "hypercorn", "wsgi", f"{HYPERCORN}wsgi:headed:wsgi"),
]


@dataclass
class Running:
    """A running server."""

    server: Server
    port: int

    def ask(
        self, path: str, *fields: str, version: str = "1.1", host: str | None = "h", method: str = "GET"
    ) -> tuple[int, Any]:
        """Send these fields unchanged; return the status, and the answer of the application."""
        lines = [f"{method} {path} HTTP/{version}", *([f"Host: {host}"] * (host is not None)), *fields]
        received = b""
        with socket.create_connection(("127.0.0.1", self.port), TIMEOUT) as connection:
            connection.sendall("\r\n".join([*lines, "Connection: close", "\r\n"]).encode("latin-1"))
            with contextlib.suppress(ConnectionError):
                while piece := connection.recv(65536):
                    received += piece
        head, _, body = received.partition(b"\r\n\r\n")
        found = re.search(rb"\{.*\}", body, re.DOTALL)
        told = json.loads(found[0]) if found else body.decode(errors="replace")
        return int(head.split(b" ", 2)[1]), told


@pytest.fixture(scope="module", params=[*NAMES_PASS, *NAMES_GO, *MERGED], ids=lambda each: each.name)
def running(request: pytest.FixtureRequest) -> Iterator[Running]:
    with started(request.param) as process:
        yield Running(request.param, process.port)


# -- names ---------------------------------------------------------------------------------------------------

BOTH = ("X-Forwarded-For: 192.0.2.1", "X_Forwarded_For: 127.0.0.1")


def test_names_that_differ_in_an_underscore_are_refused_where_both_are_shown(running: Running) -> None:
    """On ASGI, a server hands over both names, unless it drops one. On WSGI, one key stands for both."""
    status, told = running.ask("/bare", *BOTH)
    refused, reason = running.ask("/standard", *BOTH)
    assert status == 200
    if running.server in NAMES_PASS:
        names = [name for name, _ in told["headers"]]
        assert {"x-forwarded-for", "x_forwarded_for"} <= set(names)
        assert refused == 400
        assert "merged-header-names" in reason
        assert running.ask("/standard", "Content-Type: text/plain", "content_type: text/html")[0] == 400
        assert running.ask("/standard", BOTH[1])[0] == 200
    elif running.server in MERGED:
        assert "127.0.0.1" in told["headers"]["HTTP_X_FORWARDED_FOR"]
        assert refused == 200  # The merge cannot be detected; see SECURITY.md.
    else:
        assert "127.0.0.1" not in json.dumps(told["headers"])
        assert refused == 200


def test_only_cheroot_reads_a_name_beyond_ascii(running: Running) -> None:
    """In upper case, Python writes a sharp s as SS."""
    for path in ("/bare", "/standard"):
        status, told = running.ask(path, "X-Access: 1", "X-Acce\xdf: 2")
        if running.server.name == "cheroot":  # see SECURITY.md
            assert (status, told["headers"]["HTTP_X_ACCESS"]) == (200, "2")
        else:
            assert status == 400


# -- method --------------------------------------------------------------------------------------------------

# The methods that applications receive for ``post``. All other servers refuse it.
METHODS = {
    "uvicorn-h11": "post", "daphne": "post", "granian": "post", "granian-wsgi": "post",
    "hypercorn": "POST", "hypercorn-wsgi": "POST",
}  # fmt: skip


def test_a_method_in_lower_case_stays_so_on_some_servers(running: Running) -> None:
    """Django reads each of these as POST; see SECURITY.md."""
    status, told = running.ask("/standard", method="post")
    if method := METHODS.get(running.server.name):
        assert (status, told["method"]) == (200, method)
    else:
        assert status == 400


# -- cookies -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cookie", [r'a="x\000y"', r'a="\015\012"', r'a="\033"', r'b="1"; a="x;\000"'])
def test_controls_in_quoted_cookies_are_refused(running: Running, cookie: str) -> None:
    _, told = running.ask("/bare", f"Cookie: {cookie}")
    read = json.dumps(told["cookies"])
    # Only Bottle reads on across a semicolon.
    assert re.search(r"\\u00[01]|\\[rn]", read) or (";" in cookie and running.server.protocol == "asgi"), read
    status, reason = running.ask("/cookies", f"Cookie: {cookie}")
    assert status == 400
    assert "(nul)" in reason or "(control)" in reason
    assert running.ask("/cookies", r'Cookie: a="\"quoted\""; __Host-s=1')[0] == 200


# What applications receive for ``Cookie: a=1`` and ``Cookie: b=2``.
JOINED = {
    "gunicorn": "a=1,b=2", "waitress": "a=1, b=2", "granian-wsgi": "a=1;b=2", "cheroot": "b=2",
    "hypercorn-wsgi": "a=1,b=2",
}  # fmt: skip


def test_two_cookie_fields_become_one(running: Running) -> None:
    """On ASGI, a server hands over both fields, and postel joins them. On WSGI, the server joins them."""
    fields = ("Cookie: a=1", "Cookie: b=2")
    _, bare = running.ask("/bare", *fields)
    status, told = running.ask("/standard", *fields)
    assert status == 200
    if running.server.protocol == "wsgi":
        assert bare["headers"]["HTTP_COOKIE"] == told["headers"]["HTTP_COOKIE"] == JOINED[running.server.name]
    else:
        assert _cookies(bare) == ["a=1", "b=2"]
        assert _cookies(told) == ["a=1; b=2"]


OVER_HTTP_2 = [
    (Server("granian", "granian", "asgi", f"{GRANIAN}asgi --http 2 headed:asgi"), ["a=1", "b=2"]),
    (Server("hypercorn", "hypercorn", "asgi", f"{HYPERCORN}headed:asgi"), ["a=1; b=2"]),
    (Server("granian-wsgi", "granian", "wsgi", f"{GRANIAN}wsgi --http 2 headed:wsgi"), ["a=1;b=2"]),
    (
        Server("gunicorn", "gunicorn", "wsgi", f"{GUNICORN}-k gthread --threads 4 {H2C} headed:wsgi"),
        ["a=1; b=2"],
    ),
]


@pytest.mark.parametrize(("server", "handed"), OVER_HTTP_2, ids=lambda each: getattr(each, "name", None))
def test_two_cookie_fields_over_http_2_become_one(server: Server, handed: list[str]) -> None:
    """Browsers send several Cookie fields over HTTP/2."""
    pytest.importorskip("h2")
    with started(server) as process:
        for path in (b"/bare", b"/standard"):
            answer = http2.ask(process.port, path, ("Cookie: a=1", "Cookie: b=2"))
            assert answer.status == 200
            told = json.loads(answer.body)
            expected = handed if path == b"/bare" or server.protocol == "wsgi" else ["a=1; b=2"]
            assert _cookies(told) == expected
            assert {"a": "1", "b": "2"} in told["cookies"].values()


def _cookies(told: Any) -> list[str]:
    headers = told["headers"]
    if isinstance(headers, dict):
        return [headers["HTTP_COOKIE"]]
    return [value for name, value in headers if name == "cookie"]


def test_copies_and_padded_names_of_cookies_are_refused(running: Running) -> None:
    assert running.ask("/cookies", "Cookie: a=1; __Host-s=1; __Host-s=2")[0] == 400
    padded = "Cookie: a=1; {}__Host-s=evil".format("\u2003".encode().decode("latin-1"))
    _, told = running.ask("/bare", padded)
    # granian hands an empty field to WSGI if one is not ASCII.
    assert ("__Host-s" in json.dumps(told["headers"])) is (running.server.name != "granian-wsgi")
    assert running.ask("/cookies", padded)[0] == (200 if running.server.name == "granian-wsgi" else 400)


# -- Host ----------------------------------------------------------------------------------------------------


def test_no_host_steers_under_any_preset(running: Running) -> None:
    """See CVE-2026-48710. Some servers refuse such a Host themselves."""
    for path in ("/standard", "/lenient"):
        status, told = running.ask(path, host="h/admin?")
        assert status == 400, told


def test_a_second_host_is_refused_where_it_is_shown(running: Running) -> None:
    status, told = running.ask("/standard", "Host: second")
    if running.server.name == "cheroot":  # see SECURITY.md
        assert (status, told["headers"]["HTTP_HOST"]) == (200, "second")
    else:
        assert status == 400


# What applications receive for two Content-Types, on the servers that hide one of them.
ONE_TYPE = {"cheroot": "application/json", "granian-wsgi": "text/plain"}


def test_a_second_content_type_is_refused_where_it_is_shown(running: Running) -> None:
    status, told = running.ask("/strict", "Content-Type: text/plain", "Content-Type: application/json")
    if name := ONE_TYPE.get(running.server.name):
        assert (status, told["headers"]["CONTENT_TYPE"]) == (200, name)
    else:
        assert status in (400, 415)


HANDSHAKE = (
    "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "", "",
)  # fmt: skip


@pytest.mark.parametrize("target", ["//a/admin", "/admin;x", "http://other/admin"])
def test_handshakes_are_refused_where_the_target_is_shown(running: Running, target: str) -> None:
    if running.server.protocol == "wsgi" or running.server.name == "gunicorn-asgi":
        pytest.skip("the server has no WebSockets")
    lines = "\r\n".join([f"GET {target} HTTP/1.1", "Host: h", *HANDSHAKE])
    with socket.create_connection(("127.0.0.1", running.port), TIMEOUT) as connection:
        connection.sendall(lines.encode())
        status = connection.recv(65536).split(b" ")[1]
    hides = running.server.name == "daphne" or (running.server.name == "granian" and ":" in target)
    assert status == (b"101" if hides else b"403") or (not hides and status in (b"400", b"308"))


def test_checks_of_load_balancers_pass(running: Running) -> None:
    """Load balancers use HTTP/1.0 without a Host. On WSGI, Hypercorn itself answers with 500."""
    wanted = 500 if running.server.name == "hypercorn-wsgi" else 200
    for path in ("/bare", "/standard", "/lenient"):
        assert running.ask(path, version="1.0", host=None)[0] == wanted


@pytest.mark.parametrize("server", [server for server, _ in OVER_HTTP_2], ids=lambda each: each.name)
def test_a_host_beside_another_authority_over_http_2(server: Server) -> None:
    """A server should take such a request for malformed: RFC 9113, section 8.3.1. granian does not."""
    pytest.importorskip("h2")
    with started(server) as process:
        for path in (b"/bare", b"/standard"):
            answer = http2.ask(process.port, path, ("Host: other.example",))
            if server.module == "granian":  # see SECURITY.md
                headers = json.loads(answer.body)["headers"]
                hosts = (
                    [headers["HTTP_HOST"]]
                    if server.protocol == "wsgi"
                    else [value for name, value in headers if name == "host"]
                )
                assert (answer.status, hosts) == (200, ["other.example"])
                assert HOST not in answer.body
            else:
                assert answer.status == 0


# -- root path -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("http", ["h11", "httptools"])
@pytest.mark.parametrize(
    ("root", "becomes", "remedy"),
    [
        ("/", '"//x"', 'leave it out, or write a path such as "/app"'),
        ("/app/", '"/app//x"', 'write "/app"'),
    ],
)
def test_a_root_path_that_ends_in_a_slash_is_named_as_the_cause(
    http: str, root: str, becomes: str, remedy: str
) -> None:
    with started(
        Server("uvicorn", "uvicorn", "asgi", f"{UVICORN}{http} --root-path {root} headed:rooted")
    ) as process:
        for path in (b"/x", b"/", b"/x/y?q=1"):
            assert get(process.port, path).status == 400
        said = [line for line in process.said().splitlines() if "ends in a slash" in line]
    (line,) = said
    assert f'root_path (--root-path) of the server is "{root}" and ends in a slash' in line
    assert f'so that "/x" becomes {becomes}; {remedy}' in line


def test_a_root_path_without_a_slash_is_not_named() -> None:
    with started(
        Server("uvicorn", "uvicorn", "asgi", f"{UVICORN}h11 --root-path /app headed:rooted")
    ) as process:
        assert get(process.port, b"/x").status == 200
        assert "ends in a slash" not in process.said()

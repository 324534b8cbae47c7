"""Real servers behind a proxy that rewrites paths, under prefixes, and with handshakes.

With a URI in proxy_pass, nginx decodes a path, merges slashes, resolves dots, and encodes it again in its own
way. If nginx undid a redirect of postel, the client would be redirected forever.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from servers.fronts import Nginx
from servers.processes import Server, get, running
from servers.redirected import READ

pytestmark = pytest.mark.servers

GUNICORN = Server(
    "gunicorn", "gunicorn", "wsgi", "--no-control-socket --bind 127.0.0.1:{port} redirected:wsgi"
)
UVICORN = Server(
    "uvicorn", "uvicorn", "asgi", "--lifespan off --http httptools --port {port} redirected:asgi"
)
UVICORN_H11 = replace(UVICORN, name="uvicorn-h11", arguments=UVICORN.arguments.replace("httptools", "h11"))
DAPHNE = Server("daphne", "daphne", "asgi", "--bind 127.0.0.1 --port {port} redirected:asgi")
MOST_REDIRECTS = 3
ROOT = Path(__file__).parents[2]

TARGETS = [
    b"/",
    b"/a",
    b"/a?q=1",
    b"//a",
    b"///a//b",
    b"/a//b?u=http://x//y",
    b"/./a",
    b"/a/./b",
    b"/a/../b",
    b"/a/..",
    b"/a/%2e%2e/b",
    b"/%2e/a",
    b"/a%2Fb",
    b"/a%2fb?q=a%2Fb",
    b"/a%252Fb",
    b"/a%5Cb",
    b"/%5Cevil.example",
    b"/a%5C..%5Cb",
    b"/a\\b",
    b"/\\evil.example/x",
    b"//evil.example/x",
    b"/%2F/evil.example",
    b"/.%2F/evil.example",
    b"/%7euser",
    b"/%41%42",
    b"/%c3%a9",
    b"/\xc3\xa9",
    b"/%C3%A9\xc3\xa9",
    b"/a%20b",
    b"/a%3Bb",
    b"/a;b",
    b"/a;b/..",
    b"/a%3Fb",
    b"/a%23b",
    b"/a%25b",
    b"/a%2541",
    b"/a+b%2Bc",
    b"/a%3Cb%3E",
    b"/%E2%80%AE",
    b"/a?q=50%&r=%zz",
    b"/a?q=%7e;x&&y",
    b"/a?",
    b"/a/b/",
    b"/a%2F..%2Fb",
    b"/a%5C%5C/b",
    b"/%255C%255C",
]


def test_there_are_forty_targets() -> None:
    assert len(set(TARGETS)) >= 40


@pytest.fixture(scope="module", params=[GUNICORN, UVICORN, UVICORN_H11], ids=lambda server: server.name)
def backend(request: pytest.FixtureRequest) -> Iterator[int]:
    with running(request.param) as port:
        yield port


@pytest.fixture(scope="module")
def proxied(backend: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    folder: Path = tmp_path_factory.mktemp("nginx")
    with running(Nginx(backend, folder)) as port:
        yield port


def follow(port: int, target: bytes) -> tuple[int, str, int]:
    """Return the last status, its body, and the number of redirects."""
    for count in range(MOST_REDIRECTS + 1):
        answer = get(port, target)
        if answer.status != 308:
            return answer.status, answer.body, count
        assert answer.location is not None
        site = f"http://127.0.0.1:{port}"  # nginx may write the Location as a whole URL.
        there = answer.location.removeprefix(site)
        assert re.match(r"/(?![/\\])", there), there
        target = there.encode("latin-1")
    raise AssertionError("too many redirects")


@pytest.mark.parametrize("target", TARGETS, ids=ascii)
def test_a_proxy_that_rewrites_paths_causes_no_loop(proxied: int, target: bytes) -> None:
    status, body, redirects = follow(proxied, target)
    assert status in {200, 400}
    assert redirects <= 1
    assert status == 400 or body.startswith(READ)


@pytest.mark.parametrize("target", TARGETS, ids=ascii)
def test_without_a_proxy_there_is_no_loop(backend: int, target: bytes) -> None:
    status, _, redirects = follow(backend, target)
    assert status in {200, 400}
    assert redirects <= 1


def test_some_targets_are_redirected(backend: int, proxied: int) -> None:
    """Otherwise this file would test nothing."""
    assert follow(backend, b"//a/./b?q=%C3%A9&r=a+b") == (200, f"{READ}|/a/b?q=%C3%A9&r=a+b", 1)
    assert follow(proxied, b"/a%5Cb?q=%C3%A9&r=a+b") == (200, f"{READ}|/a/b?q=%C3%A9&r=a+b", 1)
    assert follow(proxied, b"//a/./b") == (200, f"{READ}|/a/b?", 0)  # nginx has repaired the path.


# -- slashes alone, by default -------------------------------------------------------------------------------


@pytest.fixture(
    scope="module", params=[GUNICORN, UVICORN, UVICORN_H11, DAPHNE], ids=lambda server: server.name
)
def plain(request: pytest.FixtureRequest) -> Iterator[int]:
    with running(replace(request.param, arguments=f"{request.param.arguments}_by_default")) as port:
        yield port


def test_slashes_are_merged_by_one_redirect(plain: int) -> None:
    for target, path in (
        (b"/a//b?q=1", "/a/b?q=1"),
        (b"//evil.example/x", "/evil.example/x?"),
        (b"/a//", "/a/?"),
    ):
        assert follow(plain, target) == (200, f"{READ}|{path}", 1)
    for target in (b"/proxy/https://example.com", b"//a%00", b"//a/../b", b"/\\evil.example"):
        assert get(plain, target).status == 400


def test_a_server_that_makes_slashes_itself_makes_no_loop() -> None:
    """uvicorn with ``--root-path /`` shows ``//a`` for ``/a``."""
    server = replace(UVICORN, arguments=f"--root-path / {UVICORN.arguments}_by_default")
    with running(server) as port:
        for target in (b"/", b"/a", b"/a//b", b"//a"):
            assert get(port, target).status == 400


# -- prefixes ------------------------------------------------------------------------------------------------

MOUNTED = (("POSTEL_TEST_PREFIX", "/sub"),)
PREFIXED = {
    "uvicorn --root-path": (
        replace(UVICORN, arguments=f"--root-path /sub {UVICORN.arguments}", environment=MOUNTED),
        b"",
        (),
        None,
    ),
    "gunicorn, SCRIPT_NAME": (
        replace(GUNICORN, environment=MOUNTED),
        b"/sub",
        ("SCRIPT_NAME: /sub",),
        "SCRIPT_NAME: /other",
    ),
    "daphne, Daphne-Root-Path": (
        replace(DAPHNE, environment=MOUNTED),
        b"/sub",
        ("Daphne-Root-Path: /sub",),
        "Daphne-Root-Path: /other",
    ),
}
Prefixed = tuple[int, bytes, tuple[str, ...], str | None]


@pytest.fixture(scope="module", params=PREFIXED)
def prefixed(request: pytest.FixtureRequest) -> Iterator[Prefixed]:
    server, front, fields, forged = PREFIXED[request.param]
    with running(server) as port:
        yield port, front, fields, forged


def test_a_prefix_is_recognised(prefixed: Prefixed) -> None:
    port, front, fields, _ = prefixed
    assert get(port, front + b"/a/b?q=1", *fields).body == f"{READ}/sub|/a/b?q=1"
    assert get(port, front + b"/%7ea", *fields).body == f"{READ}/sub|/~a?"


@pytest.mark.parametrize(
    "climbing", [b"/../admin", b"/x/../../admin", b"/%2e%2e/admin", b"/..%2Fadmin", b"/..\\admin", b"/..;/x"]
)
def test_dots_never_lead_out_of_the_prefix(prefixed: Prefixed, climbing: bytes) -> None:
    port, front, fields, _ = prefixed
    assert get(port, front + climbing, *fields).status == 400


def test_a_redirect_keeps_the_prefix(prefixed: Prefixed) -> None:
    port, front, fields, _ = prefixed
    answer = get(port, front + b"/x/../a?q=1", *fields)
    assert (answer.status, answer.location) == (308, "/sub/a?q=1")


def test_a_forged_prefix_is_refused(prefixed: Prefixed) -> None:
    port, _, _, forged = prefixed
    if forged is None:
        assert get(port, b"/a", "SCRIPT_NAME: /other", "Daphne-Root-Path: /other").body == f"{READ}/sub|/a?"
        return
    for target in (b"/other/a", b"/sub/a", b"/a"):
        answer = get(port, target, forged)
        assert answer.status in {
            400,
            500,
        }  # gunicorn does not answer if the target does not begin with the prefix.
        assert READ not in answer.body
    answer = get(port, b"/other/a", forged)
    assert (answer.status, "prefix-mismatch" in answer.body) == (400, True)
    assert get(port, b"/sub/a").status == 400  # A missing prefix differs from prefix=.


# -- the configurations in docs/proxies.md -------------------------------------------------------------------

DOCUMENTED = re.findall(r"```nginx\n(.*?)```", (ROOT / "docs" / "proxies.md").read_text("utf-8"), re.DOTALL)
BEHIND_NGINX = {
    "gunicorn": replace(
        GUNICORN,
        arguments=f"{GUNICORN.arguments}_by_default",
        environment=(*MOUNTED, ("SCRIPT_NAME", "/sub")),
    ),
    "uvicorn": replace(
        UVICORN, arguments=f"--root-path /sub {UVICORN.arguments}_by_default", environment=MOUNTED
    ),
}


@pytest.fixture(scope="module", params=BEHIND_NGINX)
def mounted(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Run the documented configuration for a server, with the prefix and the ports of this test."""
    [site] = [each for each in DOCUMENTED if f"# {request.param}" in each]
    site = site.replace("{", "{{").replace("}", "}}").replace("shop", "sub")
    site = site.replace("listen 80;", "listen 127.0.0.1:{port};").replace(":8000", ":{backend}")
    with running(BEHIND_NGINX[request.param]) as backend:
        nginx = Nginx(backend, tmp_path_factory.mktemp("mounted"), site=site)
        with running(nginx) as port:
            yield port


@pytest.mark.parametrize(
    ("target", "seen"),
    [
        (b"/sub/a?q=1", "/a?q=1"),
        (b"/sub/a%20b/%C3%A9?q=%2B", "/a b/é?q=%2B"),
        (b"/sub/kg%3Fs?", "/kg?s?"),
        (b"/sub/50%25", "/50%?"),
    ],
)
def test_the_application_under_a_prefix_receives_the_target_unchanged(
    mounted: int, target: bytes, seen: str
) -> None:
    assert get(mounted, target).body.encode("latin-1").decode() == f"{READ}/sub|{seen}"


@pytest.mark.parametrize("target", [b"/sub/a/%2e%2e/b", b"/sub/a%2Fb", b"/sub/%00", b"/x/../sub/a%00"])
def test_what_nginx_hands_on_under_a_prefix_is_still_refused(mounted: int, target: bytes) -> None:
    assert get(mounted, target).status == 400


# -- handshakes ----------------------------------------------------------------------------------------------

HANDSHAKE = (
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
)


@pytest.fixture(scope="module", params=["websockets-sansio", "wsproto"])
def handshaking(request: pytest.FixtureRequest) -> Iterator[int]:
    arguments = f"--ws {request.param} {UVICORN.arguments}"
    with running(replace(UVICORN, name=f"uvicorn, {request.param}", arguments=arguments)) as port:
        yield port


def test_a_handshake_is_accepted(handshaking: int) -> None:
    assert get(handshaking, b"/chat?q=1", *HANDSHAKE).status == 101
    assert get(handshaking, b"/%7echat//x", *HANDSHAKE).status == 101


def test_a_handshake_is_denied_with_the_refusal(handshaking: int) -> None:
    answer = get(handshaking, b"/chat%00", *HANDSHAKE)
    assert answer.status == 400
    assert "the request was refused (nul)" in answer.body


# -- uwsgi's own protocol ------------------------------------------------------------------------------------


def test_gunicorn_decodes_a_path_again_that_arrives_in_the_protocol_of_uwsgi() -> None:
    """A front sends PATH_INFO decoded once, as nginx does with its usual uwsgi_params."""
    arguments = GUNICORN.arguments.replace("redirected:wsgi", "redirected:wsgi_by_default")
    with running(
        replace(GUNICORN, name="gunicorn, uwsgi", arguments=f"--protocol uwsgi {arguments}")
    ) as port:
        assert f"{READ}|/admin?" in in_uwsgi(port, b"/%61dmin")


def in_uwsgi(port: int, path: bytes) -> str:
    """Send a GET in the protocol of uwsgi, and return the answer."""
    given = {
        b"REQUEST_METHOD": b"GET",
        b"PATH_INFO": path,
        b"QUERY_STRING": b"",
        b"SERVER_PROTOCOL": b"HTTP/1.1",
        b"HTTP_HOST": b"example.com",
    }
    packed = b"".join(
        len(each).to_bytes(2, "little") + each for name, value in given.items() for each in (name, value)
    )
    with socket.create_connection(("127.0.0.1", port), 10) as connection:
        connection.sendall(b"\0" + len(packed).to_bytes(2, "little") + b"\0" + packed)
        return b"".join(iter(lambda: connection.recv(65_536), b"")).decode()

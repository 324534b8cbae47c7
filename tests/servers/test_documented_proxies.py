"""The configurations of Apache, HAProxy and Caddy in docs/proxies.md, and what each of them hands on."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Thread
from typing import Final

import pytest

from servers.fronts import MODULES, UNPACKED, libraries, program
from servers.processes import get, running
from servers.test_proxies import TARGETS

pytestmark = pytest.mark.servers

PAGE: Final = (Path(__file__).parents[2] / "docs" / "proxies.md").read_text("utf-8")
APACHE: Final = """
ServerRoot {folder}
ServerName postel.test
Listen 127.0.0.1:{port}
PidFile {folder}/apache.pid
DefaultRuntimeDir {folder}
Mutex posixsem
ErrorLog /dev/null
LoadModule mpm_event_module {modules}/mod_mpm_event.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule proxy_module {modules}/mod_proxy.so
LoadModule proxy_http_module {modules}/mod_proxy_http.so
"""
HAPROXY: Final = """
defaults
    mode http
    timeout client 5s
    timeout connect 5s
    timeout server 5s
"""
CADDY: Final = """
{
    admin off
    auto_https off
}
"""
SENT: Final = [*TARGETS, b"http://127.0.0.1/a", b"/a%00b", b"/a%C4?q=%C4&r=%00", b"/a%0A"]
REFUSED: Final = None
ESCAPED: Final = {b"/\xc3\xa9": b"/%C3%A9", b"/%C3%A9\xc3\xa9": b"/%C3%A9%C3%A9"}
WITHOUT_SITE: Final = {b"http://127.0.0.1/a": b"/a"}


def documented(mark: str) -> str:
    """Return the only configuration of the page that holds a text."""
    [found] = [each for each in re.findall(r"```(?:apache|text)\n(.*?)```", PAGE, re.DOTALL) if mark in each]
    return found


@dataclass(frozen=True)
class Front:
    """A proxy, and what it hands on for each target that it changes or refuses."""

    name: str
    program: str
    before: str
    mark: str
    arguments: str
    changed: Mapping[bytes, bytes | None]
    edits: Mapping[str, str] = field(default_factory=dict[str, str])
    """What is replaced in the configuration, and by what."""
    backend: int = 0
    folder: Path = Path()

    @property
    def environment(self) -> tuple[tuple[str, str], ...]:
        # Caddy stores its own files below these folders.
        return (*libraries(), ("XDG_DATA_HOME", str(self.folder)), ("XDG_CONFIG_HOME", str(self.folder)))

    def command(self, port: int) -> list[str]:
        unpacked = UNPACKED / MODULES
        modules = unpacked if unpacked.is_dir() else Path("/") / MODULES
        before = self.before
        for name, value in {"folder": self.folder, "port": port, "modules": modules}.items():
            before = before.replace(f"{{{name}}}", str(value))
        site = documented(self.mark).replace(":8000", f":{self.backend}")
        site = site.replace("bind :80", f"bind 127.0.0.1:{port}").replace("http://:80 ", f"http://:{port} ")
        for text, instead in self.edits.items():
            site = site.replace(text, instead)
        file = self.folder / "proxy.conf"
        file.write_text(before + site)
        return [program(self.program) or self.program, *self.arguments.format(file=file).split()]

    def is_missing(self) -> bool:
        return program(self.program) is None


FRONTS: Final = [
    Front(
        "Apache", "apache2", APACHE, "nocanon", "-D FOREGROUND -f {file}",
        {
            b"//a": b"/a", b"///a//b": b"/a/b", b"//evil.example/x": b"/evil.example/x",
            b"/a%00b": REFUSED, **WITHOUT_SITE,
        },
    ),
    Front(
        "HAProxy", "haproxy", HAPROXY, "haproxy.cfg", "-db -f {file}",
        {**dict.fromkeys(ESCAPED, REFUSED), b"http://127.0.0.1/a": REFUSED},
    ),
    Front(
        "Caddy", "caddy", CADDY, "Caddyfile", "run --config {file} --adapter caddyfile",
        {**ESCAPED, b"/a\\b": b"/a%5Cb", b"/\\evil.example/x": b"/%5Cevil.example/x", **WITHOUT_SITE},
    ),
]  # fmt: skip


@contextmanager
def recording(lines: list[bytes]) -> Iterator[int]:
    """Listen as an application server, and keep the request lines."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with suppress(OSError):  # closed at the end
                while True:
                    connection, _ = server.accept()
                    with connection, suppress(OSError):
                        connection.settimeout(5)
                        head = b""
                        while b"\r\n\r\n" not in head and (more := connection.recv(65_536)):
                            head += more
                        if b"\r\n" in head:
                            lines.append(head.partition(b"\r\n")[0])
                            connection.sendall(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")

        Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


def handed_on(front: Front, folder: Path) -> dict[bytes, bytes | None]:
    """Send each target to a proxy, and return what it hands on."""
    lines: list[bytes] = []
    given: dict[bytes, bytes | None] = {}
    folder.chmod(0o755)
    with (
        recording(lines) as backend,
        running(replace(front, backend=backend, folder=folder)) as port,
    ):
        for target in SENT:
            lines.clear()
            get(port, target)
            given[target] = lines[0].split(b" ", 1)[1].rpartition(b" ")[0] if lines else REFUSED
    return given


@pytest.mark.parametrize("front", FRONTS, ids=lambda front: front.name)
def test_a_proxy_hands_on_what_the_page_says(front: Front, tmp_path: Path) -> None:
    assert handed_on(front, tmp_path) == {target: front.changed.get(target, target) for target in SENT}


def test_without_nocanon_apache_writes_other_targets(tmp_path: Path) -> None:
    without = {"AllowEncodedSlashes NoDecode\n": "", " nocanon": ""}
    seen = handed_on(replace(FRONTS[0], edits=without), tmp_path)
    changed = {
        b"/a%3Bb": b"/a;b", b"/a+b%2Bc": b"/a+b+c", b"/a/../b": b"/b", b"/%c3%a9": b"/%C3%A9",
        b"/a%2Fb": REFUSED,
    }  # fmt: skip
    assert {target: seen[target] for target in changed} == changed

"""Logs of real servers: a scan reads from a line what was sent."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import pytest

from postel import Kind, Normalizer, Policy, Rejected, Target
from postel.scan import (
    FORMATS,
    Entry,
    Fields,
    JsonLines,
    LineFormat,
    Tally,
    Unreadable,
    count_parts,
    described,
    detect,
    parts_of,
)
from servers.fronts import MODULES, UNPACKED, libraries, program
from servers.processes import Process, Server, get, started
from targets import SAMPLES

pytestmark = pytest.mark.servers

NGINX = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log stderr crit;
events {{}}
http {{
    log_format lines escape=json '{{"line": "$request", "uri": "$request_uri", "ua": "$http_user_agent"}}';
    access_log {folder}/access.log combined;
    access_log {folder}/access.json lines;
    log_format plain '$host $remote_addr $request_method $request_uri $status';
    access_log {folder}/plain.log plain;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    large_client_header_buffers 4 16k;
    server {{
        listen 127.0.0.1:{port};
        return 200 "served";
    }}
}}
"""
APACHE = """
ServerRoot {folder}
ServerName postel.test
Listen 127.0.0.1:{port}
PidFile {folder}/apache.pid
DefaultRuntimeDir {folder}
Mutex posixsem
ErrorLog /dev/null
LoadModule mpm_event_module {modules}/mod_mpm_event.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LimitRequestLine 16380
LogFormat "%h %l %u %t \\"%r\\" %>s %b \\"%{{Referer}}i\\" \\"%{{User-Agent}}i\\"" combined
LogFormat "%h %l %u %t \\"%r\\" %>s %b" common
CustomLog {folder}/access.log combined
CustomLog {folder}/common.log common
LogFormat "%v:%p %h %l %u %t \\"%r\\" %>s %O \\"%{{Referer}}i\\" \\"%{{User-Agent}}i\\"" vhost_combined
CustomLog {folder}/vhosts.log vhost_combined
LogFormat "%h %{{User-Agent}}i %t \\"%r\\" %>s" described
CustomLog {folder}/described.log described
"""
HAPROXY = """
global
    log stdout len 65535 format raw daemon
    tune.bufsize 65536
defaults
    mode http
    log global
    option httplog
    timeout client 5s
    timeout connect 5s
    timeout server 5s
frontend http-in
    bind 127.0.0.1:{port}
    http-request return status 200
"""
CADDY = """
{{
    admin off
    auto_https off
}}
http://127.0.0.1:{port} {{
    log {{
        output file {folder}/access.log
        format json
    }}
    respond "served"
}}
"""


TRAEFIK = """
entryPoints: {{web: {{address: "127.0.0.1:{port}"}}}}
accessLog:
  addInternals: true  # so that the service "ping" is logged as well
  filePath: {folder}/access.log
  format: json
  fields: {{headers: {{defaultMode: keep}}}}
ping: {{entryPoint: web, manualRouting: true}}
providers: {{file: {{filename: {folder}/routers.yml}}}}
global: {{checkNewVersion: false}}
"""
JSON_SERVERS = {
    "Caddy": (CADDY, "run --config {file} --adapter caddyfile"),
    "Traefik": (TRAEFIK, "--configFile={file}"),
}
TRAEFIK_ROUTERS = "http: {routers: {all: {rule: PathPrefix(`/`), service: ping@internal}}}"


@dataclass(frozen=True)
class Configured:
    """A server that is configured by a file."""

    name: str
    program: str
    configuration: str
    arguments: str
    folder: Path

    @property
    def environment(self) -> tuple[tuple[str, str], ...]:
        # Caddy stores its own files below XDG_DATA_HOME and XDG_CONFIG_HOME.
        return (*libraries(), ("XDG_DATA_HOME", str(self.folder)), ("XDG_CONFIG_HOME", str(self.folder)))

    def command(self, port: int) -> list[str]:
        unpacked = UNPACKED / MODULES
        modules = unpacked if unpacked.is_dir() else Path("/") / MODULES
        file = self.folder / "server.yml"  # Traefik reads only files with this extension.
        file.write_text(self.configuration.format(folder=self.folder, port=port, modules=modules))
        return [
            program(self.program) or self.program,
            *self.arguments.format(folder=self.folder, file=file).split(),
        ]

    def is_missing(self) -> bool:
        return program(self.program) is None


@dataclass(frozen=True)
class Log:
    """The log of a server after every target was sent to it."""

    name: str
    lines: list[bytes]
    format: LineFormat
    path: Path


GUNICORN = "--no-control-socket --limit-request-line 8190 --access-logfile {folder}/access.log "
JSON = JsonLines(Fields(request="line", agent="ua"))
JSON_DESCRIBED = described(
    "log_format lines escape=json "
    """'{"line": "$request", "uri": "$request_uri", "ua": "$http_user_agent"}';"""
)
PLAIN = described("$host $remote_addr $request_method $request_uri $status")
DESCRIBED = described(r"%h %{User-Agent}i %t \"%r\" %>s")


@contextmanager
def asked(server: Any, stack: str = "") -> Iterator[Process]:
    """Yield a server after every target was sent; the agent of each request names its target."""
    with started(server) as process:
        # Traefik listens before it has read its routers, and answers 404 until then.
        until = time.monotonic() + 20
        while get(process.port, b"/", f"X-Stack: {stack}").status == 404 and time.monotonic() < until:
            time.sleep(0.1)
        for number, sample in enumerate(SAMPLES):
            fields = (f"User-Agent: agent{number}", "Referer: http://postel.test/", f"X-Stack: {stack}")
            get(process.port, sample.octets, *fields)
        yield process


def logs_of(name: str, folder: Path) -> list[Log]:
    folder.chmod(0o755)
    if name == "uvicorn":
        server = Server("uvicorn", "uvicorn", "asgi", "--http h11 --port {port} guarded:asgi")
        with asked(server, "starlette none bare") as process:
            said = process.said()
        written = folder / "access.log"
        lines = [line for line in said.splitlines() if " HTTP/" in line]
        written.write_text("\n".join(lines) + "\n")
        return [_log("uvicorn", written, FORMATS["uvicorn"])]
    if name == "gunicorn":
        arguments = GUNICORN.replace("{folder}", str(folder)) + "--bind 127.0.0.1:{port} guarded:wsgi"
        with asked(Server("gunicorn", "gunicorn", "wsgi", arguments), "flask none bare"):
            pass
        return [_log("gunicorn", folder / "access.log", FORMATS["gunicorn"])]
    if name == "nginx":
        with asked(Configured("nginx", "nginx", NGINX, "-p {folder} -c {file} -e stderr", folder)):
            pass
        return [
            _log("nginx", folder / "access.log", FORMATS["combined"]),
            _log("nginx, JSON", folder / "access.json", JSON),
            _log("nginx, JSON described", folder / "access.json", JSON_DESCRIBED),
            _log("nginx, described", folder / "plain.log", PLAIN),
        ]
    if name in JSON_SERVERS:
        (folder / "routers.yml").write_text(TRAEFIK_ROUTERS)
        configuration, arguments = JSON_SERVERS[name]
        with asked(Configured(name, name.lower(), configuration, arguments, folder)):
            pass
        return [_log(name, folder / "access.log", FORMATS[name.lower()])]
    if name == "HAProxy":
        with asked(Configured("HAProxy", "haproxy", HAPROXY, "-db -f {file}", folder)) as process:
            said = process.said()
        written = folder / "access.log"
        written.write_text("\n".join(line for line in said.splitlines() if " http-in " in line) + "\n")
        return [_log("HAProxy", written, FORMATS["haproxy"])]
    with asked(Configured("Apache", "apache2", APACHE, "-D FOREGROUND -f {file}", folder)):
        pass
    return [
        _log("Apache", folder / "access.log", FORMATS["combined"]),
        _log("Apache, common", folder / "common.log", FORMATS["common"]),
        _log("Apache, vhost_combined", folder / "vhosts.log", FORMATS["vhost_combined"]),
        _log("Apache, described", folder / "described.log", DESCRIBED),
    ]


def _log(name: str, path: Path, format_: LineFormat) -> Log:
    return Log(name, path.read_bytes().splitlines(), format_, path)


@pytest.fixture(
    scope="module", params=["nginx", "Apache", "HAProxy", "Caddy", "Traefik", "gunicorn", "uvicorn"]
)
def logs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Log]:
    return logs_of(request.param, tmp_path_factory.mktemp("logs"))


def test_every_line_is_read(logs: list[Log]) -> None:
    for log in logs:
        read = [log.format.read(line) for line in log.lines]
        assert len(read) > len(SAMPLES) // 2
        assert [each for each in read if each is None or each is Unreadable.OTHER_FORMAT] == []


def test_the_read_target_is_the_sent_one(logs: list[Log]) -> None:
    """Both targets have the same octets, except in the log of uvicorn, which rewrites the path."""
    for log in logs:
        entries = [each for each in map(log.format.read, log.lines) if isinstance(each, Entry)]
        named = [each for each in entries if each.agent and each.agent.startswith(b"agent")]
        for entry in named:
            sample = SAMPLES[int((entry.agent or b"").removeprefix(b"agent"))]
            written = sample.octets
            if log.name == "Traefik":  # Traefik cleans paths first, and its documentation says so.
                assert _path_kinds(written) - _path_kinds(entry.target) <= log.format.blind, sample.name
                continue
            if log.name == "Caddy":  # The JSON of Caddy has U+FFFD for octets that are not UTF-8.
                written = written.decode("utf-8", "replace").encode()
            assert entry.target == written, (log.name, sample.name)
            assert entry.method == b"GET"
            assert entry.client in {b"127.0.0.1", None}
        if log.name not in {"nginx, described", "Apache, common", "HAProxy", "uvicorn"}:
            assert len(named) > 0.6 * len(SAMPLES), log.name
        else:
            written = {"uvicorn": _anew, "nginx, described": _without_site}.get(log.name, bytes)
            expected = {written(each.octets) for each in SAMPLES}
            assert {each.target for each in entries} <= expected
            assert len({each.target for each in entries}) > len(SAMPLES) // 3


def _path_kinds(target: bytes) -> set[Kind]:
    path = target.partition(b"?")[0]
    return {each.kind for each in Normalizer(Policy.STRICT).normalize(Target(path)).findings}


def _without_site(target: bytes) -> bytes:
    """Return a target as in nginx's $request_uri: only path and query of a whole URL."""
    site = re.match(rb"[A-Za-z][A-Za-z0-9+.-]*://[^/?]*", target)
    return target[site.end() :] if site else target


def _anew(target: bytes) -> bytes:
    """Return a target as uvicorn writes it: decoded, and encoded again."""
    path, mark, query = target.partition(b"?")
    return quote(unquote(path.decode("latin-1"))).encode() + (mark + query if query else b"")


def test_the_format_of_each_log_is_detected(logs: list[Log]) -> None:
    for log in logs:
        found = detect(b"\n".join(log.lines))
        described_only = {"nginx, described", "Apache, described"}
        expected = {"gunicorn": "combined", "nginx, JSON": "json", **dict.fromkeys(described_only)}
        assert (found and found.name) == expected.get(log.name, log.format.name)


def test_a_scan_refuses_what_the_normalizer_refuses(logs: list[Log]) -> None:
    """The refusals of a scan equal those of the normalizer, for the targets in the log."""
    normalizer = Normalizer(Policy.STANDARD)
    for log in logs:
        entries = [each for each in map(log.format.read, log.lines) if isinstance(each, Entry)]
        refused = 0
        for entry in entries:
            path, _, query = entry.target.partition(b"?")
            refused += isinstance(normalizer.normalize(Target(path, query)), Rejected)
        tally: Tally = count_parts(parts_of(log.path, log.format))
        assert tally.requests == len(entries)
        assert tally.refused["standard"] + tally.redirected["standard"] == refused > 10
        assert tally.lines == len(log.lines)


def test_broken_lines_of_each_log_are_unreadable_or_read(logs: list[Log]) -> None:
    """Lines that were cut when a disk was full, or that two processes have mixed."""
    for log in logs:
        line = log.lines[len(log.lines) // 2]
        for end in range(len(line)):
            read = log.format.read(line[:end])
            assert read is None or isinstance(read, Unreadable | Entry)
        assert isinstance(log.format.read(line[: len(line) // 3]), Unreadable)
        assert isinstance(log.format.read(line[len(line) // 2 :]), Unreadable)

"""Every configuration of every server, and what each hands over of every target, bare and behind postel."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

from postel import Policy
from servers import http2
from servers.fronts import DECODING, KEEPING, REWRITING, UWSGI, WITHOUT_URI, Apache, Nginx
from servers.processes import Answer, Launched, Process, Program, Server, Startable, send, started
from targets import HOST, SAMPLES, Sample

BARE: Final = "bare"
POLICIES: Final = {"STRICT": Policy.STRICT, "STANDARD": Policy.STANDARD, "LENIENT": Policy.LENIENT}
SUB: Final = "/sub"
PATIENCE: Final = 15.0
ASKED_AT_ONCE: Final = 4

Ask = Callable[[int, bytes, tuple[str, ...]], Answer]


@dataclass(frozen=True)
class Configuration:
    """A server as it is deployed: what is started, how it is asked, and under which prefix."""

    name: str
    protocol: str
    server: Callable[[Path, int], Startable]
    """Makes the server, given a folder of its own and the port of what it stands in front of."""
    distributions: tuple[str, ...] = ()
    """The packages whose versions matter."""
    behind: Server | None = None
    """What it stands in front of."""
    http2: bool = False
    written: str = ""
    """What clients write in front of a target, to reach the application."""
    mount: str = ""
    """The prefix that the application is told."""
    fields: tuple[str, ...] = ()

    @property
    def asks(self) -> Ask:
        return http2.ask if self.http2 else ask


@dataclass(frozen=True)
class Reply:
    """What came of one request: what the application was given, what postel says, or neither."""

    status: int
    view: dict[str, Any] | None = None
    report: dict[str, Any] | None = None

    @property
    def reached(self) -> bool:
        """Whether the server itself had no objection."""
        return self.view is not None or self.report is not None


@dataclass
class Run:
    """A configuration that has been asked everything, and what it has said meanwhile."""

    configuration: Configuration
    replies: dict[tuple[str, str], Reply] = field(default_factory=dict)
    """By stack and name of the target."""
    said: str = ""
    """What it has logged while it was asked what reaches the application."""

    def of(self, stack: str, sample: Sample) -> Reply:
        return self.replies[stack, sample.name]

    @property
    def samples(self) -> list[Sample]:
        """The targets that can be asked of it, and that reach the application."""
        return [sample for sample in asked_of(self.configuration) if self.of(BARE, sample).reached]


def asked_of(configuration: Configuration) -> list[Sample]:
    """Behind a prefix, only what begins with a slash is a target of the application's."""
    return [sample for sample in SAMPLES if sample.origin or not configuration.written]


def ask(port: int, target: bytes, fields: tuple[str, ...]) -> Answer:
    return send(port, target, HOST, *fields, patience=PATIENCE)


@cache
def run(configuration: Configuration) -> Run:
    """Start it, ask it everything once, and end it.

    What it says while it refuses something itself is of no interest. So the bare application is asked first,
    and then only what has reached that.
    """
    made = Run(configuration)
    with serving(configuration) as process, ThreadPoolExecutor(ASKED_AT_ONCE) as pool:

        def reply(question: tuple[str, Sample]) -> tuple[tuple[str, str], Reply]:
            stack, sample = question
            target = configuration.written.encode() + sample.octets
            found = configuration.asks(process.port, target, (f"X-Stack: {stack}", *configuration.fields))
            return (stack, sample.name), read(found)

        made.replies.update(pool.map(reply, [(BARE, sample) for sample in asked_of(configuration)]))
        said_before = len(process.said())
        made.replies.update(pool.map(reply, [(stack, each) for stack in POLICIES for each in made.samples]))
        made.said = process.said()[said_before:]
    return made


@contextlib.contextmanager
def serving(configuration: Configuration) -> Iterator[Process]:
    with contextlib.ExitStack() as stack:
        port = stack.enter_context(started(configuration.behind)).port if configuration.behind else 0
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="postel-")))
        yield stack.enter_context(started(configuration.server(folder, port)))


def read(answer: Answer) -> Reply:
    try:
        said = json.loads(answer.body.encode("latin-1"))
    except ValueError:
        return Reply(answer.status)
    if not isinstance(said, dict) or said.keys() != {"view", "report"}:
        return Reply(answer.status)
    return Reply(answer.status, said["view"], said["report"])


# -- the servers ---------------------------------------------------------------------------------------------

MOUNTED: Final = (("POSTEL_TEST_PREFIX", SUB),)


def _server(
    name: str,
    protocol: str,
    module: str,
    arguments: str,
    *distributions: str,
    kind: type[Server] = Server,
    mount: str = "",
    **settings: Any,
) -> Configuration:
    environment = MOUNTED if mount else ()
    server = kind(name, module, protocol, arguments, environment)
    return Configuration(
        name,
        protocol,
        lambda _folder, _port: server,
        distributions or (module,),
        mount=mount,
        **settings,
    )


UVICORN: Final = "--lifespan off --no-access-log --port {port} --http "
HYPERCORN: Final = "--bind 127.0.0.1:{port} "
DAPHNE: Final = "-v 0 --bind 127.0.0.1 --port {port} "
GRANIAN: Final = "--log-level warning --port {port} --interface "
GUNICORN: Final = "--no-control-socket --log-level warning --limit-request-line 0 --bind 127.0.0.1:{port} "
H2C: Final = "--http-protocols h2,h1 --http2-cleartext prior-knowledge "
UWSGI_ARGUMENTS: Final = "--die-on-term --need-app --disable-logging --processes 2 --buffer-size 32768 "

ASGI_SERVERS: Final = [
    _server(
        "uvicorn, httptools", "asgi", "uvicorn", f"{UVICORN}httptools served:asgi", "uvicorn", "httptools"
    ),
    _server("uvicorn, h11", "asgi", "uvicorn", f"{UVICORN}h11 served:asgi", "uvicorn", "h11"),
    _server("hypercorn", "asgi", "hypercorn", f"{HYPERCORN}served:asgi"),
    _server(
        "hypercorn, HTTP/2", "asgi", "hypercorn", f"{HYPERCORN}served:asgi", "hypercorn", "h2", http2=True
    ),
    _server("daphne", "asgi", "daphne", f"{DAPHNE}served:asgi"),
    _server("granian", "asgi", "granian", f"{GRANIAN}asgi served:asgi"),
    _server("granian, HTTP/2", "asgi", "granian", f"{GRANIAN}asgi --http 2 served:asgi", http2=True),
    _server("gunicorn, asgi", "asgi", "gunicorn", f"{GUNICORN}-k asgi served:asgi"),
]
WSGI_SERVERS: Final = [
    _server("gunicorn, sync", "wsgi", "gunicorn", f"{GUNICORN}served:wsgi"),
    _server("gunicorn, gthread", "wsgi", "gunicorn", f"{GUNICORN}-k gthread --threads 4 served:wsgi"),
    _server(
        "gunicorn, HTTP/2",
        "wsgi",
        "gunicorn",
        f"{GUNICORN}-k gthread --threads 4 {H2C} served:wsgi",
        "gunicorn",
        "h2",
        http2=True,
    ),
    _server("waitress", "wsgi", "waitress", "--listen=127.0.0.1:{port} served:wsgi"),
    _server("cheroot", "wsgi", "cheroot", "--bind 127.0.0.1:{port} served:wsgi"),
    _server(
        "uWSGI",
        "wsgi",
        "pyuwsgi",
        f"{UWSGI_ARGUMENTS}--http-socket 127.0.0.1:{{port}} --module served:wsgi",
        kind=Program,
    ),
    _server("granian", "wsgi", "granian", f"{GRANIAN}wsgi served:wsgi"),
    _server("hypercorn, wsgi:", "wsgi", "hypercorn", f"{HYPERCORN}wsgi:served:wsgi"),
    _server("werkzeug", "wsgi", "werkzeug", "werkzeug", kind=Launched),
    _server("wsgiref", "wsgi", "wsgiref", "wsgiref", kind=Launched),
    _server("runserver", "wsgi", "django", "runserver", kind=Launched),
]
BACKEND: Final = Server("gunicorn", "gunicorn", "wsgi", f"{GUNICORN}served:wsgi")
ASGI_BACKEND: Final = Server("uvicorn", "uvicorn", "asgi", f"{UVICORN}httptools served:asgi")
UWSGI_BACKEND: Final = Program(
    "uWSGI", "pyuwsgi", "wsgi", f"{UWSGI_ARGUMENTS}--socket 127.0.0.1:{{port}} --module served:wsgi"
)
FRONTS: Final = [
    Configuration("Apache, mod_wsgi", "wsgi", lambda folder, _: Apache(folder)),
    Configuration("Apache, AllowEncodedSlashes On", "wsgi", lambda folder, _: Apache(folder, DECODING)),
    Configuration("Apache, AllowEncodedSlashes NoDecode", "wsgi", lambda folder, _: Apache(folder, KEEPING)),
    Configuration(
        "nginx, proxy_pass", "wsgi", lambda folder, port: Nginx(port, folder, WITHOUT_URI), behind=BACKEND
    ),
    Configuration(
        "nginx, proxy_pass with a URI", "wsgi", lambda folder, port: Nginx(port, folder), behind=BACKEND
    ),
    Configuration(
        "nginx, proxy_pass to uvicorn",
        "asgi",
        lambda folder, port: Nginx(port, folder, WITHOUT_URI),
        behind=ASGI_BACKEND,
    ),
    Configuration(
        "nginx, uwsgi_pass", "wsgi", lambda folder, port: Nginx(port, folder, UWSGI), behind=UWSGI_BACKEND
    ),
]
PREFIXED: Final = [
    _server(
        "uvicorn --root-path",
        "asgi",
        "uvicorn",
        f"{UVICORN}httptools --root-path /sub served:asgi",
        mount=SUB,
    ),
    _server(
        "hypercorn --root-path",
        "asgi",
        "hypercorn",
        f"{HYPERCORN}--root-path /sub served:asgi",
        mount=SUB,
        written=SUB,
    ),
    _server(
        "daphne --root-path",
        "asgi",
        "daphne",
        f"{DAPHNE}--root-path /sub served:asgi",
        mount=SUB,
        written=SUB,
    ),
    _server(
        "granian --url-path-prefix",
        "asgi",
        "granian",
        f"{GRANIAN}asgi --url-path-prefix /sub served:asgi",
        mount=SUB,
        written=SUB,
    ),
    _server(
        "granian --url-path-prefix",
        "wsgi",
        "granian",
        f"{GRANIAN}wsgi --url-path-prefix /sub served:wsgi",
        mount=SUB,
        written=SUB,
    ),
    _server(
        "gunicorn, SCRIPT_NAME",
        "wsgi",
        "gunicorn",
        f"{GUNICORN}served:wsgi",
        mount=SUB,
        written=SUB,
        fields=(f"SCRIPT_NAME: {SUB}",),
    ),
    _server(
        "waitress --url-prefix",
        "wsgi",
        "waitress",
        "--listen=127.0.0.1:{port} --url-prefix=/sub served:wsgi",
        mount=SUB,
        written=SUB,
    ),
    _server(
        "uWSGI --mount",
        "wsgi",
        "pyuwsgi",
        f"{UWSGI_ARGUMENTS}--http-socket 127.0.0.1:{{port}} --manage-script-name --mount /sub=served:wsgi",
        kind=Program,
        mount=SUB,
        written=SUB,
    ),
    _server(
        "cheroot, PathInfoDispatcher", "wsgi", "cheroot", "cheroot", kind=Launched, mount=SUB, written=SUB
    ),
    _server(
        "werkzeug, DispatcherMiddleware",
        "wsgi",
        "werkzeug",
        "werkzeug",
        kind=Launched,
        mount=SUB,
        written=SUB,
    ),
    Configuration(
        "Apache, WSGIScriptAlias /sub",
        "wsgi",
        lambda folder, _: Apache(folder, KEEPING, SUB),
        mount=SUB,
        written=SUB,
    ),
]
REWRITTEN: Final = Configuration("Apache, mod_rewrite", "wsgi", lambda folder, _: Apache(folder, REWRITING))
CONFIGURATIONS: Final = [*ASGI_SERVERS, *WSGI_SERVERS, *FRONTS, *PREFIXED]
BY_NAME: Final = {f"{each.name}, {each.protocol}": each for each in CONFIGURATIONS}

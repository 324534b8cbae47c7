"""Every server as it is deployed: alone, behind nginx, in Apache, and under a prefix."""

from __future__ import annotations

from typing import Any, Final

from servers.fronts import DECODING, KEEPING, REWRITING, UWSGI, WITHOUT_URI, Apache, Nginx
from servers.matrix import Configuration
from servers.processes import Launched, Program, Server

SUB: Final = "/sub"
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
        distributions or (module,) * (module != "wsgiref"),
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
    _server(
        "granian, HTTP/2",
        "asgi",
        "granian",
        f"{GRANIAN}asgi --http 2 served:asgi",
        "granian",
        "h2",
        http2=True,
    ),
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

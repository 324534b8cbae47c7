"""Start servers without a suitable command of their own: ``launch.py NAME PORT``.

They run the applications of ``served.py``, or of the module that the environment names.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any
from wsgiref.simple_server import WSGIServer, make_server

served: Any = importlib.import_module(os.environ.get("POSTEL_TEST_APPLICATIONS", "served"))
PREFIX = getattr(served, "PREFIX", None) or ""
# Each server is imported where it is run, because the others may be missing.
# ruff: noqa: PLC0415


def run_wsgiref(port: int) -> None:
    with make_server("127.0.0.1", port, served.wsgi, WSGIServer) as server:
        server.serve_forever()


def run_werkzeug(port: int) -> None:
    from werkzeug.middleware.dispatcher import DispatcherMiddleware
    from werkzeug.serving import run_simple

    app: Any = served.wsgi
    if PREFIX:
        app = DispatcherMiddleware(not_here, {PREFIX: app})
    run_simple("127.0.0.1", port, app, threaded=True)


def run_cheroot(port: int) -> None:
    from cheroot.wsgi import PathInfoDispatcher, Server

    Server(("127.0.0.1", port), PathInfoDispatcher({PREFIX or "/": served.wsgi})).safe_start()


def run_runserver(port: int) -> None:
    from django.conf import settings
    from django.core.management import execute_from_command_line

    settings.configure(DEBUG=False, ALLOWED_HOSTS=["*"], WSGI_APPLICATION="served.wsgi")
    execute_from_command_line([sys.argv[0], "runserver", "--noreload", "--skip-checks", f"127.0.0.1:{port}"])


def not_here(_environ: Any, start_response: Any) -> list[bytes]:
    start_response("404 Not Found", [("Content-Length", "0")])
    return []


if __name__ == "__main__":
    sys.path.insert(0, os.getcwd())
    globals()[f"run_{sys.argv[1]}"](int(sys.argv[2]))

"""Applications for servers that return as JSON what they received, with and without postel.

A header of a request names the policy of the postel in front. An octet is written as the character with its
number, so that nothing is lost on the way back; text that a server has decoded is written unchanged. Only
postel and the standard library are imported, because Apache runs this in a Python of its own.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any

import formed

import postel.asgi
import postel.wsgi
from postel import Policy, Report, report_of

HEADER = "X-Stack"
POLICIES = {"STRICT": Policy.STRICT, "STANDARD": Policy.STANDARD, "LENIENT": Policy.LENIENT}
RAW = ("REQUEST_URI", "RAW_URI")
STALE = ("SCRIPT_URL", "SCRIPT_URI", "REDIRECT_URL")
PREFIX = os.environ.get("POSTEL_TEST_PREFIX")
SETTINGS: Any = {"observer": repr, "prefix": PREFIX}


def described(report: Report) -> dict[str, Any]:
    target = report.target
    return {
        "received": report.received_target.decode("latin-1"),
        "prefix": report.received_prefix.decode("latin-1"),
        "verbatim": report.verbatim,
        "blind": sorted(kind.slug for kind in report.blind),
        "findings": [
            [each.kind.slug, each.component.value, each.action.value, each.detail] for each in report.findings
        ],
        "target": target
        and {
            "path": target.path.decode("latin-1"),
            "text": target.path_text,
            "query": target.query.decode("latin-1"),
            "pairs": target.pairs,
        },
    }


def answer(view: dict[str, Any] | None, report: Report | None) -> bytes:
    return json.dumps({"view": view, "report": report and described(report)}).encode()


# -- WSGI ----------------------------------------------------------------------------------------------------


def view_of_environ(environ: dict[str, Any]) -> dict[str, Any]:
    return {
        "prefix": environ.get("SCRIPT_NAME"),
        "path": environ.get("PATH_INFO"),
        "query": environ.get("QUERY_STRING"),
        "raw": {key: environ[key] for key in RAW if key in environ},
        "stale": {key: environ[key] for key in STALE if key in environ},
        "host": environ.get("HTTP_HOST"),
    }


def bare_wsgi(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    report = report_of(environ) if "postel.report" in environ else None
    return _say(start_response, "200 OK", answer(view_of_environ(environ), report))


def refused_wsgi(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    return _say(start_response, "400 Bad Request", answer(None, report_of(environ)))


def _say(start_response: Any, status: str, body: bytes) -> Iterable[bytes]:
    start_response(status, [("Content-Type", "application/json"), ("Content-Length", str(len(body)))])
    return [body]


WSGI = {
    name: postel.wsgi.NormalizeMiddleware(bare_wsgi, policy, refusal=refused_wsgi, redirect=False, **SETTINGS)
    for name, policy in POLICIES.items()
}


def wsgi(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    stack = environ.get("HTTP_X_STACK", "")
    app = formed.wsgi if stack.startswith(formed.MARK) else WSGI.get(stack, bare_wsgi)
    return app(environ, start_response)


# -- ASGI ----------------------------------------------------------------------------------------------------


def view_of_scope(scope: dict[str, Any]) -> dict[str, Any]:
    raw = scope.get("raw_path")
    return {
        "prefix": scope.get("root_path"),
        "path": scope.get("path"),
        "query": scope["query_string"].decode("latin-1"),
        "raw": {} if raw is None else {"raw_path": raw.decode("latin-1")},
        "stale": {},
        "host": dict(scope["headers"]).get(b"host", b"").decode("latin-1"),
    }


async def bare_asgi(scope: Any, _receive: Any, send: Any) -> None:
    report = report_of(scope) if "postel.report" in scope else None
    await _send(send, 200, answer(view_of_scope(scope), report))


async def refused_asgi(scope: Any, _receive: Any, send: Any) -> None:
    await _send(send, 400, answer(None, report_of(scope)))


async def _send(send: Any, status: int, body: bytes) -> None:
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


ASGI = {
    name: postel.asgi.NormalizeMiddleware(bare_asgi, policy, refusal=refused_asgi, redirect=False, **SETTINGS)
    for name, policy in POLICIES.items()
}


async def asgi(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "lifespan":
        for done in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{done}.complete"})
        return
    stack = dict(scope["headers"]).get(HEADER.lower().encode(), b"").decode()
    app = formed.asgi if stack.startswith(formed.MARK) else ASGI.get(stack, bare_asgi)
    await app(scope, receive, send)

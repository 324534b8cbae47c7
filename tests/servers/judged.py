"""Applications that return as JSON what the server has handed over, and the verdict of a postel in front.

If postel refuses, the refused request is returned in the same form.
"""

from __future__ import annotations

import json
from typing import Any

import postel.asgi
import postel.wsgi
from postel import Report, report_of

FIELDS = ("content-type", "content-length", "transfer-encoding", "cookie")


def ignore(_: Report) -> None:
    """Ignore a report, because refusals are intended here."""


def said(report: Report, seen: dict[str, Any], body: bytes | None) -> bytes:
    target = report.target
    verdict = {
        "passes": target is not None,
        "path": target and target.path.decode("latin-1"),
        "query": target and target.query.decode("latin-1"),
        "body": None if body is None else body.decode("latin-1"),
    }
    return json.dumps({"seen": seen, "verdict": verdict}).encode()


# -- WSGI ----------------------------------------------------------------------------------------------------


def seen_of_environ(environ: dict[str, Any]) -> dict[str, Any]:
    raw = environ.get("REQUEST_URI") or environ.get("RAW_URI")
    return {
        "target": raw,
        "content-type": environ.get("CONTENT_TYPE", ""),
        "content-length": environ.get("CONTENT_LENGTH", ""),
        "transfer-encoding": environ.get("HTTP_TRANSFER_ENCODING", ""),
        "cookie": environ.get("HTTP_COOKIE", ""),
    }


def passed_wsgi(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    # A chunked body is read to its end if the server marks the end.
    ends = environ.get("wsgi.input_terminated") and not environ.get("CONTENT_LENGTH")
    body = environ["wsgi.input"].read(-1 if ends else int(environ.get("CONTENT_LENGTH") or 0))
    start_response("200 OK", [("Content-Type", "application/json")])
    return [said(report_of(environ), environ["seen"], body)]


def refused_wsgi(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    start_response("400 Bad Request", [("Content-Type", "application/json")])
    return [said(report_of(environ), environ["seen"], None)]


JUDGED_WSGI = postel.wsgi.NormalizeMiddleware(passed_wsgi, refusal=refused_wsgi, observer=ignore, forms=True)


def wsgi(environ: dict[str, Any], start_response: Any) -> Any:
    return JUDGED_WSGI({**environ, "seen": seen_of_environ(environ)}, start_response)


# -- ASGI ----------------------------------------------------------------------------------------------------


def seen_of_scope(scope: Any) -> dict[str, Any]:
    query = scope["query_string"].decode("latin-1")
    fields = dict(scope["headers"])
    return {
        "target": scope["raw_path"].decode("latin-1") + (f"?{query}" if query else ""),
        **{name: fields.get(name.encode(), b"").decode("latin-1") for name in FIELDS},
    }


async def passed_asgi(scope: Any, receive: Any, send: Any) -> None:
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    await _send(send, 200, said(report_of(scope), scope["seen"], body))


async def refused_asgi(scope: Any, _receive: Any, send: Any) -> None:
    await _send(send, 400, said(report_of(scope), scope["seen"], None))


async def _send(send: Any, status: int, body: bytes) -> None:
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


JUDGED_ASGI = postel.asgi.NormalizeMiddleware(passed_asgi, refusal=refused_asgi, observer=ignore, forms=True)


async def asgi(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "http":
        await JUDGED_ASGI({**scope, "seen": seen_of_scope(scope)}, receive, send)

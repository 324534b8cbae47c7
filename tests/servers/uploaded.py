"""Applications for the servers that return what they have read of a long upload, and the memory used.

The environment names the directory for uploads.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import postel.asgi
import postel.wsgi
from postel import Forms, Report

DIRECTORY = os.environ["POSTEL_TEST_SPOOL"]
FORMS = Forms(upload=2**31, spool_limit=2**32, spool_dir=DIRECTORY)


def ignore(_: Report) -> None:
    """Ignore a report, because refusals are intended here."""


def spooled() -> int:
    """Return how many temporary files of uploads this process has open."""
    files = 0
    for each in Path("/proc/self/fd").iterdir():
        try:
            files += os.readlink(each).startswith(DIRECTORY)
        except OSError:
            continue
    return files


def told(length: int, digest: str) -> bytes:
    """Return what has been read, and the peak memory of the process in KiB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    peak = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))
    return json.dumps({"length": length, "digest": digest, "peak": peak, "files": spooled()}).encode()


def wsgi_app(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    read, digest = 0, hashlib.blake2b()
    if environ["REQUEST_METHOD"] == "POST":
        while piece := environ["wsgi.input"].read(2**16):
            read += len(piece)
            digest.update(piece)
    start_response("200 OK", [("Content-Type", "application/json")])
    return [told(read, digest.hexdigest())]


async def asgi_app(_: Any, receive: Any, send: Any) -> None:
    read, digest, more = 0, hashlib.blake2b(), True
    while more:
        message = await receive()
        more = message.get("more_body", False)
        read += len(message.get("body", b""))
        digest.update(message.get("body", b""))
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": told(read, digest.hexdigest())})


wsgi = postel.wsgi.NormalizeMiddleware(wsgi_app, observer=ignore, forms=FORMS)
_asgi = postel.asgi.NormalizeMiddleware(asgi_app, observer=ignore, forms=FORMS)


async def asgi(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "http":
        await _asgi(scope, receive, send)

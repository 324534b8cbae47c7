"""The environ and scope that ``wire`` builds equal those of the real servers for the same targets."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from applications import example
from wire import environ_of, scope_of

demo = example("demo")
TARGETS = [target for requests in demo.REQUESTS.values() for target, _ in requests]
KEYS = ("RAW_URI", "SCRIPT_NAME", "PATH_INFO", "QUERY_STRING", "HTTP_HOST", "REQUEST_METHOD")
SCOPE_KEYS = ("path", "raw_path", "query_string", "root_path", "headers", "method", "type")


def shown_environ(environ: dict[str, Any]) -> dict[str, Any]:
    return {key: environ.get(key) for key in KEYS}


def shown_scope(scope: dict[str, Any]) -> dict[str, Any]:
    # Only the real client sends a Connection header.
    headers = [(name, value) for name, value in scope["headers"] if name != b"connection"]
    return {key: repr(scope.get(key)) for key in SCOPE_KEYS} | {"headers": repr(headers)}


def echo_environ(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    body = json.dumps(shown_environ(environ)).encode()
    start_response("200 OK", [("Content-Length", str(len(body)))])
    return [body]


async def echo_scope(scope: Any, receive: Any, send: Any) -> None:
    body = json.dumps(shown_scope(scope)).encode()
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def made_by(server: str) -> list[Any]:
    with demo.serving([server], Path(__file__).parent) as [running]:
        return [json.loads(demo.ask(running, target)[2]) for target in TARGETS]


@pytest.mark.servers
def test_the_environ_equals_that_of_gunicorn() -> None:
    ours = [shown_environ(environ_of(target.encode("latin-1"))) for target in TARGETS]
    assert made_by(f"{demo.GUNICORN} test_wire:echo_environ") == ours


@pytest.mark.servers
def test_the_scope_equals_that_of_uvicorn() -> None:
    ours = [shown_scope(scope_of(target.encode("latin-1"))) for target in TARGETS]
    assert made_by(f"{demo.UVICORN} --lifespan off test_wire:echo_scope") == ours

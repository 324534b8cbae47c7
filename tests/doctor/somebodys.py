"""Applications of other people: good ones, broken ones, and some that never answer."""

from __future__ import annotations

import time
from typing import Any


def plain(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    is_kept = environ["PATH_INFO"].startswith("/admin")
    is_there = environ["PATH_INFO"].strip("/") in {"", "admin"}
    start_response("403 Forbidden" if is_kept else "200 OK" if is_there else "404 Not Found", [])
    return [b"page"]


def leaky(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    """A case-sensitive guard in front of a case-insensitive router. No policy can close this hole."""
    path = environ["PATH_INFO"]
    start_response("403 Forbidden" if path == "/admin" else "200 OK" if path == "/ADMIN" else "404 No", [])
    return [b"page"]


def failing(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    raise RuntimeError("no database")


def waiting(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    time.sleep(5)
    return []


async def waiting_too(scope: Any, receive: Any, send: Any) -> None:
    await receive()
    await receive()


def talking(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    print("hello")
    return plain(environ, start_response)


class Silent:
    """Answers the first requests, and then no more."""

    def __init__(self) -> None:
        self.left = 3

    def __call__(self, environ: dict[str, Any], start_response: Any) -> list[bytes]:
        self.left -= 1
        return plain(environ, start_response) if self.left >= 0 else waiting(environ, start_response)


class Inner:
    plain = staticmethod(plain)
    number = 5


def make() -> Any:
    return plain


def make_not() -> Any:
    raise RuntimeError("no\nsettings")

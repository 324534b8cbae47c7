"""Starlette in turns: without postel and behind it."""

from collections.abc import Awaitable
from typing import Any

from starlette_bare import app as bare
from turns import Turns

from postel.asgi import NormalizeMiddleware

_TURNS = Turns(bare, NormalizeMiddleware(bare))


def app(scope: Any, receive: Any, send: Any) -> Awaitable[None]:
    """Return the coroutine of the application, so that no further one runs around it."""
    served: Awaitable[None] = (_TURNS.next() if scope["type"] == "http" else bare)(scope, receive, send)
    return served

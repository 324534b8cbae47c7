"""Django in turns: without postel and behind it."""

from collections.abc import Iterable
from typing import Any

from django_bare import app as bare
from turns import Turns

from postel.wsgi import NormalizeMiddleware

_TURNS = Turns(bare, NormalizeMiddleware(bare))


def app(environ: Any, start_response: Any) -> Iterable[bytes]:
    """Call the application whose turn it is."""
    body: Iterable[bytes] = _TURNS.next()(environ, start_response)
    return body

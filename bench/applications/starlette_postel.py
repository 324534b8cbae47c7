"""Starlette behind postel."""

from postel.asgi import NormalizeMiddleware
from starlette_bare import app as bare

app = NormalizeMiddleware(bare)

"""Starlette behind postel."""

from starlette_bare import app as bare

from postel.asgi import NormalizeMiddleware

app = NormalizeMiddleware(bare)

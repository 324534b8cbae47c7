"""Starlette without postel."""

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route


async def comments(request: Request) -> PlainTextResponse:
    """Read path and query, as an application does."""
    return PlainTextResponse(f"{request.path_params['article']} {request.query_params['page']}")


app = Starlette(routes=[Route("/articles/{article}/comments", comments)])

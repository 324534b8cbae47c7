"""A page for some and a page for all, on ASGI alone: no framework, no server is needed to look at it.

``postel doctor examples.guarded:bare --server in-process``

The guard looks at the path as it was sent, the router at the decoded one.
"""

from typing import Any

from postel.asgi import NormalizeMiddleware

PAGES = {"/": b"Welcome.\n", "/admin/panel": b"For librarians only.\n"}


async def bare(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Serve two pages, of which one is kept."""
    if scope["type"] != "http":
        return
    page = PAGES.get(scope["path"])
    status = 404 if page is None else 200
    if scope["raw_path"].startswith(b"/admin/"):
        status, page = 403, None
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body", "body": page or b""})


app = NormalizeMiddleware(bare)

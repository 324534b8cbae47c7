"""A guarded page and a public one in plain ASGI, for the doctor. They need no framework and no server.

``postel doctor examples.guarded:bare --server in-process``

The guard reads the path as it was sent, and the router reads the decoded path.
"""

from typing import Any

from postel.asgi import NormalizeMiddleware

PAGES = {"/": b"Welcome.\n", "/admin/panel": b"For librarians only.\n"}


async def bare(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Serve two pages; one is guarded."""
    if scope["type"] != "http":
        return
    page = PAGES.get(scope["path"])
    status = 404 if page is None else 200
    if scope["raw_path"].startswith(b"/admin/"):
        status, page = 403, None
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body", "body": page or b""})


app = NormalizeMiddleware(bare)

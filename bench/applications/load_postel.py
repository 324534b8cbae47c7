"""An application behind postel that answers with the URL that it received. postel also judges forms."""

import os

from postel import Policy
from postel.asgi import NormalizeMiddleware, Receive, Scope, Send


async def bare(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with the path, the query, and how many octets the body has."""
    if scope["type"] != "http":
        return
    length, more = 0, True
    while more:
        message = await receive()
        length += len(message.get("body", b""))
        more = message.get("more_body", False)
    said = f"{scope['path']} {scope['query_string'].decode()} {length}".encode()
    headers = [(b"content-type", b"text/plain"), (b"content-length", b"%d" % len(said))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": said})


app = NormalizeMiddleware(bare, Policy.parse(os.environ.get("LOAD_POLICY", "standard")), forms=True)

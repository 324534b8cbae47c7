"""A client that posts a body with unchanged header fields, over HTTP/1.1 and HTTP/2."""

from __future__ import annotations

import contextlib
import re
import socket
from collections.abc import Iterable

from servers import http2
from servers.processes import Answer
from targets import HOST

LENGTH, CHUNKED = "length", "chunked"
BOTH = {
    "length 0, then chunked": (b"Content-Length: 0", b"Transfer-Encoding: chunked"),
    "chunked, then length 0": (b"Transfer-Encoding: chunked", b"Content-Length: 0"),
}
"""A length of zero beside a chunked body. A server may refuse it or read the body: RFC 9112, section 6.1."""
PATIENCE = 15.0


def post(port: int, stack: str, types: Iterable[bytes], body: bytes, framing: str = LENGTH) -> Answer:
    """Post a body; the status is 0 if there is no answer."""
    if framing == LENGTH:
        lines, sent = [b"Content-Length: %d" % len(body)], body
    else:
        lines = [*BOTH.get(framing, (b"Transfer-Encoding: chunked",))]
        sent = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    head = b"\r\n".join((
        b"POST / HTTP/1.1",
        b"Host: " + HOST.encode(),
        b"X-Stack: " + stack.encode(),
        b"Connection: close",
        *(b"Content-Type: " + each for each in types),
        *lines,
    ))  # fmt: skip
    received = b""
    silenced = contextlib.suppress(ConnectionError, TimeoutError)
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as connection, silenced:
        connection.sendall(head + b"\r\n\r\n" + sent)
        while piece := connection.recv(65536):
            received += piece
    said, _, text = received.partition(b"\r\n\r\n")
    status = re.match(rb"HTTP/1\.[01] (\d{3})\b", said)
    return Answer(int(status[1]) if status else 0, text.decode("latin-1"))


def post_over_http2(port: int, stack: str, types: Iterable[bytes], body: bytes) -> Answer:
    """Post a body in one frame."""
    fields = [
        (b"x-stack", stack.encode()),
        (b"content-length", b"%d" % len(body)),
        *((b"content-type", each) for each in types),
    ]
    return http2.send(port, b"POST", b"/", fields, body)

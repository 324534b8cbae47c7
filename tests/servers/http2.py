"""A client for HTTP/2 without TLS that sends ``:path`` unchanged: RFC 9113, section 3.3."""

# h2 is imported where it is needed. If it is not installed, only the tests over HTTP/2 are skipped.
# ruff: noqa: PLC0415

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from servers.processes import Answer
from targets import HOST

if TYPE_CHECKING:
    from h2.connection import H2Connection

PATIENCE = 15.0
FRAME = 2**14
"""The octets of a frame. Before the server answers, at most 65,535 octets of a body may be sent."""


def ask(port: int, target: bytes, fields: tuple[str, ...]) -> Answer:
    """Send one GET request over a connection of its own; the status is 0 if there is no answer."""
    named = [field.partition(": ") for field in fields]
    return send(port, b"GET", target, [(name.encode(), value.encode()) for name, _, value in named])


def send(
    port: int, method: bytes, target: bytes, fields: list[tuple[bytes, bytes]], body: bytes = b""
) -> Answer:
    """Send one request. Its fields are unchanged except for the case of their names."""
    import h2.config
    import h2.connection

    tidies_nothing = h2.config.H2Configuration(
        header_encoding=None, validate_outbound_headers=False, normalize_outbound_headers=False
    )
    connection = h2.connection.H2Connection(tidies_nothing)
    connection.initiate_connection()
    headers = [
        (b":method", method),
        (b":scheme", b"http"),
        (b":authority", HOST.encode()),
        (b":path", target),
        *((name.lower(), value) for name, value in fields),
    ]
    connection.send_headers(1, headers, end_stream=not body)
    for start in range(0, len(body), FRAME):
        piece = body[start : start + FRAME]
        connection.send_data(1, piece, end_stream=start + len(piece) == len(body))
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as wire:
        wire.sendall(connection.data_to_send())
        return _answer(wire, connection)


def _answer(wire: socket.socket, connection: H2Connection) -> Answer:
    import h2.events

    ended = h2.events.StreamEnded | h2.events.StreamReset | h2.events.ConnectionTerminated
    status, body = 0, b""
    try:
        while octets := wire.recv(65536):
            for event in connection.receive_data(octets):
                if isinstance(event, h2.events.ResponseReceived):
                    status = int(dict(event.headers or ())[b":status"])
                elif isinstance(event, h2.events.DataReceived):
                    body += event.data or b""
                    connection.acknowledge_received_data(event.flow_controlled_length or 0, 1)
                elif isinstance(event, ended):
                    return Answer(status, body.decode("latin-1"))
            wire.sendall(connection.data_to_send())
    except OSError:
        pass  # A server may close the connection for what it refuses.
    return Answer(status, body.decode("latin-1"))

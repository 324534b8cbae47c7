"""Receive the messages of a request on ASGI, and join small ones, so that many of them cost little."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import Any, Final, NamedTuple, TypeAlias, final

from postel._bodies.turns import give_way
from postel._http.websocket import Receive

Message: TypeAlias = MutableMapping[str, Any]
_ENOUGH: Final = 2**12
"""How many octets are collected before they are kept and judged."""
_TURN: Final = 2**6
"""How many messages are received before other work can run; a server may have very many of them ready."""


@final
class ReceivedOctets(NamedTuple):
    """The octets of one or more messages."""

    octets: bytes
    more: bool
    """Whether the body goes on."""
    other: Message | None = None
    """The message that came after these octets and ended the request before its body was complete."""


async def received(receive: Receive, room: int, numbers: Iterator[int]) -> ReceivedOctets:
    """Receive messages until enough octets are collected, or more than ``room``, or the body ends.

    ``numbers`` counts the messages of a body; other work can run before some of them.
    """
    pieces: list[bytes] = []
    size = 0
    while True:
        if next(numbers) % _TURN == 0:
            await give_way()
        message = await receive()
        if message["type"] != "http.request":
            return ReceivedOctets(b"".join(pieces), more=False, other=message)
        piece = message.get("body", b"")
        if piece:
            pieces.append(piece)
        size += len(piece)
        if not message.get("more_body", False):
            return ReceivedOctets(b"".join(pieces), more=False)
        if size >= _ENOUGH or size > room:
            return ReceivedOctets(b"".join(pieces), more=True)


def body_of(octets: bytes, *, more: bool) -> Message:
    """A message with octets of a body."""
    return {"type": "http.request", "body": octets, "more_body": more}

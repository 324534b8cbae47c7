"""The sender of an examination: it adds the fields of the user to each request, and counts requests."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, final

from postel.doctor._answer import Answer
from postel.doctor._application import ApplicationError
from postel.doctor._asking import Asker
from postel.doctor._request import HOST, Request

_UNANSWERED: Final = 3
"""After more unanswered requests in a row than this, the examination stops."""
_MOST_SECONDS: Final = 600.0
"""The examination stops after this many seconds."""
_ABSOLUTE: Final = b"http://"


@final
class Sender:
    """An asker that counts requests, adds header fields, and stops if the application does not answer.

    A Host among the fields takes the place of the default host, also where a request adds something to it.
    """

    def __init__(
        self, ask: Asker, headers: Sequence[tuple[bytes, bytes]], progress: Callable[[int], object] | None
    ) -> None:
        self._ask = ask
        self._host = next((value for name, value in headers if name.lower() == b"host"), HOST)
        self._headers = tuple(field for field in headers if field[0].lower() != b"host")
        self._progress = progress
        self._unanswered: list[Request] = []
        self._end = time.monotonic() + _MOST_SECONDS
        self.sent = 0

    def __call__(self, request: Request, /) -> Answer:
        """Send a request. Raises ApplicationError after too many unanswered requests, or too much time."""
        if time.monotonic() > self._end:
            raise ApplicationError(
                f"the examination takes longer than {_MOST_SECONDS:.0f} seconds; name fewer routes"
            )
        answer = self._ask(self._completed(request))
        self.sent += 1
        if self._progress is not None:
            self._progress(1)
        # A server may close the connection at a malformed request, but then it answers the next request.
        self._unanswered = [] if answer.status else [*self._unanswered, request]
        if len(self._unanswered) > _UNANSWERED and not self._ask(self._completed(Request(b"/"))).status:
            first = self._unanswered[0]
            raise ApplicationError(
                f"the application stopped answering at {first.line()}; if it is only slow, "
                "raise the timeout, or give the server more workers"
            )
        return answer

    def _completed(self, request: Request) -> Request:
        """Return the request with the host and fields of the user; its own fields take precedence."""
        own = {name.lower() for name, _ in request.headers}
        added = tuple(field for field in self._headers if field[0].lower() not in own)
        return replace(
            request,
            target=self._at_host(request.target, _ABSOLUTE),
            headers=(*request.headers, *added),
            host=self._at_host(request.host),
        )

    def _at_host(self, octets: bytes, front: bytes = b"") -> bytes:
        """Put the user's host in place of the default host, if the octets begin with ``front`` and that."""
        if not octets.startswith(front + HOST):
            return octets
        return front + self._host + octets.removeprefix(front + HOST)

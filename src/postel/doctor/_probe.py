"""The probe: middleware that records how the framework reads a request, and does not change the request.

It adds its note to the answer as a header field. Behind a policy, it stands between postel and the
application.
"""

from __future__ import annotations

import io
from collections.abc import Awaitable, Callable, Iterable, MutableMapping, Sequence
from typing import Any, Final, final

from postel.doctor._answer import NOTE, Note
from postel.doctor._differences import awaited_differences, differences, redirected
from postel.doctor._frameworks import Adapter, route_of
from postel.doctor._received import ReceivedRequest

_LONGEST: Final = 64 * 1024
"""The most octets of a body that are read; requests of the catalogue have a few hundred."""


@final
class WsgiProbe:
    """The probe of a WSGI application."""

    def __init__(
        self, app: Callable[..., Iterable[bytes]], adapters: Sequence[Adapter], inner: Any = None
    ) -> None:
        self._app = app
        self._adapters = adapters
        self._inner = inner

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Call the application, and add the note to its answer."""
        body = environ["wsgi.input"].read(_length(environ))
        environ["wsgi.input"] = io.BytesIO(body)
        received = ReceivedRequest.of_environ(environ, body, self._inner)
        found = tuple(differences(received, self._adapters))

        def start(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
            written = (value for name, value in headers if name.lower() == "location")
            note = Note(route_of(environ), (*found, *redirected(received, written))).text()
            return start_response(status, [*headers, (NOTE, note)], *more)

        return self._app(environ, start)


def _length(environ: dict[str, Any]) -> int:
    if environ.get("wsgi.input_terminated"):
        return _LONGEST
    length = environ.get("CONTENT_LENGTH") or "0"
    return min(int(length), _LONGEST)


@final
class AsgiProbe:
    """The probe of an ASGI application."""

    def __init__(
        self, app: Callable[..., Awaitable[None]], adapters: Sequence[Adapter], inner: Any = None
    ) -> None:
        self._app = app
        self._adapters = adapters
        self._inner = inner

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        """Call the application, and add the note to its answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        messages = [await receive()]
        body = messages[0].get("body", b"")
        while messages[-1].get("more_body") and len(body) < _LONGEST:
            messages.append(await receive())
            body += messages[-1].get("body", b"")
        received = ReceivedRequest.of_scope(scope, body, self._inner)
        found = tuple(await awaited_differences(received, self._adapters))

        async def again() -> Any:
            return messages.pop(0) if messages else await receive()

        async def tell(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                headers = list(message.get("headers", ()))
                written = (value.decode("latin-1") for name, value in headers if name.lower() == b"location")
                note = Note(route_of(scope), (*found, *redirected(received, written))).text().encode()
                message = {**message, "headers": [*headers, (NOTE.encode(), note)]}
            await send(message)

        await self._app(scope, again, tell)

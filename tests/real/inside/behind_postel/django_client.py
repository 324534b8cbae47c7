"""Django's test clients, which call a handler that returns Django's own response.

During a call, the handler is wrapped as an application. If postel itself answers, the client receives that
answer as a Django response. Unlike servers, these clients do not hand over the received target, so it is
added under the key that a server would use.
"""

from __future__ import annotations

import io
from typing import Any
from urllib.parse import quote, urlsplit

from behind_postel.wrapping import wrap_asgi, wrap_wsgi

_KEY = "behind_postel_path"
_ASCII = "".join(map(chr, range(0x21, 0x7F)))


def patch() -> None:
    from django.test import client

    _noting(client.Client)
    _noting(client.AsyncClient)
    serve, serve_async = client.ClientHandler.__call__, client.AsyncClientHandler.__call__

    def call(self: Any, environ: dict[str, Any]) -> Any:
        responses: list[Any] = []
        status, headers = "", []

        def app(environ: dict[str, Any], start_response: Any) -> list[bytes]:
            responses.append(serve(self, environ))
            start_response("200 OK", [])
            return []

        def start(given: str, fields: Any, *_: object) -> None:
            nonlocal status, headers
            status, headers = given, fields

        body = b"".join(wrap_wsgi(app)(_environ(environ), start))
        return responses[0] if responses else _response(int(status[:3]), headers, body, environ=environ)

    async def call_async(self: Any, scope: dict[str, Any]) -> Any:
        responses: list[Any] = []
        sent: list[dict[str, Any]] = []
        bodies = [scope.pop("_body_file").read()] if "_body_file" in scope else [b""]

        async def app(scope: dict[str, Any], receive: Any, _: Any) -> None:
            body, more = b"", True
            while more:
                message = await receive()
                body, more = body + message.get("body", b""), message.get("more_body", False)
            responses.append(await serve_async(self, {**scope, "_body_file": client.FakePayload(body)}))

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": bodies.pop() if bodies else b""}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        scope = _scope(scope)
        await wrap_asgi(app)(scope, receive, send)
        if responses:
            return responses[0]
        headers = [(name.decode(), value.decode()) for name, value in sent[0]["headers"]]
        return _response(sent[0]["status"], headers, sent[1].get("body", b""), scope=scope)

    client.ClientHandler.__call__ = call
    client.AsyncClientHandler.__call__ = call_async


def _noting(owner: Any) -> None:
    """Let a client keep the path that its test has given."""
    generic = owner.generic

    def noting(self: Any, method: str, path: Any, *arguments: Any, **named: Any) -> Any:
        self.defaults = {**self.defaults, _KEY: urlsplit(str(path)).path}
        try:
            return generic(self, method, path, *arguments, **named)
        finally:
            self.defaults = {key: value for key, value in self.defaults.items() if key != _KEY}

    owner.generic = noting


def _environ(environ: dict[str, Any]) -> dict[str, Any]:
    """Add the target that a server would have received."""
    environ = dict(environ)
    path = environ.pop(_KEY, None)
    if path and "REQUEST_URI" not in environ:
        query = environ.get("QUERY_STRING", "")
        target = quote(environ.get("SCRIPT_NAME", "").encode("latin-1")) + quote(path, safe=_ASCII)
        environ["REQUEST_URI"] = target + (f"?{query}" if query else "")
    return environ


def _scope(scope: dict[str, Any]) -> dict[str, Any]:
    scope = dict(scope)
    noted = scope.pop(_KEY, None)
    scope["headers"] = [(name, value) for name, value in scope["headers"] if name != _KEY.encode()]
    if isinstance(scope.get("query_string"), str):
        scope["query_string"] = scope["query_string"].encode()
    if noted and scope["path"].isascii():
        scope["raw_path"] = quote(noted, safe=_ASCII).encode()
    return scope


def _response(status: int, headers: Any, body: bytes, **request: Any) -> Any:
    from django.core.handlers.asgi import ASGIRequest
    from django.core.handlers.wsgi import WSGIRequest
    from django.http import HttpResponse

    response = HttpResponse(body, status=status, headers=dict(headers))
    if "environ" in request:
        response.wsgi_request = WSGIRequest(request["environ"])
    else:
        response.asgi_request = ASGIRequest(request["scope"], io.BytesIO())
    return response

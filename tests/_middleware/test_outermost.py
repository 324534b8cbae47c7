"""The log warns at startup if postel is not the outermost middleware of Starlette or FastAPI."""

from __future__ import annotations

import asyncio
import logging
import re
from typing import Any

import fastapi
import flask
import pytest
import quart
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware

import postel.wsgi
from adapters import call_asgi, call_wsgi, environ_of, scope_of
from postel import LogObserver, PolicyError
from postel.asgi import NormalizeMiddleware

POSTEL = Middleware(NormalizeMiddleware, observer=LogObserver())
BLIND = [Middleware(CORSMiddleware), Middleware(GZipMiddleware)]
OTHERS = [*BLIND, Middleware(TrustedHostMiddleware)]


def started(app: Any) -> None:
    """Start an application and shut it down, as a server does."""
    messages = [{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}]
    sent: list[str] = []

    async def receive() -> Any:
        return messages.pop(0)

    async def send(message: Any) -> None:
        sent.append(message["type"])

    asyncio.run(app({"type": "lifespan", "state": {}}, receive, send))
    assert sent == ["lifespan.startup.complete", "lifespan.shutdown.complete"]


def said(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [each.getMessage() for each in caplog.records if each.name == "postel"]


@pytest.fixture(autouse=True)
def _all_that_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)


@pytest.mark.parametrize(
    "middleware",
    [[], [POSTEL], [POSTEL, *OTHERS], [*BLIND, POSTEL], OTHERS],
    ids=["none", "alone", "outermost", "inside one that reads no URL", "no postel"],
)
def test_the_right_order_gives_no_warning(middleware: Any, caplog: pytest.LogCaptureFixture) -> None:
    started(Starlette(middleware=middleware))
    started(NormalizeMiddleware(Starlette(middleware=middleware)))
    assert said(caplog) == []


def test_a_postel_that_another_class_creates_gives_no_warning(caplog: pytest.LogCaptureFixture) -> None:
    """In this case the list of middleware does not show where postel is."""

    def wraps(app: Any) -> Any:
        return NormalizeMiddleware(app, observer=LogObserver())

    started(Starlette(middleware=[Middleware(TrustedHostMiddleware), Middleware(wraps)]))
    assert said(caplog) == []


def test_the_warning_names_the_middleware_and_the_remedy(caplog: pytest.LogCaptureFixture) -> None:
    started(Starlette(middleware=[*OTHERS, POSTEL]))
    [message] = said(caplog)
    assert message.startswith("TrustedHostMiddleware sees each request before NormalizeMiddleware does; make")
    assert "add_middleware()" in message


def test_fastapi_puts_middleware_that_is_added_last_in_front(caplog: pytest.LogCaptureFixture) -> None:
    app = fastapi.FastAPI()
    app.add_middleware(NormalizeMiddleware)
    app.add_middleware(TrustedHostMiddleware)
    started(app)
    assert [message.partition(" ")[0] for message in said(caplog)] == ["TrustedHostMiddleware"]


def test_middleware_without_a_name_is_called_other_middleware(caplog: pytest.LogCaptureFixture) -> None:
    async def inner(scope: Any, receive: Any, send: Any) -> None: ...

    app = Starlette()
    app.user_middleware = [object(), POSTEL]
    asyncio.run(NormalizeMiddleware(inner)({"type": "lifespan", "app": app}, inner, inner))
    assert [message.partition(" sees")[0] for message in said(caplog)] == ["other middleware"]


def test_a_middleware_inside_another_one_logs_once_that_it_judges_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def on_asgi(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    def on_wsgi(_environ: Any, start_response: Any) -> list[bytes]:
        start_response("200 OK", [])
        return [b""]

    asgi = NormalizeMiddleware(NormalizeMiddleware(on_asgi, forms=True))
    wsgi = postel.wsgi.NormalizeMiddleware(postel.wsgi.NormalizeMiddleware(on_wsgi, json=True))
    for _ in range(3):
        assert call_asgi(asgi, scope_of(b"/a")).status == 200
        assert call_wsgi(wsgi, environ_of(b"/a")).status == 200
    first, second = said(caplog)
    assert first == second
    assert first.startswith("a NormalizeMiddleware inside another one judges no requests")


def test_an_application_that_is_wrapped_in_itself_is_named() -> None:
    """Without this error, Python only says that the recursion is too deep."""
    on_wsgi: Any = flask.Flask(__name__)
    on_wsgi.wsgi_app = postel.wsgi.NormalizeMiddleware(on_wsgi)
    on_asgi: Any = quart.Quart(__name__)
    on_asgi.asgi_app = NormalizeMiddleware(on_asgi)
    for call, app, request, name in (
        (call_wsgi, on_wsgi, environ_of(b"/a"), "wsgi_app"),
        (call_asgi, on_asgi, scope_of(b"/a"), "asgi_app"),
    ):
        message = f"it again; write app.{name} = NormalizeMiddleware(app.{name})"
        for _ in range(2):
            with pytest.raises(PolicyError, match=f"{re.escape(message)}$"):
                call(app, request)

"""Some frameworks read ``//`` as ``/``. Behind postel, this does not bypass a guard that compares paths.

Starlette's StaticFiles, Litestar's router, Pyramid's traversal and Bottle's static_file do so. A guard that
compares paths does not.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bottle
import litestar
import pytest
from pyramid.config import Configurator
from pyramid.response import Response
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

import postel.asgi
import postel.wsgi
from postel import Kind, Policy
from together import together
from wire import Answer, ask_asgi, ask_wsgi

KEPT = "a page behind the guard"
GUARDED = "/files/secret/"


def starlette_app(folder: Path) -> Any:
    return Starlette(routes=[Mount("/files", StaticFiles(directory=folder))])


def litestar_app(_: Path) -> Any:
    async def show() -> str:
        return KEPT

    return litestar.Litestar([litestar.get("/files/secret/a.txt")(show)], openapi_config=None)


def pyramid_app(_: Path) -> Any:
    with Configurator(root_factory=lambda _: {"files": {"secret": {"a.txt": {}}}}) as config:
        config.add_view(lambda context, request: Response(KEPT if context == {} else "a folder"))
        return config.make_wsgi_app()


def bottle_app(folder: Path) -> Any:
    app = bottle.Bottle()

    @app.route("/files/<rest:path>")
    def show(rest: str) -> Any:
        return bottle.static_file(rest, root=str(folder))

    return app


FRAMEWORKS: dict[str, tuple[Callable[[Path], Any], bool]] = {
    "Starlette StaticFiles": (starlette_app, True),
    "Litestar": (litestar_app, True),
    "Pyramid traversal": (pyramid_app, False),
    "Bottle static_file": (bottle_app, False),
}
TARGETS = [
    b"/files//secret/a.txt",
    b"/files/secret//a.txt",
    b"/files///secret///a.txt",
    b"//files/secret/a.txt",
    b"/files//secret//a.txt?q=1",
]


class Stack:
    """A framework behind a guard that compares paths, with or without postel."""

    def __init__(self, framework: str, folder: Path) -> None:
        make, self.is_asgi = FRAMEWORKS[framework]
        self._app = make(folder)
        self._through = functools.cache(self._made_through)

    def _wsgi(self, environ: dict[str, Any], start_response: Any) -> Any:
        if environ["PATH_INFO"].startswith(GUARDED):
            start_response("403 Forbidden", [("Content-Type", "text/plain")])
            return [b""]
        return self._app(environ, start_response)

    async def _asgi(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["path"].startswith(GUARDED):
            await send({"type": "http.response.start", "status": 403, "headers": []})
            await send({"type": "http.response.body", "body": b""})
        else:
            await self._app(scope, receive, send)

    def _made_through(self, policy: Policy | None, **settings: Any) -> Any:
        app: Any = self._asgi if self.is_asgi else self._wsgi
        if policy is None:
            return app
        middleware = postel.asgi if self.is_asgi else postel.wsgi
        return middleware.NormalizeMiddleware(app, policy, observer=repr, **settings)

    def ask(
        self, target: bytes, method: str = "GET", policy: Policy | None = None, **settings: Any
    ) -> Answer:
        ask = ask_asgi if self.is_asgi else ask_wsgi
        through = (
            self._made_through if "routes" in settings else self._through
        )  # Settings with routes cannot be keys of a cache.
        return ask(through(policy, **settings), target, method)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("files")
    (made / "secret").mkdir()
    (made / "secret" / "a.txt").write_text(KEPT)
    return made


@pytest.fixture(scope="module", params=FRAMEWORKS)
def stack(request: pytest.FixtureRequest, folder: Path) -> Stack:
    return Stack(request.param, folder)


def test_the_guard_stops_the_plain_path(stack: Stack) -> None:
    for policy in (None, Policy.STANDARD, Policy.LENIENT):
        assert stack.ask(b"/files/secret/a.txt", policy=policy).status == 403


def test_without_postel_the_guard_is_bypassed(stack: Stack) -> None:
    """Otherwise this file would test nothing."""
    assert KEPT.encode() in {stack.ask(target).body for target in TARGETS}


@pytest.mark.no_cover
@together("target", TARGETS, ids=ascii)
@together("policy", [Policy.STRICT, Policy.STANDARD, Policy.LENIENT], ids=str)
def test_behind_postel_the_guard_is_not_bypassed(stack: Stack, target: bytes, policy: Policy) -> None:
    for method in ("GET", "HEAD", "POST"):
        for redirect in (None, True, False):
            answer = stack.ask(target, method, policy, redirect=redirect)
            assert answer.status in {308, 400, 403}
            assert KEPT.encode() not in answer.body


def test_the_redirect_leads_to_the_guard(stack: Stack) -> None:
    for target in TARGETS:
        answer = stack.ask(target, policy=Policy.STANDARD)
        assert answer.status == 308
        assert stack.ask(answer.headers["location"].encode(), policy=Policy.STANDARD).status == 403


def test_a_policy_that_allows_slashes_lets_them_pass(stack: Stack) -> None:
    routes = {"/files": Policy.STANDARD.allowing(Kind.EMPTY_SEGMENT)}
    bodies = {stack.ask(target, policy=Policy.STANDARD, routes=routes).body for target in TARGETS}
    assert KEPT.encode() in bodies

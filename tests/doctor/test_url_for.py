"""URLs that frameworks write: the URL of a matched route, and redirects."""

from __future__ import annotations

from typing import Any, Final

import fastapi
import flask
import pytest
import quart
import werkzeug
from django.core.asgi import get_asgi_application
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse
from django.urls import path
from pyramid.config import Configurator
from pyramid.response import Response
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.routing import Mount, Route

from postel.doctor._application import Application
from postel.doctor._request import Request
from readers.of_django import configured

WRITTEN: Final = {"url_for()", "reverse()", "route_path()", "the redirect"}


def written(app: Any, target: bytes) -> list[tuple[str, str]]:
    """Return the places that write a URL other than the one handed over, and what they write."""
    note = Application.of(app).asker(None, 10)(Request(target)).note
    assert note is not None
    return [(each.place, each.value) for each in note.differences if each.place in WRITTEN]


async def show(request: Any) -> Any:
    return PlainTextResponse("shown")


def of_starlette() -> Any:
    inner = Mount("/m", routes=[Route("/{name}", show)])
    return Starlette(routes=[inner, Route("/posted", show, methods=["POST"]), Route("/wiki/{name}", show)])


def of_fastapi() -> Any:
    app = fastapi.FastAPI()
    app.get("/wiki/{name}")(lambda name: name)
    return app


def of_flask() -> Any:
    return with_rules(flask.Flask("x", static_folder=None))


def of_quart() -> Any:
    return with_rules(quart.Quart("x", static_folder=None))


def with_rules(app: Any) -> Any:
    def page(name: str = "") -> str:
        return name

    for rule in ("/", "/index", "/wiki/<name>"):
        app.add_url_rule(rule, "page", page)
    return app


def of_pyramid() -> Any:
    with Configurator() as config:
        config.add_route("page", "/wiki/{name}")
        config.add_view(lambda _: Response("shown"), route_name="page")
        return config.make_wsgi_app()


@pytest.mark.parametrize("make", [of_starlette, of_fastapi], ids=["Starlette", "FastAPI"])
def test_url_for_of_starlette_ends_at_a_delimiter(make: Any) -> None:
    app = make()
    assert written(app, b"/wiki/C%23") == [("url_for()", "/wiki/C#")]
    assert written(app, b"/wiki/a%2570") == [("url_for()", "/wiki/a%70")]
    for target in (b"/wiki/C", b"/wiki/caf%C3%A9", b"/m/C%23", b"/posted", b"/nowhere%23"):
        assert written(app, target) == []


@pytest.mark.parametrize("make", [of_flask, of_quart, of_pyramid], ids=["Flask", "Quart", "Pyramid"])
def test_escaped_characters_are_written_correctly(make: Any) -> None:
    app = make()
    for target in (b"/wiki/C%23", b"/wiki/a%2570", b"/wiki/caf%C3%A9", b"/nowhere", b"/index", b"/"):
        assert written(app, target) == []


@werkzeug.Request.application
def without_rules(request: werkzeug.Request) -> werkzeug.Response:
    return werkzeug.Response("shown")


def test_places_without_rules_write_no_url() -> None:
    assert written(without_rules, b"/a%2570") == []


class Urls:
    urlpatterns: Final = [path("wiki/<name>", lambda _, name: HttpResponse(name), name="page")]


@pytest.mark.parametrize("make", [get_wsgi_application, get_asgi_application], ids=["WSGI", "ASGI"])
def test_reverse_of_django_writes_the_matched_url(make: Any) -> None:
    with configured(ROOT_URLCONF=Urls()):
        app = make()
        for target in (b"/wiki/C%23", b"/wiki/a%2570", b"/nowhere"):
            assert written(app, target) == []


# -- redirects -----------------------------------------------------------------------------------------------


async def slashed(request: Any) -> Any:
    """A view that redirects to its own path."""
    return RedirectResponse(request.scope["path"] + "/")


async def elsewhere(request: Any) -> Any:
    return RedirectResponse("/login?next=/wiki/a")


def test_a_redirect_to_its_own_path() -> None:
    app = Starlette(routes=[Route("/wiki/{name}", slashed), Route("/kept/{name}", elsewhere)])
    assert ("the redirect", "/wiki/C#/") in written(app, b"/wiki/C%23")
    assert ("the redirect", "/wiki/a%70/") in written(app, b"/wiki/a%2570")
    assert written(app, b"/wiki/plain") == written(app, b"/kept/a") == []


def test_a_redirect_on_wsgi() -> None:
    def app(environ: Any, start_response: Any) -> list[bytes]:
        start_response("301 Moved", [("Location", f"http://localhost{environ['PATH_INFO']}/")])
        return []

    assert written(app, b"/C%3F") == [("the redirect", "http://localhost/C?/")]
    assert written(app, b"/C") == []

"""Open redirects: applications redirect to a parameter's value, and a ``local`` rule keeps them on the site.

The reference is judged as a browser reads it (ada, the URL Standard's parser) and as httpx follows it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, Final
from urllib.parse import unquote, urljoin

import ada_url
import flask
import httpx
import litestar
import pytest
from django.core.handlers.asgi import ASGIHandler
from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import path as django_path
from fastapi import FastAPI
from fastapi.responses import RedirectResponse as FastAPIRedirect
from litestar.response import Redirect
from starlette.applications import Starlette
from starlette.responses import RedirectResponse
from starlette.routing import Route

import postel.asgi
import postel.wsgi
from applications import django_configured
from postel import Kind, Policy
from postel.uri import Place, encode_component
from toolkit.test_local import ORDINARY, PAYLOADS
from wire import Answer, ask_asgi, ask_wsgi

SITE: Final = "https://demo.test"
PAGE: Final = f"{SITE}/login"
POLICY: Final = Policy.STANDARD.local(names=["next", "return_to"])


def flask_app() -> Any:
    app = flask.Flask("leaving", static_folder=None)

    @app.route("/login")
    def show() -> Any:
        return flask.redirect(flask.request.args["next"])

    return app


def django_view(request: HttpRequest) -> HttpResponse:
    return HttpResponseRedirect(request.GET["next"])


urlpatterns = [django_path("login", django_view)]


async def starlette_view(request: Any) -> RedirectResponse:
    return RedirectResponse(request.query_params["next"])


def starlette_app() -> Any:
    return Starlette(routes=[Route("/login", starlette_view)])


def fastapi_app() -> Any:
    app = FastAPI(openapi_url=None)

    @app.get("/login")
    def show(next: str) -> FastAPIRedirect:  # noqa: A002 - the name of the parameter
        return FastAPIRedirect(next)

    return app


def litestar_app() -> Any:
    @litestar.get("/login", sync_to_thread=False)
    def show(request: litestar.Request[Any, Any, Any]) -> Redirect:
        return Redirect(request.query_params["next"])

    return litestar.Litestar([show], openapi_config=None)


FRAMEWORKS: Final[dict[str, tuple[Callable[[], Any], Any, Callable[[Any, bytes], Answer]]]] = {
    "flask": (flask_app, postel.wsgi.NormalizeMiddleware, ask_wsgi),
    "django-wsgi": (WSGIHandler, postel.wsgi.NormalizeMiddleware, ask_wsgi),
    "django-asgi": (ASGIHandler, postel.asgi.NormalizeMiddleware, ask_asgi),
    "starlette": (starlette_app, postel.asgi.NormalizeMiddleware, ask_asgi),
    "fastapi": (fastapi_app, postel.asgi.NormalizeMiddleware, ask_asgi),
    "litestar": (litestar_app, postel.asgi.NormalizeMiddleware, ask_asgi),
}
SENT: Final = [
    f"next={encode_component(each, place=place)}".encode()
    for each in PAYLOADS
    if each.isprintable() or each.isascii()
    for place in (Place.ANYWHERE, Place.QUERY_VALUE)
]


@pytest.fixture(scope="module", autouse=True)
def _urls() -> Iterator[None]:
    with django_configured(ROOT_URLCONF=__name__):
        yield


@functools.cache
def behind(framework: str, **settings: Any) -> Callable[[bytes], Answer]:
    make, middleware, ask = FRAMEWORKS[framework]
    app = middleware(make(), observer=repr, **settings)
    return lambda query: ask(app, b"/login?" + query)


@functools.cache
def bare(framework: str) -> Callable[[bytes], Answer]:
    make, _, ask = FRAMEWORKS[framework]
    app = make()
    return lambda query: ask(app, b"/login?" + query)


def leaves(answer: Answer) -> bool:
    """Whether a browser or httpx follows the answer to another site."""
    location = answer.headers.get("location")
    if location is None or not 300 <= answer.status < 400:
        return False
    try:
        browser = ada_url.URL(location, base=PAGE).origin != SITE
    except ValueError:
        browser = False
    try:
        followed = httpx.URL(PAGE).join(location)
        client = followed.host not in {"", "demo.test"}
    except (httpx.InvalidURL, ValueError):
        client = False
    return browser or client


def answered(ask: Callable[[bytes], Answer], query: bytes) -> Answer | None:
    """Return the answer, or ``None`` if the framework raises ValueError for the reference."""
    try:
        return ask(query)
    except ValueError:
        return None


def test_there_are_enough_payloads() -> None:
    assert len(SENT) >= 2 * 150


@pytest.mark.no_cover
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_behind_a_local_rule_no_payload_leaves(framework: str) -> None:
    ask = behind(framework, policy=POLICY)
    answers = {query: ask(query) for query in SENT}
    assert [query for query, answer in answers.items() if leaves(answer)] == []
    assert {answer.status for answer in answers.values()} <= {200, 400}


@pytest.mark.no_cover
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_behind_locations_no_payload_leaves(framework: str) -> None:
    ask = behind(framework, hosts=("demo.test",), locations="refuse")
    assert [query for query in SENT if (answer := answered(ask, query)) and leaves(answer)] == []


@pytest.mark.no_cover
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_without_postel_many_payloads_leave(framework: str) -> None:
    answers = [answered(bare(framework), query) for query in SENT]
    assert sum(answer is not None and leaves(answer) for answer in answers) >= 60


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_ordinary_references_are_followed(framework: str) -> None:
    both = behind(framework, policy=POLICY, hosts=("demo.test",), locations="refuse")
    for reference in ["/cart?x=1&y=%2F", *ORDINARY[::9]]:
        answer = both(b"next=" + encode_component(reference).encode())
        assert 300 <= answer.status < 400, (reference, answer)
        there, here = (ada_url.URL(each, base=PAGE).href for each in (answer.headers["location"], reference))
        assert unquote(there) == unquote(here), reference  # Werkzeug escapes brackets.
        assert urljoin(PAGE, answer.headers["location"]).startswith(f"{SITE}/")
    assert both(b"next=/cart?x=1&y=%2F").headers["location"].startswith("/cart?x=1")


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize(
    "query",
    [b"next=/%09/evil.example", b"next=/%0A/evil", b"next=/%5Cevil", b"next=//evil", b"next=https:evil"],
)
def test_a_refusal_names_the_kind(framework: str, query: bytes) -> None:
    answer = behind(framework, policy=POLICY)(query)
    assert answer.status == 400
    assert Kind.FOREIGN_REFERENCE.slug in answer.body.decode()
    assert b"evil" not in answer.body

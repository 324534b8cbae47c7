"""Routes through the middlewares, in front of frameworks: other requests cannot obtain an exemption."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import flask
import pytest
from django.core.asgi import get_asgi_application
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse
from django.urls import path as django_path
from fastapi import FastAPI
from fastapi.responses import PlainTextResponse

import postel.asgi
import postel.wsgi
from adapters import EACH_PROTOCOL, Protocol
from applications import django_configured
from postel import Kind, Policy
from together import together
from wire import ask_asgi, ask_wsgi

PRESETS = {"STRICT": Policy.STRICT, "STANDARD": Policy.STANDARD, "LENIENT": Policy.LENIENT}
ADMIN, PACKAGE, OTHER = "the administration", "the package", "something else"

TRICKS = [
    b"/packages/..%2Fadmin",
    b"/%70ackages%2F..",
    b"//packages/../admin",
    b"/packages\\..\\admin",
    b"/PACKAGES",
    b"/packages%2F%2e%2e%2Fadmin",
    b"/packagesx",
    b"/packages;x/..",
]
MORE = [
    b"/packages/../admin",
    b"/packages/x%2F../../admin",
    b"/packages/%2e%2e/admin",
    b"/packages/..%5Cadmin",
    b"/packages/%2e%2e%2Fadmin",
    b"/packages/..;/admin",
    b"/packages/.%2E/admin",
    b"/./packages/..%2Fadmin",
    b"/packages//..%2Fadmin",
    b"/packages%5C..%5Cadmin",
    b"/packages/%252e%252e%252Fadmin",
    b"/packages/%u002e%u002e/admin",
    b"/packages/x/..%2F..%2Fadmin",
    b"http://demo.test/packages/..%2Fadmin",
    b"/packages/a#/../../admin",
    b"/packages%2Fa%2F..%2Fadmin",
    b"/packages%00/admin",
    b"/packages%2fa/../../admin",
]


def package(name: str) -> str:
    return f"{PACKAGE}: {name}"


# -- frameworks that serve /packages, /admin, and every other path -------------------------------------------


def flask_app() -> Any:
    app = flask.Flask("routes", static_folder=None)
    app.add_url_rule("/admin", "admin", lambda: ADMIN)
    app.add_url_rule("/packages/<path:name>", "package", package)
    app.add_url_rule("/", "root", lambda: OTHER)
    app.add_url_rule("/<path:rest>", "other", lambda rest: OTHER)
    return app


def fastapi_app() -> Any:
    app = FastAPI(openapi_url=None)
    app.add_api_route("/admin", lambda: PlainTextResponse(ADMIN))
    app.add_api_route("/packages/{name:path}", lambda name: PlainTextResponse(package(name)))
    app.add_api_route("/{rest:path}", lambda rest: PlainTextResponse(OTHER))
    return app


def django_admin(_: HttpRequest) -> HttpResponse:
    return HttpResponse(ADMIN)


def django_package(_: HttpRequest, name: str) -> HttpResponse:
    return HttpResponse(package(name))


def django_other(_: HttpRequest, rest: str = "") -> HttpResponse:
    return HttpResponse(OTHER)


urlpatterns = [
    django_path("admin", django_admin),
    django_path("packages/<path:name>", django_package),
    django_path("<path:rest>", django_other),
    django_path("", django_other),
]

FRAMEWORKS = {
    "flask": (flask_app, postel.wsgi.NormalizeMiddleware, ask_wsgi),
    "django-wsgi": (get_wsgi_application, postel.wsgi.NormalizeMiddleware, ask_wsgi),
    "fastapi": (fastapi_app, postel.asgi.NormalizeMiddleware, ask_asgi),
    "django-asgi": (get_asgi_application, postel.asgi.NormalizeMiddleware, ask_asgi),
}


class Stack:
    """A framework behind postel, with an exemption below /packages."""

    def __init__(self, framework: str, policy: Policy) -> None:
        app, middleware, self._ask = FRAMEWORKS[framework]
        self.told: list[Any] = []
        routes = {"/packages": policy.preserving(Kind.ENCODED_SLASH)}
        self._app = middleware(app(), policy, routes=routes, observer=self.told.append)

    def ask(self, target: bytes) -> tuple[int, str]:
        self.told.clear()
        answer = self._ask(self._app, target)
        return answer.status, answer.body.decode()


@pytest.fixture(scope="module")
def urls() -> Iterator[None]:
    with django_configured(ROOT_URLCONF=__name__):
        yield


@pytest.fixture(scope="module", params=PRESETS)
def preset(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module", params=FRAMEWORKS)
def stack(request: pytest.FixtureRequest, preset: str, urls: None) -> Stack:
    return Stack(request.param, PRESETS[preset])


def test_without_tricks_each_path_is_served(stack: Stack, preset: str) -> None:
    assert stack.ask(b"/packages/@scope%2Fname") == (200, f"{PACKAGE}: @scope%2Fname")
    assert stack.ask(b"/packages/@scope/name") == (200, f"{PACKAGE}: @scope/name")
    assert stack.ask(b"/admin") == (200, ADMIN)
    assert stack.ask(b"/elsewhere") == (200, OTHER)
    assert stack.ask(b"/elsewhere/@scope%2Fname")[0] == (200 if preset == "LENIENT" else 400)


@together("target", TRICKS + MORE, ids=ascii)
def test_no_trick_obtains_an_exemption(stack: Stack, target: bytes) -> None:
    """The request is refused or served as the path that it names. It never reaches the administration."""
    status, body = stack.ask(target)
    assert body != ADMIN
    assert status in {200, 400, 404}
    if status == 200 and b"packages/" not in target:
        assert body == OTHER  # This path is outside the route, so the general policy judges it.
    if body.startswith(PACKAGE):
        assert target.startswith(b"/packages/")
        assert not {"..", "."} & set(re.split(r"/|%2F", body.removeprefix(f"{PACKAGE}: ")))


VERDICTS = [400, 400, 400, 400, 200, 400, 200, 400]
"""The status for each trick under every preset: two are ordinary paths, and the others are refused."""


def test_eight_known_tricks_have_their_statuses(stack: Stack) -> None:
    assert [stack.ask(target)[0] for target in TRICKS] == VERDICTS
    for target in (b"/PACKAGES", b"/packagesx"):
        assert stack.ask(target) == (200, OTHER)


def test_similar_paths_are_not_in_the_route(stack: Stack, preset: str) -> None:
    for target in (b"/PACKAGES/a%2Fb", b"/packagesx/a%2Fb", b"/packages;x/a%2Fb", b"/x/packages/a%2Fb"):
        status, body = stack.ask(target)
        assert (status, body) == (200, OTHER) if preset == "LENIENT" else status == 400
    assert stack.ask(b"/%70ackages/a%2Fb") == (200, f"{PACKAGE}: a%2Fb")


# -- routes are relative to the application, and repairs stay inside them ------------------------------------


@EACH_PROTOCOL
def test_a_route_is_relative_to_the_application(protocol: Protocol) -> None:
    through = protocol.behind(routes={"/packages": Policy.STANDARD.preserving(Kind.ENCODED_SLASH)})
    assert through.serve(protocol.mounted(b"/sub/packages/a%2Fb", "/sub")).status == 200
    assert through.serve(protocol.mounted(b"/packages/x/a%2Fb", "/packages")).status == 400
    assert through.serve(protocol.mounted(b"/packages/packages/a%2Fb", "/packages")).status == 200


@EACH_PROTOCOL
def test_a_repair_that_leaves_its_route_is_refused_by_name(protocol: Protocol) -> None:
    routes = {"/loose": Policy.LENIENT, "/loose/strict": Policy.STRICT}
    through = protocol.behind(Policy.STANDARD, routes=routes)
    for target in (b"/loose/../admin", b"/loose/x/../strict", b"/loose//strict/a"):
        assert "route-mismatch" in through.serve(protocol.request_of(target)).kinds
    for target in (b"/loose/x/../y", b"/loose//x"):
        assert through.serve(protocol.request_of(target)).status == 200
    assert through.serve(protocol.request_of(b"/other/x/../y")).kinds == ["dot-segment"]
    assert through.serve(protocol.request_of(b"/loose/strict/x/../y")).kinds == ["dot-segment"]


@EACH_PROTOCOL
def test_a_redirect_stays_in_its_route(protocol: Protocol) -> None:
    through = protocol.behind(routes={"/loose": Policy.LENIENT}, redirect=True)
    answer = through.serve(protocol.request_of(b"/loose/x/../y"))
    assert dict(answer.headers)["location"] == "/loose/y"
    assert through.serve(protocol.request_of(b"/loose/../y")).status == 400


@EACH_PROTOCOL
def test_both_views_of_a_rewrite_are_judged_by_their_own_routes(protocol: Protocol) -> None:
    through = protocol.behind(routes={"/packages": Policy.STANDARD.preserving(Kind.ENCODED_SLASH)})
    shown = {"PATH_INFO": "/admin"} if protocol.name == "wsgi" else {"path": "/admin"}
    answer = through.serve(protocol.request_of(b"/packages/a%2Fb", **shown))
    assert answer.given is None or protocol.path(answer.given) == b"/admin"
    answer = through.serve(protocol.request_of(b"/elsewhere/a%2Fb", **shown))
    assert answer.kinds[0] == "encoded-slash"


@EACH_PROTOCOL
def test_paths_that_only_some_readers_place_in_a_route_are_not_repaired(protocol: Protocol) -> None:
    through = protocol.behind(Policy.LENIENT, routes={"/packages": Policy.STANDARD})
    for target in (b"//packages/../x", b"/packages\\..\\x", b"/packages;x/../x", b"/packages%5C../x"):
        assert through.serve(protocol.request_of(target)).kinds[-1] == "route-mismatch"
    for target in (b"//x/../y", b"/x\\..\\y", b"/packagesx;x/..", b"/x/../packagesx", b"http://h//x"):
        assert through.serve(protocol.request_of(target)).status == 200
    for target in (b"/packages%2Fx", b"/packages%2fx", b"/packages;x", b"/packages%2F<"):
        assert through.serve(protocol.request_of(target)).status == 200  # One segment, which is not repaired.

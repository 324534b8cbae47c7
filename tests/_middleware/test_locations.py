"""The setting ``locations=`` on both protocols: which responses are replaced, and what is reported."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import flask
import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpRequest, HttpResponse
from django.urls import path as django_path
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

import postel.asgi
import postel.wsgi
from adapters import EACH_PROTOCOL, Protocol, Served, call_asgi, call_wsgi, environ_of, run, scope_of
from applications import django_configured
from postel import Action, Kind, Locations, PolicyError, Report, report_of
from wire import ask_asgi, ask_wsgi

SITE: Final[dict[str, Any]] = {"hosts": ["site.example", "demo.test"]}
EVIL: Final = "https://evil.example/"


class Answering:
    """An application that answers with given headers behind a middleware, and the reports that it causes."""

    def __init__(self, protocol: Protocol, *locations: str, status: int = 302, **settings: Any) -> None:
        self.headers = [("Location", each) for each in locations]
        self.status = status
        self.told: list[Report] = []
        self.closed = 0
        self.protocol = protocol
        app = self.wsgi_app if protocol.name == "wsgi" else self.asgi_app
        self.middleware = protocol.middleware(app, observer=self.told.append, **{**SITE, **settings})

    def wsgi_app(self, _environ: Any, start_response: Any) -> Iterable[bytes]:
        start_response(f"{self.status} Status", list(self.headers))
        return [b"its own"]

    async def asgi_app(self, _scope: Any, _receive: Any, send: Any) -> None:
        headers = [(name.lower().encode(), value.encode("latin-1")) for name, value in self.headers]
        await send({"type": "http.response.start", "status": self.status, "headers": iter(headers)})
        await send({"type": "http.response.body", "body": b"its own"})

    def ask(self, target: bytes = b"/go?q=1", method: str = "GET", **keys: Any) -> Served:
        if self.protocol.name == "wsgi":
            return call_wsgi(self.middleware, environ_of(target, method, HTTP_HOST="site.example", **keys))
        headers = [(b"host", b"site.example"), *keys.pop("headers", [])]
        return call_asgi(self.middleware, scope_of(target, method, headers=headers, **keys))


@EACH_PROTOCOL
def test_by_default_nothing_is_judged(protocol: Protocol) -> None:
    answer = Answering(protocol, EVIL).ask()
    assert (answer.status, answer.body) == (302, b"its own")


@EACH_PROTOCOL
@pytest.mark.parametrize("location", [EVIL, "/\t/evil.example", "//evil.example", "/a\r\nX: y", "/caf\xe9"])
def test_refuse_answers_in_place_of_the_response(protocol: Protocol, location: str) -> None:
    answering = Answering(protocol, location, locations="refuse")
    answer = answering.ask()
    assert answer.status == 403
    assert "location" not in {name.lower() for name, _ in answer.headers}
    (report,) = answering.told
    assert report.refused
    (finding,) = report.findings
    assert answer.kinds == [finding.kind.slug]
    assert report.id in answer.body.decode()
    assert b"evil" not in answer.body
    assert b"its own" not in answer.body
    assert report.received_target == b"/go?q=1"


@EACH_PROTOCOL
def test_report_sends_the_response_and_reports(protocol: Protocol) -> None:
    answering = Answering(protocol, EVIL, locations="report")
    answer = answering.ask()
    assert (answer.status, answer.body) == (302, b"its own")
    assert [value for name, value in answer.headers if name.lower() == "location"] == [EVIL]
    (report,) = answering.told
    assert [(each.kind, each.action) for each in report.findings] == [(Kind.FOREIGN_LOCATION, Action.REPORT)]
    assert not report.refused


@EACH_PROTOCOL
def test_without_enforcement_a_location_is_only_reported(protocol: Protocol) -> None:
    answering = Answering(protocol, EVIL, locations="refuse", enforce=False)
    assert answering.ask().status == 302
    (report,) = answering.told
    assert report.refused
    assert not report.enforced
    answering = Answering(protocol, EVIL, locations="report", enforce=False)
    assert answering.ask(b"/%00").status == 302
    assert [[each.kind for each in report.findings] for report in answering.told] == [
        [Kind.NUL],
        [Kind.FOREIGN_LOCATION],
    ]


@EACH_PROTOCOL
def test_with_a_sample_of_0_a_location_is_only_reported(protocol: Protocol) -> None:
    assert Answering(protocol, EVIL, locations="refuse", sample=0.0).ask().status == 302
    assert Answering(protocol, EVIL, locations="refuse", sample=1.0).ask().status == 403


@EACH_PROTOCOL
@pytest.mark.parametrize(
    "location", ["/cart?x=1", "https://site.example/a", "http://demo.test:8000/", "a/b", ""]
)
def test_local_locations_are_sent(protocol: Protocol, location: str) -> None:
    answering = Answering(protocol, location, locations="refuse")
    assert answering.ask().status == 302
    assert answering.ask(b"/50%25%7e?a=b%20c|d").status == 302, (
        "a repair of the request does not change the verdict on the Location"
    )
    assert {each.kind for report in answering.told for each in report.findings} <= {
        Kind.SPELLING,
        Kind.ILLEGAL_CHARACTER,
    }


@EACH_PROTOCOL
def test_settings_for_exceptions_statuses_and_routes_apply(protocol: Protocol) -> None:
    allowed = Locations("refuse", exceptions=["evil.example"])
    assert Answering(protocol, EVIL, locations=allowed).ask().status == 302
    assert (
        Answering(protocol, EVIL, locations="refuse", statuses={Kind.FOREIGN_LOCATION: 404}).ask().status
        == 404
    )
    routes = {"/": "refuse", "/oauth": None}
    assert Answering(protocol, EVIL, locations=routes).ask(b"/oauth/authorize").status == 302
    assert Answering(protocol, EVIL, locations=routes).ask(b"/%6Fauth/authorize").status == 302
    assert Answering(protocol, EVIL, locations=routes).ask(b"/login").status == 403


@EACH_PROTOCOL
def test_created_resources_may_be_elsewhere(protocol: Protocol) -> None:
    assert Answering(protocol, EVIL, locations="refuse", status=201).ask().status == 201
    assert Answering(protocol, "/a\tb", locations="refuse", status=201).ask().status == 403


@EACH_PROTOCOL
def test_two_locations_are_refused(protocol: Protocol) -> None:
    assert Answering(protocol, "/a", "/b", locations="refuse").ask().status == 403


@EACH_PROTOCOL
def test_a_head_request_gets_no_body(protocol: Protocol) -> None:
    answer = Answering(protocol, EVIL, locations="refuse").ask(method="HEAD")
    assert (answer.status, answer.body) == (403, b"")


@EACH_PROTOCOL
@pytest.mark.parametrize("changes", [{}, {"REQUEST_METHOD": "POST", "method": "POST"}])
def test_changes_of_the_application_to_its_request_have_no_effect(
    protocol: Protocol, changes: dict[str, str]
) -> None:
    answering = Answering(protocol, EVIL, locations="refuse")

    def wsgi_app(environ: Any, start_response: Any) -> Iterable[bytes]:
        environ.clear()
        environ.update(changes)
        return answering.wsgi_app(environ, start_response)

    async def asgi_app(scope: Any, receive: Any, send: Any) -> None:
        scope.clear()
        scope.update(changes)
        await answering.asgi_app(scope, receive, send)

    answering.middleware.app.app = wsgi_app if protocol.name == "wsgi" else asgi_app
    assert answering.ask().status == 403
    (report,) = answering.told
    assert (report.received_target, report.method) == (b"/go?q=1", "GET")


@EACH_PROTOCOL
def test_the_id_of_the_request_names_the_refusal(protocol: Protocol) -> None:
    answering = Answering(protocol, EVIL, locations="refuse", request_id="X-Request-ID")
    sent = (
        {"HTTP_X_REQUEST_ID": "abc"} if protocol.name == "wsgi" else {"headers": [(b"x-request-id", b"abc")]}
    )
    assert b"abc" in answering.ask(**sent).body
    assert answering.told[0].id == "abc"


@EACH_PROTOCOL
def test_the_setting_needs_hosts_at_construction(protocol: Protocol) -> None:
    with pytest.raises(PolicyError, match="locations= requires hosts="):
        protocol.middleware(lambda *_: None, locations="refuse")
    with pytest.raises(PolicyError, match="locations='x'"):
        protocol.middleware(lambda *_: None, locations="x", **SITE)


@EACH_PROTOCOL
def test_the_log_is_bounded_and_printable(protocol: Protocol, caplog: pytest.LogCaptureFixture) -> None:
    location = "//evil.example/\x1b[2J" + "a" * 10_000
    middleware = Answering(protocol, location, locations="refuse").middleware
    quiet = protocol.middleware(middleware.app.app, locations="refuse", **SITE)
    with caplog.at_level(logging.INFO, "postel"):
        for _ in range(20):
            if protocol.name == "asgi":
                call_asgi(quiet, scope_of(b"/", headers=[(b"host", b"site.example")]))
            else:
                call_wsgi(quiet, environ_of(b"/", HTTP_HOST="site.example"))
    assert 0 < len(caplog.messages) <= 5
    for line in caplog.messages:
        assert line.startswith(
            'refused "GET" "/" from "192.0.2.1": malformed-location in location at 15: "\\x1b'
        )
        assert len(line) < 600
        assert line.isprintable()


# -- an application that answers refused requests ------------------------------------------------------------


def refusing_wsgi(environ: Any, start_response: Any) -> Iterator[bytes]:
    """A refusal that calls start_response when the server asks for the first chunk."""
    start_response("410 Gone", [("x", report_of(environ).findings[0].kind.slug)])
    yield environ["PATH_INFO"].encode()


async def refusing_asgi(scope: Any, _receive: Any, send: Any) -> None:
    headers = [(b"x", report_of(scope).findings[0].kind.slug.encode())]
    await send({"type": "http.response.start", "status": 410, "headers": headers})
    await send({"type": "http.response.body", "body": scope["path"].encode()})


@EACH_PROTOCOL
def test_your_own_refusal_also_answers_for_a_foreign_location(protocol: Protocol) -> None:
    refusal = refusing_wsgi if protocol.name == "wsgi" else refusing_asgi
    answer = Answering(protocol, EVIL, locations="refuse", refusal=refusal).ask()
    assert (answer.status, answer.headers, answer.body) == (410, [("x", "foreign-location")], b"/")


# -- WSGI: start_response is called late, again, and with an error -------------------------------------------


class Answer:
    """The answer of an application; the server iterates and closes it."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self.chunks = chunks
        self.closed = 0

    def __iter__(self) -> Iterator[bytes]:
        return self.chunks

    def close(self) -> None:
        self.closed += 1


Started = list[tuple[Any, ...]]


def serve(app: Any, **keys: Any) -> tuple[Started, list[bytes]]:
    """Return what a server receives from start_response, and the chunks that it sends; close the answer."""
    started: Started = []
    middleware = postel.wsgi.NormalizeMiddleware(app, locations="refuse", observer=repr, **SITE)

    def start_response(*arguments: Any) -> Callable[[bytes], None]:
        started.append(arguments)
        return lambda data: started.append((data,))

    answer = middleware(environ_of(b"/", HTTP_HOST="site.example", **keys), start_response)
    try:
        chunks = list(answer)
    finally:
        if hasattr(answer, "close"):
            answer.close()
    return started, chunks


def test_a_redirect_of_a_generator_that_starts_late_and_sends_nothing_is_refused() -> None:
    def app(_environ: Any, start_response: Any) -> Iterator[bytes]:
        start_response("302 Found", [("Location", EVIL)])
        yield from ()

    started, chunks = serve(app)
    assert [each[0] for each in started] == ["403 Forbidden"]
    assert b"foreign-location" in b"".join(chunks)


def test_a_generator_that_streams_is_passed_on_and_closed() -> None:
    answer: Answer

    def app(_environ: Any, start_response: Any) -> Answer:
        nonlocal answer
        start_response("200 OK", [])
        answer = Answer(iter([b"a", b"", b"b"]))
        return answer

    started, chunks = serve(app)
    assert (started, chunks) == ([("200 OK", [])], [b"a", b"", b"b"])
    assert answer.closed == 1


def test_both_answers_are_closed_after_a_refusal() -> None:
    made: list[Answer] = []

    def answer(*chunks: bytes) -> Answer:
        made.append(Answer(iter(chunks)))
        return made[-1]

    def app(_environ: Any, start_response: Any) -> Answer:
        start_response("302 Found", [("Location", EVIL)])
        return answer(b"its own")

    def refusal(_environ: Any, start_response: Any) -> Answer:
        start_response("403 Forbidden", [])
        return answer(b"no")

    middleware = postel.wsgi.NormalizeMiddleware(
        app, locations="refuse", observer=repr, refusal=refusal, **SITE
    )
    served = call_wsgi(middleware, environ_of(b"/", HTTP_HOST="site.example"))
    assert (served.status, served.body) == (403, b"no")
    assert [each.closed for each in made] == [1, 1]


def test_an_answer_that_is_never_iterated_is_closed() -> None:
    answer = Answer(iter([b"a"]))

    def app(_environ: Any, start_response: Any) -> Answer:
        start_response("200 OK", [])
        return answer

    middleware = postel.wsgi.NormalizeMiddleware(app, locations="refuse", **SITE)
    given = middleware(environ_of(b"/", HTTP_HOST="site.example"), lambda *_: None)
    given.close()
    assert answer.closed == 1


def test_an_error_replaces_a_response_that_was_refused() -> None:
    error: Any = (ValueError, ValueError(), None)

    def app(_environ: Any, start_response: Any) -> list[bytes]:
        start_response("302 Found", [("Location", EVIL)])
        start_response("500 Internal Server Error", [], error)
        return [b"an error"]

    started, chunks = serve(app)
    assert started[-1] == ("500 Internal Server Error", [], error)
    assert chunks == [b"an error"]


@pytest.mark.parametrize("late", [False, True])
def test_an_error_whose_page_redirects_away_is_refused(late: bool) -> None:
    error: Any = (ValueError, ValueError(), None)

    def app(_environ: Any, start_response: Any) -> Iterable[bytes]:
        start_response("200 OK", [])

        def chunks() -> Iterator[bytes]:
            if late:
                yield b"before"
            start_response("302 Found", [("Location", EVIL)], error)
            yield b"its own"

        return chunks()

    started, chunks = serve(app)
    assert started[0] == ("200 OK", [])
    assert (started[1][0], started[1][2]) == ("403 Forbidden", error)
    assert b"its own" not in chunks


def test_an_error_of_the_refusal_takes_precedence() -> None:
    error: Any = (ValueError, ValueError(), None)

    def app(_environ: Any, start_response: Any) -> list[bytes]:
        start_response("302 Found", [("Location", EVIL)], (KeyError, KeyError(), None))
        return []

    def refusal(_environ: Any, start_response: Any) -> list[bytes]:
        start_response("500 Internal Server Error", [], error)
        return [b"no"]

    started: Started = []
    middleware = postel.wsgi.NormalizeMiddleware(
        app, locations="refuse", observer=repr, refusal=refusal, **SITE
    )
    list(middleware(environ_of(b"/", HTTP_HOST="site.example"), lambda *each: started.append(each)))
    assert started == [("500 Internal Server Error", [], error)]


def test_applications_and_refusals_may_name_the_arguments_of_start_response() -> None:
    error: Any = (ValueError, ValueError(), None)

    def app(environ: Any, start_response: Any) -> list[bytes]:
        location = EVIL if environ["PATH_INFO"] == "/away" else "/a"
        start_response(status="302 Found", headers=[("Location", location)], exc_info=error)
        return []

    def refusal(_environ: Any, start_response: Any) -> list[bytes]:
        start_response(status="403 Forbidden", headers=[], exc_info=None)
        return []

    started: Started = []
    middleware = postel.wsgi.NormalizeMiddleware(
        app, locations="refuse", observer=repr, refusal=refusal, **SITE
    )
    for target in (b"/", b"/away"):
        list(middleware(environ_of(target, HTTP_HOST="site.example"), lambda *each: started.append(each)))
    assert started == [("302 Found", [("Location", "/a")], error), ("403 Forbidden", [], error)]


def test_octets_that_are_written_to_a_refused_response_are_dropped() -> None:
    def app(_environ: Any, start_response: Any) -> list[bytes]:
        start_response("302 Found", [("Location", EVIL)])(b"its own")
        return []

    started, chunks = serve(app)
    assert len(started) == 1
    assert b"its own" not in chunks


def test_octets_that_are_written_to_an_accepted_response_are_sent() -> None:
    def app(_environ: Any, start_response: Any) -> list[bytes]:
        start_response("no number", [("Location", "/a")])(b"its own")
        return []

    started, _ = serve(app)
    assert started == [("no number", [("Location", "/a")]), (b"its own",)]


def test_a_server_still_recognises_its_own_file_wrapper() -> None:
    class Wrapper:
        def __init__(self, chunks: Iterable[bytes]) -> None:
            self.chunks = chunks

        def __iter__(self) -> Iterator[bytes]:
            return iter(self.chunks)

    def app(environ: Any, start_response: Any) -> Any:
        start_response("200 OK", [])
        return environ["wsgi.file_wrapper"]([b"a"])

    middleware = postel.wsgi.NormalizeMiddleware(app, locations="refuse", **SITE)
    environ = environ_of(b"/", HTTP_HOST="site.example", **{"wsgi.file_wrapper": Wrapper})
    assert isinstance(middleware(environ, lambda *_: None), Wrapper)


@pytest.mark.parametrize("listed", [tuple, iter, dict.items])
def test_headers_that_are_not_a_list_are_judged_and_sent(listed: Callable[[Any], Any]) -> None:
    def answers(location: str) -> Started:
        def app(_environ: Any, start_response: Any) -> list[bytes]:
            headers = {"Location": location}
            start_response("302 Found", listed(headers if listed is dict.items else list(headers.items())))
            return []

        return serve(app)[0]

    assert answers(EVIL)[0][0] == "403 Forbidden"
    assert answers("/a") == [("302 Found", [("Location", "/a")])]


# -- ASGI ----------------------------------------------------------------------------------------------------


def test_a_stream_is_replaced_as_a_whole_and_other_messages_pass() -> None:
    sent: list[str] = []

    async def send(message: Any) -> None:
        sent.append(message["type"])

    async def receive() -> Any:
        return {"type": "http.request"}

    async def app(scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.push", "path": "/", "headers": []})
        location = EVIL if scope["path"] == "/away" else "/"
        status = {"status": 302} if scope["path"] == "/away" else {}
        await send({"type": "http.response.start", **status, "headers": [(b"location", location.encode())]})
        for more in (True, False):
            await send({"type": "http.response.body", "body": b"x", "more_body": more})

    middleware = postel.asgi.NormalizeMiddleware(app, locations="refuse", observer=repr, **SITE)
    hosted: dict[str, Any] = {"headers": [(b"host", b"site.example")]}
    run(middleware(scope_of(b"/", **hosted), receive, send))
    body = "http.response.body"
    assert sent == ["http.response.push", "http.response.start", body, body]
    sent.clear()
    run(middleware(scope_of(b"/away", **hosted), receive, send))
    assert sent == ["http.response.push", "http.response.start", body]


@pytest.mark.parametrize("kind", ["websocket", "lifespan"])
def test_other_scopes_are_untouched(kind: str) -> None:
    given: list[Any] = []

    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        given.append(send)

    async def send(_message: Any) -> None: ...

    middleware = postel.asgi.NormalizeMiddleware(app, locations="refuse", **SITE)
    run(middleware(scope_of(b"/", type=kind, headers=[(b"host", b"site.example")]), None, send))
    assert given == [send]


# -- redirects of frameworks ---------------------------------------------------------------------------------


def flask_app() -> Any:
    app = flask.Flask("slashes", static_folder=None)
    app.add_url_rule("/docs/", "docs", lambda: "")
    app.add_url_rule("/old", "old", lambda: flask.redirect(flask.url_for("docs", _external=True, q="é b")))
    return app


def django_old(_request: HttpRequest) -> HttpResponse:
    return HttpResponse(status=302, headers={"Location": "/docs/?q=1"})


urlpatterns = [django_path("docs/", django_old), django_path("old", django_old)]


def starlette_app(folder: Any) -> Any:
    return Starlette(
        routes=[
            Route(
                "/old",
                lambda request: RedirectResponse(request.url_for("docs").include_query_params(q="é b")),
            ),
            Route("/docs/", lambda _: RedirectResponse("/é"), name="docs"),
            Mount("/static", StaticFiles(directory=folder, html=True)),
        ]
    )


def fastapi_app() -> Any:
    app = FastAPI(openapi_url=None)
    app.add_api_route("/docs/", lambda: "")
    app.add_api_route("/old", lambda: RedirectResponse("/docs/?q=[1]"))
    return app


@pytest.mark.parametrize("framework", ["flask", "django", "starlette", "fastapi"])
def test_redirects_of_frameworks_pass(framework: str, tmp_path: Any) -> None:
    (tmp_path / "a b").mkdir()
    (tmp_path / "a b" / "index.html").write_text("")
    told: list[Report] = []
    settings: dict[str, Any] = {"locations": "refuse", "observer": told.append, **SITE}
    with django_configured(ROOT_URLCONF=__name__, MIDDLEWARE=["django.middleware.common.CommonMiddleware"]):
        apps = {
            "flask": flask_app,
            "django": WSGIHandler,
            "fastapi": fastapi_app,
            "starlette": lambda: starlette_app(tmp_path),
        }
        app, wsgi = apps[framework](), framework in {"flask", "django"}
        wrapped: Any = (postel.wsgi if wsgi else postel.asgi).NormalizeMiddleware(app, **settings)
        targets = [
            b"/docs?q=caf%c3%a9&x[]=1",
            b"/old",
            *([b"/static/a%20b"] if framework == "starlette" else []),
        ]
        for target in targets:
            answer = (ask_wsgi if wsgi else ask_asgi)(wrapped, target)
            assert 300 <= answer.status < 400, (target, answer)
    assert told == []


def test_starlette_loses_an_escaped_percent_sign_when_it_adds_a_slash() -> None:
    # docs/forms.md says so: the path is decoded, and "%b/" in the Location is not an escape.
    routes = [Route("/u/{name}/", lambda _: PlainTextResponse("it"))]
    bare = ask_asgi(Starlette(routes=routes), b"/u/a%25b")
    assert bare.headers["location"].endswith("/u/a%b/")
    told: list[Report] = []

    def behind(*routes: Route) -> Any:
        app = Starlette(routes=routes)
        settings: dict[str, Any] = {"locations": "refuse", "observer": told.append, **SITE}
        return postel.asgi.NormalizeMiddleware(app, **settings)

    assert ask_asgi(behind(*routes), b"/u/a%25b").status == 403
    assert [each.kind for each in told[0].findings] == [Kind.MALFORMED_LOCATION]
    without = Route("/u/{name}", lambda _: PlainTextResponse("it"))
    assert ask_asgi(behind(*routes, without), b"/u/a%25b").status == 200

"""The readers that SECURITY.md excludes, each with a request that STANDARD accepts and the reader misreads.

If a test here fails because a reader has become correct, remove the reader from SECURITY.md.
"""

from __future__ import annotations

import asyncio
import sys
from datetime import date
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote_to_bytes
from uuid import UUID

import pytest

import postel.asgi
import postel.wsgi
import wire
from postel import Accepted, Component, Kind, Normalizer, Policy, Target
from readers import sites
from readers.asking import HOST, App, Reader, Request, Seen, ask
from readers.denoting import reference
from readers.places import make_folder
from readers.registry import readers, version_of
from readers.test_denoting import behind
from whole.request import Request as Whole
from whole.request import messages_of, scope_of
from whole.serving import at_once, call_asgi

pytestmark = pytest.mark.filterwarnings("ignore")  # The warnings of the frameworks do not matter here.

READERS: Final = {reader.name: reader for reader in readers()}
ESCAPED: Final = Request(b"/health%3F/secret")
TWICE: Final = Request(b"/My%2520File.pdf")
FORWARDED: Final = Request(b"/a", headers=((b"X-Forwarded-Host", b"evil.test/x?"),))
PROTO: Final = Request(b"/a", headers=((b"X-Forwarded-Proto", b"https"),))
ACCENTED: Final = Request(b"/a", prefix="/caf\xc3\xa9")

USUAL: Final = "11111111-2222-3333-4444-abcdefabcdef"
FLOATS: Final = {b"inf": b"inf", b"nan": b"nan", b"1e3": b"1000.0"}

REJECTING: Final = Policy.STANDARD.rejecting(Kind.ENCODED_DELIMITER, Kind.DOUBLE_ESCAPE)
"""What SECURITY.md advises against some of these readers."""
SHORT: Final = Policy.STANDARD.limiting(segment=255)

# Each row: a framework, a request, a place, and its authority and path.
URLS: Final = [
    *((name, ESCAPED, "url", (HOST, b"/health")) for name in ("Falcon, WSGI", "Falcon, ASGI", "Litestar")),
    *((name, ESCAPED, "full_path", (None, b"/health")) for name in ("Flask", "Quart")),
    *((name, ESCAPED, "url_for", None) for name in ("Starlette", "FastAPI")),
    *(
        (name, TWICE, place, (HOST, b"/My%20File.pdf"))
        for name in ("Flask", "Quart")
        for place in ("url", "base_url")
    ),
    *((name, TWICE, "url", (HOST, b"/My%20File.pdf")) for name in ("Starlette", "FastAPI", "Litestar")),
    *((name, TWICE, "url_for", None) for name in ("Starlette", "FastAPI")),
    *((name, TWICE, "url", (HOST, b"/My%20File.pdf")) for name in ("Falcon, WSGI", "Falcon, ASGI")),
    ("Bottle", Request(b"/%20b"), "url", (HOST, b"/b")),
    ("Bottle", Request(b"/%20b"), "fullpath", (None, b"/b")),
    ("Bottle", Request(b"/a%3Ab"), "fullpath", (None, b"b")),
    ("Bottle", Request(b"/health%3F"), "url", (HOST, b"/health")),
    ("Bottle", ESCAPED, "url_for", None),
    ("Bottle", ACCENTED, "url", None),
    ("Bottle", FORWARDED, "url", (b"evil.test", b"/x")),
    ("Bottle", PROTO, "url", (HOST, b"/a")),
]


def seen_by(name: str, request: Request) -> tuple[Seen, bytes]:
    """Return what is read behind STANDARD, and the path that is routed."""
    reader = READERS[name]
    handed: list[str] = []
    settings: dict[str, Any] = {"rebuilt_urls": "safe"} if reader.protocol == "asgi" else {}
    with reader.entered():
        app = behind(
            reader,
            Policy.STANDARD,
            reader.everything(),
            lambda given: handed.append(sites.path_handed(given)),
            **settings,
        )
        seen = ask(app, request)
    assert (seen.status, seen.asked) == (200, True)
    return seen, handed[-1].encode()


@pytest.mark.parametrize(
    ("name", "request_", "place", "expected"),
    [pytest.param(*row, id=f"{row[0]}-{row[1].target!r}-{row[2]}-{n}") for n, row in enumerate(URLS)],
)
def test_excluded_readers_build_a_url_that_denotes_another_path(
    name: str, request_: Request, place: str, expected: tuple[bytes | None, bytes] | None
) -> None:
    if name not in READERS:
        pytest.skip(f"{name} is not installed")
    seen, routed = seen_by(name, request_)
    url = seen.places[place]
    if request_ is PROTO:
        assert url.startswith("https://")
        return
    found = reference(url)
    assert (found.authority not in {None, HOST}) or unquote_to_bytes(found.path) != routed, url
    if expected is not None:
        assert (found.authority, found.path) == expected


@pytest.mark.skipif(
    sys.version_info >= (3, 13), reason="the codec raises the exception that Werkzeug expects"
)
@pytest.mark.parametrize("host", [b"xn--a", b"xn--strae-oqa.de"])
@pytest.mark.parametrize("name", ["Flask", "Quart"])
def test_werkzeug_fails_for_a_label_that_python_rejects(name: str, host: bytes) -> None:
    if name not in READERS:
        pytest.skip(f"{name} is not installed")
    seen, _ = seen_by(name, Request(b"/a", host=host))
    for place in ("url", "base_url", "host_url", "url_root"):
        assert seen.places[place] == {"raised": "UnicodeError"}


@pytest.mark.parametrize(
    ("cookie", "read"),
    [(b"a/b=1", {"raised": "CookieError"}), (b"flag; a=1", []), (b"path=/; a=1", [])],
)
def test_bottle_reads_cookies_with_http_cookies(cookie: bytes, read: object) -> None:
    if "Bottle" not in READERS:
        pytest.skip("Bottle is not installed")
    seen, _ = seen_by("Bottle", Request(b"/a", headers=((b"Cookie", cookie),)))
    assert seen.places["cookies"] == read


def test_webob_fails_for_an_octal_escape_that_is_not_utf8() -> None:
    if "Pyramid" not in READERS:
        pytest.skip("Pyramid is not installed")
    seen, _ = seen_by("Pyramid", Request(b"/a", headers=((b"Cookie", b'a="\\377"'),)))
    assert seen.places["cookies"] == {"raised": "UnicodeDecodeError"}


def test_flask_reads_other_spellings_of_a_number_and_of_a_uuid() -> None:
    flask = pytest.importorskip("flask")
    app = flask.Flask("numbers")
    app.add_url_rule("/u/<int:number>", "u", lambda number: f"{number}")
    app.add_url_rule("/uuid/<uuid:value>", "uuid", lambda value: f"{value}")
    wrapped = postel.wsgi.NormalizeMiddleware(app, observer=repr)
    assert [wire.ask_wsgi(wrapped, each).body for each in (b"/u/007", b"/u/%D9%A3")] == [b"7", b"3"]
    for spelling in (USUAL, USUAL.upper()):
        assert wire.ask_wsgi(wrapped, f"/uuid/{spelling}".encode()).body == USUAL.encode()
    assert wire.ask_wsgi(wrapped, f"/uuid/{USUAL.replace('-', '')}".encode()).status == 404


SPACED: Final = [b"%207", b"7%C2%85", b"7%E2%80%A8", b"7%E2%80%A9"]
"""A number beside white space, as it is read by ``int``."""


def test_fastapi_reads_other_spellings_of_a_number() -> None:
    fastapi = pytest.importorskip("fastapi")
    app = fastapi.FastAPI()

    async def shown(value: Any) -> str:
        return repr(value)

    async def shown_float(value: Any) -> str:
        return repr(value)

    shown.__annotations__["value"] = int
    shown_float.__annotations__["value"] = float
    app.get("/int/{value}")(shown)
    app.get("/float/{value}")(shown_float)
    wrapped = postel.asgi.NormalizeMiddleware(app, observer=repr)
    for spelling in (b"7", b"007", b"+7", b"7.0", *SPACED):
        assert wire.ask_asgi(wrapped, b"/int/" + spelling).body == b'"7"', spelling
    assert wire.ask_asgi(wrapped, b"/int/1_0").body == b'"10"'
    for spelling, number in FLOATS.items():
        assert wire.ask_asgi(wrapped, b"/float/" + spelling).body == b'"%b"' % number


def test_litestar_reads_other_spellings_of_a_number() -> None:
    litestar = pytest.importorskip("litestar")

    @litestar.get("/int/{value:int}")
    async def whole(value: int) -> str:
        return repr(value)

    @litestar.get("/float/{value:float}")
    async def real(value: float) -> str:
        return repr(value)

    wrapped = postel.asgi.NormalizeMiddleware(litestar.Litestar([whole, real]), observer=repr)
    for spelling in (b"7", b"007", b"+7", *SPACED):
        assert wire.ask_asgi(wrapped, b"/int/" + spelling).body == b"7", spelling
    assert wire.ask_asgi(wrapped, b"/int/1_0").body == b"10"
    for spelling, number in FLOATS.items():
        assert wire.ask_asgi(wrapped, b"/float/" + spelling).body == number


def test_falcon_reads_other_spellings_of_a_number() -> None:
    falcon = pytest.importorskip("falcon")

    class Shown:
        def on_get(self, _: Any, answer: Any, value: int) -> None:
            answer.text = repr(value)

    app = falcon.App()
    app.add_route("/{value:int}", Shown())
    wrapped = postel.wsgi.NormalizeMiddleware(app, observer=repr)
    assert [wire.ask_wsgi(wrapped, each).body for each in (b"/007", b"/+7", b"/1_0")] == [b"7", b"7", b"10"]


def test_starlette_reads_other_spellings_of_a_uuid() -> None:
    applications = pytest.importorskip("starlette.applications")
    responses = pytest.importorskip("starlette.responses")
    routing = pytest.importorskip("starlette.routing")

    async def shown(request: Any) -> Any:
        return responses.PlainTextResponse(str(request.path_params["value"]))

    app = applications.Starlette(routes=[routing.Route("/{value:uuid}", shown)])
    wrapped = postel.asgi.NormalizeMiddleware(app, observer=repr)
    is_old = tuple(map(int, version("starlette").split("."))) < (0, 50)
    assert wire.ask_asgi(wrapped, f"/{USUAL}".encode()).body == USUAL.encode()
    for spelling in (USUAL.upper(), USUAL.replace("-", "")):
        answer = wire.ask_asgi(wrapped, f"/{spelling}".encode())
        assert (answer.status, answer.body == USUAL.encode()) == ((404, False) if is_old else (200, True))


def test_fastapi_reads_other_spellings_of_a_uuid_a_date_and_a_boolean() -> None:
    fastapi = pytest.importorskip("fastapi")
    app = fastapi.FastAPI()
    for kind in (UUID, date, bool):

        async def shown(value: Any) -> str:
            return str(value)

        shown.__annotations__["value"] = kind
        app.get(f"/{kind.__name__.lower()}/{{value}}")(shown)
    wrapped = postel.asgi.NormalizeMiddleware(app, observer=repr)
    spellings = [USUAL, USUAL.upper(), USUAL.replace("-", ""), f"%7B{USUAL}%7D", f"urn:uuid:{USUAL}"]
    bodies = {wire.ask_asgi(wrapped, f"/uuid/{each}".encode()).body for each in spellings}
    assert bodies == {f'"{USUAL}"'.encode()}
    dates = {wire.ask_asgi(wrapped, b"/date/" + each).body for each in (b"2026-01-02", b"1767312000")}
    assert dates == {b'"2026-01-02"'}
    assert {wire.ask_asgi(wrapped, b"/bool/" + each).body for each in (b"1", b"on", b"YES")} == {b'"True"'}


def test_a_sink_of_falcon_receives_paths_that_only_begin_like_it() -> None:
    falcon = pytest.importorskip("falcon")

    def sink(_: Any, answer: Any) -> None:
        answer.text = "sink"

    app = falcon.App()
    app.add_sink(sink, prefix="/proxy")
    assert wire.ask_wsgi(postel.wsgi.NormalizeMiddleware(app, observer=repr), b"/proxyx").body == b"sink"


def test_the_dispatcher_of_hypercorn_hands_on_paths_that_only_begin_like_a_mount() -> None:
    dispatcher = pytest.importorskip("hypercorn.middleware.dispatcher")
    seen: list[tuple[str, str]] = []

    async def mounted(scope: Any, _receive: Any, send: Any) -> None:
        seen.append((scope["root_path"], scope["path"]))
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    app = dispatcher.AsyncioDispatcherMiddleware({"/m": mounted})
    assert wire.ask_asgi(postel.asgi.NormalizeMiddleware(app, observer=repr), b"/mx").status == 200
    assert len(seen) == 1


def test_pyramid_finds_a_view_by_another_spelling_of_its_name() -> None:
    config = pytest.importorskip("pyramid.config").Configurator()
    response = pytest.importorskip("pyramid.response")
    config.add_view(lambda _: response.Response("admin"), name="admin")
    wrapped = postel.wsgi.NormalizeMiddleware(config.make_wsgi_app(), observer=repr)
    targets = (b"/admin", b"/@@admin", b"/%40%40admin")
    assert {wire.ask_wsgi(wrapped, each).body for each in targets} == {b"admin"}


def test_pyramid_finds_a_view_in_front_of_a_slash_and_a_subpath() -> None:
    config = pytest.importorskip("pyramid.config").Configurator()
    response = pytest.importorskip("pyramid.response")
    seen: list[str] = []

    def view(request: Any) -> Any:
        seen.append(request.environ["PATH_INFO"])
        return response.Response("/".join(request.subpath))

    config.add_view(view, name="admin")
    wrapped = postel.wsgi.NormalizeMiddleware(config.make_wsgi_app(), observer=repr)
    targets = (b"/admin", b"/admin/", b"/admin/x/y")
    assert [wire.ask_wsgi(wrapped, each).body for each in targets] == [b"", b"", b"x/y"]
    assert seen == ["/admin", "/admin/", "/admin/x/y"]


def test_litestar_serves_a_path_with_a_slash_behind_it() -> None:
    litestar = pytest.importorskip("litestar")
    paths: list[str] = []

    @litestar.get("/admin")
    async def admin(scope: Any) -> str:
        paths.append(scope["path"])
        return "admin"

    app = litestar.Litestar([admin])
    handed: list[str] = []

    async def guarded(scope: Any, receive: Any, send: Any) -> None:
        handed.append(scope["path"])
        await app(scope, receive, send)

    wrapped = postel.asgi.NormalizeMiddleware(guarded, observer=repr)
    assert {wire.ask_asgi(wrapped, each).body for each in (b"/admin", b"/admin/")} == {b"admin"}
    assert handed == ["/admin", "/admin/"]


def test_flask_and_falcon_serve_a_path_with_a_slash_behind_it_if_they_are_told_to() -> None:
    flask, falcon = pytest.importorskip("flask").Flask(__name__), pytest.importorskip("falcon")
    flask.add_url_rule("/admin", view_func=lambda: "admin", strict_slashes=False)

    class Admin:
        def on_get(self, _: Any, resp: Any) -> None:
            resp.text = "admin"

    app = falcon.App()
    app.req_options.strip_url_path_trailing_slash = True
    app.add_route("/admin", Admin())
    for each in (flask, app):
        wrapped = postel.wsgi.NormalizeMiddleware(each, Policy.STRICT, observer=repr)
        assert {wire.ask_wsgi(wrapped, target).body for target in (b"/admin", b"/admin/")} == {b"admin"}


def test_sanic_serves_a_path_with_a_slash_behind_it() -> None:
    sanic = pytest.importorskip("sanic")
    app = sanic.Sanic("excluded")

    @app.get("/admin")
    async def admin(_: Any) -> Any:
        return sanic.response.text("admin")

    app.finalize()
    assert app.router.get("/admin", "GET", None)[1] is app.router.get("/admin/", "GET", None)[1]


def test_quart_reads_a_method_in_upper_case() -> None:
    app = pytest.importorskip("quart").Quart(__name__)

    @app.post("/a")
    async def read() -> str:
        return "read"

    wrapped = postel.asgi.NormalizeMiddleware(app, Policy.STRICT, observer=repr)
    assert {wire.ask_asgi(wrapped, b"/a", method).body for method in ("POST", "post")} == {b"read"}


def test_blacksheep_serves_a_path_in_any_case_and_with_a_slash_behind_it() -> None:
    app = pytest.importorskip("blacksheep").Application()

    @app.router.get("/admin")
    async def admin() -> str:
        return "admin"

    asyncio.run(app.start())
    wrapped = postel.asgi.NormalizeMiddleware(app, Policy.STRICT, observer=repr)
    for target in (b"/admin", b"/ADMIN", b"/Admin/"):
        assert (wire.ask_asgi(wrapped, target).status, wire.ask_asgi(wrapped, b"/x").status) == (200, 404)


def test_blacksheep_routes_by_the_spelled_path_and_decodes_parameters_twice() -> None:
    app = pytest.importorskip("blacksheep").Application(
        router=pytest.importorskip(
            "blacksheep.server.routing"
        ).Router()  # all applications share the default one
    )

    @app.router.get("/admin")
    async def admin() -> str:
        return "admin"

    @app.router.get("/files/{name}")
    async def read(name: str) -> str:
        return name

    asyncio.run(app.start())
    wrapped = postel.asgi.NormalizeMiddleware(app, observer=repr)
    assert [wire.ask_asgi(each, b"/%61dmin").status for each in (app, wrapped)] == [404, 200]
    assert wire.ask_asgi(wrapped, b"/files/%25C3%25A9").body == "é".encode()
    strict = postel.asgi.NormalizeMiddleware(app, REJECTING, observer=repr)
    assert wire.ask_asgi(strict, b"/files/%25C3%25A9").status == 400


# By default, a Starlette before 1.9 that is loaded makes postel refuse such requests on ASGI.
ON_ASGI: Final = partial(postel.asgi.NormalizeMiddleware, rebuilt_urls="safe")


@pytest.mark.parametrize(
    ("protocol", "wrap", "ask_it"),
    [("wsgi", postel.wsgi.NormalizeMiddleware, wire.ask_wsgi), ("asgi", ON_ASGI, wire.ask_asgi)],
)
def test_microdot_reads_an_escaped_question_mark_as_syntax(protocol: str, wrap: Any, ask_it: Any) -> None:
    app = pytest.importorskip(f"microdot.{protocol}").Microdot()
    app.get("/admin")(lambda request: request.args["next"])
    rules = Policy.STANDARD.local(names=["next"])
    wrapped, strict = wrap(app, rules, observer=repr), wrap(app, REJECTING, observer=repr)
    assert ask_it(wrapped, b"/admin?next=javascript:x").status == 400
    assert ask_it(wrapped, b"/admin%3Fnext=javascript:x").body == b"javascript:x"
    assert ask_it(strict, b"/admin%3Fnext=javascript:x").status == 400


@pytest.mark.parametrize("module", ["lilya.requests", "baize.asgi"])
def test_lilya_and_baize_end_a_path_at_a_decoded_question_mark(module: str) -> None:
    reader = pytest.importorskip(module).Request

    async def app(scope: Any, receive: Any, send: Any) -> None:
        path = reader(scope, receive, send).url.path
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": path.encode()})

    assert wire.ask_asgi(ON_ASGI(app, observer=repr), ESCAPED.target).body == b"/health"


def test_django_on_asgi_reads_a_path_with_and_without_the_forced_script_name() -> None:
    django = pytest.importorskip("django")
    from django.core.asgi import get_asgi_application  # noqa: PLC0415 - Django may be missing
    from django.http import HttpRequest, HttpResponse  # noqa: PLC0415
    from django.urls import path  # noqa: PLC0415

    from readers.of_django import configured  # noqa: PLC0415

    def view(request: HttpRequest) -> HttpResponse:
        return HttpResponse(request.path_info)

    with configured(ROOT_URLCONF=(path("admin", view),), FORCE_SCRIPT_NAME="/api"):
        wrapped = postel.asgi.NormalizeMiddleware(get_asgi_application(), Policy.STRICT, observer=repr)
        assert wire.ask_asgi(wrapped, b"/admin").body == b"/admin"
        assert (wire.ask_asgi(wrapped, b"/api/admin").body == b"/admin") is (django.VERSION >= (5, 0))


def test_a_router_of_django_rest_framework_serves_a_path_with_the_name_of_a_format() -> None:
    pytest.importorskip("rest_framework")
    from django.core.wsgi import get_wsgi_application  # noqa: PLC0415 - Django may be missing
    from django.urls import include, path  # noqa: PLC0415

    from readers.of_django import configured  # noqa: PLC0415

    shown = {
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
        "UNAUTHENTICATED_USER": None,
    }
    with configured(REST_FRAMEWORK=shown):
        from rest_framework.response import Response  # noqa: PLC0415 - when Django has settings
        from rest_framework.routers import DefaultRouter  # noqa: PLC0415
        from rest_framework.viewsets import ViewSet  # noqa: PLC0415

        class Users(ViewSet):
            def list(self, _: Any, **__: Any) -> Any:
                return Response("users")

        router = DefaultRouter()
        router.register("users", Users, basename="users")
        with configured(REST_FRAMEWORK=shown, ROOT_URLCONF=(path("", include(router.urls)),)):
            wrapped = postel.wsgi.NormalizeMiddleware(get_wsgi_application(), Policy.STRICT, observer=repr)
            targets = (b"/users/", b"/users.json", b"/users.json/")
            assert {wire.ask_wsgi(wrapped, each).body for each in targets} == {b'"users"'}


def test_flask_and_bottle_read_a_method_in_upper_case() -> None:
    flask, bottle = pytest.importorskip("flask").Flask(__name__), pytest.importorskip("bottle").Bottle()
    for app in (flask, bottle):
        app.route("/a", methods=["POST"])(lambda: "read") if app is flask else app.post("/a")(lambda: "read")
        wrapped = postel.wsgi.NormalizeMiddleware(app, Policy.STRICT, observer=repr)
        assert {wire.ask_wsgi(wrapped, b"/a", method).body for method in ("POST", "post")} == {b"read"}


@pytest.mark.parametrize("policy", [Policy.STRICT, Policy.STANDARD, Policy.LENIENT], ids=str)
def test_django_reads_a_method_in_upper_case(policy: Policy) -> None:
    """A method in lower case is another method: RFC 9110, section 9.1."""
    pytest.importorskip("django")
    from django.core.asgi import get_asgi_application  # noqa: PLC0415 - Django may be missing
    from django.http import HttpRequest, HttpResponse  # noqa: PLC0415
    from django.urls import path  # noqa: PLC0415

    from readers.of_django import configured  # noqa: PLC0415

    def view(request: HttpRequest) -> HttpResponse:
        return HttpResponse(request.method)

    handed: list[str] = []
    with configured(ROOT_URLCONF=(path("a", view),)):
        app = get_asgi_application()

        async def guarded(scope: Any, receive: Any, send: Any) -> None:
            handed.append(scope["method"])
            await app(scope, receive, send)

        wrapped = postel.asgi.NormalizeMiddleware(guarded, policy, observer=repr)
        assert {wire.ask_asgi(wrapped, b"/a", method).body for method in ("POST", "post", "Post")} == {
            b"POST"
        }
    assert handed == ["POST", "post", "Post"]


def test_starlette_reads_a_path_with_and_without_a_root_path() -> None:
    applications = pytest.importorskip("starlette.applications")
    responses = pytest.importorskip("starlette.responses")
    routing = pytest.importorskip("starlette.routing")

    async def shown(_: Any) -> Any:
        return responses.PlainTextResponse("admin")

    app = applications.Starlette(routes=[routing.Route("/admin", shown)])
    wrapped = postel.asgi.NormalizeMiddleware(app, prefix="/api", observer=repr)

    async def rooted(scope: Any, receive: Any, send: Any) -> None:
        await wrapped({**scope, "root_path": "/api"}, receive, send)

    assert {wire.ask_asgi(rooted, each).status for each in (b"/admin", b"/api/admin")} == {200}


def test_fast_query_parsers_decodes_a_pair_before_it_splits_it() -> None:
    """Older Litestar uses it; STRICT refuses such names."""
    read = pytest.importorskip("fast_query_parsers").parse_query_string
    query = b"next%3D//evil.example"
    assert read(query, "&") == [("next", "//evil.example")]
    assert read(b"%61dmin", "&") == [("%61dmin", "")]
    assert read(b"%61dmin=", "&") == [("admin", "")]
    spelled = Policy.STANDARD.repairing(Kind.SPELLING, on=Component.QUERY)
    for policy, query_read in ((Policy.STANDARD, b"%61dmin"), (spelled, b"admin"), (Policy.STRICT, b"admin")):
        outcome = Normalizer(policy).normalize(Target(query=b"%61dmin"))
        assert isinstance(outcome, Accepted)
        assert outcome.target.query == query_read
    for policy, is_accepted in ((Policy.STANDARD, True), (Policy.STRICT, False)):
        outcome = Normalizer(policy.local(names=["next"])).normalize(Target(query=query))
        assert isinstance(outcome, Accepted) is is_accepted


def handed_on(body: bytes, media_type: bytes) -> bytes:
    """Return the octets of a form that STANDARD hands to an application."""
    given: list[bytes] = []

    async def app(_: Any, receive: Any, send: Any) -> None:
        given.append((await receive())["body"])
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    fields = ((b"Host", HOST), (b"Content-Type", media_type), (b"Content-Length", b"%d" % len(body)))
    request = Whole(method="POST", fields=fields, body=body)
    wrapped = postel.asgi.NormalizeMiddleware(app, Policy.STANDARD, forms=True, observer=repr)
    assert at_once(call_asgi(wrapped, scope_of(request), messages_of(request))).status == 200
    return given[0]


def test_older_python_multipart_drops_a_last_name_without_an_equals_sign() -> None:
    """Of the tested versions of frameworks, the oldest ones have such a python-multipart."""
    parser = pytest.importorskip("python_multipart.multipart")
    octets = handed_on(b"a=1&readonly", b"application/x-www-form-urlencoded")
    assert octets == b"a=1&readonly"
    names: list[bytes] = []
    querystring = parser.QuerystringParser(
        {"on_field_name": lambda data, start, end: names.append(data[start:end])}
    )
    ends: list[None] = []
    querystring.callbacks["on_field_end"] = lambda: ends.append(None)
    querystring.write(octets)
    querystring.finalize()
    is_old = tuple(map(int, version("python-multipart").split("."))) < (0, 0, 25)
    assert (names, len(ends)) == ([b"a", b"readonly"], 1 if is_old else 2)


@pytest.mark.parametrize(
    ("parameters", "names"),
    [
        (b'name="a"; filename="f; name=admin; .txt"', ["admin"]),
        (b'name="x; name=admin; y"', ["admin"]),
        (b'name="a"; filename="f.txt"', ["a"]),
    ],
)
def test_blacksheep_ends_parameters_within_quotes(parameters: bytes, names: list[str]) -> None:
    parse = pytest.importorskip("blacksheep.multipart").parse_multipart
    octets = handed_on(*part(parameters))
    assert [each.name.decode() for each in parse(octets)] == names


@pytest.mark.parametrize(
    ("parameters", "names"), [(b'name="a\\"b"', ["a\\"]), (b'name="a%22b"', ['a"b']), (b'name="a"', ["a"])]
)
def test_sanic_ends_a_name_at_an_escaped_quote(parameters: bytes, names: list[str]) -> None:
    parse = pytest.importorskip("sanic.request.form").parse_multipart_form
    form, _ = parse(handed_on(*part(parameters)), b"zz")
    assert [*form] == names


def part(parameters: bytes) -> tuple[bytes, bytes]:
    """Return a multipart form of one part, and its media type."""
    body = b"--zz\r\nContent-Disposition: form-data; " + parameters + b"\r\n\r\n1\r\n--zz--\r\n"
    return body, b"multipart/form-data; boundary=zz"


@pytest.mark.parametrize(("policy", "fails"), [(Policy.STANDARD, True), (SHORT, False)], ids=str)
def test_starlette_fails_for_a_number_with_too_many_digits(policy: Policy, fails: bool) -> None:
    applications = pytest.importorskip("starlette.applications")
    routing = pytest.importorskip("starlette.routing")

    async def shown(_: Any) -> Any:
        raise AssertionError("the view must not be called")

    app = applications.Starlette(routes=[routing.Route("/u/{id:int}", shown)])
    wrapped = postel.asgi.NormalizeMiddleware(app, policy, observer=repr)
    target = b"/u/" + b"9" * 4301
    if fails:
        with pytest.raises(ValueError, match="4300 digits"):
            wire.ask_asgi(wrapped, target)
    else:
        assert wire.ask_asgi(wrapped, target).status == 414


def test_a_mount_of_litestar_receives_paths_that_only_begin_like_it(tmp_path: Path) -> None:
    """``/mx/secret`` is read as ``/x/secret`` by the application mounted under ``/m``."""
    if "Litestar" not in READERS:
        pytest.skip("Litestar is not installed")
    seen = ask(site_of(READERS["Litestar"], tmp_path), Request(b"/mx/secret"))
    assert (seen.asked, seen.places.get("rest") is not None) == (True, True)


def test_the_oldest_litestar_matches_files_in_the_middle_of_a_path(tmp_path: Path) -> None:
    if "Litestar" not in READERS:
        pytest.skip("Litestar is not installed")
    reader = READERS["Litestar"]
    seen = ask(site_of(reader, tmp_path), Request(b"/x/static/secret.txt"))
    assert (sites.served(seen) == "/static/secret.txt") is version_of(reader).startswith("2.3.")


@pytest.mark.parametrize("reader", [each for each in READERS.values() if each.site], ids=str)
def test_a_slash_after_a_file_name_is_removed(reader: Reader, tmp_path: Path) -> None:
    seen = ask(site_of(reader, tmp_path), Request(b"/static/secret.txt/"))
    assert seen.asked
    assert sites.served(seen) == "/static/secret.txt"


@pytest.mark.parametrize("reader", [each for each in READERS.values() if each.site], ids=str)
@pytest.mark.parametrize("policy", [Policy.STRICT, Policy.STANDARD, Policy.LENIENT], ids=str)
def test_a_guard_on_the_raw_path_sees_an_escape_where_a_router_sees_a_character(
    reader: Reader, policy: Policy, tmp_path: Path
) -> None:
    """A reserved character has another meaning if it is escaped: RFC 3986, section 2.2."""
    raw: list[bytes] = []

    def spied(given: Any) -> None:
        raw.append(given["raw_path"] if "raw_path" in given else given["RAW_URI"].encode("latin-1"))

    seen = ask(site_of(reader, tmp_path, policy, spied), Request(b"/units/%40me"))
    assert raw == [b"/units/%40me"]
    assert seen.places["unit"] == "@me"


def site_of(reader: Reader, folder: Path, policy: Policy = Policy.STANDARD, spied: Any = None) -> App:
    assert reader.site is not None
    with reader.entered():
        return behind(reader, policy, reader.site(make_folder(folder)), spied)

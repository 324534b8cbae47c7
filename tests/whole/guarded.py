"""Applications with a guard: each framework, and each place where one writes a guard.

Every application has the same views: ``/admin/panel``, ``/docs/<anything>``, the files below ``/files``,
``/app/admin``, which is a mounted application where a framework has such, and a view for all other paths. A
guard lets a request through by the path that it sees. The answer to what it should have kept is ``SECRET``.
There are two guards. One keeps a few paths. The other lets only a few paths through, in front of the view for
all others.
"""

# Each framework is imported where its application is made.
# ruff: noqa: PLC0415

from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, final
from urllib.parse import quote, unquote, urlsplit

from django.http import HttpRequest, HttpResponse
from django.urls import path as django_path
from django.urls import re_path

from applications import django_configured

KEPT: Final = (
    "/admin",
    "/docs/private",
    "/docs/@me",
    "/docs/a+b",
    "/docs/{id}/keys",
    "/files/private",
    "/app/admin",
)
_KEPT: Final = re.compile("|".join(re.escape(each).replace(r"\{id\}", "[^/]+") for each in KEPT))
OPEN: Final = ("/health", "/public")
SECRET: Final = b"SECRET"
Guard = Callable[[str], bool]
"""Whether a request for that path may pass."""


def keeps(path: str) -> bool:
    """The guard of a few paths and all below them."""
    found = _KEPT.match(path)
    return found is None or path[found.end() :][:1] not in {"", "/"}


def opens(path: str) -> bool:
    """The guard that lets only these paths through, and what is below the second."""
    path = path.rstrip("/")
    return path in OPEN or path.startswith(f"{OPEN[1]}/")


GUARDS: Final[dict[str, Guard]] = {"keeps": keeps, "opens": opens}


def below(rest: str) -> bytes:
    """What the view below ``/docs/`` answers."""
    return b"a document" if keeps(f"/docs/{rest}") else SECRET


def any_other(rest: str) -> bytes:
    """What the view for all other paths answers, in front of which only the second guard stands."""
    return b"open" if opens(f"/{rest}") or not keeps(f"/{rest}") else b"other SECRET"


@cache
def folder() -> str:
    """A folder of static files."""
    made = Path(tempfile.mkdtemp(prefix="postel-guarded-"))
    for name, octets in (("private/key.txt", SECRET), ("open.txt", b"a file"), ("health", b"a file")):
        (made / name).parent.mkdir(exist_ok=True)
        (made / name).write_bytes(octets)
    return str(made)


def inside(path: str, root: str) -> str:
    """A path without the prefix of the application, decoded or not."""
    for each in (root, quote(root)):
        if root and path.startswith(f"{each}/"):
            return path[len(each) :]
    return path


Seen = Callable[[Any], str]
"""The path of a request that a guard looks at."""


@final
@dataclass(frozen=True)
class Guarded:
    """An application of a framework with a guard in one place."""

    framework: str
    place: str
    protocol: str
    make: Callable[[Guard], Any]
    routes: bool = False
    """Whether the guard is a policy that refuses everything, for the routes of the first guard."""

    def __str__(self) -> str:
        return f"{self.framework}, {self.place}"


# -- in front of any application -----------------------------------------------------------------------------


def root_of(environ: Any) -> str:
    return str(environ["SCRIPT_NAME"]).encode("latin-1").decode()


def raw_of(environ: Any) -> str:
    return inside(str(environ["RAW_URI"]).partition("?")[0], root_of(environ))


def werkzeug_path(environ: Any) -> str:
    from werkzeug import Request

    return Request(environ).path


def werkzeug_url(environ: Any) -> str:
    from werkzeug import Request

    return inside(urlsplit(Request(environ).url).path, root_of(environ))


WSGI_PLACES: Final[dict[str, Seen]] = {
    "PATH_INFO": lambda environ: environ["PATH_INFO"],
    "RAW_URI": raw_of,
    "RAW_URI, unquoted": lambda environ: unquote(raw_of(environ)),
    "werkzeug's path": werkzeug_path,
    "werkzeug's url": werkzeug_url,
    "werkzeug's url, unquoted": lambda environ: unquote(werkzeug_url(environ)),
}


def behind_wsgi(seen: Seen, make: Callable[[], Any]) -> Callable[[Guard], Any]:
    def made(guard: Guard) -> Any:
        app = make()

        def guarded(environ: Any, start_response: Any) -> Any:
            if not guard(seen(environ)):
                start_response("403 Forbidden", [])
                return [b"guarded"]
            return app(environ, start_response)

        return guarded

    return made


def inner_path(scope: Any) -> str:
    return inside(scope["path"], scope.get("root_path", ""))


def inner_raw(scope: Any) -> str:
    return inside(bytes(scope["raw_path"]).decode("latin-1"), scope.get("root_path", ""))


def starlette_url(scope: Any) -> str:
    from starlette.requests import Request

    return inside(Request(scope).url.path, scope.get("root_path", ""))


ASGI_PLACES: Final[dict[str, Seen]] = {
    'scope["path"]': inner_path,
    'scope["raw_path"]': inner_raw,
    'scope["raw_path"], unquoted': lambda scope: unquote(inner_raw(scope)),
    "starlette's url.path": starlette_url,
}


def behind_asgi(seen: Seen, make: Callable[[], Any]) -> Callable[[Guard], Any]:
    def made(guard: Guard) -> Any:
        app = make()

        async def guarded(scope: Any, receive: Any, send: Any) -> None:
            if scope["type"] == "http" and not guard(seen(scope)):
                await send({"type": "http.response.start", "status": 403, "headers": []})
                await send({"type": "http.response.body", "body": b"guarded"})
                return
            await app(scope, receive, send)

        return guarded

    return made


def around(framework: str, protocol: str, make: Callable[[], Any]) -> Iterator[Guarded]:
    """The guards that stand in front of an application."""
    places = WSGI_PLACES if protocol == "wsgi" else ASGI_PLACES
    behind = behind_wsgi if protocol == "wsgi" else behind_asgi
    for place, seen in places.items():
        yield Guarded(framework, place, protocol, behind(seen, make))
    yield Guarded(framework, "routes=", protocol, lambda _: make(), routes=True)


# -- Flask and Quart -----------------------------------------------------------------------------------------


def flask_app(guard: Guard | None = None, seen: Seen | None = None, *, decorated: bool = False) -> Any:
    import flask

    # A decorator is around views; the static files have none.
    app = flask.Flask("guarded", static_folder=None if decorated else folder(), static_url_path="/files")

    def check() -> None:
        if guard is not None and seen is not None and not guard(seen(flask.request)):
            flask.abort(403)

    def view(answer: Callable[..., bytes]) -> Any:
        def shown(**given: Any) -> bytes:
            if decorated:
                check()
            return answer(**given)

        return shown

    if not decorated:
        app.before_request(check)
    inner = flask.Blueprint("inner", __name__)
    inner.add_url_rule("/admin", "mounted", view(lambda: SECRET))
    app.register_blueprint(inner, url_prefix="/app")
    app.add_url_rule("/admin/panel", "panel", view(lambda: SECRET))
    app.add_url_rule("/docs/<path:rest>", "docs", view(below))
    app.add_url_rule("/", "root", view(lambda: any_other("")))
    app.add_url_rule("/<path:rest>", "other", view(any_other))
    return app


def quart_app(guard: Guard | None = None, seen: Seen | None = None) -> Any:
    import quart

    app = quart.Quart("guarded", static_folder=folder(), static_url_path="/files")

    @app.before_request
    async def check() -> None:
        if guard is not None and seen is not None and not guard(seen(quart.request)):
            quart.abort(403)

    def view(answer: Callable[..., bytes]) -> Any:
        async def shown(**given: Any) -> bytes:
            return answer(**given)

        return shown

    app.add_url_rule("/admin/panel", "panel", view(lambda: SECRET))
    app.add_url_rule("/app/admin", "mounted", view(lambda: SECRET))
    app.add_url_rule("/docs/<path:rest>", "docs", view(below))
    app.add_url_rule("/", "root", view(lambda: any_other("")))
    app.add_url_rule("/<path:rest>", "other", view(any_other))
    return app


WERKZEUG_PLACES: Final[dict[str, Seen]] = {
    "request.path": lambda request: request.path,
    "request.url": lambda request: inside(urlsplit(request.url).path, request.root_path),
    "request.url, unquoted": lambda request: unquote(inside(urlsplit(request.url).path, request.root_path)),
}


def flask_guards() -> Iterator[Guarded]:
    yield from around("Flask", "wsgi", flask_app)
    for place, seen in WERKZEUG_PLACES.items():
        yield Guarded(
            "Flask", f"before_request, {place}", "wsgi", lambda guard, seen=seen: flask_app(guard, seen)
        )
    seen = WERKZEUG_PLACES["request.path"]
    yield Guarded(
        "Flask", "a decorator, request.path", "wsgi", lambda guard: flask_app(guard, seen, decorated=True)
    )


def quart_guards() -> Iterator[Guarded]:
    yield from around("Quart", "asgi", quart_app)
    for place, seen in WERKZEUG_PLACES.items():
        yield Guarded(
            "Quart", f"before_request, {place}", "asgi", lambda guard, seen=seen: quart_app(guard, seen)
        )


# -- Django --------------------------------------------------------------------------------------------------


def _django_root(request: HttpRequest) -> str:
    return request.path[: len(request.path) - len(request.path_info)]


def django_url(request: HttpRequest) -> str:
    return inside(urlsplit(request.build_absolute_uri()).path, _django_root(request))


DJANGO_PLACES: Final[dict[str, Seen]] = {
    "request.path": lambda request: inside(request.path, _django_root(request)),
    "request.path_info": lambda request: request.path_info,
    "build_absolute_uri": django_url,
    "build_absolute_uri, unquoted": lambda request: unquote(django_url(request)),
}


class DjangoUrls:
    """What Django takes in place of a module of URLs, with a decorator around each view."""

    def __init__(self, check: Callable[[HttpRequest], None]) -> None:
        def shown(answer: Callable[..., bytes]) -> Any:
            def view(request: HttpRequest, **given: Any) -> HttpResponse:
                check(request)
                return HttpResponse(answer(**given))

            return view

        self.urlpatterns = [
            django_path("admin/panel", shown(lambda: SECRET)),
            django_path("app/admin", shown(lambda: SECRET)),
            re_path(r"\Adocs/(?P<rest>[\s\S]+)\Z", shown(below)),
            re_path(r"\Afiles/(?P<path>[\s\S]+)\Z", self._served(check)),
            re_path(r"\A(?P<rest>[\s\S]*)\Z", shown(any_other)),
        ]

    @staticmethod
    def _served(check: Callable[[HttpRequest], None]) -> Any:
        from django.views.static import serve

        def view(request: HttpRequest, path: str) -> Any:
            check(request)
            return serve(request, path, document_root=folder())

        return view


class DjangoApp:
    """An application that has its own settings when it is asked; a process has one set of them at a time."""

    def __init__(
        self, protocol: str, guard: Guard | None = None, seen: Seen | None = None, *, decorated: bool = False
    ) -> None:
        from django.core.asgi import get_asgi_application
        from django.core.exceptions import PermissionDenied
        from django.core.wsgi import get_wsgi_application

        def check(request: HttpRequest) -> None:
            if guard is not None and seen is not None and not guard(seen(request)):
                raise PermissionDenied

        def nothing(_: HttpRequest) -> None:
            return None

        def middleware(get_response: Any) -> Any:
            def guarded(request: HttpRequest) -> Any:
                check(request)
                return get_response(request)

            return guarded

        self._urls = DjangoUrls(check if decorated else nothing)
        self._middleware = nothing_more if decorated else middleware
        with self._settings():
            self._app = get_wsgi_application() if protocol == "wsgi" else get_asgi_application()

    @contextlib.contextmanager
    def _settings(self) -> Iterator[None]:
        LOADED["middleware"] = self._middleware
        with django_configured(
            ROOT_URLCONF=self._urls, MIDDLEWARE=["whole.guarded.loaded_middleware"], LOGGING_CONFIG=None
        ):
            yield

    def __call__(self, *given: Any) -> Any:
        return self._on_asgi(*given) if len(given) == 3 else self._on_wsgi(*given)

    def _on_wsgi(self, environ: Any, start_response: Any) -> list[bytes]:
        with self._settings():
            response = self._app(environ, start_response)
            body = b"".join(response)
            response.close()
            return [body]

    async def _on_asgi(self, scope: Any, receive: Any, send: Any) -> None:
        with self._settings():
            await self._app(scope, receive, send)


LOADED: Final[dict[str, Any]] = {}


def loaded_middleware(get_response: Any) -> Any:
    """The middleware of the application that is being made; settings name one by its path."""
    return LOADED["middleware"](get_response)


def nothing_more(get_response: Any) -> Any:
    return get_response


def django_guards() -> Iterator[Guarded]:
    for protocol in ("wsgi", "asgi"):
        name = f"Django, {protocol.upper()}"
        yield from around(name, protocol, lambda protocol=protocol: DjangoApp(protocol))
        for place, seen in DJANGO_PLACES.items():
            yield Guarded(
                name,
                f"middleware, {place}",
                protocol,
                lambda guard, protocol=protocol, seen=seen: DjangoApp(protocol, guard, seen),
            )
        seen = DJANGO_PLACES["request.path"]
        yield Guarded(
            name,
            "a decorator, request.path",
            protocol,
            lambda guard, protocol=protocol, seen=seen: DjangoApp(protocol, guard, seen, decorated=True),
        )


# -- Starlette and FastAPI -----------------------------------------------------------------------------------

STARLETTE_PLACES: Final[dict[str, Seen]] = {
    "request.url.path": lambda request: starlette_url(request.scope),
    "request.url.path, unquoted": lambda request: unquote(starlette_url(request.scope)),
    "request.scope": lambda request: inner_path(request.scope),
}


def _starlette_routes(check: Callable[[Any], None]) -> list[Any]:
    from starlette.responses import Response
    from starlette.routing import Mount, Route
    from starlette.staticfiles import StaticFiles

    def view(answer: Callable[..., bytes]) -> Any:
        async def shown(request: Any) -> Response:
            check(request)
            return Response(answer(**request.path_params))

        return shown

    methods = ["GET", "POST", "HEAD", "PUT"]
    return [
        Route("/admin/panel", view(lambda: SECRET), methods=methods),
        Route("/docs/{rest:path}", view(below), methods=methods),
        Mount("/app", routes=[Route("/admin", view(lambda: SECRET), methods=methods)]),
        Mount("/files", StaticFiles(directory=folder())),
        Route("/{rest:path}", view(any_other), methods=methods),
    ]


def starlette_app(guard: Guard | None = None, seen: Seen | None = None, *, decorated: bool = False) -> Any:
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.middleware import Middleware
    from starlette.middleware.base import BaseHTTPMiddleware
    from starlette.responses import PlainTextResponse

    def lets(request: Any) -> bool:
        return guard is None or seen is None or guard(seen(request))

    async def guarded(request: Any, call_next: Any) -> Any:
        return await call_next(request) if lets(request) else PlainTextResponse("guarded", 403)

    def check(request: Any) -> None:
        if decorated and not lets(request):
            raise HTTPException(403)

    middleware = [] if decorated or guard is None else [Middleware(BaseHTTPMiddleware, dispatch=guarded)]
    return Starlette(routes=_starlette_routes(check), middleware=middleware)


def fastapi_app(guard: Guard | None = None, seen: Seen | None = None) -> Any:
    import fastapi
    from fastapi.staticfiles import StaticFiles
    from starlette.responses import PlainTextResponse, Response

    app = fastapi.FastAPI(openapi_url=None)

    def panel() -> Response:
        return Response(SECRET)

    def docs(rest: str) -> Response:
        return Response(below(rest))

    def other(rest: str) -> Response:
        return Response(any_other(rest))

    async def guarded(request: Any, call_next: Any) -> Any:
        if guard is None or seen is None or guard(seen(request)):
            return await call_next(request)
        return PlainTextResponse("guarded", 403)

    methods = ["GET", "POST"]
    app.api_route("/admin/panel", methods=methods)(_annotated(panel))
    app.api_route("/docs/{rest:path}", methods=methods)(_annotated(docs, rest=str))
    inner = fastapi.FastAPI(openapi_url=None)
    inner.api_route("/admin", methods=methods)(_annotated(panel))
    app.mount("/app", inner)
    app.mount("/files", StaticFiles(directory=folder()))
    app.api_route("/{rest:path}", methods=methods)(_annotated(other, rest=str))
    if guard is not None:
        app.middleware("http")(guarded)
    return app


def _annotated(view: Any, **types: Any) -> Any:
    """A view with types in place of their names, which a framework would look for among the globals."""
    from starlette.responses import Response

    view.__annotations__ = {**types, "return": Response}
    return view


def starlette_guards() -> Iterator[Guarded]:
    yield from around("Starlette", "asgi", starlette_app)
    yield from around("FastAPI", "asgi", fastapi_app)
    for place, seen in STARLETTE_PLACES.items():
        yield Guarded(
            "Starlette", f"middleware, {place}", "asgi", lambda guard, seen=seen: starlette_app(guard, seen)
        )
        yield Guarded(
            "FastAPI", f"middleware, {place}", "asgi", lambda guard, seen=seen: fastapi_app(guard, seen)
        )

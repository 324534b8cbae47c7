"""All readers of a path: parsers of URLs, request objects, and catch-all routes of frameworks.

The decoded view is handed over as a server would: octets as latin-1 text on WSGI, text on ASGI. LENIENT
preserves, so the view keeps data slashes and data ``%`` escaped. These escapes are decoded before the view is
compared with the decoded raw path. Parsers of whole URLs must leave the raw path unchanged: a path that they
would still resolve or re-encode is not canonical.
"""

from __future__ import annotations

import asyncio
import importlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, final
from urllib.parse import unquote, urlsplit

import pytest

from differential.readers import environ
from postel import Target

Read: TypeAlias = Callable[[Target], str]


@final
@dataclass(frozen=True)
class Router:
    """A reader of paths."""

    name: str
    needs: str
    """The package that the router needs."""
    expected: Callable[[Target], str]
    """Returns what the router must read from an accepted target."""
    read: Callable[[Iterable[Target]], list[str]]
    """Reads all targets; the package must be installed."""
    quirk: str = ""

    def __str__(self) -> str:
        return self.name

    def read_all(self, targets: Iterable[Target]) -> list[str]:
        pytest.importorskip(self.needs)
        if self.needs == "django":
            with importlib.import_module("applications").django_configured():
                return self.read(targets)
        return self.read(targets)


def one_by_one(ready: Callable[[], Read]) -> Callable[[Iterable[Target]], list[str]]:
    """Read each path by itself."""
    return lambda targets: list(map(ready(), targets))


def text(target: Target) -> str:
    return target.path_text


def raw(target: Target) -> str:
    return target.path.decode("ascii")


def wholly_decoded(target: Target) -> str:
    """Return the decoded view without the escapes that it preserves."""
    if not target.preserved:
        return target.path_text
    return target.path_text.replace("%2F", "/").replace("%25", "%")


def merged(target: Target) -> str:
    """Return the text as Litestar routes it: slashes merged, and none at the end."""
    return "/" + re.sub("//+", "/", target.path_text.strip("/"))


def wsgi(target: Target) -> dict[str, Any]:
    return environ(b"", target.path_octets)


def asgi(target: Target) -> dict[str, Any]:
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "method": "GET",
        "path": target.path_text,
        "raw_path": target.path,
        "query_string": b"",
        "root_path": "",
        "headers": [],
    }


def unquoted() -> Read:
    return lambda target: unquote(raw(target), errors="strict")


def split() -> Read:
    return lambda target: urlsplit(f"http://h{raw(target)}").path


def of_ada() -> Read:
    url = importlib.import_module("ada_url").URL
    return lambda target: str(url(f"http://h{raw(target)}").pathname)


def of_yarl() -> Read:
    url = importlib.import_module("yarl").URL
    return lambda target: str(url(f"http://h{raw(target)}").path)


def of_werkzeug() -> Read:
    request = importlib.import_module("werkzeug.wrappers").Request
    return lambda target: str(request(wsgi(target)).path)


def of_django() -> Read:
    request = importlib.import_module("django.core.handlers.wsgi").WSGIRequest
    return lambda target: str(request(wsgi(target)).path_info)


def of_falcon() -> Read:
    request = importlib.import_module("falcon").Request
    return lambda target: str(request(wsgi(target)).path)


def routed_by_werkzeug() -> Read:
    """Return a reader with extra rules: the path converter accepts no leading slash and no empty text."""
    routing = importlib.import_module("werkzeug.routing")

    class Everything(routing.PathConverter):
        regex = ".*"
        part_isolating = False

    rules = routing.Map(
        [routing.Rule("/<everything:rest>", endpoint="all")],
        converters={"everything": Everything},
        merge_slashes=False,
    )

    def routed(target: Target) -> str:
        _, arguments = rules.bind_to_environ(wsgi(target)).match()
        return "/" + str(arguments["rest"])

    return routed


def routed_by_starlette() -> Read:
    routing = importlib.import_module("starlette.routing")
    route = routing.Route("/{rest:path}", endpoint=routing.NoMatchFound)

    def routed(target: Target) -> str:
        match, child = route.matches(asgi(target))
        assert match is routing.Match.FULL
        return "/" + str(child["path_params"]["rest"])

    return routed


def routed_by_django() -> Read:
    urls = importlib.import_module("django.urls")
    request = importlib.import_module("django.core.handlers.wsgi").WSGIRequest
    everything = urls.re_path("^(?P<rest>.*)$", of_django)
    resolver = urls.URLResolver(urls.resolvers.RegexPattern("^/"), [everything])

    def routed(target: Target) -> str:
        return "/" + str(resolver.resolve(request(wsgi(target)).path_info).kwargs["rest"])

    return routed


def routed_by_falcon() -> Read:
    falcon = importlib.import_module("falcon")
    seen: list[str] = []

    class Everything:
        def on_get(self, request: Any, response: Any, rest: str = "") -> None:
            seen.append("/" + rest)

    app = falcon.App()
    app.add_route("/", Everything())
    app.add_route("/{rest:path}", Everything())

    def routed(target: Target) -> str:
        seen.clear()
        app(wsgi(target), lambda *_: None)
        return seen[0]

    return routed


def routed_by_litestar(targets: Iterable[Target]) -> list[str]:
    litestar = importlib.import_module("litestar")
    seen: list[str] = []

    def everything(request: Any) -> None:
        seen.append(str(request.scope["path_params"].get("rest", "/")))

    everything.__annotations__["request"] = (
        litestar.Request
    )  # Litestar reads annotations when the route is made
    route = litestar.get(["/", "/{rest:path}"], sync_to_thread=False)(everything)

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: object) -> None:
        pass

    async def ask_all() -> None:
        app = litestar.Litestar([route], openapi_config=None, logging_config=None)
        for target in targets:
            await app(asgi(target), receive, send)

    asyncio.run(ask_all())
    return seen


ROUTERS: Final = (
    Router("urllib, decoding", "urllib", wholly_decoded, one_by_one(unquoted)),
    Router("urllib, parsing a URL", "urllib", raw, one_by_one(split)),
    Router("ada-url, parsing a URL", "ada_url", raw, one_by_one(of_ada)),
    Router("yarl, decoding a URL", "yarl", wholly_decoded, one_by_one(of_yarl)),
    Router("Werkzeug's request", "werkzeug", text, one_by_one(of_werkzeug)),
    Router("Django's request", "django", text, one_by_one(of_django)),
    Router("Falcon's request", "falcon", text, one_by_one(of_falcon)),
    Router("a route of Django", "django", text, one_by_one(routed_by_django)),
    Router("a route of Werkzeug", "werkzeug", text, one_by_one(routed_by_werkzeug)),
    Router("a route of Starlette", "starlette", text, one_by_one(routed_by_starlette)),
    Router("a route of Falcon", "falcon", text, one_by_one(routed_by_falcon)),
    Router(
        "a route of Litestar",
        "litestar",
        merged,
        routed_by_litestar,
        quirk="merges slashes, and removes those at the end",
    ),
)

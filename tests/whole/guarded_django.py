"""Guarded applications of Django."""

# Each framework is imported where its application is made.
# ruff: noqa: PLC0415

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from django.http import HttpRequest, HttpResponse
from django.urls import path as django_path
from django.urls import re_path

from applications import django_configured
from whole.guarded import SECRET, Guard, Guarded, Seen, any_other, around, below, folder, inside


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
    """An object that Django accepts instead of a module of URLs, with a decorator around each view."""

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
    """An application with its own settings while it is called; a process has one set at a time."""

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
            ROOT_URLCONF=self._urls,
            MIDDLEWARE=["whole.guarded_django.loaded_middleware"],
            LOGGING_CONFIG=None,
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
    """Return the middleware of the application that is being created; settings name it by its path."""
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

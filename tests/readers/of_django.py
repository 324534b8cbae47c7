"""Django, on WSGI and on ASGI: what a view reads from a request."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from django.conf import settings
from django.core.asgi import get_asgi_application
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse
from django.urls import path, re_path, reverse
from django.utils.functional import empty
from django.views.static import serve

from readers.asking import Reader
from readers.places import BODIES, VIEWS, Places, as_json, flattened, told

FOLDERS: list[Any] = []
"""The static folders of the sites; the last one is served."""
SETTINGS: dict[str, Any] = {
    "ALLOWED_HOSTS": ["*"],
    "ROOT_URLCONF": "readers.of_django",
    "LOGGING_CONFIG": None,
    "SECRET_KEY": "of a test",
    "DATA_UPLOAD_MAX_NUMBER_FIELDS": 5000,
    "INSTALLED_APPS": [],
    "REST_FRAMEWORK": {"UNAUTHENTICATED_USER": None},
}


@contextlib.contextmanager
def configured(**options: Any) -> Iterator[None]:
    """Give Django these settings during the block, and restore the old ones."""
    before, settings._wrapped = settings._wrapped, empty
    try:
        settings.configure(**{**SETTINGS, **options})
        yield
    finally:
        settings._wrapped = before


def read(request: HttpRequest, name: str = "", **arguments: Any) -> Places:
    places: dict[str, Any] = {
        "path": lambda: request.path,
        "path_info": lambda: request.path_info,
        "script": lambda: request.path[: len(request.path) - len(request.path_info)],
        "query": lambda: flattened(request.GET.lists()),
        "url": request.build_absolute_uri,
        "full_path": request.get_full_path,
        "url of the root": lambda: request.build_absolute_uri("/"),
        "host": request.get_host,
        "cookies": lambda: flattened(request.COOKIES.items()),
        "forwarded for": lambda: request.headers.get("X-Forwarded-For"),
    }
    if name:
        places["url_for"] = lambda: reverse(name, kwargs=arguments)
    if request.method in BODIES:
        places |= {
            "body": lambda: request.body.decode("latin-1"),
            "form": lambda: (
                flattened(request.POST.lists())
                + flattened(
                    (field, [f"file {each.name}" for each in files]) for field, files in request.FILES.lists()
                )
            ),
        }
    return {**told(places), **arguments}


def answered(**places: Any) -> HttpResponse:
    return HttpResponse(as_json(places), content_type="application/json")


def show(request: HttpRequest, rest: str) -> HttpResponse:
    return answered(**read(request, "show", rest=rest))


def named(request: HttpRequest, served: str, name: str = "", **found: Any) -> HttpResponse:
    return answered(served=served, **read(request, name, **found))


def from_folder(request: HttpRequest, path: str) -> Any:
    found = serve(request, path, document_root=str(FOLDERS[-1]))
    # The file is read into one response, because Django on ASGI warns about such streams.
    with contextlib.closing(found):
        return HttpResponse(b"".join(found.streaming_content), headers=dict(found.items()))


# Django cannot build a URL from `(?s).*`, so the pattern is written with `[\s\S]*`.
urlpatterns = [re_path(r"^(?P<rest>[\s\S]*)\Z", show, name="show")]


class Site:
    """The routes of a site, as an object that Django accepts instead of a module."""

    urlpatterns: Final = [
        *(path(view[1:], partial(named, served=view)) for view in VIEWS),
        path("units/<str:unit>", partial(named, served="unit", name="unit"), name="unit"),
        path("slash/<str:unit>/", partial(named, served="slash", name="slash"), name="slash"),
        re_path(r"^static/(?P<path>[\s\S]*)\Z", from_folder),
    ]


SITE = Site()


@contextlib.contextmanager
def configured_for_a_site() -> Iterator[None]:
    with configured(ROOT_URLCONF=SITE, MIDDLEWARE=["django.middleware.common.CommonMiddleware"]):
        yield


class Deployed:
    """An application that has its own settings while it is called."""

    def __init__(self, make: Any, entered: Any) -> None:
        self._entered = entered
        with entered():
            self._app = make()

    def __call__(self, *given: Any) -> Any:
        return self._served(*given) if len(given) == 3 else self._answered(*given)

    def _answered(self, environ: Any, start_response: Any) -> Any:
        with self._entered():
            response = self._app(environ, start_response)
            body = [b"".join(response)]
            response.close()
            return body

    async def _served(self, scope: Any, receive: Any, send: Any) -> None:
        with self._entered():
            await self._app(scope, receive, send)


def everything(make: Any) -> Any:
    return Deployed(make, configured)


def site(make: Any, folder: Any) -> Any:
    FOLDERS.append(folder)
    return Deployed(make, configured_for_a_site)


READERS = [
    Reader(name, protocol, "Django", partial(everything, make), partial(site, make), configured)
    for name, protocol, make in (
        ("Django, WSGI", "wsgi", get_wsgi_application),
        ("Django, ASGI", "asgi", get_asgi_application),
    )
]

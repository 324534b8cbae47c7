"""A small library on Django, behind postel, as WSGI or as ASGI. Each page says what it has read.

``gunicorn --chdir examples django_app:application`` or
``uvicorn --app-dir examples django_app:asgi_application``

``bare`` is the same application without postel, to compare.
"""

import secrets
from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.core.asgi import get_asgi_application
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden, JsonResponse
from django.urls import path

import postel.asgi
import postel.wsgi

settings.configure(
    ALLOWED_HOSTS=["*"],
    MIDDLEWARE=["django_app.guard"],  # postel does not belong here: Django has already read the path
    ROOT_URLCONF="django_app",
    SECRET_KEY=secrets.token_hex(),
)


def index(request: HttpRequest) -> HttpResponse:
    """Show links to try."""
    return HttpResponse(Path(__file__).with_name("index.html").read_bytes())


def show(request: HttpRequest, view: str, **parameters: str) -> HttpResponse:
    """Say what was read: the path, its parameters, the query."""
    query = [(name, value) for name, values in request.GET.lists() for value in values]
    return JsonResponse({"view": view, "path": request.path, "parameters": parameters, "query": query})


def guard(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Keep everyone from /admin."""

    def guarded(request: HttpRequest) -> HttpResponse:
        if request.path.split("/")[:2] == ["", "admin"]:
            return HttpResponseForbidden("For librarians only.\n")
        return get_response(request)

    return guarded


urlpatterns = [
    path("", index),
    path("search", show, {"view": "search"}),
    path("books/<title>", show, {"view": "book"}),
    path("admin", show, {"view": "admin"}),
    path("admin/panel", show, {"view": "admin"}),
]
bare = get_wsgi_application()
application = postel.wsgi.NormalizeMiddleware(bare)
asgi_application = postel.asgi.NormalizeMiddleware(get_asgi_application())

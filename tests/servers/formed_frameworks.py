"""The frameworks for ``formed.py``, each with a view that shows what its form object holds."""

# Each framework is imported where its application is made.
# ruff: noqa: PLC0415

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import path
from formed import said


def django_view(request: HttpRequest) -> HttpResponse:
    pairs = ((name, *values) for name, values in request.POST.lists())
    return HttpResponse(said(each for pair in pairs for each in pair), content_type="text/plain")


urlpatterns = [path("", django_view)]


def _configured() -> None:
    """Give Django settings, unless its own server has done so."""
    if not settings.configured:
        settings.configure(ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__)
    settings.ROOT_URLCONF = __name__


def django_wsgi() -> Any:
    from django.core.wsgi import get_wsgi_application

    _configured()
    return get_wsgi_application()


def django_asgi() -> Any:
    from django.core.asgi import get_asgi_application

    _configured()
    return get_asgi_application()


def flask_wsgi() -> Any:
    import flask

    app = flask.Flask("formed", static_folder=None)

    def show() -> Any:
        pairs = flask.request.form.items(multi=True)
        return flask.Response(said(each for pair in pairs for each in pair), content_type="text/plain")

    app.add_url_rule("/", "show", show, methods=["POST"])
    return app.wsgi_app


def webob_wsgi() -> Any:
    """Return an application of WebOb, the only reader that reads a body without a Content-Type as a form."""
    import webob

    def app(environ: dict[str, Any], start_response: Any) -> Any:
        pairs = webob.Request(environ).POST.items()
        answer = webob.Response(said(f"{name}{value}" for name, value in pairs), content_type="text/plain")
        return answer(environ, start_response)

    return app


class FalconForm:
    """A resource of Falcon."""

    def on_post(self, request: Any, response: Any) -> None:
        media = request.get_media()
        pairs = media.items() if isinstance(media, dict) else ((part.name, part.get_text()) for part in media)
        response.text = said(f"{name}{value}" for name, value in pairs)


class AsyncFalconForm:
    """A resource of Falcon on ASGI."""

    async def on_post(self, request: Any, response: Any) -> None:
        media = await request.get_media()
        if isinstance(media, dict):
            response.text = said(f"{name}{value}" for name, value in media.items())
        else:
            response.text = said([f"{part.name}{await part.get_text()}" async for part in media])


def falcon_wsgi() -> Any:
    import falcon

    app = falcon.App()
    app.add_route("/", FalconForm())
    return app


def falcon_asgi() -> Any:
    import falcon.asgi

    app = falcon.asgi.App()
    app.add_route("/", AsyncFalconForm())
    return app

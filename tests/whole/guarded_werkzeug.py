"""Guarded applications of Flask and Quart."""

# Each framework is imported where its application is made.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from whole.guarded import SECRET, Guard, Guarded, Seen, any_other, around, below, folder, inside


def flask_app(guard: Guard | None = None, seen: Seen | None = None, *, decorated: bool = False) -> Any:
    import flask

    # A decorator guards views only, so such an application serves no static files.
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

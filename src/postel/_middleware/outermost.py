"""Middleware around middleware: look through it, and warn of an order that is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from postel._errors import PolicyError
from postel._http.observers import logger

_BLIND: Final = {
    ("starlette.middleware.cors", "CORSMiddleware"),
    ("starlette.middleware.gzip", "GZipMiddleware"),
}
"""Middleware of Starlette that looks at headers only, never at the URL, so it may stand in front."""
_INNER: Final = ("app", "wsgi_app", "application", "_app", "_application", "wrapped")
"""Attributes in which middleware keeps the application that it wraps."""
_CALLED: Final = ("wsgi_app", "asgi_app")
"""Attributes through which Flask and Quart let middleware wrap an application."""
_DEPTH: Final = 20
"""The most applications that are looked at, because middleware can contain itself."""


def layers(app: Any) -> Iterator[Any]:
    """Yield an application, the application inside it if it is middleware, and so on."""
    for _ in range(_DEPTH):
        yield app
        inner = [value for name in _INNER if callable(value := getattr(app, name, None))]
        if not inner:
            return
        app = inner[0]


def warn_unless_outermost(scope: Mapping[str, object], middleware: type) -> None:
    """Log a warning if the application in a lifespan scope lists other middleware in front of ``middleware``.

    Starlette and FastAPI list middleware in ``user_middleware``, the outermost first. Middleware in front of
    postel reads the URL as the client wrote it.
    """
    if scope.get("type") != "lifespan":
        return
    listed: object = getattr(scope.get("app"), "user_middleware", None)
    if not isinstance(listed, list):
        return
    classes = [getattr(each, "cls", None) for each in cast("list[object]", listed)]
    if middleware not in classes:
        return
    in_front = classes[: classes.index(middleware)]
    others = [each for each in in_front if _name_of(each) not in _BLIND]
    if not others:
        return
    logger().warning(
        "%s sees each request before NormalizeMiddleware does; make NormalizeMiddleware the first of "
        "Starlette(middleware=[...]), or add it last with add_middleware()",
        getattr(others[0], "__name__", "other middleware"),
    )


def warn_inner(app: object, middleware: object) -> None:
    """Log a warning about a NormalizeMiddleware inside another one.

    Raises :class:`PolicyError` if the wrapped application calls the same one, because it would do so forever.
    """
    for name in _CALLED:
        if getattr(app, name, None) is middleware:
            raise PolicyError(
                f"NormalizeMiddleware wraps an application that calls it again; "
                f"write app.{name} = NormalizeMiddleware(app.{name})"
            )
    logger().warning(
        "a NormalizeMiddleware inside another one judges no requests, because the outer one has judged them; "
        "give settings such as forms= and json= to the outer one"
    )


def _name_of(middleware: object) -> tuple[object, object]:
    return getattr(middleware, "__module__", None), getattr(middleware, "__name__", None)

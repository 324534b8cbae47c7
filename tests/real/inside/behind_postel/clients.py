"""The places where test clients call an application; one function patches each of them.

A client is patched where it hands over the request, so that its own changes to the URL stay. For frameworks
without such a client, whose tests call the application, ``__call__`` is patched.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Iterable
from typing import Any, Final

from behind_postel.wrapping import wrap_asgi, wrap_wsgi


def patch(names: Iterable[str]) -> None:
    """Patch the named clients: keys of ``CLIENTS``, or ``module:Class/protocol`` for an application."""
    for name in names:
        if name in CLIENTS:
            CLIENTS[name]()
        else:
            where, _, protocol = name.partition("/")
            _called(where, {"wsgi": wrap_wsgi, "asgi": wrap_asgi}[protocol])


def _called(where: str, wrap: Callable[[Any], Any]) -> None:
    """Patch ``__call__`` of a class of applications."""
    module, _, name = where.partition(":")
    owner = getattr(importlib.import_module(module), name)
    serve = owner.__call__

    # Some tests check the error for a call with other arguments.
    @functools.wraps(serve)
    def call(self: Any, *arguments: Any, **named: Any) -> Any:
        if named or len(arguments) != 2:
            return serve(self, *arguments, **named)
        return wrap(functools.partial(serve, self))(*arguments)

    # Falcon's client distinguishes ASGI from WSGI by whether ``__call__`` is a coroutine function.
    @functools.wraps(serve)
    async def call_async(self: Any, *arguments: Any, **named: Any) -> Any:
        if named or len(arguments) != 3:
            return await serve(self, *arguments, **named)
        return await wrap(functools.partial(serve, self))(*arguments)

    calling: Any = call if wrap is wrap_wsgi else call_async
    # Falcon's client also examines the number of arguments.
    calling.__signature__ = inspect.signature(serve)
    owner.__call__ = calling


def _first_argument(module: Any, name: str, wrap: Callable[[Any], Any]) -> None:
    """Patch a function of a module whose first argument is an application."""
    run = getattr(module, name)

    @functools.wraps(run)
    def running(app: Any, *arguments: Any, **named: Any) -> Any:
        return run(wrap(app), *arguments, **named)

    setattr(module, name, running)


def _constructed(owner: Any, wrap: Callable[[Any], Any]) -> None:
    """Patch a class whose constructor stores the application as ``app``."""
    construct = owner.__init__

    @functools.wraps(construct)
    def constructing(self: Any, *arguments: Any, **named: Any) -> None:
        construct(self, *arguments, **named)
        self.app = wrap(self.app)

    owner.__init__ = constructing


def _werkzeug() -> None:
    from werkzeug import test

    _first_argument(test, "run_wsgi_app", wrap_wsgi)


def _starlette() -> None:
    from starlette import testclient

    _constructed(testclient._TestClientTransport, wrap_asgi)


def _httpx() -> None:
    import httpx

    _constructed(httpx.ASGITransport, wrap_asgi)
    _constructed(httpx.WSGITransport, wrap_wsgi)


def _webob() -> None:
    """WebTest and the tests of WebOb's frameworks call the application through a method of the request."""
    from webob.request import BaseRequest

    call = BaseRequest.call_application

    @functools.wraps(call)
    def calling(self: Any, application: Any, *arguments: Any, **named: Any) -> Any:
        return call(self, wrap_wsgi(application), *arguments, **named)

    BaseRequest.call_application = calling


def _django() -> None:
    from behind_postel import django_client

    django_client.patch()
    _called("django.core.handlers.wsgi:WSGIHandler", wrap_wsgi)
    _called("django.core.handlers.asgi:ASGIHandler", wrap_asgi)


CLIENTS: Final[dict[str, Callable[[], None]]] = {
    "django": _django,
    "httpx": _httpx,
    "starlette": _starlette,
    "webob": _webob,
    "werkzeug": _werkzeug,
}

"""The application: import it, and detect its protocol and its frameworks."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import os
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final, Self, TypeGuard, final

import postel.asgi
import postel.wsgi
from postel import Action, Policy
from postel._middleware.outermost import layers
from postel.doctor._asking import Asker, asgi_asker, error_line, wsgi_asker
from postel.doctor._frameworks import ADAPTERS, Adapter
from postel.doctor._probe import AsgiProbe, WsgiProbe

_MODULE: Final = re.compile(r"[\w-]+(?:\.[\w-]+)*")
_TOOLKITS: Final = frozenset({"werkzeug", "starlette"})
"""Packages whose ``Request`` is often used without their application classes."""
BEHIND: Final[dict[str, Any]] = {"forms": True, "headers": {"cookie": Action.DROP_PAIR}}
"""The settings, besides the policy, of the middleware in front of an examined application."""


@final
class ApplicationError(Exception):
    """Raised if there is no application to examine; the message is one sentence.

    >>> from postel.doctor import ApplicationError, examine
    >>> try:
    ...     examine(None)
    ... except ApplicationError as error:
    ...     print(error)
    NoneType is not an application: it cannot be called
    """


@final
@dataclass(frozen=True, slots=True)
class Application:
    """An application, its protocol and its frameworks.

    >>> def app(environ, start_response): ...
    >>> Application.of(app).protocol
    'wsgi'
    """

    app: Callable[..., Any]
    protocol: str
    """``asgi`` or ``wsgi``."""
    frameworks: tuple[str, ...] = ()
    """The packages of the frameworks that were found, the most specific one first."""
    inner: Any = None
    """The framework's own object inside all middleware."""
    is_wrapped: bool = False
    """Whether postel already wraps it."""

    @classmethod
    def named(cls, name: str, *, factory: bool = False) -> Self:
        """Import ``module:attribute``. Raises ApplicationError, with one sentence, if that fails."""
        module, _, path = name.partition(":")
        if os.getcwd() not in sys.path:
            sys.path.insert(0, os.getcwd())
        found: Any = _imported(module, name)
        for attribute in (path or "app").split("."):
            if not hasattr(found, attribute):
                raise ApplicationError(f"{module!a} has no attribute {attribute!a}: write module:attribute")
            found = getattr(found, attribute)
        if factory:
            found = _made(found, name)
        return cls.of(found)

    @classmethod
    def of(cls, app: object) -> Self:
        """Inspect an application. Raises ApplicationError if it speaks neither ASGI nor WSGI."""
        if not callable(app):
            raise ApplicationError(f"{type(app).__name__} is not an application: it cannot be called")
        found = dict(_frameworks(app))
        names = tuple(found)
        if names[:1] == ("django",) and "rest_framework" in sys.modules:
            names = ("rest_framework", *names)
        return cls(app, _protocol(app), names, next(iter(found.values()), None), _is_wrapped(app))

    @property
    def adapters(self) -> tuple[Adapter, ...]:
        """The adapters that read requests as the frameworks of this application do."""
        return ADAPTERS[self.frameworks[0]] if self.frameworks else ()

    def versions(self) -> dict[str, str]:
        """Return the versions of the frameworks that were found."""
        names = {"rest_framework": "djangorestframework"}
        found: dict[str, str] = {}
        for name in self.frameworks:
            try:
                found[name] = version(names.get(name, name))
            except PackageNotFoundError:
                found[name] = "unknown"
        return found

    def probed(self, policy: Policy | None) -> Callable[..., Any]:
        """Wrap the application in the probe and, if there is a policy, the probe in postel."""
        if self.protocol == "asgi":
            asgi = AsgiProbe(self.app, self.adapters, self.inner)
            if policy is None:
                return asgi
            return postel.asgi.NormalizeMiddleware(asgi, policy, observer=_ignore, **BEHIND)
        wsgi = WsgiProbe(self.app, self.adapters, self.inner)
        if policy is None:
            return wsgi
        return postel.wsgi.NormalizeMiddleware(wsgi, policy, observer=_ignore, **BEHIND)

    def asker(self, policy: Policy | None, timeout: float) -> Asker:
        """Create an asker that calls the application in this process."""
        make = asgi_asker if self.protocol == "asgi" else wsgi_asker
        return make(self.probed(policy), timeout)


def _ignore(report: object) -> None:
    """Ignore a report; the doctor provokes refusals on purpose."""


def _imported(module: str, name: str) -> Any:
    if not _MODULE.fullmatch(module) or module.endswith(".py"):
        guess = module.removesuffix(".py").strip("./").replace("/", ".")
        guess = guess if _MODULE.fullmatch(guess) else "module"
        raise ApplicationError(f"{module[:200]!a} is not a module name: write {guess}:app, as for a server")
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name and (module == error.name or module.startswith(f"{error.name}.")):
            raise ApplicationError(
                f"there is no module {error.name!a} here: check the name and the directory"
            ) from None
        raise ApplicationError(
            f"{module!a} needs {error.name!a}, which is not installed in {sys.executable}"
        ) from None
    except (Exception, SystemExit) as error:
        raise ApplicationError(f"{name!a} cannot be imported: {error_line(error)}") from None


def _made(factory: Any, name: str) -> Any:
    try:
        return factory()
    except (Exception, SystemExit) as error:
        raise ApplicationError(
            f"{name!a} raised instead of returning an application: {error_line(error)}"
        ) from None


def _protocol(app: Any) -> str:
    call = app if inspect.isroutine(app) else type(app).__call__
    if inspect.iscoroutinefunction(call):
        return "asgi"
    # Try the wrapped function first: a decorator often has a less specific signature, and Werkzeug's
    # decorator has other arguments.
    for follows in (True, False):
        for protocol, arguments in (("wsgi", 2), ("asgi", 3)):
            with contextlib.suppress(TypeError, ValueError):
                inspect.signature(app, follow_wrapped=follows).bind(*(None,) * arguments)
                return protocol
    raise ApplicationError(
        f"{type(app).__name__} is not an application: it takes neither (environ, start_response) nor "
        "(scope, receive, send); if it is a factory, call it, or add --factory"
    )


def _frameworks(app: Any) -> Iterator[tuple[str, Any]]:
    """Yield the frameworks of an application, each with its object.

    If it has none, look into the application that it wraps, and so on; the innermost may have toolkits,
    which have no object.
    """
    for layer in layers(app):
        roots = [each.__module__.partition(".")[0] for each in type(layer).__mro__]
        if found := [(root, layer) for root in roots if root in ADAPTERS]:
            yield from found
            return
        app = layer
    yield from ((root, None) for root in _toolkits(app))


def _is_wrapped(app: Any) -> bool:
    """Whether an application is postel's middleware, has it in a list of middleware, or wraps one that is."""
    middleware = (postel.asgi.NormalizeMiddleware, postel.wsgi.NormalizeMiddleware)
    for layer in layers(app):
        listed = [getattr(each, "cls", None) for each in getattr(layer, "user_middleware", ())]
        if isinstance(layer, middleware) or any(each in middleware for each in listed):
            return True
    return False


def _toolkits(app: Any) -> Iterator[str]:
    """Yield the toolkits of an application that is a plain function or an object of a plain class.

    The module of the application imports or defines the ``Request`` of these toolkits. Functions that
    Werkzeug's ``Request.application`` returns are defined in the module of that ``Request``.
    """
    module = sys.modules.get(type(app).__module__)
    names: dict[str, object] = getattr(app, "__globals__", None) or getattr(module, "__dict__", {})
    found = [value.__module__.partition(".")[0] for value in names.values() if _is_request(value)]
    yield from (root for root in found if root in _TOOLKITS)


def _is_request(value: object) -> TypeGuard[type]:
    return isinstance(value, type) and value.__name__ == "Request"

"""Routes: what an application serves, as it is told, or as its framework knows it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, final

from postel.doctor._application import Application, ApplicationError, told
from postel.doctor._request import Request

SOURCES: Final = ("openapi", "urlconf", "url_map")
MOST: Final = 50
"""The most routes that are asked."""
_READS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_PARAMETER: Final = re.compile(r"<[^<>]*>|\{[^{}]*\}")
_WRITTEN: Final = re.compile(r"(?:([A-Z]+) )?(/[\x21-\x7e]*)(?: (.*))?", re.DOTALL)
_FORM: Final = (b"Content-Type", b"application/x-www-form-urlencoded")


@final
@dataclass(frozen=True, slots=True)
class Route:
    """One route, and the plain request for it.

    >>> Route.parse("POST /profile name=x").request.line()
    'POST /profile'
    """

    request: Request

    @classmethod
    def parse(cls, text: str) -> Route:
        """Read ``/path``, ``/path?query`` or ``POST /path form``. Raises ValueError if it is none."""
        found = _WRITTEN.fullmatch(text)
        if found is None:
            raise ValueError(f"{text[:200]!a}: a route is /path, /path?query or POST /path name=value")
        method, target, body = found.groups()
        octets = (body or "").encode()
        headers = (_FORM,) if octets else ()
        return cls(Request(target.encode(), method or ("POST" if octets else "GET"), headers, body=octets))

    @property
    def is_read(self) -> bool:
        """Whether its method is one that changes nothing (RFC 9110, section 9.2.1)."""
        return self.request.method in _READS


def known_routes(application: Application, source: str | None) -> list[Route]:
    """What a framework knows of its routes, those with parameters filled with ``1``.

    Raises ApplicationError if the source that was asked for is not there.
    """
    readers = {"openapi": _of_openapi, "urlconf": _of_urlconf, "url_map": _of_url_map}
    asked = [readers[source]] if source else [*readers.values(), _of_routes]
    try:
        paths = [path for read in asked for path in read(application)]
    except Exception as error:
        raise ApplicationError(f"the routes cannot be read: {told(error)}") from None
    if source and not paths:
        raise ApplicationError(f"--routes-from {source}: this application has none")
    filled = dict.fromkeys(_PARAMETER.sub("1", path) for path in paths if path.startswith("/"))
    return [Route.parse(path) for path in filled if _WRITTEN.fullmatch(path)][:MOST]


def _of_openapi(application: Application) -> Iterable[str]:
    inner = application.inner
    if "fastapi" in application.frameworks:
        described: dict[str, Any] = inner.openapi()
    elif "litestar" in application.frameworks and inner.openapi_config is not None:
        described = inner.openapi_schema.to_schema()
    else:
        return []
    return [path for path, methods in described.get("paths", {}).items() if "get" in methods]


def _of_url_map(application: Application) -> Iterable[str]:
    rules = getattr(application.inner, "url_map", None)
    return [str(rule) for rule in rules.iter_rules() if "GET" in rule.methods] if rules else []


def _of_urlconf(application: Application) -> Iterable[str]:
    if "django" not in application.frameworks:
        return []
    resolver: Any = import_module("django.urls").get_resolver()
    return list(_patterns(resolver.url_patterns, "/"))


def _patterns(patterns: Iterable[Any], front: str) -> Iterator[str]:
    for pattern in patterns:
        written = front + str(pattern.pattern)
        if hasattr(pattern, "url_patterns"):
            yield from _patterns(pattern.url_patterns, written)
        elif not re.search(r"[\\^$()]", written):  # a regular expression names no path
            yield written


def _of_routes(application: Application) -> Iterable[str]:
    if "bottle" in application.frameworks:
        return [route.rule for route in application.inner.routes if route.method == "GET"]
    if "starlette" in application.frameworks:
        return list(_walked(application.inner.routes, ""))
    return []


def _walked(routes: Iterable[Any], front: str) -> Iterator[str]:
    for route in routes:
        path = front + str(getattr(route, "path", ""))
        if nested := getattr(route, "routes", None):
            yield from _walked(nested, path)
        elif "GET" in (getattr(route, "methods", None) or ()):
            yield path

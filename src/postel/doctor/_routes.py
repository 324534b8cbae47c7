"""Routes of an application: named by the user, or listed by its framework."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, final

from postel.doctor._application import Application, ApplicationError
from postel.doctor._asking import error_line
from postel.doctor._request import Request, octets_of

SOURCES: Final = ("openapi", "urlconf", "url_map", "routes")
MOST: Final = 50
"""The most routes that are examined."""
_READS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_PARAMETER: Final = re.compile(r"<[^<>]*>|\{(?:[^{}]|\{[^{}]*\})*\}|\*\w+$")
"""Matches a parameter of a path; in Pyramid, a star stands for the rest of the path."""
_UUID: Final = "00000000-0000-4000-8000-000000000000"
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
        """Read ``/path``, ``/path?query`` or ``POST /path form``. Raises ValueError for anything else."""
        found = _WRITTEN.fullmatch(text)
        if found is None:
            raise ValueError(f"{text[:200]!a}: a route is /path, /path?query or POST /path name=value")
        method, target, body = found.groups()
        octets = octets_of(body or "")
        headers = (_FORM,) if octets else ()
        return cls(Request(target.encode(), method or ("POST" if octets else "GET"), headers, body=octets))

    @property
    def is_read(self) -> bool:
        """Whether the method is safe, so that requests change nothing (RFC 9110, section 9.2.1)."""
        return self.request.method in _READS


def named_routes(routes: Iterable[str], *, unsafe_methods: bool) -> list[Route]:
    """Read the routes that a program names. Raises ValueError for a malformed one or an unsafe method."""
    if isinstance(routes, str):
        raise ValueError(f"routes={routes[:200]!a}: give a list, such as routes=[{routes[:200]!a}]")
    named = [Route.parse(route) for route in routes]
    for each in named:
        if not each.is_read and not unsafe_methods:
            raise ValueError(f"{each.request.line()} is sent only with unsafe_methods=True")
    return named


def known_routes(application: Application, source: str | None) -> list[Route]:
    """Return the routes that a framework lists, with a sample value for each parameter.

    ``source`` is one of ``SOURCES``, or ``None`` for all of them. At most ``MOST`` routes are returned.
    Raises ApplicationError if the given source cannot be read or has no routes.
    """
    readers = dict(zip(SOURCES, (_of_openapi, _of_urlconf, _of_url_map, _of_routes), strict=True))
    paths: list[str] = []
    for name, read in readers.items():
        if source not in {None, name}:
            continue
        try:
            paths += read(application)
        except Exception as error:  # the list may be faulty even if the application runs
            if source:
                raise ApplicationError(
                    f"--routes-from {source}: cannot read the routes: {error_line(error)}"
                ) from None
    if source and not paths:
        raise ApplicationError(f"--routes-from {source}: this application has no such routes")
    filled = dict.fromkeys(_PARAMETER.sub(_value, path) for path in paths if path.startswith("/"))
    return [Route.parse(path) for path in filled if _WRITTEN.fullmatch(path)][:MOST]


def _value(parameter: re.Match[str]) -> str:
    return _UUID if "uuid" in parameter[0].lower() else "1"


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
        is_regex = hasattr(pattern.pattern, "_regex")  # re_path(), also in REST framework's routers
        written = front + (_simple if is_regex else str)(pattern.pattern)
        if hasattr(pattern, "url_patterns"):
            yield from _patterns(pattern.url_patterns, written)
        elif not re.search(r"[\\^$()\[\]|]", written):  # skip what is still a regular expression
            yield written


def _simple(pattern: object) -> str:
    """Turn a regular expression into a path with parameters, as ``django.contrib.admindocs`` does."""
    utils: Any = import_module("django.contrib.admindocs.utils")
    text = str(pattern)
    for replace in (
        utils.remove_non_capturing_groups,
        utils.replace_named_groups,
        utils.replace_unnamed_groups,
        utils.replace_metacharacters,
    ):
        text = replace(text)
    return re.sub(r"\\([.-])", r"\1", text).lstrip("^")


def _of_routes(application: Application) -> Iterable[str]:
    inner: Any = application.inner
    match application.frameworks[:1]:
        case ("bottle",):
            return [route.rule for route in inner.routes if route.method == "GET"]
        case ("falcon",):
            known: Any = import_module("falcon.inspect").inspect_routes(inner)
            return [
                route.path
                for route in known
                if any(each.method == "GET" and not each.internal for each in route.methods)
            ]
        case ("litestar",):
            return [route.path for route in inner.routes if "GET" in getattr(route, "methods", ())]
        case ("pyramid",):
            return [f"/{route.pattern.lstrip('/')}" for route in inner.routes_mapper.get_routes()]
        case ("starlette" | "fastapi",):
            return list(_walked(getattr(inner, "routes", ()), ""))  # empty if only its Request is used
        case _:
            return []


def _walked(routes: Iterable[Any], front: str) -> Iterator[str]:
    for route in routes:
        path = front + str(getattr(route, "path", ""))
        if nested := getattr(route, "routes", None):
            yield from _walked(nested, path)
        elif "GET" in (getattr(route, "methods", None) or ()):
            yield path

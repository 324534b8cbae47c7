"""Differences: places in a framework whose value differs from what the server passed on."""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Any, Final, cast
from urllib.parse import unquote_to_bytes

from postel.doctor._answer import RAISES, Difference
from postel.doctor._frameworks import Adapter
from postel.doctor._received import ReceivedRequest

_LONGEST: Final = 200
"""The most characters of a place's value that are shown."""
_URL: Final = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.\-]*+://([^/?#]*+))?([^?#]*+)", re.DOTALL)
_LOOPBACK: Final = re.compile(r"127\.0\.0\.1(?::\d+)?")
_NAMES: Final = {
    "path": ("PATH_INFO", 'scope["raw_path"]'),
    "url": ("PATH_INFO", 'scope["raw_path"]'),
    "written": ("PATH_INFO", 'scope["raw_path"]'),
    "query": ("QUERY_STRING", 'scope["query_string"]'),
    "form": ("the body and its type", "the body and its type"),
    "cookies": ("HTTP_COOKIE", "the header Cookie"),
    "forwarded": ("HTTP_X_FORWARDED_FOR", "the header X-Forwarded-For"),
}
"""The part of the server's request that each role is compared with, as named on WSGI and on ASGI."""


def differences(received: ReceivedRequest, adapters: Iterable[Adapter]) -> Iterator[Difference]:
    """Yield the differences in places that need no ``await``."""
    for adapter in adapters:
        for place, read in _places(adapter, received):
            yield from _difference(received, place, _value_or_error(read))


async def awaited_differences(received: ReceivedRequest, adapters: Iterable[Adapter]) -> list[Difference]:
    """Return the differences in all places, including those that must be awaited."""
    found: list[Difference] = []
    for adapter in adapters:
        for place, read in _places(adapter, received):
            value = _value_or_error(read)
            value = await _awaited(value) if inspect.isawaitable(value) else value
            found += _difference(received, place, value)
    return found


def redirected(received: ReceivedRequest, locations: Iterable[str]) -> Iterator[Difference]:
    """Yield the differences in the Location of an answer."""
    for location in locations:
        yield from _difference(received, "written: the redirect", location)


def _places(adapter: Adapter, received: ReceivedRequest) -> list[tuple[str, Callable[[], object]]]:
    try:
        return list(adapter(received).items())
    except Exception as error:
        raised = error
        return [("path: the request", lambda: _raised(raised))]


def _value_or_error(read: Callable[[], object]) -> object:
    try:
        return read()
    except Exception as error:
        return _raised(error)


async def _awaited(reading: Awaitable[object]) -> object:
    try:
        return await reading
    except Exception as error:
        return _raised(error)


def _raised(error: Exception) -> BaseException | None:
    """Return the exception if it is a fault, or ``None`` if the framework refuses the request with it."""
    return error if type(error).__module__ == "builtins" else None


def _difference(received: ReceivedRequest, place: str, value: object) -> Iterator[Difference]:
    role, _, name = place.partition(": ")
    if value is None:
        return
    other = _reference(received, role)
    if isinstance(value, BaseException):
        value = RAISES + type(value).__name__
    elif _agrees(received, role, value):
        return
    yield Difference(name, _shown(value), _NAMES[role][0 if received.is_environ else 1], _shown(other))


def _reference(received: ReceivedRequest, role: str) -> object:
    match role:
        case "query":
            return received.pairs()
        case "form":
            return received.form()
        case "cookies":
            return "; ".join(received.cookies)
        case "forwarded":
            return ",".join(received.forwarded)
        case _:
            return received.path


def _agrees(received: ReceivedRequest, role: str, value: Any) -> bool:
    match role:
        case "path":
            return _octets(value) == received.path
        case "url" | "written":
            return (_is_url_of if role == "url" else _is_good_redirect)(received, value)
        case "query":
            return sorted(value) == sorted(received.pairs())
        case "form":
            is_multipart = received.content_type.lower().startswith("multipart/form-data")
            return is_multipart or sorted(value) == sorted(received.form())
        case "cookies":
            return set(value) <= received.cookie_pairs() and received.plain_cookies() <= set(value)
        case _:
            return value in received.forwarded


def _is_url_of(received: ReceivedRequest, url: str) -> bool:
    """Whether a URL has the host and the path of the request."""
    found = cast("re.Match[str]", _URL.match(url))
    authority, path = found.groups()
    # A framework that does not trust the Host leaves it out, or writes the server's own address.
    is_host = authority == received.host or not authority or _LOOPBACK.fullmatch(authority) is not None
    return is_host and unquote_to_bytes(_octets(path)) == received.path


def _is_good_redirect(received: ReceivedRequest, url: str) -> bool:
    """Whether a URL that the application wrote has the path of the request, or a different one on purpose.

    A redirect may lead anywhere. It is wrong only if its path is the path of the request decoded once more,
    or cut off by a ``?`` or ``#``.
    """
    found = cast("re.Match[str]", _URL.match(url))
    path = received.path.strip(b"/")
    written = unquote_to_bytes(_octets(found[2])).strip(b"/")
    whole = unquote_to_bytes(_octets(url[found.start(2) :])).strip(b"/")
    return written == path or (whole != path and written != unquote_to_bytes(path).strip(b"/"))


def _octets(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _shown(value: object) -> str:
    if isinstance(value, bytes):
        value = value.decode("utf-8", "backslashreplace")
    if isinstance(value, list):
        value = "&".join("=".join(pair) for pair in cast("list[tuple[str, str]]", value)) or "nothing"
    return str(value).encode("utf-8", "backslashreplace").decode()[:_LONGEST]

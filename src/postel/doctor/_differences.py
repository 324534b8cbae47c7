"""Differences: places where a framework reads something else than the server handed over."""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Any, Final, cast
from urllib.parse import unquote_to_bytes

from postel.doctor._answer import Difference
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
"""The place of the server with which a reading is compared, as it is called on WSGI and on ASGI."""


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
            said = _value_or_error(read)
            found += _difference(received, place, await _awaited(said) if inspect.isawaitable(said) else said)
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
    """The exception if it is a fault; ``None`` if it is a framework's own way to refuse a request."""
    return error if type(error).__module__ == "builtins" else None


def _difference(received: ReceivedRequest, place: str, said: object) -> Iterator[Difference]:
    role, _, name = place.partition(": ")
    if said is None:
        return
    other = _reference(received, role)
    if isinstance(said, BaseException):
        said = f"raises {type(said).__name__}"
    elif _agrees(received, role, said):
        return
    yield Difference(name, _shown(said), _NAMES[role][0 if received.is_environ else 1], _shown(other))


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


def _agrees(received: ReceivedRequest, role: str, said: Any) -> bool:
    match role:
        case "path":
            return _octets(said) == received.path
        case "url" | "written":
            return (_is_url_of if role == "url" else _is_written_rightly)(received, said)
        case "query":
            return sorted(said) == sorted(received.pairs())
        case "form":
            is_parts = received.content_type.lower().startswith("multipart/form-data")
            return is_parts or sorted(said) == sorted(received.form())
        case "cookies":
            return set(said) <= received.cookie_pairs() and received.plain_cookies() <= set(said)
        case _:
            return said in received.forwarded


def _is_url_of(received: ReceivedRequest, url: str) -> bool:
    """Whether a URL has the host and the path of the request."""
    found = cast("re.Match[str]", _URL.match(url))
    authority, path = found.groups()
    # A framework that does not trust the Host leaves it out, or writes the server's own address.
    is_host = authority == received.host or not authority or _LOOPBACK.fullmatch(authority) is not None
    return is_host and unquote_to_bytes(_octets(path)) == received.path


def _is_written_rightly(received: ReceivedRequest, url: str) -> bool:
    """Whether the URL of a redirect has the path of the request, or another path on purpose.

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


def _shown(said: object) -> str:
    if isinstance(said, bytes):
        said = said.decode("utf-8", "backslashreplace")
    if isinstance(said, list):
        said = "&".join("=".join(pair) for pair in cast("list[tuple[str, str]]", said)) or "nothing"
    return str(said).encode("utf-8", "backslashreplace").decode()[:_LONGEST]

"""When a rebuilt URL denotes the path that was routed: the comparison, and the readers for which it fails.

Frameworks rebuild ``build_absolute_uri()``, ``request.url`` and the like from the URL that a server or a
middleware hands over. A guard compares such a URL, a page links to it, a proxy or a client requests it. So it
must denote the path by which the request was routed, and no other.

**If nothing is preserved**, a URL denotes a path if it has the same host, and if its path component,
percent-decoded once, has the octets of the routed path in UTF-8. The URL is split as in RFC 3986, appendix
B: the path ends at a bare ``?`` or ``#``, and the path of ``//a/b`` is ``/b``.

**If a policy preserves escapes**, the routed path is a text in which ``%2F`` is a slash as data and ``%25``
a percent sign as data. Frameworks write such a text into a URL in two ways, and both are correct. Some escape
the text, so that decoding the URL once gives the text; another reader behind the same middleware would
receive it. Some copy the text, so that decoding all escapes except ``%2F`` and ``%25`` gives the text; a
request for the URL is routed to the same path. A URL denotes the path if either decoding gives the text. If
a slash as data has become a delimiter, neither does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote_to_bytes, urljoin

from readers.asking import HOST, Seen

URLS: Final = frozenset(
    {
        *("url", "base_url", "full_path", "url, replaced", "url.path"),
        *("relative_uri", "forwarded_uri", "path_url", "path_qs", "quoted path"),
        *("url_for", "url_for, external"),
    }
)
"""The places that hold a URL, or a relative reference, with the request's own path."""
TEXTS: Final = frozenset({"path", "path_info", "rest", "fullpath"})
"""The places that hold the path as decoded text."""
ROOTS: Final = frozenset(
    {"url_root", "host_url", "url of the root", "base_url, the root", "prefix", "application_url"}
)
"""The places that hold the URL under which the application is mounted."""

_REFERENCE: Final = re.compile(rb"(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?://([^/?#]*))?([^?#]*)", re.DOTALL)
_KEPT: Final = re.compile(rb"%(?!2F|25)([0-9A-Fa-f]{2})")


@dataclass(frozen=True)
class Reference:
    """The parts of a URL that are compared; a missing authority is ``None``."""

    authority: bytes | None
    path: bytes


def reference(url: str) -> Reference:
    """Split a URL or a relative reference by RFC 3986, appendix B.

    >>> reference("http://h/a%3Fb?c")
    Reference(authority=b'h', path=b'/a%3Fb')
    >>> reference("//a/b")
    Reference(authority=b'a', path=b'/b')
    """
    match = _REFERENCE.match(octets_of(url))
    assert match is not None  # Every part of the pattern may be empty.
    return Reference(match[2], match[3])


def octets_of(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def denotes(url: str, routed: str, *, preserving: bool = False, host: bytes = HOST) -> bool:
    """Whether a URL denotes the path that was routed, as the module says.

    >>> denotes("http://postel.test/wiki/C%23", "/wiki/C#"), denotes("http://postel.test/wiki/C#", "/wiki/C#")
    (True, False)
    >>> [denotes(url, "/kg%2Fs", preserving=True) for url in ("/kg%2Fs", "/kg%252Fs", "/kg/s")]
    [True, True, False]
    """
    found = reference(url)
    if found.authority not in (None, host):
        return False
    path = found.path or b"/"
    if unquote_to_bytes(path) == octets_of(routed):
        return True
    return preserving and _KEPT.sub(lambda escape: bytes([int(escape[1], 16)]), path) == octets_of(routed)


def disagreeing(seen: Seen, *, preserving: bool = False) -> Iterator[str]:
    """Yield the places that denote another path than the routed one.

    ``seen`` is an answer of ``everything()``: its place ``rest`` has the routed path without the first slash.
    """
    routed = "/" + str(seen.places["rest"]).removeprefix("/")
    for place, value in seen.places.items():
        if isinstance(value, dict):  # The accessor raised an exception.
            continue
        if place in TEXTS - {"rest"}:
            right = value == routed
        elif place == "rest":
            right = True
        elif place in URLS:
            right = denotes(value, routed, preserving=preserving)
        elif place in ROOTS:
            right = denotes(value, "/")
        else:
            continue
        if not right:
            yield place


# -- readers for which it fails ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Excluded:
    """Places of a framework that denote another path for some texts, with or without postel."""

    places: frozenset[str]
    concerns: Callable[[str], bool]
    """Whether the places are wrong, or may be wrong, for this path."""
    reason: str


def has_delimiter(path: str) -> bool:
    return "?" in path or "#" in path


_ESCAPES: Final = re.compile("%([0-9A-Fa-f]{2})")
_HARMFUL: Final = re.compile(r"[A-Za-z0-9._~/\\%;?#\x00-\x1f\x7f-]")


def is_half_escaped(path: str) -> bool:
    """Whether a second decoding would change the text, but only into characters without a meaning as syntax.

    >>> is_half_escaped("/My%20File.pdf"), is_half_escaped("/%2e%2e/x"), is_half_escaped("/100%")
    (True, False, False)
    """
    found = [chr(int(digits, 16)) for digits in _ESCAPES.findall(path)]
    return bool(found) and not any(map(_HARMFUL.match, found))


def is_misjoined(path: str) -> bool:
    """Whether ``urljoin`` changes the text that it joins to the root, as Bottle does."""
    return "//" in path or "%" in path or has_delimiter(path) or urljoin("/", path.lstrip("/")) != path


_UNDELIMITED: Final = "it does not escape `?` and `#`"
_HALF: Final = "it does not escape `%` again, so a double escape loses one level: `/My%2520File.pdf`"
_OF_STARLETTE: Final = (
    Excluded(frozenset({"url", "url.path", "url, replaced", "url_for"}), is_half_escaped, _HALF),
    Excluded(frozenset({"url_for"}), has_delimiter, _UNDELIMITED),
)
_OF_WERKZEUG: Final = (
    Excluded(frozenset({"url", "base_url", "full_path"}), is_half_escaped, _HALF),
    Excluded(frozenset({"full_path"}), has_delimiter, _UNDELIMITED),
)
_OF_FALCON: Final = tuple(
    Excluded(frozenset({"url", "relative_uri", "forwarded_uri"}), concerns, reason)
    for concerns, reason in ((has_delimiter, _UNDELIMITED), (is_half_escaped, _HALF))
)
_OF_LITESTAR: Final = tuple(
    Excluded(frozenset({"url", "url.path", "url_for"}), concerns, reason)
    for concerns, reason in ((has_delimiter, _UNDELIMITED), (is_half_escaped, _HALF))
)

EXCLUDED: Final = {
    "Flask": _OF_WERKZEUG,
    "Quart": _OF_WERKZEUG,
    "Starlette": _OF_STARLETTE,
    "FastAPI": _OF_STARLETTE,
    "Falcon, WSGI": _OF_FALCON,
    "Falcon, ASGI": _OF_FALCON,
    "Litestar": _OF_LITESTAR,
    "Bottle": (
        Excluded(
            frozenset({"url", "fullpath", "url_for"}),
            is_misjoined,
            "the path is joined to the root as a reference: `/%20b` becomes `/b`, and `/a%3Ab` becomes `a:b`",
        ),
    ),
}
"""The readers whose URLs may denote another path, and why. Django and Pyramid are never wrong."""

MERGES: Final = {"Litestar": "it merges slashes in the routed path, and removes those at the end"}
"""Readers whose routed path differs from the text that they receive, and how."""


def is_excluded(reader: str, place: str, routed: str) -> bool:
    return any(place in each.places and each.concerns(routed) for each in EXCLUDED.get(reader, ()))


def routed_by(reader: str, path: str) -> str:
    """Return the path by which a framework routes a text that it receives."""
    return "/" + re.sub("//+", "/", path.strip("/")) if reader in MERGES else path

"""Local: whether following a reference stays on the site, whoever reads it.

The question is asked of a ``next=`` before a redirect. It is answered for all readers at once: for
those that read as it stands, those that have decoded once more than we know of, and those that
drop what is invisible or compose what looks alike. In doubt the answer is no.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from unicodedata import category, combining, normalize

from postel._octets import percent_decode
from postel.uri._classes import pattern_of
from postel.uri._errors import DecodeError
from postel.uri._pretty import BLANK
from postel.uri._reference import Reference, parse_reference

_READINGS: Final = 4
"""How often a path may be read: as it stands, and decoded up to three times; deeper ones are no person's."""
_UNICODE_ESCAPE: Final = re.compile(r"%[uU]([0-9A-Fa-f]{4})")
"""No escape of any standard, and decoded by some servers: ECMA-262, section B.2.1.2."""
_LEAVES: Final = re.compile(
    r"[\x00-\x1f\x7f-\x9f\\\u2028\u2029\ud800-\udfff]"  # removed by some, or taken for a slash
    r"|^\s*+(?://|[^/]*[:@])"  # a host in front, or a scheme, or a user
)
_DOTS: Final = re.compile(r"(?:^|/)\.\.?(?:/|$)")
_PARAMETERS: Final = re.compile(r";[^/]*")
"""What Java's servers cut off a segment before they read it."""
_INVISIBLE: Final = re.compile(pattern_of(BLANK))
_ORIGIN: Final = re.compile(r"[^/?#]*+//[^/?#]*+")
_PORTS: Final = {"http": 80, "https": 443}


def is_local(reference: str, base: str | None = None) -> bool:
    r"""Whether following a reference from a page of ours stays on our site, for every reader.

    >>> is_local("/cart?x=1&y=%2F"), is_local("../a#top"), is_local("?page=2")
    (True, True, True)
    >>> any(map(is_local, ["//evil.example", "/\\evil.example", "/%09/evil.example", "https:evil.example"]))
    False

    Without ``base`` only references without scheme and host are local. With the URL of the page, of
    http or https, those are as well that name its scheme, host and port.

    >>> is_local("https://example.com/a", "https://example.com/b")
    True
    >>> is_local("https://user@example.com/a", "https://example.com/b")
    False

    Refused is whatever :func:`parse_reference` refuses; two slashes in front; a ``:`` or ``@`` in
    the first segment of a relative path; user information; a query or fragment right behind a host;
    and a path that has any of these, a control or a backslash after it is decoded, over and over,
    or after what is invisible is dropped, what looks alike is composed (NFKC), or parameters are
    cut off. So is an empty segment beside dot segments, octets that are no UTF-8, and the empty
    reference, with which there is nothing to follow. Query and fragment may hold anything but
    controls and a backslash: nobody looks there for a host.

    The answer is about readers of references. Text put behind ``"https://example.com"`` without a
    slash between them is no reference, and ``.evil.example`` becomes part of the host.

    Nothing that ``reference`` holds is an error. A ``base`` without a host that all read alike is a
    ``ValueError``: it is yours. RFC 3986, sections 4.2 and 5.2; URL Standard, section 4.4.
    """
    origin = None if base is None else _origin_of(base)
    try:
        parts = parse_reference(reference)
    except DecodeError:
        return False
    if parts.scheme is None and parts.host is None:
        return bool(reference) and _stays(parts.path)
    if parts.userinfo is not None or _named(parts) != origin:
        return False
    if parts.path:
        return _stays(parts.path)
    # Readers before RFC 3986 end a host at a slash alone: they take `https://ours.example#@h/` for h's.
    return parts.query is None and parts.fragment is None


def _origin_of(base: str) -> tuple[str | None, str | None, int | None]:
    """The scheme, host and port of the page; the rest of its URL is not looked at."""
    origin = _ORIGIN.match(base)
    try:
        parts = parse_reference(origin[0] if origin else base)
    except DecodeError as error:
        raise ValueError(f"base has no host that all read alike: {error}") from error
    if parts.scheme not in _PORTS or parts.host is None:
        raise ValueError(f"base is {base[:40]!a}; it can be a URL of http or https, as https://example.com/")
    return _named(parts)


def _named(parts: Reference) -> tuple[str | None, str | None, int | None]:
    """The origin that a reference names; without a scheme it is equal to no page's."""
    port = _PORTS.get(parts.scheme or "") if parts.port is None else parts.port
    return parts.scheme, parts.host, port


def _stays(path: str) -> bool:
    """Whether a path is one in every reading of it."""
    for _ in range(_READINGS):
        if any(map(_leaves, _alike(path))):
            return False
        decoded = _decoded(path)
        if decoded == path:
            return True
        if decoded is None:
            break
        path = decoded
    return False


def _leaves(path: str) -> bool:
    return _LEAVES.search(path) is not None or ("//" in path and _DOTS.search(path) is not None)


def _alike(path: str) -> Iterator[str]:
    """A path, and what it is to those who leave something out of it or put something else for it."""
    yield path
    if not path.isascii():
        # Marks too: to put a long run of them in order takes long (Unicode, UAX #15, section 10).
        path = "".join(
            [each for each in _INVISIBLE.sub("", path) if category(each) != "Cf" and not combining(each)]
        )
        yield path
        path = normalize("NFKC", path)
        yield path
    if ";" in path:
        yield _PARAMETERS.sub("", path)


def _decoded(path: str) -> str | None:
    """A path decoded once, where it can be; None where its octets are no UTF-8."""
    path = _UNICODE_ESCAPE.sub(lambda unit: chr(int(unit[1], 16)), path)
    try:
        return percent_decode(path.encode()).decode()
    except UnicodeError:
        return None

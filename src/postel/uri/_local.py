"""Local: whether a reference stays on the site for every reader.

Use it on a ``next=`` parameter before a redirect. It considers all readers: those that read the
reference as it stands, those that decode it once more, and those that drop invisible characters or
fold lookalikes. In doubt the answer is no.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from unicodedata import category, combining, normalize

from postel._alphabet.percent import percent_decode
from postel.uri._classes import pattern_of
from postel.uri._errors import DecodeError
from postel.uri._pretty import BLANK
from postel.uri._reference import Reference, parse_reference

_READINGS: Final = 4
"""How often a path is examined: as it stands, and decoded up to three times; URLs are not escaped deeper."""
_UNICODE_ESCAPE: Final = re.compile(r"%[uU]([0-9A-Fa-f]{4})")
"""An escape outside the URL standards that some servers decode: ECMA-262, section B.2.1.2."""
_LEAVES: Final = re.compile(
    r"[\x00-\x1f\x7f-\x9f\\\u2028\u2029\ud800-\udfff]"  # some readers remove it or read a slash
    r"|^\s*+(?://|[^/]*[:@])"  # begins with a host, a scheme or a user
)
_DOTS: Final = re.compile(r"(?:^|/)\.\.?(?:/|$)")
_PARAMETERS: Final = re.compile(r";[^/]*")
"""Parameters, which Java servers cut off a segment before they read it."""
_INVISIBLE: Final = re.compile(pattern_of(BLANK))
_ORIGIN: Final = re.compile(r"[^/?#]*+//[^/?#]*+")
_PORTS: Final = {"http": 80, "https": 443}


def is_local(reference: str, base: str | None = None) -> bool:
    r"""Whether a reference on one of your pages stays on your site for every reader.

    >>> is_local("/cart?x=1&y=%2F"), is_local("../a#top"), is_local("?page=2")
    (True, True, True)
    >>> any(map(is_local, ["//evil.example", "/\\evil.example", "/%09/evil.example", "https:evil.example"]))
    False

    Without ``base`` only references without scheme and host are local. If ``base`` is the http or https
    URL of the page, references with the same scheme, host and port are local, too.

    >>> is_local("https://example.com/a", "https://example.com/b")
    True
    >>> is_local("https://user@example.com/a", "https://example.com/b")
    False

    These are not local: everything that :func:`parse_reference` refuses; two leading slashes; a
    ``:`` or ``@`` in the first segment of a relative path; user information; a query or fragment
    directly after a host; an empty segment beside dot segments; octets that are not UTF-8; and the
    empty reference. The path is examined again after decoding it repeatedly, dropping invisible
    characters, folding lookalikes (NFKC) and cutting off parameters; it must never show any of these,
    a control or a backslash. Query and fragment may hold anything except controls and backslashes,
    because no reader looks there for a host.

    The answer is for references. If you append text to ``"https://example.com"`` without a slash in
    between, ``.evil.example`` becomes part of the host.

    Never raises for any ``reference``. Raises ``ValueError`` for a ``base`` without a host that all
    readers agree on. RFC 3986, sections 4.2 and 5.2; URL Standard, section 4.4.
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
    # Readers older than RFC 3986 end a host only at a slash: in `https://ours.example#@h/` they see host h.
    return parts.query is None and parts.fragment is None


def _origin_of(base: str) -> tuple[str | None, str | None, int | None]:
    """The scheme, host and port of the page; the rest of its URL is ignored."""
    origin = _ORIGIN.match(base)
    try:
        parts = parse_reference(origin[0] if origin else base)
    except DecodeError as error:
        raise ValueError(f"base has no host that all readers agree on: {error}") from error
    if parts.scheme not in _PORTS or parts.host is None:
        raise ValueError(f"base is {base[:40]!a}; write an http or https URL such as https://example.com/")
    return _named(parts)


def _named(parts: Reference) -> tuple[str | None, str | None, int | None]:
    """The origin that a reference names; without a scheme, it equals no page's origin."""
    port = _PORTS.get(parts.scheme or "") if parts.port is None else parts.port
    return parts.scheme, parts.host, port


def _stays(path: str) -> bool:
    """Whether every reading of a path stays on the site."""
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
    """Yield the path, and what readers see that drop or replace characters."""
    yield path
    if not path.isascii():
        # Marks are dropped, too, because sorting a long run of them is slow (Unicode, UAX #15, section 10).
        path = "".join(
            [each for each in _INVISIBLE.sub("", path) if category(each) != "Cf" and not combining(each)]
        )
        yield path
        path = normalize("NFKC", path)
        yield path
    if ";" in path:
        yield _PARAMETERS.sub("", path)


def _decoded(path: str) -> str | None:
    """A path decoded once; ``None`` if its octets are not UTF-8."""
    path = _UNICODE_ESCAPE.sub(lambda unit: chr(int(unit[1], 16)), path)
    try:
        return percent_decode(path.encode()).decode()
    except UnicodeError:
        return None

"""Local: whether a reference stays on the site for every reader.

Use it on a ``next=`` parameter before a redirect. Readers are browsers, servers and libraries: those that
use the reference as written, those that decode it once more, and those that drop invisible characters or
fold lookalikes. In doubt the answer is no.
"""

from __future__ import annotations

import re
from typing import Final

from postel._alphabet.local import leaving_paths
from postel._alphabet.reference import Fault, Reference, split
from postel.uri._errors import DecodeError, require_text
from postel.uri._reference import parse_reference

_ORIGIN: Final = re.compile(r"[^/?#]*+//[^/?#]*+")
_PORTS: Final = {"http": 80, "https": 443}


def is_local(reference: str, base: str | None = None) -> bool:
    r"""Whether a reference on one of your pages stays on your site, however browsers and servers read it.

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
    characters, folding lookalikes (NFKC) and cutting off parameters. None of these readings may
    hold a fault of this list, a control or a backslash. A path of more than 8,192 characters is local
    only if all of these readings are the same. Query and fragment may hold anything except controls
    and backslashes, because no reader looks there for a host.

    The answer holds only if the text is used as a reference. If you append ``.evil.example`` to
    ``"https://example.com"`` instead, it becomes part of the host.

    Never raises for any text. Raises ``ValueError`` for a ``base`` without a host that all
    readers agree on. RFC 3986, sections 4.2 and 5.2; URL Standard, section 4.4.
    """
    require_text(reference)
    origin = None if base is None else _origin_of(base)
    parts = split(reference)
    if isinstance(parts, Fault):
        return False
    if parts.scheme is None and parts.host is None:
        return bool(reference) and not leaving_paths([parts.path])
    if parts.userinfo is not None or _origin(parts) != origin:
        return False
    if parts.path:
        return not leaving_paths([parts.path])
    # Readers older than RFC 3986 end a host only at a slash: in `https://ours.example#@h/` they see host h.
    return parts.query is None and parts.fragment is None


def _origin_of(base: str) -> tuple[str | None, str | None, int | None]:
    """Return the scheme, host and port of the page; the rest of its URL is ignored."""
    require_text(base)
    origin = _ORIGIN.match(base)
    try:
        parts = parse_reference(origin[0] if origin else base)
    except DecodeError as error:
        raise ValueError(f"base has no host that all readers agree on: {error}") from error
    if parts.scheme not in _PORTS or parts.host is None:
        raise ValueError(f"base is {base[:40]!a}; write an http or https URL such as https://example.com/")
    return _origin(parts)


def _origin(parts: Reference) -> tuple[str | None, str | None, int | None]:
    """Return the origin of a reference. Without a scheme, it differs from the origin of every page."""
    port = _PORTS.get(parts.scheme or "") if parts.port is None else parts.port
    return parts.scheme, parts.host, port

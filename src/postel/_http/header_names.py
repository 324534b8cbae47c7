"""Names of header fields: pairs that WSGI-like interfaces merge, and repeated Cookie fields.

CGI and WSGI write both ``X-User`` and ``X_User`` as ``HTTP_X_USER`` (RFC 3875, section 4.1.18). On ASGI,
Django did so before 4.2.30 (CVE-2026-3902), and the WSGI bridges of asgiref, a2wsgi and Hypercorn still do.
If a proxy sets one of the two, a client can set the other, and the application may read the client's value.

HTTP/2 lets a client send each cookie in a field of its own, and requires that they are joined with ``; ``
before they reach an application (RFC 9113, section 8.2.3). ASGI servers keep the fields apart. Frameworks
then join them with ``;`` or ``,``, or take the first or the last.

The catalogue of kinds can also name header fields whose presence is a fault.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from postel._catalogue.kinds import Kind

COOKIE: Final = b"cookie"
NAMED: Final = {name: kind for kind in Kind for name in sorted(kind.check.names)}
"""The header fields whose presence is a fault, with their kinds."""
EXAMINED: Final = frozenset({b"host", b"content-type", COOKIE, *NAMED})
"""The header fields that a proof examines. Of all others, it examines only the names, for underscores."""
KEYS: Final = {f"HTTP_{name.decode().upper().replace('-', '_')}": name for name in NAMED}
"""The same names, as keys of an environ."""


def named_in(environ: Mapping[str, Any]) -> list[bytes]:
    """The header fields in an environ whose presence is a fault."""
    if KEYS.keys().isdisjoint(environ.keys()):
        return []
    return [name for key, name in KEYS.items() if key in environ]


def doubtful_names(names: Sequence[bytes]) -> Iterator[tuple[Kind, bytes]]:
    """Yield each doubtful header name in lower case, with its kind.

    A name is doubtful if the catalogue of kinds names it, if it has an underscore, or if it is a repeated
    ``cookie``. The kind of a name with an underscore says whether another spelling of it is present.

    >>> list(doubtful_names([b"x-user", b"X_User", b"a_b"]))
    [(Kind.MERGED_HEADER_NAMES, b'x_user'), (Kind.UNDERSCORE_HEADER, b'a_b')]
    """
    if names.count(COOKIE) > 1:
        yield Kind.SPLIT_COOKIE, COOKIE
    if b"_" not in b"".join(names) and NAMED.keys().isdisjoint(map(bytes.lower, names)):
        return
    spelled = {name: name.replace(b"_", b"-") for name in map(bytes.lower, names)}
    read = Counter(spelled.values())
    yield from ((NAMED[folded], name) for name, folded in spelled.items() if folded in NAMED)
    for name, folded in spelled.items():
        if b"_" in name:
            alone = read[folded] == 1
            yield Kind.UNDERSCORE_HEADER if alone else Kind.MERGED_HEADER_NAMES, name

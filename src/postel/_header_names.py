"""The names of header fields: those that WSGI, and whatever is built like it, takes for one another.

CGI and WSGI write ``X-User`` and ``X_User`` as ``HTTP_X_USER`` (RFC 3875, section 4.1.18). On ASGI, Django
did so before 4.2.30 (CVE-2026-3902), and the bridges of asgiref, a2wsgi and Hypercorn to WSGI do. A proxy in
front that sets the one lets the client set the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from postel._catalogue import Kind


def doubtful(names: Iterable[bytes]) -> Iterator[tuple[Kind, bytes]]:
    """Each name with an underscore once, in lower case: as another's double, or as one that stands alone.

    >>> list(doubtful([b"x-user", b"X_User", b"a_b"]))
    [(Kind.MERGED_HEADER_NAMES, b'x_user'), (Kind.UNDERSCORE_HEADER, b'a_b')]
    """
    spelled = dict.fromkeys(name.lower() for name in names)
    read = Counter(name.replace(b"_", b"-") for name in spelled)
    for name in spelled:
        if b"_" in name:
            alone = read[name.replace(b"_", b"-")] == 1
            yield Kind.UNDERSCORE_HEADER if alone else Kind.MERGED_HEADER_NAMES, name

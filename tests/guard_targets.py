"""Targets that try to bypass guards: those written by hand, and all combinations of pieces of a path."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Final

HOSTILE: Final = [
    b"//admin",
    b"/%2Fadmin",
    b"/./admin",
    b"/x/../admin",
    b"/admin//..",
    b"/admin//panel",
    b"/%61dmin",
    b"/admin%2Fpanel",
    b"/admin/..;/admin",
    b"/q%0a",
    b"/\\admin",
    b"/admin#x",
    b"/%C4admin",
]
"""Targets for applications that guard ``/admin`` and ``/q``."""

_OPEN: Final = (b"", b"/health", b"/public", b"/static", b"/static/open")
_PIECES: Final = (
    b"/", b"//", b"%2F", b"?", b"#", b"%3F", b"%23", b"%25", b"%2523", b"%253F", b"..", b".", b"%2e", b";",
    b"\\", b"%0A", b"%00", b"health", b"secret",
)  # fmt: skip
_ENDS: Final = (b"", b"/secret", b"/secret/key.txt")


def made_of_pieces(most: int = 2) -> Iterator[bytes]:
    """Yield every target that joins an open path, some pieces and a secret path.

    >>> b"/health%3F/secret" in set(made_of_pieces())
    True
    """
    for front, count, end in itertools.product(_OPEN, range(1, most + 1), _ENDS):
        for pieces in itertools.product(_PIECES, repeat=count):
            target = front + b"".join(pieces) + end
            yield target if target.startswith(b"/") else b"/" + target

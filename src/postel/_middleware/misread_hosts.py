"""Misread Hosts: detect a framework that reads no host from a Host with an underscore.

Werkzeug since 3.1.8 is one. For ``Host: a_b.example``, Flask builds ``http:///`` followed by the path, so the
path ``/evil.example`` gives a URL of another site (URL Standard, section 4.4). This module asks Werkzeug
instead of comparing versions.
"""

from __future__ import annotations

import sys
from typing import Final, final

from postel._http.observers import logger

_READER: Final = "werkzeug.sansio.utils"
_NAME: Final = "a_b"


@final
class MisreadHosts:
    """Decides whether a Host with an underscore is refused because a framework would read none."""

    __slots__ = ("_misread",)

    def __init__(self) -> None:
        """Nothing is asked before the first Host with an underscore."""
        self._misread: bool | None = None
        """Whether Werkzeug reads no host; ``None`` until it is loaded."""

    def refuses_underscores(self) -> bool:
        """Whether a Host with an underscore is refused. Asks again until Werkzeug is loaded."""
        if self._misread is None:
            self._misread = _is_misread(sys.modules.get(_READER))
            if self._misread:
                logger().warning(
                    "Werkzeug reads no host from a Host with an underscore, such as 'a_b', so Flask builds "
                    "URLs such as 'http:///path'; these requests are refused; use a name without an "
                    "underscore, or, if no URL is built from the Host, list the name in hosts="
                )
        return self._misread is True


def _is_misread(reader: object) -> bool | None:
    """Whether a reader finds another host than the one that was sent; ``None`` if it has no such function.

    Returns True if the function raises, because its behaviour is unknown.
    """
    try:
        get_host: object = getattr(reader, "get_host", None)
        return get_host("http", _NAME) != _NAME if callable(get_host) else None
    except Exception:  # foreign code; a stub with this name may raise anything
        return True

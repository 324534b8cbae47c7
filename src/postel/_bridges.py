"""Bridges between the protocols, such as a2wsgi: environs that hold a scope, scopes that hold an environ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

SCOPE: Final = "asgi.scope"
"""The key of an environ that was made from an ASGI scope, and holds it."""
ENVIRON: Final = "wsgi_environ"
"""The key of a scope that was made from a WSGI environ, and holds it."""

_NOTHING: Final[Mapping[str, Any]] = {}


def as_request(value: object) -> Mapping[str, Any]:
    """An environ or scope; an empty one in place of what is neither."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else _NOTHING

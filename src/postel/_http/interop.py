"""Bridges between WSGI and ASGI, such as a2wsgi: the keys that hold the original scope or environ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias, cast

SCOPE: Final = "asgi.scope"
"""The key under which an environ holds the ASGI scope that it was built from."""
ENVIRON: Final = "wsgi_environ"
"""The key under which a scope holds the WSGI environ that it was built from."""
Environ: TypeAlias = dict[str, Any]
"""The environ of a WSGI request: PEP 3333."""

_NOTHING: Final[Mapping[str, Any]] = {}


def as_request(value: object) -> Mapping[str, Any]:
    """The value as an environ or scope; an empty mapping if it is neither."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else _NOTHING

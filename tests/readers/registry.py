"""The available readers: each framework has a file of its own, and is used if it is installed."""

from __future__ import annotations

import importlib
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from typing import Final

from readers.asking import Reader

MODULES: Final = {
    "flask": "readers.of_flask",
    "django": "readers.of_django",
    "rest_framework": "readers.of_drf",
    "starlette": "readers.of_starlette",
    "fastapi": "readers.of_fastapi",
    "litestar": "readers.of_litestar",
    "falcon": "readers.of_falcon",
    "quart": "readers.of_quart",
    "bottle": "readers.of_bottle",
    "pyramid": "readers.of_pyramid",
}
"""The module of each reader, by the package that it needs.

aiohttp is not among them: it speaks neither WSGI nor ASGI, so this middleware cannot stand in front of it.
"""


@cache
def readers() -> tuple[Reader, ...]:
    """Return the readers of the installed frameworks."""
    found = [importlib.import_module(MODULES[needs]) for needs in MODULES if find_spec(needs)]
    return tuple(reader for module in found for reader in module.READERS)


def missing() -> list[str]:
    """Return the packages of readers that are not installed."""
    return [needs for needs in MODULES if not find_spec(needs)]


def version_of(reader: Reader) -> str:
    return version(reader.distribution)

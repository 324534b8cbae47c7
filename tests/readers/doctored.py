"""What the doctor finds in a small application of each reader, with one view for all paths."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from postel import Policy
from postel.doctor import Reading, examine
from postel.doctor._answer import Answer
from readers.asking import Reader
from readers.registry import version_of

_OF: Final = {
    "starlette.datastructures": {"Starlette", "FastAPI"},
    "rest_framework": {"Django REST framework"},
}
"""Modules that change what the doctor or postel does if they are loaded, and the readers that load them."""


def application_of(reader: Reader) -> Any:
    """Return the application that ``Deployed`` wraps; ``reader.entered()`` provides its settings."""
    app = reader.everything()
    return getattr(app, "_app", app)


@cache
def examined(reader: Reader) -> tuple[Reading, ...]:
    """Return what a reader reads from every second meaning, without postel and behind the default policy."""
    with reader.entered(), _alone(reader):
        return examine(application_of(reader), unsafe_methods=True).readings


@contextlib.contextmanager
def _alone(reader: Reader) -> Iterator[None]:
    """Pretend that a package is loaded only if the reader uses it, as in a process of its own.

    ``rebuilt_urls="detect"`` examines Starlette if it is loaded, and the doctor examines Django REST
    framework if it is loaded.
    """
    hidden = {
        name: sys.modules.pop(name) for name in _OF if name in sys.modules and reader.name not in _OF[name]
    }
    try:
        yield
    finally:
        sys.modules.update(hidden)


def places(answer: Answer) -> list[str]:
    """Return the places whose values differ from what was handed over."""
    return list(dict.fromkeys(each.place for each in answer.note.differences)) if answer.note else []


def row(reader: Reader, reading: Reading) -> dict[str, Any]:
    """Return one reading as a fact for docs/frameworks.md."""
    return {
        "framework": reader.name,
        "version": version_of(reader),
        "meaning": f"{reading.meaning.family.value}: {reading.meaning.name}".replace("*", r"\*"),
        "bare": places(reading.bare),
        "left": places(reading.behind),
        "clause": reading.clause(Policy.STANDARD),
    }

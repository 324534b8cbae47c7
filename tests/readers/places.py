"""Functions that the views of all readers share: reading places, and the files of the static folder."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

METHODS: Final = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
BODIES: Final = frozenset({"POST", "PUT", "PATCH", "DELETE"})
"""The methods with which a view reads the body."""
VIEWS: Final = ("/health", "/secret", "/public/a", "/q")
"""The paths of the named views of a site; each view answers with its path."""

OPEN_FILES: Final = (
    "open/a.txt",
    "open/b/c.txt",
    "health",
    "open/C#.txt",
    "open/what?.txt",
    "open/50% off.txt",
)
GUARDED_FILES: Final = ("secret/key.txt", "open/secret/key.txt", "secret.txt")
FILES: Final = OPEN_FILES + GUARDED_FILES


def make_folder(folder: Path) -> Path:
    """Fill a folder with static files; each contains the path under which it is served."""
    for name in FILES:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"/static/{name}", "utf-8")
    return folder


Places = dict[str, Any]
"""The value of each accessor by its name, or ``{"raised": ...}`` with the exception that it raised."""


def told(places: Mapping[str, Callable[[], Any]]) -> Places:
    """Read each place separately, so that an exception in one does not hide the others."""
    found: Places = {}
    for name, ask in places.items():
        try:
            found[name] = ask()
        except Exception as error:
            found[name] = raised(error)
    return found


async def awaited(places: Mapping[str, Callable[[], Awaitable[Any]]]) -> Places:
    """Read each place separately, for accessors that must be awaited."""
    found: Places = {}
    for name, ask in places.items():
        try:
            found[name] = await ask()
        except Exception as error:
            found[name] = raised(error)
    return found


def raised(error: Exception) -> dict[str, str]:
    return {"raised": type(error).__name__}


def pairs(items: Iterable[tuple[Any, Any]]) -> list[list[str]]:
    """Return names and values in a form for JSON; a file is represented by its name."""
    return [[str(name), _value(value)] for name, value in items]


def _value(value: Any) -> str:
    for name in ("raw_filename", "filename"):
        if isinstance(found := getattr(value, name, None), str):
            return f"file {found}"
    return str(value)


def flattened(lists: Iterable[tuple[Any, Any]]) -> list[list[str]]:
    """Return the pairs of a mapping that holds a value, or a list of values, for each name."""
    return pairs(
        (name, value)
        for name, values in lists
        for value in (values if isinstance(values, list) else [values])
    )


def as_json(places: Mapping[str, Any]) -> str:
    return json.dumps(places, default=str)

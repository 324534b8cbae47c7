"""The borrowed cases: inputs and expected results from other projects.

They are in ``tests/borrowed``, one JSON file each: ``{"source", "license", "about", "count", "cases"}``. An
sdist leaves out one of them. Tests that need it are skipped there, and the reason names the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, final

import pytest

FOLDER: Final = Path(__file__).parents[1] / "borrowed"
NOT_IN_AN_SDIST: Final = "haproxy_normalize_uri"


def octets(value: Any) -> bytes:
    """Return the octets of a value: the exact octets if it has them, otherwise its text in UTF-8."""
    if isinstance(value, Mapping):
        if not value.keys() & {"hex", "utf16"}:
            return json.dumps(
                value
            ).encode()  # The value is an object with parts, used for the name of the row.
        return bytes.fromhex(value["hex"]) if "hex" in value else text(value).encode(*_LONE)
    return str(value).encode(*_LONE)


def text(value: Any) -> str:
    """Return a value as text; ``{"utf16": ...}`` may hold lone surrogates."""
    if isinstance(value, Mapping):
        if "utf16" in value:
            return bytes.fromhex(value["utf16"]).decode("utf-16-be", "surrogatepass")
        return octets(value).decode("utf-8", "surrogateescape")
    return str(value)


_LONE: Final = ("utf-8", "surrogatepass")


@final
@dataclass(frozen=True, eq=False)
class Case:
    """One row of a file."""

    file: str
    index: int
    row: Mapping[str, Any]

    def __getitem__(self, key: str) -> Any:
        return self.row[key]

    def get(self, key: str, default: Any = None) -> Any:
        return self.row.get(key, default)

    @property
    def octets(self) -> bytes:
        """Return the input as a server receives it."""
        return octets(self.row["in"])

    @property
    def text(self) -> str:
        """Return the input as text."""
        return text(self.row["in"])

    def __str__(self) -> str:
        """Return the name of the row in lists: its index, and the printable part of its input on one line."""
        shown: list[Any] = []
        for key in _INPUTS:
            part = self.row.get(key)
            shown += part if isinstance(part, list) else [part] if part is not None else []
        line = " ".join(octets(part).decode("latin-1") for part in shown)
        line = line.encode("unicode_escape").decode("ascii")
        return f"{self.index}: {line[:_WIDTH]}" + ("..." if len(line) > _WIDTH else "")


_INPUTS: Final = ("base", "ref", "in", "input", "new_value", "target", "query_bytes", "name")
_WIDTH: Final = 60


@cache
def cases(file: str) -> tuple[Case, ...]:
    """Return all rows of a file."""
    document = json.loads((FOLDER / f"{file}.json").read_text("utf-8"))
    return tuple(Case(file, index, row) for index, row in enumerate(document["cases"]))


def require(file: str) -> None:
    """Skip the current test in an sdist, which lacks the file."""
    if file == NOT_IN_AN_SDIST and not (FOLDER / f"{file}.json").is_file():
        pytest.skip(f"{file}.json is under the GPL: it is in the repository, and not in an sdist")

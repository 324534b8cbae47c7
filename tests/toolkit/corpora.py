"""Read and name the borrowed cases of ``tests/borrowed``."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest

from evidence.record import note

HERE: Final = Path(__file__).parent
CHECKOUT: Final = HERE.parents[1]
BORROWED: Final = HERE.parent / "borrowed"
COUNTS: Final = pytest.StashKey[dict[str, str]]()

Row = dict[str, Any]
Value = str | bytes | None


def rows_of(corpus: str) -> list[Row]:
    """Return all rows of a corpus."""
    cases: list[Row] = json.loads((BORROWED / f"{corpus}.json").read_text("utf-8"))["cases"]
    return cases


def value(spelled: str | dict[str, str] | None) -> Value:
    """Return a value: text, octets (``hex``), or text with lone surrogates (``utf16``)."""
    match spelled:
        case {"hex": digits}:
            return bytes.fromhex(digits)
        case {"utf16": digits}:
            return bytes.fromhex(digits).decode("utf-16-be", "surrogatepass")
        case _:
            return spelled  # text or None


def text(spelled: str | dict[str, str] | None) -> str:
    """Return a value that is text."""
    found = value(spelled)
    assert isinstance(found, str)
    return found


def name_of(row: Row) -> str:
    """Return the name of a row in ``disagreements.toml``: its operation and its input."""
    asked = [row.get("src", ""), row["op"], " ".join(row.get("flags", []))]
    asked += [f"{key}={option!a}" for key, option in row.get("opts", {}).items()]
    asked += [f"{key}={row[key]}" for key in ("policy", "safe") if key in row]
    return " ".join([part for part in asked if part] + [ascii(value(row["in"]))])


@dataclass
class Comparison:
    """A comparison of one corpus with postel, row by row."""

    corpus: str
    asked: int = 0
    not_asked: int = 0
    disagreements: dict[str, str] = field(default_factory=dict)

    def hold(self, row: Row, ours: Callable[[], object], theirs: object) -> None:
        """Compare one row. If postel refuses, the name of the error is compared."""
        self.asked += 1
        try:
            answer = ours()
        except ValueError as error:
            answer = f"{type(error).__name__}({error})"
        if answer != theirs:
            self.disagreements[name_of(row)] = f"ours {answer!a}, theirs {theirs!a}"

    def skip(self, row: Row) -> None:
        """Count a row that no function of postel covers; the table names its operation."""
        assert row["op"] in NOT_ASKED[self.corpus], name_of(row)
        self.not_asked += 1

    def conclude(self, config: pytest.Config) -> None:
        """Check that exactly the listed rows disagree."""
        listed = {name for names in DISAGREEMENTS.get(self.corpus, {}).values() for name in names}
        unlisted = {name: said for name, said in self.disagreements.items() if name not in listed}
        assert not unlisted, unlisted
        assert sorted(self.disagreements) == sorted(listed)
        facts = {"file": self.corpus, "asked": self.asked, "disagreeing": len(listed), "by": "the toolkit"}
        note(config, "borrowed", [facts])
        config.stash[COUNTS][self.corpus] = (
            f"{self.asked} comparisons, {len(listed)} listed disagreements, "
            f"{self.not_asked} rows without a function of postel"
        )


def _table() -> tuple[dict[str, dict[str, list[str]]], dict[str, dict[str, str]]]:
    with (HERE / "disagreements.toml").open("rb") as file:
        table = tomllib.load(file)
    return (
        {
            corpus: {entry["reason"]: entry["rows"] for entry in section.get("disagreements", [])}
            for corpus, section in table.items()
        },
        {corpus: section.get("not_asked", {}) for corpus, section in table.items()},
    )


DISAGREEMENTS, NOT_ASKED = _table()

"""Compare the rows of a borrowed file with postel, and with a list of the rows that are known to differ.

If postel deliberately reads a row differently from its source, ``disagreements.toml`` lists it by name, with
the reason. A question passes if exactly the listed rows differ: it fails for a new difference, and for a
listed row that agrees.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, final

from conformance import corpora
from conformance.corpora import Case

LISTS: Final[dict[str, list[dict[str, Any]]]] = tomllib.loads(
    Path(__file__).with_name("disagreements.toml").read_text("utf-8")
)


@final
@dataclass(frozen=True)
class Question:
    """A comparison that is made for some rows of a file.

    ``differs`` describes in a few words how postel reads a row differently; it returns ``""`` if both agree.
    """

    file: str
    about: str
    differs: Callable[[Case], str]
    asks: Callable[[Case], bool] = lambda _: True

    def __str__(self) -> str:
        return f"{self.file}: {self.about}"

    def asked(self) -> tuple[Case, ...]:
        """Return the rows that are compared."""
        return tuple(case for case in corpora.cases(self.file) if self.asks(case) and not is_beyond(case))

    def listed(self) -> dict[str, str]:
        """Return the rows that are known to disagree, with the reason."""
        return {
            row: group["reason"]
            for group in LISTS["disagreement"]
            for entry in group["of"]
            if entry["file"] == self.file and self.about in entry["questions"]
            for row in entry["rows"]
        }

    def put(self) -> Answer:
        """Compare every row."""
        corpora.require(self.file)
        asked = self.asked()
        assert asked, f"{self}: compares no row"
        answers = {str(case): self.differs(case) for case in asked}
        return Answer(self, len(asked), {name: why for name, why in answers.items() if why})


@final
@dataclass(frozen=True)
class Answer:
    """The results of a question."""

    question: Question
    asked: int
    disagreeing: dict[str, str]

    def check(self) -> None:
        """Check that exactly the listed rows disagree."""
        listed = self.question.listed()
        unlisted = {row: why for row, why in self.disagreeing.items() if row not in listed}
        assert not unlisted, f"{self.question}: unlisted\n" + "\n".join(
            f"  {row}\n    {why}" for row, why in unlisted.items()
        )
        stale = listed.keys() - self.disagreeing.keys()
        assert not stale, f"{self.question}: listed, but they agree: {sorted(stale)}"


def operation(*names: str) -> Callable[[Case], bool]:
    """Select the rows with one of these operations."""
    return lambda case: case.get("op") in names


def unlike(expected: object, read: object) -> str:
    """Describe in a few words how two readings differ; return ``""`` if they are equal."""
    return "" if expected == read else f"expected {expected!r}, read {read!r}"


def is_beyond(case: Case) -> bool:
    """Whether a row is listed, by name or operation, as one that has no meaning for a request target."""
    return any(
        case.get("op") in entry.get("operations", ()) or str(case) in entry.get("rows", ())
        for entry in LISTS["beyond"]
        if entry["file"] == case.file
    )

"""Questions put to the rows of a file, and the rows that are known to be answered otherwise.

A row that we read otherwise than its source is listed in ``disagreements.toml``, by name and with the
reason. A question holds if exactly its listed rows disagree: a new one fails, and so does one that
agrees by now.
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
    """Something that a file can be asked about some of its rows.

    ``differs`` says in what a row differs from our reading, in a few words; nothing where it agrees.
    """

    file: str
    about: str
    differs: Callable[[Case], str]
    asks: Callable[[Case], bool] = lambda _: True

    def __str__(self) -> str:
        return f"{self.file}: {self.about}"

    def asked(self) -> tuple[Case, ...]:
        """The rows that this question is put to."""
        return tuple(case for case in corpora.cases(self.file) if self.asks(case) and not is_beyond(case))

    def listed(self) -> dict[str, str]:
        """The rows that are known to disagree, with the reason."""
        return {
            row: group["reason"]
            for group in LISTS["disagreement"]
            for entry in group["of"]
            if entry["file"] == self.file and self.about in entry["questions"]
            for row in entry["rows"]
        }

    def put(self) -> Answer:
        """Ask every row."""
        corpora.require(self.file)
        asked = self.asked()
        assert asked, f"{self}: asks no row"
        answers = {str(case): self.differs(case) for case in asked}
        return Answer(self, len(asked), {name: why for name, why in answers.items() if why})


@final
@dataclass(frozen=True)
class Answer:
    """What the rows of a question said."""

    question: Question
    asked: int
    disagreeing: dict[str, str]

    def check(self) -> None:
        """Exactly the listed rows disagree."""
        listed = self.question.listed()
        unlisted = {row: why for row, why in self.disagreeing.items() if row not in listed}
        assert not unlisted, f"{self.question}: unlisted\n" + "\n".join(
            f"  {row}\n    {why}" for row, why in unlisted.items()
        )
        stale = listed.keys() - self.disagreeing.keys()
        assert not stale, f"{self.question}: listed, but they agree: {sorted(stale)}"


def operation(*names: str) -> Callable[[Case], bool]:
    """A choice of the rows with one of these operations."""
    return lambda case: case.get("op") in names


def unlike(expected: object, read: object) -> str:
    """In what two readings differ, in a few words; nothing where they do not."""
    return "" if expected == read else f"expected {expected!r}, read {read!r}"


def is_beyond(case: Case) -> bool:
    """Whether a row is listed, by name or operation, as one that asks nothing of a request target."""
    return any(
        case.get("op") in entry.get("operations", ()) or str(case) in entry.get("rows", ())
        for entry in LISTS["beyond"]
        if entry["file"] == case.file
    )

"""Answers, and what the probe has noted of the request that was answered."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Final, Self, final

NOTE: Final = "x-postel-doctor"
"""The field of an answer in which the probe says what it has seen."""
LONGEST: Final = 1024 * 1024
"""The most octets of an answer that are read."""


@final
@dataclass(frozen=True, slots=True)
class Difference:
    """Two places that disagree: what one of a framework says, and what it was handed."""

    place: str
    """Where it was read, such as ``request.url``."""
    says: str
    handed: str
    """What it was handed, in the words of the server, such as ``PATH_INFO``."""
    other: str
    """What stands there."""


@final
@dataclass(frozen=True, slots=True)
class Note:
    """What the probe has seen of a request that reached the application."""

    route: str = ""
    """What the framework says that it has matched; empty if it does not say it."""
    differences: tuple[Difference, ...] = ()

    def text(self) -> str:
        """The note as a field of an answer has it: one line of ASCII."""
        rows = [[each.place, each.says, each.handed, each.other] for each in self.differences]
        return json.dumps([self.route, rows])

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read what ``text`` has written."""
        route, rows = json.loads(text)
        return cls(route, tuple(Difference(*row) for row in rows))


@final
@dataclass(frozen=True, slots=True)
class Answer:
    """What came back; a status of 0 says that nothing did."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    """In the order in which they came, their names in small letters."""
    body: bytes = field(default=b"", repr=False)
    note: Note | None = None
    """``None`` where the request did not reach the application."""
    raised: str = ""
    """The exception that has left the application, where it was asked in this process."""

    @classmethod
    def of(cls, status: int, headers: list[tuple[str, str]], body: bytes) -> Self:
        """An answer of which the note is taken out."""
        found = [(name.lower(), value) for name, value in headers]
        notes = [value for name, value in found if name == NOTE]
        kept = tuple(each for each in found if each[0] != NOTE)
        return cls(status, kept, body, Note.parse(notes[0]) if notes else None)

    def header(self, name: str) -> str:
        """The first field of a name; empty if there is none."""
        return next((value for each, value in self.headers if each == name), "")

    @property
    def is_fine(self) -> bool:
        """Whether something was served."""
        return 200 <= self.status < 300

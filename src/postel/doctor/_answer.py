"""Answers, and the probe's notes on the requests that were answered."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Final, Self, final

NOTE: Final = "x-postel-doctor"
"""The header field in which the probe writes its note."""
RAISES: Final = "raises "
"""The beginning of the value of a place that raises an exception."""
LONGEST: Final = 1024 * 1024
"""The most octets of an answer that are read."""


@final
@dataclass(frozen=True, slots=True)
class Difference:
    """A place in the framework whose value disagrees with what the server passed on."""

    place: str
    """The place in the framework, such as ``request.url``."""
    value: str
    """The value of ``place``, or ``raises`` and the name of an exception."""
    source: str
    """The part of the server's request that it differs from, such as ``PATH_INFO``."""
    source_value: str
    """The value of ``source``."""

    @property
    def is_raised(self) -> bool:
        """Whether reading the place raises an exception."""
        return self.value.startswith(RAISES)

    def sentence(self) -> str:
        """Return the difference as words without a full stop."""
        verb = "" if self.is_raised else "is "
        return f"{self.place} {verb}{self.value}, but {self.source} is {self.source_value}"


@final
@dataclass(frozen=True, slots=True)
class Note:
    """The probe's note on a request that reached the application."""

    route: str = ""
    """The route that the framework matched; empty if it is unknown."""
    differences: tuple[Difference, ...] = ()

    def text(self) -> str:
        """Return the note as the value of a header field: one line of ASCII."""
        rows = [[each.place, each.value, each.source, each.source_value] for each in self.differences]
        return json.dumps([self.route, rows])

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a note that ``text`` wrote."""
        route, rows = json.loads(text)
        return cls(route, tuple(Difference(*row) for row in rows))


@final
@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a request; its status is 0 if there was no answer."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    """The header fields in the order of arrival, with names in lower case."""
    body: bytes = field(default=b"", repr=False)
    note: Note | None = None
    """``None`` if the request did not reach the application."""
    raised: str = ""
    """The exception that the application raised, if it was called in this process."""

    @classmethod
    def of(cls, status: int, headers: list[tuple[str, str]], body: bytes) -> Self:
        """Create an answer, and move the probe's note from the headers to ``note``."""
        found = [(name.lower(), value) for name, value in headers]
        notes = [value for name, value in found if name == NOTE]
        kept = tuple(each for each in found if each[0] != NOTE)
        return cls(status, kept, body, Note.parse(notes[0]) if notes else None)

    @property
    def differences(self) -> tuple[Difference, ...]:
        """The places that differ; none if the request did not reach the application."""
        return self.note.differences if self.note else ()

    def header(self, name: str) -> str:
        """Return the value of the first header field with this name; empty if there is none."""
        return next((value for each, value in self.headers if each == name), "")

    @property
    def is_fine(self) -> bool:
        """Whether the status is a success, 200 to 299."""
        return 200 <= self.status < 300

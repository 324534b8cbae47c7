"""A span of time: the lines of a log from one moment until another.

A moment without an offset is compared with the times in the log, whose offsets are ignored. A moment with an
offset or ``Z`` is compared as an instant; times in the log without an offset then count as UTC.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import Final, Self, final

from postel import Kind
from postel.scan._line import Entry, LineFormat, Read, Unreadable

_MONTHS: Final = {
    name: number
    for number, name in enumerate(
        b"Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(),
        start=1,
    )
}
_CLF: Final = re.compile(
    rb"(\d\d)/([A-Z][a-z]{2})/(\d{4}):(\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?: ?([+-])(\d\d)(\d\d))?"
)
"""``10/Oct/2026:13:55:36 +0000``, as Apache, nginx and HAProxy write it."""
_ISO: Final = re.compile(
    rb"(\d{4})-(\d\d)-(\d\d)[Tt\t ](\d\d):(\d\d):(\d\d)(?:[.,]\d{1,9})?(?:([Zz])|([+-])(\d\d):?+(\d\d))?"
)
"""RFC 3339; a space may replace the ``T``, and the offset may be missing."""
_EPOCH: Final = re.compile(rb"(\d{10})(?:\.\d{1,9}|\d{3}|\d{6}|\d{9})?")
"""Seconds, milliseconds, microseconds or nanoseconds since 1970."""


@final
@dataclass(frozen=True, slots=True)
class Span:
    """The time from ``since`` up to but not including ``until``; ``None`` means no bound.

    >>> Span.parse("2026-10-10", None).holds(b"10/Oct/2026:13:55:36 +0000")
    True
    """

    since: datetime | None = None
    until: datetime | None = None

    @classmethod
    def parse(cls, since: str | None, until: str | None) -> Self:
        """Read ISO 8601, such as ``2026-10-10`` or ``2026-10-10T13:55Z``.

        Raises ``ValueError`` for anything else, and if no time can be in the span.
        """
        begin, end = (None if each is None else _moment(each) for each in (since, until))
        # Moments with and without an offset cannot be compared.
        if begin and end and (begin.tzinfo is None) is (end.tzinfo is None) and end <= begin:
            raise ValueError("until must be after since")
        return cls(begin, end)

    def holds(self, time: bytes) -> bool | None:
        """Whether a logged time is in the span; ``None`` if the time cannot be read."""
        written = time_of(time)
        if written is None:
            return None
        return (self.since is None or _compared(written, self.since)) and (
            self.until is None or not _compared(written, self.until)
        )

    def __str__(self) -> str:
        """The span in words, such as ``since 2026-10-10 00:00:00``."""
        words = [f"since {self.since.isoformat(' ')}"] if self.since else []
        return ", ".join([*words, *([f"until {self.until.isoformat(' ')}"] if self.until else [])])


@final
@dataclass(frozen=True, slots=True)
class Within:
    """A format that reads only the lines in a span and skips all others."""

    format: LineFormat
    span: Span

    @property
    def name(self) -> str:
        """The name of the format."""
        return self.format.name

    @property
    def blind(self) -> frozenset[Kind]:
        """The kinds that the format cannot show."""
        return self.format.blind

    @property
    def hides(self) -> tuple[str, ...]:
        """What the format does not show, and a remark that lines outside the span were left out."""
        return (*self.format.hides, f"lines outside the selected time ({self.span})")

    def read(self, line: bytes) -> Read:
        """Read one line, given without its line break; never raises."""
        read = self.format.read(line)
        if not isinstance(read, Entry):
            return read
        holds = None if read.time is None else self.span.holds(read.time)
        if holds is None:
            return Unreadable.NO_TIME
        return read if holds else None


def within(format_: LineFormat, span: Span | None) -> LineFormat:
    """Return the format, restricted to a span unless that is ``None``."""
    return format_ if span is None else Within(format_, span)


def time_of(written: bytes) -> datetime | None:
    """Read a logged time, with its offset if there is one.

    >>> time_of(b"1791640536").isoformat(), time_of(b"06/Feb/2009:12:14:14.655").isoformat()
    ('2026-10-10T13:55:36+00:00', '2009-02-06T12:14:14')
    """
    try:
        if match := _CLF.fullmatch(written):
            day, month, year, *clock, sign, hours, minutes = match.groups()
            return _made((year, b"%d" % _MONTHS.get(month, 0), day, *clock), sign, hours, minutes)
        if match := _ISO.fullmatch(written):
            *date, zulu, sign, hours, minutes = match.groups()
            made = _made(tuple(date), sign, hours, minutes)
            return made.replace(tzinfo=UTC) if zulu else made
        if match := _EPOCH.fullmatch(written):
            return datetime.fromtimestamp(int(match[1]), UTC)
    except ValueError:
        pass  # such as 31 February
    return None


def _made(
    numbers: tuple[bytes, ...], sign: bytes | None, hours: bytes | None, minutes: bytes | None
) -> datetime:
    year, month, day, hour, minute, second = map(int, numbers)
    made = datetime(year, month, day, hour, minute, second)
    if sign is None or hours is None or minutes is None:
        return made
    offset = timedelta(hours=int(hours), minutes=int(minutes))
    return made.replace(tzinfo=timezone(-offset if sign == b"-" else offset))


def _compared(written: datetime, moment: datetime) -> bool:
    """Whether a logged time is at or after a moment."""
    if moment.tzinfo is None:
        return written.replace(tzinfo=None) >= moment
    return (written if written.tzinfo else written.replace(tzinfo=UTC)) >= moment


def _moment(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(
            f"{text[:64]!a} is not a date or time: write 2026-10-10 or 2026-10-10T13:55"
        ) from None

"""The W3C extended log format of IIS, which names its columns in a comment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Self, final

from postel import Kind
from postel._alphabet.percent import PATH, percent_encode
from postel._catalogue.kinds import hidden_in
from postel._catalogue.views import View
from postel.scan._line import ABSENT, Entry, Read, Unreadable, status_of
from postel.scan._w3c import columns_in, is_sound, named_by, time_in

_STANDARD: Final = (
    *("date", "time", "s-ip", "cs-method", "cs-uri-stem", "cs-uri-query", "s-port", "cs-username"),
    *("c-ip", "cs(User-Agent)", "cs(Referer)", "sc-status", "sc-substatus", "sc-win32-status", "time-taken"),
)
"""The default columns of IIS 10: its documentation, "Log file formats"."""
_WANTED: Final = (
    *("c-ip", "cs-method", "cs-uri-stem", "cs-uri-query", "sc-status", "cs(Referer)", "cs(User-Agent)"),
)


@final
@dataclass(frozen=True, slots=True)
class Iis:
    """IIS's W3C log.

    ``cs-uri-stem`` is the path after HTTP.sys decoded it and resolved its dots, so the received path is
    unknown. ``cs-uri-query`` is unchanged. Spaces are written as ``+``.
    """

    columns: tuple[str, ...] = _STANDARD
    name: str = "iis"
    blind: frozenset[Kind] = hidden_in(View.UNESCAPED)
    hides: tuple[str, ...] = ("requests that HTTP.sys refuses before IIS; these are in HTTPERR",)

    def headed(self, head: bytes) -> Self:
        """Return the format with the columns named in the comments at the start of a log."""
        columns = columns_in(head)
        return self if columns is None else type(self)(columns)

    def read(self, line: bytes) -> Read:
        """Read one line, given without its line break; never raises."""
        if line.startswith(b"#"):
            return self._comment(line)
        if not line.strip():
            return None
        fields = line.split(b" ")
        if len(fields) != len(self.columns):
            return Unreadable.OTHER_FORMAT
        values = dict(zip(self.columns, fields, strict=True))
        client, method, stem, query, status, referer, agent = map(values.get, _WANTED)
        if method is None or stem is None or not stem.startswith((b"/", b"*")) or not is_sound(values):
            return Unreadable.OTHER_FORMAT
        return Entry(
            client,
            method,
            percent_encode(stem, PATH) + (b"?" + query if query is not None and query not in ABSENT else b""),
            status_of(status),
            referer,
            None if agent is None else agent.replace(b"+", b" "),
            time=time_in(values),
        )

    def _comment(self, line: bytes) -> Read:
        """Check that a comment does not change the columns, because parts of a log are read separately."""
        changed = named_by(line)
        return Unreadable.OTHER_FORMAT if changed and changed != self.columns else None

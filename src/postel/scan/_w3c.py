"""The W3C extended log format, as IIS and CloudFront write it: a comment names the columns."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_FIELDS: Final = b"#Fields:"
_FORMS: Final = {
    "date": re.compile(rb"\d{4}-\d\d-\d\d"),
    "time": re.compile(rb"\d\d:\d\d:\d\d(?:\.\d{1,9})?"),
    "sc-status": re.compile(rb"\d{1,3}|-"),
}
"""Patterns for the values of columns: W3C working draft WD-logfile-960323, "Date", "Time" and "Fields"."""


def columns_in(head: bytes) -> tuple[str, ...] | None:
    r"""Return the columns that the first lines of a log name; ``None`` unless method and path are among them.

    >>> columns_in(b"#Version: 1.0\n#Fields: date cs-method cs-uri-stem\n")
    ('date', 'cs-method', 'cs-uri-stem')
    """
    for line in head.split(b"\n"):
        columns = named_by(line)
        if {"cs-method", "cs-uri-stem"} <= {*columns}:
            return columns
    return None


def named_by(comment: bytes) -> tuple[str, ...]:
    """Return the columns that a comment names; empty for any other line."""
    if not comment.startswith(_FIELDS):
        return ()
    return tuple(comment[len(_FIELDS) :].decode("latin-1").split())


def time_in(fields: Mapping[str, bytes]) -> bytes | None:
    """Return date and time; ``None`` if the log has only one of these columns.

    >>> time_in({"date": b"2026-10-10", "time": b"13:55:36"}), time_in({"time": b"13:55:36"})
    (b'2026-10-10 13:55:36', None)
    """
    return fields["date"] + b" " + fields["time"] if {"date", "time"} <= fields.keys() else None


def is_sound(fields: Mapping[str, bytes]) -> bool:
    """Whether date, time and status are well-formed. Without this check, noise could look like a request.

    >>> is_sound({"date": b"2026-10-10", "sc-status": b"200"}), is_sound({"date": b"a"})
    (True, False)
    """
    return all(form.fullmatch(fields[name]) for name, form in _FORMS.items() if name in fields)

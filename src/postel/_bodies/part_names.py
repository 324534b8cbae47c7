"""Names and file names of parts: faults that the rules of forms do not cover."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Final, NamedTuple, final

from postel._bodies.form_part import FormPart
from postel._catalogue.kinds import Kind

_ESCAPED_BREAK: Final = re.compile(rb"%0[AD]", re.IGNORECASE)
"""A line break as browsers escape it in a name; Litestar decodes it."""
_PATH: Final = re.compile(r"/|\A\.\.?\Z|\A[A-Za-z]:|\\")
"""What turns a file name into a path: a separator, a directory name, a drive."""
_DEVICE: Final = re.compile(
    r"(?:CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(?:COM|LPT)[0-9\u00b9\u00b2\u00b3])[ ]*+(?:[.:]|\Z)|.*?::\$",
    re.IGNORECASE | re.DOTALL,
)
"""A device or a stream of Windows, which ignores what follows a dot, and blanks in front of the dot."""
_LONGEST: Final = 255
"""The most characters of a file name; Django cuts longer ones."""
_NO_FILE: Final = frozenset({"", ".", ".."})


@final
class NameFault(NamedTuple):
    """A fault of a name, and its place."""

    kind: Kind
    offset: int
    length: int
    detail: str = ""
    """What is wrong, in fixed words."""


def faults_in(part: FormPart) -> Iterator[NameFault]:
    """Yield the faults of the name and the file name of a part."""
    for spelled, at in ((part.name, part.name_at), (part.filename or b"", part.filename_at)):
        if match := _ESCAPED_BREAK.search(spelled):
            yield NameFault(Kind.NAME_LINE_BREAK, at + match.start(), 3)
    name = unquoted(part.name)
    if not name or name != name.strip():
        detail = "a name with blanks around it" if name else "an empty name"
        yield NameFault(Kind.PART_HEADER, part.name_at, len(part.name), detail)
    if part.filename is not None:
        yield from _in_filename(part, part.filename)


def _in_filename(part: FormPart, spelled: bytes) -> Iterator[NameFault]:
    at, length = part.filename_at, len(spelled)
    if not spelled:
        if part.content != part.end:
            yield NameFault(Kind.PART_HEADER, at, 0, "a file without a name")
        return
    filename = unquoted(spelled)
    if len(filename) > _LONGEST:
        yield NameFault(Kind.PART_HEADER, at, length, "a file name of more than 255 characters")
    elif html.unescape(filename) != filename:
        yield NameFault(Kind.PART_HEADER, at, length, "a character reference, which Django decodes")
    printed = "".join(filter(str.isprintable, filename))  # as Django reads it
    if any(map(_PATH.search, (filename, printed))) or printed in _NO_FILE:
        yield NameFault(Kind.FILENAME_PATH, at, length)
    if _DEVICE.match(printed):
        yield NameFault(Kind.FILENAME_DEVICE, at, length)


def ruled_name(part: FormPart, at: int) -> str | None:
    """The name whose rules apply to a fault of a part; ``None`` if no name can be relied on.

    That is so if the fault is in the name itself, or if the name is unprintable or has an escaped line break.
    """
    if part.name_at <= at < part.name_at + len(part.name):
        return None
    name = unquoted(part.name)
    return name if name.isprintable() and _ESCAPED_BREAK.search(part.name) is None else None


def unquoted(spelled: bytes) -> str:
    """A name as text, with the backslashes before quotes removed."""
    return spelled.replace(b'\\"', b'"').decode("utf-8", "replace")

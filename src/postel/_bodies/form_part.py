"""One part of a multipart form, and faults of parts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, NamedTuple, final

from postel._alphabet.regex import compiled
from postel._catalogue.finding import EXCERPT
from postel._catalogue.kinds import Kind

CRLF: Final = b"\r\n"
"""The line end of header fields."""
OTHER_CHARSET: Final = "a charset other than UTF-8, and not a text in ASCII"
"""The detail of a finding about the charset of a part."""
_QUOTED_UNIT: Final = compiled(rb'\\[^"]|.', re.DOTALL)
"""Matches what stands for one octet in a quoted value."""


@final
@dataclass(frozen=True, slots=True)
class Fault:
    """Why a form is refused, and the offset of the fault."""

    kind: Kind
    offset: int
    detail: str = ""
    """What is wrong, in fixed words."""
    excerpt: bytes = b""
    name: str | None = None
    """The name of the part, if it is known."""


@final
class Value(NamedTuple):
    """The value of a parameter."""

    octets: bytes
    """The value with the escapes that it needs."""
    at: int
    """Where it begins."""
    length: int
    """How many octets it had as received."""
    unit: re.Pattern[bytes] = _QUOTED_UNIT
    """Matches what stands for one octet in the received value."""


@final
@dataclass(slots=True)
class FormPart:
    """One part: its place, its header fields, and its text unless it is a file."""

    start: int
    """Where its header fields begin."""
    sent: bytes
    """The header fields as received."""
    head: bytes
    """The header fields in their canonical spelling, including the line ends between them."""
    named: Value
    """The parameter ``name``."""
    file: Value | None
    """The file name; ``None`` if the part is a text."""
    length: bytes | None = None
    """The Content-Length of the part, as received."""
    length_at: int = 0
    charset: bytes = b""
    """The charset as received, if it is not UTF-8; then the text may only be ASCII. Empty without one."""
    charset_at: int = 0
    text: bytes = b""
    """The content, if the part is a text."""
    end: int = 0
    """Where its content ends."""

    @property
    def name(self) -> bytes:
        """The name as written between the quotes, with its escapes."""
        return self.named.octets

    @property
    def name_at(self) -> int:
        """Where the name begins."""
        return self.named.at

    @property
    def filename(self) -> bytes | None:
        """The file name as written, with its escapes; ``None`` if the part is a text."""
        return None if self.file is None else self.file.octets

    @property
    def filename_at(self) -> int:
        """Where the file name begins."""
        return 0 if self.file is None else self.file.at

    @property
    def content(self) -> int:
        """Where its content begins."""
        return self.start + len(self.sent) + len(CRLF * 2)

    @property
    def shown(self) -> str:
        """The name as findings quote it, at most 64 characters."""
        return self.name.decode("utf-8", "replace")[:64]

    def fault_of_content(self) -> Fault | None:
        """The fault of a header field that contradicts the content. Call it once the content is known."""
        if self.length is not None and self.length != b"%d" % (self.end - self.content):
            return Fault(Kind.PART_HEADER, self.length_at, "a wrong Content-Length", self.length)
        if self.charset and not self.text.isascii():
            return Fault(Kind.PART_CODING, self.charset_at, OTHER_CHARSET, self.charset[:EXCERPT])
        return None

    def received(self, at: int, length: int) -> tuple[int, int]:
        """Convert the place of octets in a name, as it is written in ``head``, to their place as received.

        Returns the offset and the length; other places are returned unchanged.
        """
        for each in (self.named, *([self.file] if self.file else [])):
            if each.at <= at <= each.at + len(each.octets):
                begin, first = each.at - self.start, at - each.at
                units = [len(unit) for unit in each.unit.findall(self.sent, begin, begin + each.length)]
                return each.at + sum(units[:first]), sum(units[first : first + length])
        return at, length

    def excerpt(self, at: int, length: int) -> bytes:
        """An excerpt of the part; empty for the content of a file."""
        held, start = (self.sent, self.start) if at < self.content else (self.text, self.content)
        return held[at - start : at - start + min(length, EXCERPT)]

r"""Parse a multipart form while it is received, and accept only what all parsers read in the same way.

Parsers accept padding, bare line feeds, text around the parts and much else, each in its own way. This module
accepts only forms in which all of them read the same parts: RFC 2046, section 5.1.1, without its options.
Clients choose a random boundary that does not occur in their names and contents. So a form is refused if the
boundary occurs outside a delimiter, even without its dashes, because Litestar 2.12 and older split a form at
the boundary alone.
The parser keeps texts, but not the contents of files.

>>> from postel._alphabet.steps import finished
>>> parser = MultipartParser(b"x", PartLimits())
>>> for piece in (b'--x\r\nContent-Disposition: form-data; na', b'me="a"\r\n\r\n1\r\n-', b"-x--"):
...     finished(parser.feeding(piece))
>>> parser.close()
>>> [(part.name, part.text) for part in parser.parts], parser.fault
([(b'a', b'1')], None)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final, NamedTuple, final

from postel._alphabet.steps import Steps, finished
from postel._bodies.form_part import CRLF, Fault, FormPart
from postel._bodies.part_head import LONGEST_HEADER, read_head
from postel._catalogue.finding import EXCERPT
from postel._catalogue.kinds import Kind

_DASHES: Final = b"--"
_FRONT: Final = len(CRLF + _DASHES)
"""How many octets of a delimiter stand in front of the boundary."""
_TURN: Final = 2**7
"""How many steps are taken before other work can run."""
_SPAN: Final = 2**15
"""How many octets are parsed before other work can run."""
_LEAST: Final = 2**10
"""How many octets are collected before they are parsed."""
_DELIMITS_NOTHING: Final = "its boundary occurs where no part begins or ends"
_IN_A_HEAD: Final = "its boundary occurs in the header fields of a part; choose a longer one"
_NO_END: Final = "header fields without an empty line after them"


@final
class PartLimits(NamedTuple):
    """The limits of a multipart form."""

    parts: int = 1000
    headers: int = 8
    """Header fields of one part."""
    text: int = 2**16
    """Octets of one text."""
    held: int = 2**20
    """Octets of all header fields and texts together."""
    upload: int = 2**24
    """Octets of the whole form."""


@final
class MultipartParser:
    """Parses a body piece by piece, up to the first fault."""

    __slots__ = (
        *("_at", "_boundary", "_held", "_lacks", "_limits", "_next", "_place", "_rest", "_text"),
        *("_size", "_taken", "_turned", "_waiting", "_waits", "fault", "parts"),
    )

    def __init__(self, boundary: bytes, limits: PartLimits) -> None:
        """``boundary`` is the boundary in the Content-Type."""
        self._boundary = boundary
        self._limits = limits
        self._rest = b""
        """Received octets. ``_at`` is their offset in the body. The octets before ``_place`` are consumed."""
        self._at = self._place = 0
        self._waiting: list[bytes] = []
        """Received octets that are not in ``_rest`` yet; ``_waits`` is their number."""
        self._waits = 0
        self._taken = self._turned = 0
        """The number of steps since other work could run, and the offset at that time."""
        self._held = 0
        self._size = 0
        """The length of the body, once the parser is closed."""
        self._lacks = 0
        """How many octets the excerpt of the fault lacks; they may still be received."""
        self._text: list[bytes] = []
        self._next: Callable[[], bool] = self._front
        """Takes the next step; returns False if it needs more octets or has found a fault."""
        self.parts: list[FormPart] = []
        self.fault: Fault | None = None

    def add(self, octets: bytes) -> bool:
        """Collect the next octets of the body; returns whether there are enough to call ``parsing``.

        Each call of ``parsing`` reads unfinished header fields again, so it is not called for a few octets.
        """
        if self.fault is not None:
            self._completes(self.fault, octets)
            return False
        if not octets:
            return False
        self._waiting.append(octets)
        self._waits += len(octets)
        return self._waits >= _LEAST

    def _completes(self, fault: Fault, octets: bytes) -> None:
        """Complete the excerpt of a fault with later octets: it must not depend on the size of the pieces."""
        if self._lacks and octets:
            excerpt = fault.excerpt + octets[: self._lacks]
            self._lacks = EXCERPT - len(excerpt)
            self.fault = replace(fault, excerpt=excerpt)

    def feeding(self, octets: bytes) -> Steps[None]:
        """Collect the next octets of the body, and parse all collected ones if there are enough."""
        if self.add(octets):
            yield from self.parsing()

    def parsing(self) -> Steps[None]:
        """Parse all collected octets; after a fault, do nothing."""
        if self.fault is not None:
            return
        self._rest = b"".join((self._rest[self._place :], *self._waiting))
        self._at, self._place = self._at + self._place, 0
        self._waiting, self._waits = [], 0
        goes_on = True
        while goes_on:
            goes_on = self._next()
            self._taken += 1
            here = self._at + self._place
            if self._taken >= _TURN or here - self._turned >= _SPAN:
                self._taken, self._turned = 0, here
                yield

    def close(self) -> None:
        """Note the end of the body; it is a fault if the last boundary is missing."""
        finished(self.parsing())
        self._size = self._at + len(self._rest)
        rest = self._rest[self._place :]
        if self.fault is None and (self._next != self._end or rest not in {b"", CRLF, CRLF * 2}):
            self._place += len(rest)
            self._fail("its last boundary is missing, or is cut off")
        self._rest = b""

    def has_room(self, octets: int) -> bool:
        """Whether the header fields of the closed form could be this many octets longer."""
        return self._held + octets <= self._limits.held and self._size + octets <= max(
            self._limits.upload, self._size
        )

    def _fail(self, detail: str, kind: Kind = Kind.MULTIPART_SYNTAX, place: int | None = None) -> bool:
        """Record a fault at a place in ``_rest``, and return False."""
        place = self._place if place is None else place
        excerpt = self._rest[place : place + EXCERPT]
        self._lacks = EXCERPT - len(excerpt)
        self.fault = Fault(kind, self._at + place, detail, excerpt)
        return False

    def _front(self) -> bool:
        """Read the first boundary, which must be at the start.

        A form without any part may begin with a line end, as that of Go's ``multipart.Writer`` does.
        """
        mark, after = _DASHES + self._boundary, self._after_boundary
        if self._rest.startswith(CRLF[:1]):
            mark, after = CRLF + mark + _DASHES, self._end
        if not mark.startswith(self._rest[: len(mark)]):
            return self._fail("it does not begin with its boundary")
        if len(self._rest) < len(mark):
            return False
        self._place, self._next = len(mark), after
        return True

    def _after_boundary(self) -> bool:
        """Read what follows a boundary: a line end, or two dashes."""
        sign = self._rest[self._place : self._place + 2]
        if len(sign) < len(CRLF):
            return False
        if sign == _DASHES:
            self._next = self._end
        elif sign != CRLF:
            return self._fail("a boundary without a line end after it")
        elif len(self.parts) == self._limits.parts:
            return self._fail("more parts than Forms.parts or Limits.pairs", Kind.TOO_MANY_PAIRS)
        else:
            self._next = self._head
        self._place += len(sign)
        return True

    def _end(self) -> bool:
        """Read what follows the last boundary: at most two line ends, or one if there are no parts.

        ``got``, a client for Node.js, writes two. Bottle refuses two if there are no parts.
        """
        allowed = CRLF * 2 if self.parts else CRLF
        if not allowed.startswith(self._rest[self._place :]):
            return self._fail("text after the last boundary")
        return False

    def _head(self) -> bool:
        """Read the header fields of a part, up to an empty line."""
        rest, start = self._rest, self._place
        most = start + LONGEST_HEADER + len(CRLF * 2)
        close = rest.find(CRLF * 2, start, most)
        found = rest.find(self._boundary, start, most if close < 0 else close)
        if found >= 0:
            delimits = rest[max(start, found - _FRONT) : found] in {_DASHES, CRLF + _DASHES}
            return self._fail(_NO_END, Kind.PART_HEADER) if delimits else self._fail(_IN_A_HEAD, place=found)
        if close < 0:
            if len(rest) < most:
                return False
            return self._fail("header fields that are too long", Kind.PART_HEADER)
        part = read_head(rest[start:close], self._at + start, self._limits.headers)
        if isinstance(part, Fault):
            self.fault = part
            return False
        if self._boundary in part.head:
            # An escape hides the boundary; the canonical spelling would show it.
            return self._fail(_IN_A_HEAD)
        self.parts.append(part)
        self._place, self._next = close + len(CRLF * 2), self._content
        return self._reserve(close - start)

    def _content(self) -> bool:
        """Read the content of a part, up to the next boundary."""
        rest, start, part = self._rest, self._place, self.parts[-1]
        found = rest.find(self._boundary, start)
        # Without a boundary so far, the last octets may be the beginning of a delimiter.
        end = max(start, (found if found >= 0 else len(rest) - len(self._boundary) + 1) - _FRONT)
        if part.filename is None and end > start and not self._add_text(rest[start:end]):
            return False
        self._place = end
        if found < 0:
            return False
        if not rest.startswith(CRLF + _DASHES + self._boundary, end):
            if self._at + end == part.content and rest.startswith(_DASHES + self._boundary, end):
                return self._fail(_NO_END, Kind.PART_HEADER)
            return self._fail(_DELIMITS_NOTHING, place=found)
        part.text, part.end = b"".join(self._text), self._at + end
        self._text = []
        self.fault = part.fault_of_content()
        if self.fault is not None:
            return False
        self._place, self._next = found + len(self._boundary), self._after_boundary
        return True

    def _add_text(self, octets: bytes) -> bool:
        """Add octets to the text of the last part; returns False if they exceed a limit."""
        part = self.parts[-1]
        self._text.append(octets)
        room = self._limits.text - (self._at + self._place - part.content)
        if len(octets) > room and room <= self._limits.held - self._held:
            # One octet beyond the limit at most, so the excerpt does not depend on how many were received.
            excerpt = b"".join(self._text)[: min(EXCERPT, self._limits.text + 1)]
            detail = f"more than Limits.form_value, {self._limits.text:,}"
            self.fault = Fault(Kind.LONG_VALUE, part.content, detail, excerpt, part.shown)
            return False
        return self._reserve(len(octets))

    def _reserve(self, octets: int) -> bool:
        """Count octets that will be kept in memory; returns False if they exceed the limit."""
        if self._held + octets > self._limits.held:
            self.fault = Fault(Kind.LONG_FORM, 0, "more octets of header fields and texts than Forms.limit")
            return False
        self._held += octets
        return True

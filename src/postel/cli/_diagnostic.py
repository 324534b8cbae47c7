"""Diagnostics in the style of compilers: what is wrong, where, and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, final

from postel._alphabet.printable import printable_octets
from postel.cli._console import Colour, Printer

_WIDTH: Final = 72
"""How many columns the fault and the octets around it may fill."""
_CUT: Final = "..."


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    r"""A fault at one place in some octets.

    >>> diagnostic = Diagnostic(
    ...     label="reject[nul]", colour=Colour.BAD, summary="a NUL character", place="query, offset 2",
    ...     octets=b"/?q=%00", start=4, length=3, notes=["policy: the request is refused"],
    ... )
    >>> print("\n".join(diagnostic.lines(Printer(None))))
    reject[nul]: a NUL character
     --> query, offset 2
      |
      | /?q=%00
      |     ^^^
      = policy: the request is refused
    """

    label: str
    colour: Colour
    summary: str
    place: str
    octets: bytes
    start: int
    """The offset of the fault in the octets."""
    length: int
    """The number of faulty octets; 0 if something is missing there."""
    remark: str = ""
    """A remark beside the marked octets."""
    is_quoted: bool = True
    """Whether a double quote among the octets is written as ``\\x22``."""
    notes: Sequence[str] = ()
    """Notes below the octets; further lines of a note are indented."""

    def lines(self, printer: Printer) -> Iterator[str]:
        """Yield the lines to print."""
        bar = printer.painted("|", Colour.FAINT)
        quoted, indent, carets = self._quotation()
        remark = f" {self.remark}" if self.remark else ""
        yield f"{printer.painted(self.label, self.colour)}: {printer.painted(self.summary, Colour.STRONG)}"
        yield f" {printer.painted('-->', Colour.FAINT)} {self.place}"
        yield f"  {bar}"
        yield f"  {bar} {quoted}"
        yield f"  {bar} {' ' * indent}{printer.painted('^' * carets + remark, self.colour)}"
        for note in self.notes:
            first, *others = note.split("\n")
            yield f"  {printer.painted('=', Colour.FAINT)} {first}"
            yield from (f"    {other}" for other in others)

    def _quotation(self) -> tuple[str, int, int]:
        """Return the octets around the fault, its first column, and its width in columns."""
        shown = printable_octets(self.octets, is_quoted=self.is_quoted)
        begin, end = self.start, min(len(shown), self.start + self.length)
        carets = max(1, sum(map(len, shown[begin:end])))
        room = _WIDTH - carets
        before = after = True
        while before or after:
            # Add one octet before and one octet after in turn, as long as they exist and fit.
            before = before and begin > 0 and len(shown[begin - 1]) <= room
            if before:
                begin -= 1
                room -= len(shown[begin])
            after = after and end < len(shown) and len(shown[end]) <= room
            if after:
                room -= len(shown[end])
                end += 1
        front = _CUT if begin else ""
        back = _CUT if end < len(shown) else ""
        indent = len(front) + sum(map(len, shown[begin : self.start]))
        return front + "".join(shown[begin:end]) + back, indent, carets

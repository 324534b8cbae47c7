"""The console: what the commands print, on which stream, in which colour.

Nothing here knows what it prints, but it never fails on it: a character that the stream's encoding lacks is
written as an escape, and where there is no stream nothing is written.
"""

from __future__ import annotations

import contextlib
import enum
import json
import os
import sys
from collections.abc import Mapping
from typing import Final, Self, TextIO, final

from postel import Action

Json = Mapping[str, object]
"""One object of what ``--json`` prints."""


@final
@enum.unique
class Colour(enum.Enum):
    """What a colour says, and the parameters that switch it on: ISO/IEC 6429, SGR."""

    GOOD = "32"
    BAD = "1;31"
    CHANGED = "1;33"
    NOTED = "1;36"
    STRONG = "1"
    FAINT = "2"


COLOURS: Final = {Action.REPORT: Colour.NOTED, Action.REJECT: Colour.BAD}
"""The colours of actions; all others change something."""


@final
class Printer:
    """One stream, written to line by line."""

    __slots__ = ("_coloured", "_encoding", "_stream")

    def __init__(self, stream: TextIO | None) -> None:
        """``None`` is what Python has where a stream was closed before it began."""
        self._stream = stream
        self._encoding: str = getattr(stream, "encoding", None) or "utf-8"
        self._coloured = (
            stream is not None
            and stream.isatty()
            and not os.environ.get("NO_COLOR")  # https://no-color.org
            and os.environ.get("TERM") != "dumb"
        )

    @property
    def is_terminal(self) -> bool:
        """Whether somebody looks on."""
        return self._stream is not None and self._stream.isatty()

    def line(self, text: str = "") -> None:
        """Write a line."""
        if self._stream is not None:
            line = text.encode(self._encoding, "backslashreplace").decode(self._encoding)
            self._stream.write(line + "\n")

    def octets(self, octets: bytes) -> None:
        """Write octets as they are, and nothing else."""
        if self._stream is not None:
            self._stream.flush()  # lines that were written before stand before
            self._stream.buffer.write(octets)

    def json(self, value: Json) -> None:
        """Write an object as one line of ASCII."""
        self.line(json.dumps(value))

    def painted(self, text: str, colour: Colour) -> str:
        """Text in a colour, where the stream shows colours."""
        return f"\x1b[{colour.value}m{text}\x1b[0m" if self._coloured else text

    def strong(self, text: str) -> str:
        """Text that is set off."""
        return self.painted(text, Colour.STRONG)

    def flush(self) -> None:
        """Write out what is held back."""
        if self._stream is not None:
            self._stream.flush()

    def abandon(self) -> None:
        """Let what is held back go nowhere, since it cannot be written: Python tries again at its end."""
        if self._stream is not None:
            with contextlib.suppress(OSError), open(os.devnull, "wb") as nowhere:
                os.dup2(nowhere.fileno(), self._stream.fileno())


@final
class Console:
    """Where a command writes: what was asked for to ``out``, what went wrong to ``err``."""

    __slots__ = ("err", "out")

    def __init__(self, out: Printer, err: Printer) -> None:
        self.out = out
        self.err = err

    @classmethod
    def standard(cls) -> Self:
        """The console of this process."""
        return cls(Printer(sys.stdout), Printer(sys.stderr))

    def complain(self, *lines: str) -> None:
        """Say what went wrong, if there is still anybody to hear it."""
        try:
            for line in lines:
                self.err.line(line)
            self.err.flush()
        except OSError:
            self.err.abandon()

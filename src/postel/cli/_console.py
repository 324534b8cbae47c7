"""The console: streams and colours for everything that the commands print.

Printing never fails: a character that the stream's encoding lacks is written as an escape, and without a
stream nothing is written.
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

JsonObject = Mapping[str, object]
"""An object that ``--json`` prints."""


@final
@enum.unique
class Colour(enum.Enum):
    """Colours by meaning, with their SGR parameters: ISO/IEC 6429."""

    GOOD = "32"
    BAD = "1;31"
    CHANGED = "1;33"
    NOTED = "1;36"
    STRONG = "1"
    FAINT = "2"


COLOURS: Final = {Action.REPORT: Colour.NOTED, Action.REJECT: Colour.BAD}
"""The colours of actions; all other actions have ``Colour.CHANGED``."""


@final
class Printer:
    """Writes lines to one stream."""

    __slots__ = ("_coloured", "_encoding", "_stream")

    def __init__(self, stream: TextIO | None) -> None:
        """Write to ``stream``; Python has ``None`` for a stream that was closed at start."""
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
        """Whether the stream is a terminal."""
        return self._stream is not None and self._stream.isatty()

    def line(self, text: str = "") -> None:
        """Write a line."""
        if self._stream is not None:
            line = text.encode(self._encoding, "backslashreplace").decode(self._encoding)
            self._stream.write(line + "\n")

    def octets(self, octets: bytes) -> None:
        """Write octets unchanged, without a line end."""
        if self._stream is not None:
            self._stream.flush()  # lines that were written before come first
            self._stream.buffer.write(octets)

    def json(self, value: JsonObject) -> None:
        """Write an object as one line of ASCII."""
        self.line(json.dumps(value))

    def painted(self, text: str, colour: Colour) -> str:
        """Return text in a colour, if the stream shows colours."""
        return f"\x1b[{colour.value}m{text}\x1b[0m" if self._coloured else text

    def strong(self, text: str) -> str:
        """Return text in bold, if the stream shows colours."""
        return self.painted(text, Colour.STRONG)

    def flush(self) -> None:
        """Write out buffered text."""
        if self._stream is not None:
            self._stream.flush()

    def abandon(self) -> None:
        """Discard buffered text that cannot be written; otherwise Python would try again at exit."""
        if self._stream is not None:
            with contextlib.suppress(OSError), open(os.devnull, "wb") as nowhere:
                os.dup2(nowhere.fileno(), self._stream.fileno())


@final
class Console:
    """The streams of a command: results go to ``out``, errors to ``err``."""

    __slots__ = ("err", "out")

    def __init__(self, out: Printer, err: Printer) -> None:
        self.out = out
        self.err = err

    @classmethod
    def standard(cls) -> Self:
        """Return a console for the standard streams of this process."""
        return cls(Printer(sys.stdout), Printer(sys.stderr))

    def complain(self, *lines: str) -> None:
        """Write lines to ``err``, and ignore errors if it is closed."""
        try:
            for line in lines:
                self.err.line(line)
            self.err.flush()
        except OSError:
            self.err.abandon()

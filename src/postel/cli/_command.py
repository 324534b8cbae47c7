"""What a command is, how its arguments are read, and the codes that it exits with."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NoReturn, final

from postel._printable import shown
from postel.cli._console import Colour, Console

FINE: Final = 0
REFUSED: Final = 1
"""Something that was given is refused, or cannot be read; or nothing can be written."""
MISUSED: Final = 2
"""The command was called in a way that it does not know, as argparse has it."""
INTERRUPTED: Final = 130
"""As a shell reports Ctrl-C: 128 and the number of SIGINT."""
UNREAD: Final = 141
"""As a shell reports a closed pipe: 128 and the number of SIGPIPE."""

_LONGEST: Final = 400
"""The most characters of a line of a complaint: arguments are repeated in it."""


@final
class Leave(Exception):  # noqa: N818 - nothing is wrong where help was asked for
    """The command ends here, with a code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


@final
class Parser(argparse.ArgumentParser):
    """A parser that prints as everything here prints, and leaves by :class:`Leave`."""

    def print_help(self, file: object = None) -> None:
        """Print the help, in whatever characters the terminal has."""
        console = Console.standard()
        for line in self.format_help().splitlines():
            console.out.line(line)

    def error(self, message: str) -> NoReturn:
        """Complain about arguments, of which nothing reaches the terminal as it is."""
        console = Console.standard()
        first, *others = [shown(line)[:_LONGEST] for line in message.split("\n")]
        label = console.err.painted("error:", Colour.BAD)
        console.complain(f"{self.prog}: {label} {first}", *others, f"{self.prog} --help says more.")
        self.exit(MISUSED)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Leave; argparse itself would end the process."""
        raise Leave(status)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command."""

    name: str
    summary: str
    """What it does, in one short line."""
    details: str
    """What more there is to say of it; or nothing."""
    example: str
    """A call of it and what that prints, as in a terminal."""
    expect: Callable[[Parser], None]
    """Tell a parser of its arguments; ``--json`` is every command's."""
    run: Callable[[argparse.Namespace, Console], int]
    """Do it, and give the code to exit with. What was given and is misuse is an ``ArgumentTypeError``."""

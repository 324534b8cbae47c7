"""The definition of a command, its argument parser and its exit codes."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NoReturn, final

from postel._alphabet.printable import shown
from postel.cli._console import Colour, Console

FINE: Final = 0
REFUSED: Final = 1
"""Some input is refused or cannot be read, or output cannot be written."""
MISUSED: Final = 2
"""The arguments are wrong; argparse exits with the same code."""
INTERRUPTED: Final = 130
"""Ctrl-C, as shells report it: 128 plus the number of SIGINT."""
UNREAD: Final = 141
"""A closed pipe, as shells report it: 128 plus the number of SIGPIPE."""

_LONGEST: Final = 400
"""How many characters of each line of an error message are shown; a message may quote a long argument."""


@final
class CommandExit(Exception):  # noqa: N818 - not always an error: --help raises it, too
    """Raised to end a command with an exit code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


@final
class Parser(argparse.ArgumentParser):
    """A parser that prints to the console and raises :class:`CommandExit` in place of SystemExit."""

    def print_help(self, file: object = None) -> None:
        """Print the help; characters that the stream lacks become escapes."""
        console = Console.standard()
        for line in self.format_help().splitlines():
            console.out.line(line)

    def error(self, message: str) -> NoReturn:
        """Report wrong arguments, and escape unprintable characters in them."""
        console = Console.standard()
        first, *others = [shown(line)[:_LONGEST] for line in message.split("\n")]
        label = console.err.painted("error:", Colour.BAD)
        console.complain(f"{self.prog}: {label} {first}", *others, f"{self.prog} --help shows the usage.")
        self.exit(MISUSED)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Raise CommandExit, because argparse itself would end the process."""
        raise CommandExit(status)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command."""

    name: str
    summary: str
    """One short line on what the command does."""
    details: str
    """More about the command; may be empty."""
    example: str
    """An example call with its output, as in a terminal."""
    expect: Callable[[Parser], None]
    """Adds the arguments of the command to a parser, which already has ``--json``."""
    run: Callable[[argparse.Namespace, Console], int]
    """Runs the command and returns the exit code. Raises ``ArgumentTypeError`` for wrong usage."""

"""The definition of a command, its argument parser and its exit codes."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, NoReturn, final

from postel._alphabet.printable import shown
from postel.cli._console import Colour, Console

FINE: Final = 0
REFUSED: Final = 1
"""Some input is refused or cannot be read, or output cannot be written."""
MISUSED: Final = 2
"""The arguments are wrong; argparse exits with the same code."""
INTERRUPTED: Final = 130
"""Ctrl-C, as shells report it: 128 plus the number of SIGINT."""
BROKEN_PIPE: Final = 141
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

    options: Parser | None = None
    """A parser for the options of a command alone; ``None`` for the parser of all commands."""

    def parse_known_args(  # pyright: ignore[reportIncompatibleMethodOverride] - typeshed has three overloads
        self, args: Any = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        """Read the options of a command wherever they stand, and then its other arguments.

        argparse itself refuses arguments after an option, if it has read others before the option.
        """
        if self.options is None:
            return super().parse_known_args(args, namespace)
        end = args.index("--") if "--" in args else len(args)
        namespace, others = self.options.parse_known_args(args[:end], namespace)
        namespace, unknown = super().parse_known_args([*others, *args[end:]], namespace)
        for each in others:
            if each in unknown and each.startswith("-"):
                self.error(f"there is no option {each}; write -- before a text that begins with a hyphen")
        if unknown:
            self.error(f"unexpected argument: {unknown[-1]}")
        return namespace, []

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


def no_arguments(parser: Parser) -> None:
    """Add no arguments to a parser."""


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
    options: Callable[[Parser], None]
    """Adds the options of the command to a parser, which already has ``--json``."""
    arguments: Callable[[Parser], None]
    """Adds the positional arguments of the command to a parser."""
    run: Callable[[argparse.Namespace, Console], int]
    """Runs the command and returns the exit code. Raises ``ArgumentTypeError`` for wrong usage."""

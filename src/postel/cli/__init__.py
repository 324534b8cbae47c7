"""The ``postel`` commands, one module for each subject.

Malformed input leads to a message and an exit code, never to a traceback. Control characters of the input
never reach a terminal.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Final

import postel
from postel.cli._check import CHECK
from postel.cli._clean import CLEAN, PRETTY
from postel.cli._command import BROKEN_PIPE, INTERRUPTED, REFUSED, Command, CommandExit, Parser
from postel.cli._completion import COMPLETION
from postel.cli._console import Colour, Console
from postel.cli._doctor import DOCTOR
from postel.cli._encode import DECODE, ENCODE
from postel.cli._js import JAVASCRIPT
from postel.cli._kinds import EXPLAIN, KINDS
from postel.cli._local import LOCAL
from postel.cli._policy import POLICY
from postel.cli._scan import SCAN

__all__ = ["main"]

COMMANDS: Final = (
    ENCODE,
    DECODE,
    CLEAN,
    PRETTY,
    JAVASCRIPT,
    LOCAL,
    CHECK,
    KINDS,
    EXPLAIN,
    POLICY,
    SCAN,
    DOCTOR,
    COMPLETION,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command with ``argv``, or the arguments of the process, and return its exit code.

    0: success. 1: something is refused or cannot be read. 2: wrong usage. 130: interrupted. 141: broken pipe.

    >>> main(["encode", "a b"])
    a%20b
    0
    """
    console = Console.standard()
    try:
        code = _run(argv, console)
        console.out.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        console.out.abandon()
        return BROKEN_PIPE
    except OSError as error:
        label = console.err.painted("error:", Colour.BAD)
        where = f"{str(error.filename)[:200]!a}: " if error.filename is not None else ""
        console.complain(f"postel: {label} {where}{error.strerror or error}")
        console.out.abandon()
        return REFUSED
    return code


def _run(argv: Sequence[str] | None, console: Console) -> int:
    words = sys.argv[1:] if argv is None else argv
    try:
        root = _parser()
        names = [command.name for command in COMMANDS]
        word = next(iter(words), "-")
        if not word.startswith("-") and word not in names:
            near = get_close_matches(word.lower(), names, 1)
            advice = f"did you mean {near[0]!r}?" if near else f"the commands are {', '.join(names)}"
            root.error(f"there is no command {word!r}; {advice}")
        args = root.parse_args(words)
        command: Command = args.command
        parser: Parser = args.parser
        try:
            return command.run(args, console)
        except argparse.ArgumentTypeError as misuse:
            parser.error(str(misuse))
    except CommandExit as ended:
        return ended.code


def _parser() -> Parser:
    parser = Parser(
        prog="postel",
        description="Write, read and judge URLs from arguments or standard input; scan access logs.",
        epilog="Exit codes: 0 success, 1 refused or unreadable, 2 wrong usage.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"postel {postel.__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        options = Parser(prog=f"{parser.prog} {command.name}", add_help=False, allow_abbrev=False)
        options.add_argument("--json", action="store_true", help="print one line of JSON for each result")
        command.options(options)
        each = commands.add_parser(
            command.name,
            parents=[options],
            help=command.summary,
            description=f"{command.summary[:1].upper()}{command.summary[1:]}.\n{command.details}",
            epilog=f"Example:\n{command.example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        each.options = options
        command.arguments(each)
        each.set_defaults(command=command, parser=each, root=parser)
    return parser

"""``postel completion``: print a completion script for a shell, written by shtab, an optional package."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any, Final, TypeGuard

from postel import Kind
from postel.cli._command import FINE, Command, Parser, no_arguments
from postel.cli._console import Console

_SHELLS: Final = ("bash", "zsh", "fish")
_FILES: Final = ("FILE", "LOG")
"""The names of arguments that are files."""
_OFFERED: Final = {
    "kinds": tuple(kind.slug for kind in Kind),
    "policy": ("strict", "standard", "lenient"),
}
"""The words that a shell offers for an argument; the parser also accepts others, such as longer policies."""


def _expect(parser: Parser) -> None:
    parser.add_argument("shell", choices=_SHELLS, metavar="SHELL", help=", ".join(_SHELLS))


def _declare_completions(parser: argparse.ArgumentParser, files: Mapping[Any, object]) -> None:
    """Tell shtab what to offer for the arguments of a parser and of its commands.

    Do not use the parser afterwards, because it then accepts only the offered words.
    """
    for action in parser._actions:
        if action.metavar in _FILES:
            vars(action)["complete"] = files
        elif action.dest in _OFFERED:
            action.choices = _OFFERED[action.dest]
        elif _are_parsers(action.choices):
            for each in action.choices.values():
                _declare_completions(each, files)


def _are_parsers(choices: object) -> TypeGuard[dict[str, Parser]]:
    """Whether these choices are the commands with their parsers; other choices are lists."""
    return isinstance(choices, dict)


def _run(args: argparse.Namespace, console: Console) -> int:
    try:
        import shtab  # noqa: PLC0415 - an extra
    except ImportError:
        raise argparse.ArgumentTypeError(
            "shtab, which writes the script, is not installed: pip install '.[completion]' in the clone"
        ) from None
    _declare_completions(args.root, shtab.FILE)
    script = shtab.complete(args.root, shell=args.shell)
    if args.json:
        console.out.json({"shell": args.shell, "script": script})
    else:
        for line in script.splitlines():
            console.out.line(line)
    return FINE


COMPLETION: Final = Command(
    name="completion",
    summary="print a script that completes the commands in a shell",
    details="Save it where the shell looks for such scripts. Needs the extra 'completion'.",
    example="""\
$ postel completion bash""",
    options=no_arguments,
    arguments=_expect,
    run=_run,
)

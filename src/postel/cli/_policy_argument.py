"""A policy as an argument: its text, or ``@FILE`` for a file, which may have several lines and comments."""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path
from typing import Final

from postel import Policy, PolicyError
from postel.cli._command import Parser

_LONGEST: Final = 64 * 1024
"""The most octets of a policy file; policies have a few hundred."""


def expect_policy(parser: Parser) -> None:
    """Add ``--policy`` to a parser."""
    parser.add_argument(
        "--policy",
        type=policy_argument,
        default=Policy.STANDARD,
        metavar="TEXT",
        help="the policy, such as 'lenient nul=reject', or @FILE; default: standard",
    )


def policy_of(text: str) -> Policy:
    """Read a policy from its text."""
    try:
        return Policy.parse(text)
    except PolicyError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def policy_argument(text: str) -> Policy:
    """Read a policy from its text, or from a file if the argument is ``@FILE``."""
    if not text.startswith("@"):
        return _text_argument(text)
    name = text[1:]
    if not name:
        raise argparse.ArgumentTypeError("write a file name after '@'")
    try:
        with Path(name).open("rb") as file:
            octets = file.read(_LONGEST + 1)
        if len(octets) > _LONGEST:
            raise argparse.ArgumentTypeError(f"{name[:200]!a} is longer than {_LONGEST:,} octets")
        return Policy.parse(octets.decode("utf-8-sig"))
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{name[:200]!a}: {error.strerror}") from None
    except ValueError as error:  # a name with NUL, or octets that are not UTF-8
        if isinstance(error, PolicyError):
            raise argparse.ArgumentTypeError(f"{name[:200]!a}: {error}") from None
        raise argparse.ArgumentTypeError(f"{name[:200]!a} is not a text file in UTF-8") from None


def _text_argument(text: str) -> Policy:
    """Read a policy from its text; an error mentions ``@`` if a file has this name."""
    try:
        return policy_of(text)
    except argparse.ArgumentTypeError as misuse:
        if not _is_file(text):
            raise
        message, line, shown = str(misuse).partition("\n")
        raise argparse.ArgumentTypeError(
            f"{message}; write @{text[:200]} to read a file{line}{shown}"
        ) from None


def _is_file(text: str) -> bool:
    with contextlib.suppress(OSError, ValueError):  # the name is too long, or not valid
        return Path(text).is_file()
    return False

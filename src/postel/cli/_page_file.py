"""An output file that is created before a long computation and written after it, so that errors show early.

The file appears complete or not at all: a temporary file in the same directory is renamed at the end. Only a
page of postel is replaced, so a mistake in a command never costs another file.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import secrets
import shlex
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Final

from postel.cli._command import Parser

_PAGE: Final = re.compile(rb"\A(?:\Z|<!doctype html>.*<title>postel )", re.DOTALL | re.IGNORECASE)
"""Matches the beginning of an earlier page of postel, and an empty file."""
_HEAD: Final = 4096
"""The number of octets in which a page has its title."""
_TEMPORARY: Final = ".{}.{}.part"


def path_argument(text: str) -> Path:
    """Return an argument as a path. Raises ArgumentTypeError for an invalid file name."""
    if not text:  # Path("") would be the current directory
        raise argparse.ArgumentTypeError("the name of the file is empty")
    try:
        if b"\0" not in os.fsencode(text):
            return Path(text)
    except UnicodeEncodeError:
        pass
    raise argparse.ArgumentTypeError(f"{text[:64]!a} is not a valid file name")


def expect_page(parser: Parser) -> None:
    """Add ``--html`` to a parser."""
    parser.add_argument(
        "--html", type=_page_argument, metavar="FILE", help="also write the report as an HTML page"
    )


def _page_argument(text: str) -> Path:
    """Return the path of a page. Raises ArgumentTypeError for an existing file that postel did not write."""
    path = path_argument(text)
    if text == "-":
        raise argparse.ArgumentTypeError("'-': write the name of a file, such as report.html")
    try:
        if path.is_file() and _PAGE.match(_begin_of(path)) is None:
            raise argparse.ArgumentTypeError(
                f"{text[:200]!a} exists and is not a page of postel; name a new file, "
                f"such as --html report.html {shlex.quote(text[:200])}"
            )
    except OSError as error:
        raise _unwritable(path, error) from None
    return path


def _begin_of(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_HEAD)


def _unwritable(path: Path, error: OSError) -> argparse.ArgumentTypeError:
    return argparse.ArgumentTypeError(f"{str(path)[:200]!a}: {error.strerror}")


@contextlib.contextmanager
def written_at_end(path: Path) -> Generator[Callable[[str], None], None, None]:
    """Yield a function that writes the text. Raises ``ArgumentTypeError`` if the file cannot be created.

    If it is not called, the file stays as it was. A path that is not a regular file, such as a pipe, is
    written to directly.
    """
    is_direct = path.exists() and not path.is_file()
    # The name of a pipe in /dev/fd cannot be resolved.
    whole = path if is_direct else Path(os.path.realpath(path))
    beside = whole.with_name(_TEMPORARY.format(whole.name[:100], secrets.token_hex(4)))
    try:
        descriptor = (
            os.open(whole, os.O_WRONLY)
            if is_direct
            else os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        )
    except OSError as error:
        raise argparse.ArgumentTypeError(f"argument --html: {_unwritable(path, error)}") from None
    is_written = False

    def write(text: str) -> None:
        nonlocal is_written
        _write(descriptor, text)
        is_written = True

    try:
        yield write
        if is_written and not is_direct:
            beside.replace(whole)
    finally:
        os.close(descriptor)
        beside.unlink(missing_ok=True)


def _write(descriptor: int, text: str) -> None:
    octets = memoryview(text.encode())
    while octets:
        octets = octets[os.write(descriptor, octets) :]

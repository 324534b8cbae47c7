"""An output file that is created before a long computation and written after it, so that errors show early.

The file appears complete or not at all: a temporary file in the same directory is renamed at the end.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import secrets
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Final

_TEMPORARY: Final = ".{}.{}.part"


def path_argument(text: str) -> Path:
    """Return an argument as a path. Raises ArgumentTypeError for an invalid file name."""
    try:
        if b"\0" not in os.fsencode(text):
            return Path(text)
    except UnicodeEncodeError:
        pass
    raise argparse.ArgumentTypeError(f"{text[:64]!a} is not a valid file name")


@contextlib.contextmanager
def written_at_end(path: Path) -> Generator[Callable[[str], None], None, None]:
    """Yield a function that writes the text. Raises ``OSError`` at once if the file cannot be created.

    A path that is not a regular file, such as a pipe, is written to directly.
    """
    whole = Path(os.path.realpath(path))
    if whole.exists() and not whole.is_file():
        with whole.open("w", encoding="utf-8") as file:
            yield lambda text: _write(file.fileno(), text)
        return
    beside = whole.with_name(_TEMPORARY.format(whole.name[:100], secrets.token_hex(4)))
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    try:
        yield lambda text: _write(descriptor, text)
        beside.replace(whole)
    finally:
        os.close(descriptor)
        beside.unlink(missing_ok=True)


def _write(descriptor: int, text: str) -> None:
    octets = memoryview(text.encode())
    while octets:
        octets = octets[os.write(descriptor, octets) :]

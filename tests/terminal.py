"""A terminal for the commands. The commands run in this process, and print what a user would see."""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, final
from unittest import mock

from postel.cli import main

ENVIRONMENT: Final = {"COLUMNS": "80", "NO_COLOR": "", "TERM": "xterm"}


@final
class Stream(io.TextIOWrapper):
    """A standard stream that may be a terminal."""

    def __init__(self, octets: bytes = b"", *, encoding: str = "utf-8", terminal: bool = False) -> None:
        super().__init__(io.BytesIO(octets), encoding=encoding, errors="strict", newline="\n")
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal

    def written(self) -> str:
        self.flush()
        buffer = self.buffer
        assert isinstance(buffer, io.BytesIO)
        return buffer.getvalue().decode(self.encoding)


@final
@dataclass(frozen=True, slots=True)
class Ended:
    """The output of a command, and its exit code."""

    code: int
    out: str
    err: str


def run(
    *argv: str,
    given: bytes = b"",
    encoding: str = "utf-8",
    terminal: bool = False,
    typed: bool = False,
    environment: Mapping[str, str] | None = None,
) -> Ended:
    out = Stream(encoding=encoding, terminal=terminal)
    err = Stream(encoding=encoding, terminal=terminal)
    with (
        mock.patch.dict(os.environ, {**ENVIRONMENT, **(environment or {})}),
        mock.patch.object(sys, "stdin", Stream(given, terminal=typed)),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code = main(argv)
    return Ended(code, out.written(), err.written())


def session(lines: Sequence[str]) -> str:
    """Run each line that begins with ``$``, and return the lines with their output.

    ``postel`` is supported, also after ``printf '...' |``, and ``echo $?``.
    """
    code = 0
    told: list[str] = []
    for line in lines:
        if not line.startswith("$ "):
            continue
        told.append(line + "\n")
        if line == "$ echo $?":
            told.append(f"{code}\n")
            continue
        front, pipe, command = line.removeprefix("$ ").rpartition(" | ")
        given = b""
        if pipe:
            printf, text = shlex.split(front)
            assert printf == "printf"
            given = text.replace("%%", "%").encode().decode("unicode_escape").encode("latin-1")
        name, *argv = shlex.split(command)
        assert name == "postel"
        ended = run(*argv, given=given)
        told += [ended.out, ended.err]
        code = ended.code
    return "".join(told)

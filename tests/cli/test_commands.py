"""The commands as a whole: for any input and any output, they end with an exit code and a message."""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

import postel
from postel.cli import COMMANDS, main
from postel.cli._console import Printer
from terminal import Stream, run
from together import together

NAMES = [command.name for command in COMMANDS]
OPTIONS = [
    "--json",
    "--place",
    "form",
    "query",
    "--plus",
    "--no-plus",
    "--charset",
    "latin-1",
    "idna",
    "--policy",
    "--help",
    "-h",
    "--version",
    "--",
    "-",
    "lenient",
    "strict nul@query[q]=drop",
    "nul",
    "--place=",
    "@",
]
HOSTILE = [
    "\x1b[31m",
    "\x1b]0;x\x07",
    "\udcff",
    "\ud800",
    "\0",
    "\u202e",
    "%1B%5B2J",
    "/%00?\x9b=\r\n",
    "%s%(prog)s",
    "\N{CJK UNIFIED IDEOGRAPH-6F22}",
    "a" * 5000,
    "%C2%9B%E2%80%AE",
    "--\x1b[2J",
    "--charset=\x1b[2J",
]

texts = st.one_of(st.text(), st.sampled_from(HOSTILE), st.sampled_from(OPTIONS))
arguments = st.builds(
    lambda name, others: [*name, *others],
    st.lists(st.sampled_from([*NAMES, "judge", ""]), max_size=1),
    st.lists(texts, max_size=5),
)


def assert_harmless(text: str) -> None:
    for line in text.split("\n"):
        assert all(character.isprintable() or character in "\u200c\u200d" for character in line), ascii(line)


@given(
    arguments, st.lists(st.binary(max_size=20), max_size=3), st.sampled_from(["utf-8", "ascii", "latin-1"])
)
def test_any_input_gives_a_code_and_no_control_characters(
    argv: list[str], lines: list[bytes], encoding: str
) -> None:
    ended = run(*argv, given=b"\n".join(lines), encoding=encoding)
    assert ended.code in {0, 1, 2}
    assert_harmless(ended.out)
    assert_harmless(ended.err)
    if ended.code == 2:
        assert ended.err


@given(st.sampled_from(NAMES), st.lists(texts, max_size=4), st.binary(max_size=40))
def test_every_line_of_json_is_valid(name: str, others: list[str], octets: bytes) -> None:
    ended = run(name, "--json", *others, given=octets)
    if not {"-h", "--help"} & {*others} and ended.code != 2:
        for line in ended.out.splitlines():
            told = json.loads(line)
            json.dumps(told, ensure_ascii=False).encode()  # Raises if there is a lone surrogate.


@pytest.mark.no_cover
@together("name", NAMES)
@together("text", HOSTILE, ids=ascii)
def test_hostile_arguments_are_printed_harmlessly(name: str, text: str) -> None:
    for argv in (
        [name, text],
        [name, "--json", "--", text],
        [name, "--nothing", text],
        [name, f"--json={text}"],
    ):
        ended = run(*argv)
        assert ended.code in {0, 1, 2}
        assert_harmless(ended.out)
        assert_harmless(ended.err)


@pytest.mark.no_cover
@together("text", HOSTILE, ids=ascii)
def test_a_hostile_command_name_is_printed_harmlessly(text: str) -> None:
    ended = run(text)
    assert ended.code in {0, 1, 2}
    assert_harmless(ended.out)
    assert_harmless(ended.err)


@pytest.mark.parametrize(
    ("mixed", "ordered"),
    [
        (["js", "unescape", "--json", "%uD800"], ["js", "--json", "unescape", "%uD800"]),
        (["js", "--json", "--", "escape", "-x"], ["js", "--json", "escape", "--", "-x"]),
        (["encode", "a", "--plus", "b c", "--json", "d"], ["encode", "--plus", "--json", "a", "b c", "d"]),
        (["encode", "a", "--plus", "--", "-b", "--json"], ["encode", "--plus", "--", "a", "-b", "--json"]),
        (["encode", "a", "--plus", "-1", "- x", "-"], ["encode", "--plus", "a", "-1", "- x", "-"]),
        (["encode", "--", "a", "--", "b"], ["encode", "--", "a", "--", "b"]),
        (["check", "/a", "--policy", "lenient", "/b"], ["check", "--policy", "lenient", "/a", "/b"]),
        (["local", "/a", "--base", "http://a/", "/b"], ["local", "--base", "http://a/", "/a", "/b"]),
        (["explain", "nul", "--json", "control"], ["explain", "--json", "nul", "control"]),
        (["scan", "/nope", "--workers", "1", "/no"], ["scan", "--workers", "1", "/nope", "/no"]),
    ],
)
def test_options_may_stand_between_arguments(mixed: list[str], ordered: list[str]) -> None:
    assert run(*mixed) == run(*ordered)
    assert "unrecognized" not in run(*mixed).err


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (
            ["check", "/a", "-x", "/b"],
            "there is no option -x; write -- before a text that begins with a hyphen",
        ),
        (["kinds", "--nothing"], "there is no option --nothing;"),
        (["kinds", "x"], "unexpected argument: x"),
        (["kinds", "--", "-x"], "unexpected argument: -x"),
        (["js"], "the following arguments are required: FUNCTION\n"),
        (["js", "nothing", "x"], "argument FUNCTION: invalid choice: 'nothing'"),
    ],
)
def test_the_error_for_an_unknown_argument_names_the_help_of_the_command(argv: list[str], words: str) -> None:
    ended = run(*argv)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"postel {argv[0]}: error: {words}")
    assert ended.err.endswith(f"\npostel {argv[0]} --help shows the usage.\n")


def test_without_a_command_there_is_an_error() -> None:
    ended = run()
    assert (ended.code, ended.out) == (2, "")
    assert (
        ended.err
        == "postel: error: the following arguments are required: COMMAND\npostel --help shows the usage.\n"
    )


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ("scam", "there is no command 'scam'; did you mean 'scan'?"),
        ("Check", "there is no command 'Check'; did you mean 'check'?"),
        ("?", "there is no command '?'; the commands are encode, decode, "),
    ],
)
def test_the_nearest_command_is_suggested(word: str, words: str) -> None:
    ended = run(word, "/a")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"postel: error: {words}")


def test_the_version_is_printed_whatever_follows() -> None:
    assert run("--version", "anything") == run("--version")


def test_help_names_every_command() -> None:
    ended = run("--help")
    assert (ended.code, ended.err) == (0, "")
    for command in COMMANDS:
        assert re.search(rf"^    {command.name}\s+{re.escape(command.summary)}$", ended.out, re.MULTILINE)


def test_version_is_printed() -> None:
    assert run("--version").out == f"postel {postel.__version__}\n"


def test_long_arguments_are_shortened_in_messages() -> None:
    assert max(map(len, run("explain", "x" * 100_000).err.splitlines())) < 500
    assert max(map(len, run("kinds", "x" * 100_000).err.splitlines())) < 500


COLOURED = ["check", "/%00?q=%zz&=b"]


def test_colours_appear_only_on_a_terminal_with_colours() -> None:
    plain = run(*COLOURED).out
    coloured = run(*COLOURED, terminal=True).out
    assert "\x1b[1;31mreject[nul]\x1b[0m" in coloured
    assert "\x1b" not in plain
    assert run(*COLOURED, terminal=True, environment={"NO_COLOR": "1"}).out == plain
    assert run(*COLOURED, terminal=True, environment={"TERM": "dumb"}).out == plain


def test_colours_change_only_colours() -> None:
    for argv in (
        COLOURED,
        ["check", "/", "/?q=%zz"],
        ["kinds"],
        ["explain", "nul"],
        ["decode", "%zz", "%00"],
    ):
        plain, coloured = run(*argv), run(*argv, terminal=True)
        for one, other in ((plain.out, coloured.out), (plain.err, coloured.err)):
            assert (
                "".join(
                    part.partition("m")[2] if at else part for at, part in enumerate(other.split("\x1b["))
                )
                == one
            )


@contextlib.contextmanager
def nobody_reads() -> Iterator[io.TextIOWrapper]:
    """A pipe whose other end is closed."""
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w", encoding="utf-8") as stream:
        yield stream


def test_a_closed_pipe_is_quiet() -> None:
    with nobody_reads() as pipe:
        err = Stream()
        with contextlib.redirect_stdout(pipe), contextlib.redirect_stderr(err):
            assert main(["kinds"]) == 141
            assert main(["--help"]) == 0  # Buffered output is lost.
        assert err.written() == ""


def test_a_failed_write_is_reported() -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("/dev/full does not exist here")
    err = Stream()
    with full.open("w") as out, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        assert main(["kinds"]) == 1
    assert err.written() == "postel: error: No space left on device\n"


class Broken:
    """Lines that cannot be read."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __iter__(self) -> Iterator[bytes]:
        raise self.error


def test_a_failed_read_is_reported() -> None:
    err = Stream()
    broken = mock.Mock(buffer=Broken(OSError("it is on fire")))
    with mock.patch.object(sys, "stdin", broken), contextlib.redirect_stderr(err):
        assert main(["clean"]) == 1
    assert err.written() == "postel: error: it is on fire\n"


def test_a_failed_error_message_is_ignored() -> None:
    with nobody_reads() as pipe, contextlib.redirect_stdout(Stream()), contextlib.redirect_stderr(pipe):
        assert main(["decode", "%zz"]) == 1


def test_ctrl_c_is_quiet_while_modules_are_imported() -> None:
    # The command that pip installs imports the module and calls this function.
    installed = importlib.import_module("postel.__main__").main
    del sys.modules["postel.__main__"]  # runpy warns if the module that it runs has been imported
    with mock.patch("postel.cli.main", side_effect=KeyboardInterrupt):
        assert installed() == 130


def test_ctrl_c_is_quiet() -> None:
    out, err = Stream(), Stream()
    with (
        mock.patch.object(sys, "stdin", mock.Mock(buffer=Broken(KeyboardInterrupt()))),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        assert main(["clean"]) == 130
    assert (out.written(), err.written()) == ("", "")


@pytest.mark.parametrize(
    "argv", [["check"], ["check", "/%00"], ["encode", "\ud800"], ["nothing"], ["--help"]]
)
def test_closed_standard_streams_do_not_raise(argv: list[str]) -> None:
    with (
        mock.patch.object(sys, "stdin", None),
        mock.patch.object(sys, "stdout", None),
        mock.patch.object(sys, "stderr", None),
    ):
        assert main(argv) in {0, 1, 2}


def test_a_closed_stream_is_not_closed_again() -> None:
    Printer(None).abandon()


def test_python_runs_postel_as_a_module() -> None:
    out = Stream()
    with (
        mock.patch.object(sys, "argv", ["postel", "encode", "é"]),
        contextlib.redirect_stdout(out),
        pytest.raises(SystemExit) as left,
    ):
        runpy.run_module("postel", run_name="__main__")
    assert (left.value.code, out.written()) == (0, "%C3%A9\n")


def test_postel_runs_as_a_process() -> None:
    ended = subprocess.run(  # noqa: S603 - our own
        [sys.executable, "-m", "postel", "check", "--json", b"/\xff"], capture_output=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (1, b"")
    assert json.loads(ended.stdout)["received"] == "/\xff"

"""The documentation of the commands equals their output: page, golden files, examples of the help."""

from __future__ import annotations

import contextlib
import io
import json
import re
from pathlib import Path

import pytest

from postel.cli import COMMANDS
from postel.cli._command import Command
from scan.lines import combined
from sessions import GOLDEN, PAGE, golden, renewed, sessions
from terminal import run, session

TEXT = PAGE.read_text("utf-8")


def test_the_sessions_of_the_page_are_current() -> None:
    assert renewed(TEXT) == TEXT


def test_golden_files_are_current() -> None:
    today = golden()
    assert sorted(today) == sorted(GOLDEN.iterdir())
    assert {file: file.read_text("utf-8") for file in today} == today


def test_the_page_has_the_ten_hostile_urls_of_the_golden_files() -> None:
    on_the_page = set(sessions(TEXT))
    texts = [file.read_text("utf-8") for file in sorted(GOLDEN.glob("*.txt"))]
    assert len(texts) == 10
    assert set(texts) <= on_the_page


@pytest.mark.parametrize("number", range(1, 11))
def test_text_and_json_of_a_golden_file_agree(number: int) -> None:
    text = (GOLDEN / f"{number:02}.txt").read_text("utf-8")
    machine = json.loads((GOLDEN / f"{number:02}.json").read_text("utf-8").splitlines()[1])
    verdicts = [line for line in text.splitlines() if line.startswith(("accepted", "refused"))]
    assert [verdict.startswith("accepted") for verdict in verdicts] == [machine["accepted"]]
    for finding in machine["findings"]:
        assert f"{finding['action']}[{finding['kind']}]: " in text
        add = "to accept it, add" if finding["action"] == "reject" else "add"
        assert all(f"  = {add} {each['clause']}: {each['effect']}\n" in text for each in finding["advice"])


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_the_page_names_every_command(command: Command) -> None:
    name = command.name
    assert f"| `postel {name}" in TEXT
    assert f"$ postel {name} " in TEXT or f"$ postel {name}\n" in TEXT


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_the_example_of_the_help_is_real(command: Command) -> None:
    first, *others = command.example.splitlines()
    told = session([first]).splitlines()
    assert told[0] == first
    assert told[1:] == others or not others


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_help_is_short_and_has_an_example(command: Command) -> None:
    ended = run(command.name, "--help")
    assert (ended.code, ended.err) == (0, "")
    assert f"Example:\n{command.example}\n" in ended.out
    assert len(ended.out.splitlines()) < 40  # One screen.
    assert max(map(len, ended.out.splitlines())) <= 80


def keys_on_the_page(heading: str) -> set[str]:
    """Return the keys in the table below a heading."""
    table = TEXT.partition(f"\n{heading}:\n")[2].lstrip().partition("\n\n")[0]
    return {key.strip(" `") for row in table.splitlines()[2:] for key in row.split("|")[1].split(",")}


@pytest.mark.parametrize(
    ("heading", "argv"),
    [
        ("`encode`, `decode`, `clean`, `pretty`, `js`", ["encode", "x"]),
        ("`completion`", ["completion", "bash"]),
        ("`local`", ["local", "/"]),
        ("`check`", ["check", "/"]),
        ("`kinds` and `explain` (one line for each kind)", ["explain", "nul"]),
        ("`policy`", ["policy", "strict"]),
        ("`scan` (one line in all)", ["scan"]),
    ],
)
def test_the_page_documents_every_key(heading: str, argv: list[str]) -> None:
    name, *others = argv
    assert keys_on_the_page(heading) == set(json.loads(run(name, "--json", *others).out))


def test_the_python_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "access.log").write_bytes(combined(b"/a%00") + b"\n")
    pieces = re.findall(r"^```python\n(.*?)^```$", TEXT, flags=re.MULTILINE | re.DOTALL)
    assert pieces
    for piece in pieces:
        with contextlib.redirect_stdout(io.StringIO()) as told:
            exec(compile(piece, PAGE.name, "exec"), {})  # noqa: S102 - ours
        assert told.getvalue().startswith("1 request from 1 client,")

"""Policies in files: ``--policy @FILE`` of ``check`` and ``scan``, with comments and lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from postel import Policy
from scan.lines import combined
from terminal import run

TEXT = """\
# What we exempt, and why.
standard
  encoded-slash=preserve     # units such as kg/s
  ill-formed-utf8@query["a # b"]=allow # a name that holds one
#limit.pairs=1
limit.pairs=100
"""
POLICY = 'standard encoded-slash=preserve ill-formed-utf8@query["a # b"]=allow limit.pairs=100'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "postel.policy"
    path.write_text(TEXT, "utf-8")
    return path


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_file_is_read_like_its_text(file: Path, ends: str, mark: str) -> None:
    file.write_bytes((mark + TEXT).replace("\n", ends).encode())
    told = json.loads(run("check", "--json", "--policy", f"@{file}", "/units/kg%2Fs").out)
    assert Policy.parse(told["policy"]) == Policy.parse(POLICY)
    assert told["accepted"]
    told = json.loads(run("scan", "--json", "--policy", f"@{file}", given=combined(b"/units/kg%2Fs")).out)
    assert Policy.parse(told["policy"]) == Policy.parse(POLICY)
    assert told["refused"]["policy"] == 0
    assert run("policy", f"@{file}").out == run("policy", POLICY).out


@pytest.mark.parametrize(
    ("octets", "words"),
    [
        (b"", "a policy begins with a preset"),
        (b"# nothing but a comment\n", "a policy begins with a preset"),
        (b"standard\nnul=nonsense\n", "nonsense"),
        (b"standard nul=reject#more", "reject#more"),
        (b"standard \xff", "is not a text file in UTF-8"),
        (b"#" * 70_000, "is longer than"),
    ],
)
def test_an_invalid_policy_in_a_file_gives_exit_code_2(file: Path, octets: bytes, words: str) -> None:
    file.write_bytes(octets)
    for argv in (["check", "--policy", f"@{file}", "/"], ["policy", f"@{file}"]):
        ended = run(*argv)
        assert (ended.code, ended.out) == (2, "")
        assert words in ended.err
        assert "postel.policy" in ended.err


@pytest.mark.parametrize("name", ["missing", "\0", "."])
def test_a_policy_file_that_cannot_be_read_gives_exit_code_2(tmp_path: Path, name: str) -> None:
    ended = run("scan", "--policy", f"@{tmp_path}/{name}")
    assert (ended.code, ended.out) == (2, "")
    assert "error:" in ended.err


def test_a_forgotten_at_sign_is_mentioned(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(file.parent)
    for argv in (["check", "--policy", "postel.policy", "/"], ["policy", "postel.policy"]):
        ended = run(*argv)
        assert (ended.code, ended.out) == (2, "")
        assert "there is no preset 'postel.policy'" in ended.err.splitlines()[0]
        assert ended.err.splitlines()[0].endswith("; write @postel.policy to read a file")
    for name in ("missing.policy", "a" * 5000, "a\0"):
        assert "to read a file" not in run("policy", name).err
    assert "argument --policy: write a file name after '@'\n" in run("check", "--policy", "@", "/").err
    assert "postel policy: error: write a file name after '@'\n" in run("policy", "@").err


def test_a_line_of_standard_input_never_names_a_file(file: Path) -> None:
    """``postel policy`` reads lines of standard input as data, in which ``@`` has no meaning."""
    assert run("policy", given=f"@{file}\n".encode()).code == 2

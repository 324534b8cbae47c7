"""``postel completion``: what a shell offers with its script."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from postel.cli import COMMANDS
from terminal import run
from together import together

# The script calls the completion as bash does, with the words, the cursor and the answer in variables.
ASKED = """
. "$1"; shift
words=($(complete -p postel)) && [ "${words[-3]}" = -F ] || exit 1
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
"${words[-2]}" postel "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}" 2> /dev/null
printf '%s\\n' "${COMPREPLY[@]}"
"""


def offered(folder: Path, *words: str) -> set[str]:
    """Return what bash offers for the last of these words, in the folder of the script."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("bash is not installed")
    script = folder / ".script"
    script.write_text(run("completion", "bash").out, "utf-8")
    asked = subprocess.run(  # noqa: S603 - the system's bash
        [bash, "--norc", "-c", ASKED, "bash", str(script), *words],
        capture_output=True,
        check=True,
        cwd=folder,
        text=True,
    )
    return {*asked.stdout.split()}


@together(
    ("words", "expected"),
    [
        (["postel", "ch"], {"check"}),
        (["postel", "pre"], {"pretty"}),
        (["postel", ""], {command.name for command in COMMANDS}),
        (["postel", "check", "--f"], {"--form"}),
        (["postel", "js", "decodeURIC"], {"decodeURIComponent"}),
        (["postel", "encode", "--place", "q"], {"query", "query-name", "query-value"}),
        (["postel", "scan", "--format", "gun"], {"gunicorn"}),
        (["postel", "scan", "acc"], {"access.log"}),
        (["postel", "scan", "--html", "rep"], {"report.html"}),
        (["postel", "completion", ""], {"bash", "fish", "zsh"}),
        (["postel", "explain", "encoded-b"], {"encoded-backslash"}),
        (["postel", "explain", "nul", "tab", "encoded-b"], {"encoded-backslash"}),
        (["postel", "check", "--policy", ""], {"strict", "standard", "lenient"}),
        (["postel", "scan", "--policy", "st"], {"strict", "standard"}),
        (["postel", "nothing"], set()),
    ],
)
def test_bash_offers_the_expected_words(words: list[str], expected: set[str], tmp_path: Path) -> None:
    (tmp_path / "access.log").touch()
    (tmp_path / "report.html").touch()
    assert offered(tmp_path, *words) == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_has_a_script_that_names_every_command(shell: str) -> None:
    ended = run("completion", shell)
    assert (ended.code, ended.err) == (0, "")
    assert all(command.name in ended.out for command in COMMANDS)
    printed = json.loads(run("completion", "--json", shell).out)
    assert printed["shell"] == shell
    assert printed["script"].splitlines() == ended.out.splitlines()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_can_read_its_script(shell: str, tmp_path: Path) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    script = tmp_path / "script"
    script.write_text(run("completion", shell).out, "utf-8")
    subprocess.run([program, "-n", str(script)], check=True)  # noqa: S603 - the system's shell


def test_without_the_extra_a_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    ended = run("completion", "bash")
    assert (ended.code, ended.out) == (2, "")
    assert "pip install '.[completion]' in the clone" in ended.err


def test_an_unknown_shell_is_a_usage_error() -> None:
    ended = run("completion", "csh")
    assert (ended.code, ended.out) == (2, "")
    assert all(shell in ended.err for shell in ("bash", "zsh", "fish"))

"""The first page of the documentation, run line by line on a fresh clone, leads to a refusal."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = Path("docs/start.md")
BLOCK: Final = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def first_steps(page: str) -> list[tuple[str, str]]:
    """Return the blocks of the page up to the sections on frameworks, with their languages."""
    return BLOCK.findall(page.partition("## Each framework")[0])


def script(page: str) -> str:
    """Return the page as a script, which saves a block of Python that begins with a file name."""
    lines = ["set -eu"]
    for language, code in first_steps(page):
        match language:
            case "python":
                name = code.partition("\n")[0].removeprefix("# ")
                assert re.fullmatch(r"\w+\.py", name)
                lines.append(f"cat > {name} <<'END OF FILE'\n{code}END OF FILE")
            case "sh":
                # Print each command before it runs, as a terminal shows it.
                lines += [f"printf '%s\\n' {_quoted('$ ' + line)}\n{line}" for line in code.splitlines()]
    return "\n".join([*lines, ""])


def _quoted(line: str) -> str:
    return "'" + line.replace("'", "'\\''") + "'"


def test_the_page_has_steps() -> None:
    languages = [language for language, _ in first_steps((ROOT / PAGE).read_text("utf-8"))]
    assert languages == ["sh", "python", "sh", "text", "text"]


@pytest.mark.fresh
def test_the_steps_of_the_page_lead_to_a_refusal(tmp_path: Path) -> None:
    clone = tmp_path / "postel"
    cloning = ["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(clone)]
    subprocess.run(cloning, check=True)  # noqa: S603 - a fixed command
    page = (clone / PAGE).read_text("utf-8")
    # python3 is the Python that runs this test, outside of its virtual environment.
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "python3").symlink_to(Path(sys.base_prefix, "bin", "python3"))
    kept = {
        name: value for name, value in os.environ.items() if not re.match(r"PYTHON|VIRTUAL_ENV|COV", name)
    }
    ended = subprocess.run(  # noqa: S603 - the script is a page of the project
        ["/bin/bash", "-c", script(page)],
        cwd=clone,
        env={**kept, "PATH": f"{programs}:{kept['PATH']}"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    print(ended.stdout, ended.stderr, sep="\n")
    assert ended.returncode == 0
    told, logged = (re.sub("[0-9a-f]{16}", "ID", text) for text in (ended.stdout, ended.stderr))
    assert "You asked for 'café'." in told.splitlines()
    shown = [re.sub("[0-9a-f]{16}", "ID", code) for language, code in first_steps(page) if language == "text"]
    answer, log = shown
    assert [line for line in answer.splitlines() if line not in told.splitlines()] == []
    assert log in logged

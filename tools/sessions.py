"""The sessions of the documentation, and tests/cli/golden.

``make pages`` runs this file, which rewrites them. ``tests/cli/test_sessions.py`` and
``tests/project/test_docs.py`` check them. A session is a block of ``console``: lines that begin with
``$``, each with its output.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from terminal import session

ROOT: Final = Path(__file__).parent.parent
PAGE: Final = ROOT / "docs" / "commands.md"
GOLDEN: Final = ROOT / "tests" / "cli" / "golden"
_SESSION: Final = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def sessions(page: str) -> list[str]:
    return _SESSION.findall(page)


def renewed(page: str) -> str:
    """Return the page with the current output of its sessions."""
    return _SESSION.sub(lambda block: f"```console\n{session(block[1].splitlines())}```", page)


def golden() -> dict[Path, str]:
    """Return the files of tests/cli/golden: the page's hostile URLs, as text and as JSON."""
    hostile = PAGE.read_text("utf-8").partition("<!-- hostile -->")[2].partition("<!-- end of hostile -->")[0]
    files: dict[Path, str] = {}
    for number, lines in enumerate(sessions(hostile), start=1):
        command = lines.splitlines()[0]
        files[GOLDEN / f"{number:02}.txt"] = session([command])
        files[GOLDEN / f"{number:02}.json"] = session(
            [command.replace("postel check", "postel check --json")]
        )
    return files


if __name__ == "__main__":
    for page in PAGE.parent.glob("*.md"):
        page.write_text(renewed(page.read_text("utf-8")), "utf-8")
    for file, text in golden().items():
        file.write_text(text, "utf-8")

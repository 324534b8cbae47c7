"""Every row of a table in the documentation has as many cells as its header."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tables import uneven

ROOT: Final = Path(__file__).parents[2]
PAGES: Final = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("tests/**/*.md")]
HEAD: Final = "| a | b |\n|---|:-:|\n"


@pytest.mark.parametrize("page", sorted(PAGES), ids=lambda path: path.name)
def test_every_row_has_the_cells_of_its_header(page: Path) -> None:
    assert uneven(page.read_text("utf-8")) == []


@pytest.mark.parametrize(
    ("page", "rows"),
    [
        (HEAD + "| 1 | 2 |\n", []),
        (HEAD + "| 1 |\n| 1 | 2 |\n", ["| 1 |"]),
        (HEAD + "| ▏███|▏ | 2 |\n", ["| ▏███|▏ | 2 |"]),
        (HEAD + "| `a|b` | 2 |\n", ["| `a|b` | 2 |"]),
        (HEAD + r"| `a\|b` | 2 |", []),
        ("| a |\n|---|---|\n", ["| a |"]),
        (f"```text\n{HEAD}| 1 |\n```\n", []),
        ("| no table |\n", []),
        (HEAD + "\n| another | paragraph | here |\n", []),
    ],
    ids=[
        "even",
        "too few cells",
        "too many cells",
        "a bar in code",
        "an escaped bar",
        "an uneven header",
        "a table in a block of code",
        "no table",
        "a paragraph below",
    ],
)
def test_uneven_rows_are_found(page: str, rows: list[str]) -> None:
    assert uneven(page) == rows

"""Write and check Markdown tables, and sort versions."""

from __future__ import annotations

import re
from collections.abc import Iterable


def line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def head(cells: Iterable[str]) -> str:
    cells = list(cells)
    return line(cells) + line(["---"] * len(cells))


def numbers(version: str) -> list[int]:
    return [int(each) for each in re.findall(r"\d+", version)]


_FENCED = re.compile(r"^(```+|~~~+).*?^\1$", re.MULTILINE | re.DOTALL)
_DELIMITERS = re.compile(r"\|(\s*:?-+:?\s*\|)+")


def uneven(page: str) -> list[str]:
    """Return the table rows of a page that have more or fewer cells than the header, and are shown wrongly.

    A "|" divides cells in code as well, unless a backslash stands in front of it (GitHub Flavored Markdown,
    section 4.10).
    """
    lines = _FENCED.sub(lambda block: "\n" * block[0].count("\n"), page).split("\n")
    found: list[str] = []
    cells = 0
    for number, text in enumerate(map(str.strip, lines)):
        if not text.startswith("|"):
            cells = 0
        elif _DELIMITERS.fullmatch(text):
            cells = _cells(text)
            found += [lines[number - 1]] * (_cells(lines[number - 1].strip()) != cells)
        elif cells and _cells(text) != cells:
            found.append(text)
    return found


def _cells(row: str) -> int:
    return len(re.findall(r"(?<!\\)\|", row)) - 1

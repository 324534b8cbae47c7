"""Tables in Markdown, and the order of versions in them."""

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

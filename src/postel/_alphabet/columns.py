"""Align rows of short texts in columns."""

from __future__ import annotations

from collections.abc import Sequence


def aligned(rows: Sequence[Sequence[str]], *, least: int = 0) -> list[str]:
    """Return a line for each row; a column is as wide as its widest cell, and at least ``least`` characters.

    >>> aligned([["kind", "where"], ["nul", "path"]])
    ['kind  where', 'nul   path']
    """
    widths = [max(least, *map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]

"""The section of docs/frameworks.md on what ``postel doctor`` finds in each framework and version."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from readers.asking_meanings import code
from tables import head, line, numbers

TITLE: Final = "What the doctor finds"
OPENING: Final = f"""\
## {TITLE}

`make frameworks` also runs [`postel doctor`](doctor.md) in process on a small application of each
framework, in each version. A row is a request of its catalogue. A cell names the places in which that version
reads something different from what the server passed on; *one meaning* says that all places agree. *Closed
by* names the clause of the default policy, or the setting of `NormalizeMiddleware`, that makes them agree. If
places still differ behind the default policy, the cell names them, and the clause to add.

"""
_AGREES: Final = "one meaning"

Row = dict[str, Any]
Cells = tuple[str, str]
"""The places that differ without postel, and the clause that closes the difference."""


def cells(row: Row) -> Cells:
    """Return the two cells of a row."""
    bare = ", ".join(map(code, row["bare"])) or _AGREES
    if not row["left"]:
        return bare, code(row["clause"])
    verb, _, clause = row["clause"].rpartition("add ")
    advice = f"{verb}add {code(clause)}" if clause != row["clause"] else code(clause)
    return bare, f"{advice}; left: {', '.join(map(code, row['left']))}"


def doctor_section(rows: list[Row]) -> str:
    """Return the section. Exit if two results for one version differ."""
    found: dict[tuple[str, str], dict[str, Cells]] = {}
    for row in rows:
        column = found.setdefault((row["framework"], row["version"]), {})
        if column.setdefault(row["meaning"], cells(row)) != cells(row):
            raise SystemExit(
                f"one version has two results: pin its dependencies, or use another version: {row}"
            )
    meanings = list(dict.fromkeys(row["meaning"] for row in rows))
    frameworks = sorted({framework for framework, _ in found})
    tables = (
        _table(
            framework,
            meanings,
            {version: column for (name, version), column in found.items() if name == framework},
        )
        for framework in frameworks
    )
    return OPENING + "".join(tables)


def _table(framework: str, meanings: Iterable[str], columns: dict[str, dict[str, Cells]]) -> str:
    versions = sorted(columns, key=numbers)
    rows: list[str] = []
    for meaning in meanings:
        row = {version: columns[version][meaning] for version in versions}
        if any(bare != _AGREES for bare, _ in row.values()):
            rows.append(line([meaning, *(bare for bare, _ in row.values()), _closed(row)]))
    return f"### {framework}\n\n" + head(["What was sent", *versions, "Closed by"]) + "".join(rows) + "\n"


def _closed(row: dict[str, Cells]) -> str:
    """Return the clause that closes a difference; with versions, if these need different clauses."""
    needed = {version: closed for version, (bare, closed) in row.items() if bare != _AGREES}
    several = dict.fromkeys(needed.values())
    if len(several) == 1:
        return next(iter(several))
    return "; ".join(
        f"{closed} ({', '.join(version for version in needed if needed[version] == closed)})"
        for closed in several
    )


def lines_of(page: str, framework: str, version: str) -> dict[str, Cells]:
    """Return the cells of one version on the page, for the rows in which places disagree."""
    section = page.partition(f"## {TITLE}\n")[2].partition("\n## ")[0]
    table = section.partition(f"### {framework}\n\n")[2].partition("\n\n")[0]
    names, _, *rows = [row[2:-2].split(" | ") for row in table.splitlines()]
    at = names.index(version)
    return {row[0]: (row[at], _of(row[-1], version)) for row in rows if row[at] != _AGREES}


def _of(cell: str, version: str) -> str:
    """Return the text for one version from a cell, which may hold several texts."""
    parts = re.findall(r"(.+?) \(([\d., ]+)\)(?:; |$)", cell)
    return next((text for text, versions in parts if version in versions.split(", ")), cell)

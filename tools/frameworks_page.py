"""Write docs/frameworks.md from the facts of ``make frameworks``, a file for each environment.

    python tools/frameworks_page.py [--check] FACTS...

With ``--check`` nothing is written, and the command fails if the page is not current.
"""

from __future__ import annotations

import argparse
import difflib
import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from doctor_section import doctor_section
from readers.denoting import EXCLUDED, MERGES
from readers.meanings import MEANINGS
from readers.sites import EVERY_FILE, MOUNTS
from tables import head, line, numbers

PAGE: Final = Path(__file__).parents[1] / "docs" / "frameworks.md"

Facts = dict[str, list[Any]]
Column = dict[str, tuple[str, str]]
"""What one version of a framework reads from each request, without postel and behind it."""

OPENING: Final = """\
<!-- Made by "make frameworks-page" from a run of every environment, not edited by hand. -->

# Frameworks

This page shows what old and new frameworks read from requests that can be read in two ways, and what postel
does with each request. Every cell is the answer of an application of the framework. The requests reach it
in-process, as servers hand them over; `make frameworks` runs all frameworks, and `make test` those that are
installed. Bold marks a second meaning: a value that an application can read, and that differs from what was
routed, sent or judged. The place where it is read, such as `url` or `form`, stands in front of it.
*Behind postel* is `NormalizeMiddleware` with its default policy, `forms=True` and
`headers={"cookie": Action.DROP_PAIR}`. The column shows the status of the refusal and its kinds, or `read` if
the request is passed on with one meaning, and the kinds that were repaired, dropped or reported. If the
result needs another setting, the cell names it (*needs*).

"""

VERSIONS: Final = """\
## Versions

The oldest version of a framework is the release that was current three years ago and still installs on Python
3.11. For Starlette and FastAPI it is the release of 2024 that gave `request.url` the form that it had until
2026. The newest version is that of `constraints.txt`, or the newest that runs only on a newer Python. The
exact versions of all other packages are in `tests/readers/versions`. aiohttp is missing, because it supports
neither WSGI nor ASGI.

"""

EXCLUSIONS: Final = """\
## Rebuilt URLs

`build_absolute_uri()`, `request.url`, `url_for` and similar functions must denote the path that was routed.
They do if the path component of the URL, percent-decoded once, has the octets of the routed path, and the
authority is that of the request. Under a policy that preserves escapes, `%2F` and `%25` stand for data in the
routed path, and the URL may also keep these two escapes unchanged. A URL in which a slash that is data has
become a separator is always wrong. The comparison is `denotes` in `tests/readers/denoting.py`.

In each version above, URLs denote the routed path for every target of `tests/targets.toml`, and for all
generated targets that a preset accepts, except in the places of this table. Do not compare URLs from these
places with paths, and do not send them anywhere unescaped:

"""

CLOSING: Final = """\

Two more differences do not depend on the spelling of a path. {files}. {mounts}.
"""


def table_of(framework: str, rows: list[dict[str, str]], whys: dict[str, str]) -> str:
    """Return the table of a framework. A row is a second meaning that at least one version has."""
    versions = sorted({row["version"] for row in rows}, key=numbers)
    found = {(row["meaning"], row["version"]): row for row in rows}
    meanings = [
        meaning
        for meaning in dict.fromkeys(row["meaning"] for row in rows)
        if any("**" in found[meaning, version]["bare"] for version in versions)
    ]
    cells = [
        line(_row(meaning, [found[meaning, version] for version in versions], whys)) for meaning in meanings
    ]
    return f"## {framework}\n\n" + head(["Request", *versions, "Behind postel"]) + "".join(cells) + "\n"


def _row(meaning: str, rows: list[dict[str, str]], whys: dict[str, str]) -> Iterator[str]:
    yield meaning
    yield from (row["bare"] for row in rows)
    behind = {row["version"]: row["behind"] for row in rows}
    said = ", ".join(
        text
        if len(set(behind.values())) == 1
        else f"{text} ({', '.join(v for v in behind if behind[v] == text)})"
        for text in dict.fromkeys(behind.values())
    )
    yield f"{said}; needs {whys[meaning]}" if whys.get(meaning) else said


def columns_of(page: str) -> dict[tuple[str, str], Column]:
    """Read the cells of a page back from its tables, by framework and version."""
    found: dict[tuple[str, str], Column] = {}
    for section in re.split(r"^## ", page, flags=re.MULTILINE)[1:]:
        title, _, text = section.partition("\n")
        table = [row[2:-2].split(" | ") for row in text.splitlines() if row.startswith("| ")]
        if not table or table[0][0] != "Request":
            continue
        versions = table[0][1:-1]
        for meaning, *cells in table[2:]:
            for version, cell in zip(versions, cells, strict=False):
                column = found.setdefault((title, version), {})
                column[meaning] = cell, _behind(cells[-1].partition("; needs ")[0], version)
    return found


def _behind(cell: str, version: str) -> str:
    """Return the text for one version from a cell, which may hold several texts."""
    parts = re.findall(r"(.+?) \(([\d., ]+)\)(?:, |$)", cell)
    return next((text for text, versions in parts if version in versions.split(", ")), cell)


def versions_table(facts: Iterable[tuple[str, Facts]]) -> str:
    rows: dict[str, dict[str, str]] = {}
    columns = []
    for name, found in facts:
        column = f"{name}, Python {'.'.join(found['python'][0].split('.')[:2])}"
        columns.append(column)
        for row in found["meanings"]:
            rows.setdefault(row["framework"], {})[column] = row["version"]
    cells = [line([framework, *(rows[framework].get(each, "") for each in columns)]) for framework in rows]
    return head(["Framework", *columns]) + "".join(cells) + "\n"


def exclusions() -> str:
    cells = [
        line([framework, ", ".join(f"`{place}`" for place in sorted(each.places)), each.reason])
        for framework, excluded in EXCLUDED.items()
        for each in excluded
    ]
    cells += [line([framework, "`path`, routing", reason]) for framework, reason in MERGES.items()]
    return head(("Framework", "Places", "Why")) + "".join(cells)


def page_of(facts: list[tuple[str, Facts]]) -> str:
    rows = [row for _, found in facts for row in found["meanings"]]
    found: dict[tuple[str, str, str], dict[str, str]] = {}
    ambiguous = {
        (row["framework"], row["version"])
        for row in rows
        if found.setdefault((row["framework"], row["version"], row["meaning"]), row) != row
    }
    if ambiguous:
        raise SystemExit(
            f"one version has two results: pin its dependencies, or use another version: {ambiguous}"
        )
    order = {meaning.name: number for number, meaning in enumerate(MEANINGS)}
    rows.sort(key=lambda row: order[row["meaning"]])
    unused = set(order) - {row["meaning"] for row in rows if "**" in row["bare"]}
    if unused:
        raise SystemExit(
            f"no framework has these second meanings; remove them from meanings.py: {sorted(unused)}"
        )
    frameworks = dict.fromkeys(row["framework"] for _, found in facts for row in found["meanings"])
    whys = {meaning.name: meaning.why for meaning in MEANINGS}
    tables = "".join(
        table_of(framework, [row for row in rows if row["framework"] == framework], whys)
        for framework in sorted(frameworks)
    )
    mounts = "; ".join(f"in {framework}, {reason}" for framework, reason in MOUNTS.items())
    mounts = mounts[:1].upper() + mounts[1:]
    closing = CLOSING.format(files=EVERY_FILE.capitalize(), mounts=mounts)
    doctor = doctor_section([row for _, found in facts for row in found["doctor"]])
    opening = OPENING + VERSIONS + versions_table(facts)
    return opening + tables + doctor + EXCLUSIONS + exclusions() + closing


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare the page, and write nothing")
    parser.add_argument("facts", nargs="+", type=Path, help="NAME.json, in the order of the columns")
    arguments = parser.parse_args()
    facts = [(path.stem, json.loads(path.read_text("utf-8"))) for path in arguments.facts]
    page = page_of(facts)
    if not arguments.check:
        PAGE.write_text(page, "utf-8")
        return 0
    written = PAGE.read_text("utf-8")
    sys.stdout.writelines(
        difflib.unified_diff(
            written.splitlines(keepends=True), page.splitlines(keepends=True), "the page", "the facts"
        )
    )
    return int(written != page)


if __name__ == "__main__":
    sys.exit(main())

"""docs/performance.md has the cases and tables that the current benchmark writes."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "bench"))
try:
    from body_costs import BODIES
    from cases import CASES, FORMS, GROWING, batch
finally:
    sys.path.remove(str(ROOT / "bench"))

PAGE: Final = (ROOT / "docs" / "performance.md").read_text("utf-8")


def tables() -> list[list[list[str]]]:
    """Return every table as rows of cells, with its header first."""
    blocks = re.findall(r"(?:^\|.*\n)+", PAGE, re.MULTILINE)
    # The page draws bars in backticks. A bar may contain "|", the mark for urllib.
    return [
        [re.sub(r"`[^`]*`", "bar", line).strip("|\n ").split(" | ") for line in block.splitlines()]
        for block in blocks
    ]


def test_every_table_is_well_formed() -> None:
    for head, rule, *rows in tables():
        assert "|".join(rule).count("---") == len(head)
        assert rows
        assert {len(row) for row in rows} == {len(head)}, head


def test_every_case_has_its_row() -> None:
    by_first = {
        table[0][0] + table[0][1].strip(): [row[0].strip() for row in table[2:]] for table in tables()
    }
    assert by_first["caseurllib, µs"] == list(CASES)
    assert by_first["shape1 KiB"] == list(GROWING)
    assert by_first["bodyparse_qsl, µs"] == list(FORMS)
    assert by_first["bodythe application, µs"] == list(BODIES)


def test_the_page_names_machine_and_versions() -> None:
    assert re.search(r"^CPython 3\.\d+\.\d+, \S+, .*processors;$", PAGE, re.MULTILINE)
    assert "postel " in PAGE
    assert "yarl " in PAGE


def test_no_target_is_measured_twice() -> None:
    for name, make in CASES.items():
        targets = [*batch(make, 20), *batch(make, 20)]
        if name != "root":
            assert len(set(targets)) == len(targets), name

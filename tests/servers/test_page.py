"""docs/servers.md is what the servers do today: a page that is stale fails."""

from __future__ import annotations

import pytest

from servers.configurations import CONFIGURATIONS
from servers.matrix import Configuration
from servers_page import DIFFERING, INTRODUCTION, NONE, PAGE, PREFIXES, differing_row, server_row

pytestmark = pytest.mark.servers

TEXT = PAGE.read_text("utf-8")
VERSION = 2


def without_version(row: str) -> str:
    """A row where nobody pins the version: nginx and Apache are Debian's, wsgiref is Python's."""
    cells = row.split(" | ")
    return " | ".join((cells[0], *cells[VERSION:]))


@pytest.mark.parametrize("configuration", CONFIGURATIONS, ids=lambda each: f"{each.name}, {each.protocol}")
def test_its_rows_are_those_of_today(configuration: Configuration) -> None:
    row, rows = server_row(configuration), TEXT.splitlines(keepends=True)
    if configuration.distributions:
        assert row in rows
    else:
        assert without_version(row) in map(without_version, rows)
    assert differing_row(configuration) in rows


def test_its_text_is_there_and_no_row_is_of_what_is_gone() -> None:
    for text in (INTRODUCTION, PREFIXES, DIFFERING):
        assert text in TEXT
    before_frameworks = TEXT.partition("## Frameworks")[0]
    rows = [line for line in before_frameworks.splitlines() if line.startswith("| ") and "SGI) |" in line]
    assert len(rows) == 2 * len(CONFIGURATIONS)
    assert NONE in before_frameworks


def test_a_stale_page_would_fail() -> None:
    row = server_row(CONFIGURATIONS[0])
    assert row.replace(" of ", " out of ") not in TEXT

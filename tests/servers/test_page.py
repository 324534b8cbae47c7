"""docs/servers.md is current: it shows what the servers do today."""

from __future__ import annotations

import pytest

from servers.configurations import CONFIGURATIONS
from servers.matrix import Configuration
from servers_page import DIFFERING, INTRODUCTION, NONE, PAGE, PREFIXES, differing_row, server_row

pytestmark = pytest.mark.servers

TEXT = PAGE.read_text("utf-8")
VERSION = 2


def without_version(row: str) -> str:
    """Return a row without versions that are not pinned: nginx and Apache of Debian, wsgiref of Python."""
    cells = row.split(" | ")
    return " | ".join((cells[0], *cells[VERSION:]))


@pytest.mark.parametrize("configuration", CONFIGURATIONS, ids=lambda each: f"{each.name}, {each.protocol}")
def test_the_rows_of_the_page_are_current(configuration: Configuration) -> None:
    row, rows = server_row(configuration), TEXT.splitlines(keepends=True)
    if configuration.distributions:
        assert row in rows
    else:
        assert without_version(row) in map(without_version, rows)
    assert differing_row(configuration) in rows


def test_the_text_of_the_page_is_current_and_it_has_no_other_rows() -> None:
    for text in (INTRODUCTION, PREFIXES, DIFFERING):
        assert text in TEXT
    before_frameworks = TEXT.partition("## Frameworks")[0]
    rows = [line for line in before_frameworks.splitlines() if line.startswith("| ") and "SGI) |" in line]
    assert len(rows) == 2 * len(CONFIGURATIONS)
    assert NONE in before_frameworks


def test_an_outdated_page_would_fail() -> None:
    row = server_row(CONFIGURATIONS[0])
    assert row.replace(" of ", " out of ") not in TEXT

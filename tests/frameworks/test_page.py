"""The tables of docs/servers.md show what the frameworks read today."""

from __future__ import annotations

from pathlib import Path

from framework_tables import framework_tables

PAGE = Path(__file__).parents[2] / "docs" / "servers.md"


def test_the_tables_are_current() -> None:
    assert PAGE.read_text("utf-8").endswith(framework_tables())

"""What docs/servers.md says of frameworks is what they read today."""

from __future__ import annotations

from pathlib import Path

from framework_tables import framework_tables

PAGE = Path(__file__).parents[2] / "docs" / "servers.md"


def test_the_tables_are_those_of_today() -> None:
    assert PAGE.read_text("utf-8").endswith(framework_tables())

"""Print at the end of the toolkit's tests how many borrowed rows were compared, and how many disagree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolkit.corpora import COUNTS

if TYPE_CHECKING:
    import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.stash[COUNTS] = {}


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    counts = config.stash[COUNTS]
    if counts:
        terminalreporter.section("borrowed cases")
        for corpus, count in sorted(counts.items()):
            terminalreporter.write_line(f"{corpus}: {count}")

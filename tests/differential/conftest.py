"""Says at the end of a run on how much the readers agree."""

from __future__ import annotations

import pytest

SHARES = pytest.StashKey[list[str]]()


@pytest.fixture(scope="session")
def shares(pytestconfig: pytest.Config) -> list[str]:
    """Lines for the summary."""
    return pytestconfig.stash.setdefault(SHARES, [])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the lines."""
    if shares := config.stash.get(SHARES, []):
        terminalreporter.section("one meaning")
        for line in shares:
            terminalreporter.line(line)

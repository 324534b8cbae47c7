"""Print at the end of a run how much was compared."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from differential.agreement import AGREEMENTS, RAW, Agreement, Raw
from differential.readers import OTHERS, READERS
from evidence.record import note


@pytest.fixture(scope="session")
def agreements(pytestconfig: pytest.Config) -> list[Agreement]:
    """Return the readings of accepted targets."""
    return pytestconfig.stash.setdefault(AGREEMENTS, [])


@pytest.fixture(scope="session")
def raw(pytestconfig: pytest.Config) -> list[Raw]:
    """Return the readings of generated queries without postel."""
    return pytestconfig.stash.setdefault(RAW, [])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print how much was compared."""
    agreements, raw = config.stash.get(AGREEMENTS, []), config.stash.get(RAW, [])
    if not agreements and not raw:
        return
    terminalreporter.section("one meaning")
    for each in raw:
        terminalreporter.line(str(each))
    for of in sorted({each.of for each in agreements}):
        asked = [each for each in agreements if each.of == of]
        terminalreporter.line(
            f"after postel, {len({each.reader for each in asked})} readers of a {of}: "
            f"{sum(each.compared for each in asked)} comparisons, "
            f"{sum(each.differing for each in asked)} differ"
        )


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Keep the facts for the page of evidence."""
    note(session.config, "agreements", map(asdict, session.config.stash.get(AGREEMENTS, [])))
    note(session.config, "raw", map(asdict, session.config.stash.get(RAW, [])))
    note(
        session.config,
        "readers",
        (
            {"name": reader.name, "quirk": reader.quirk.text if reader.quirk else ""}
            for reader in (*READERS, *OTHERS)
        ),
    )

"""Settings for all tests: how thorough the random ones are, and where the facts of a run are written."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from evidence.record import write

settings.register_profile("default", max_examples=60, deadline=None)
settings.register_profile(
    "thorough", max_examples=5000, deadline=None, suppress_health_check=list(HealthCheck)
)
settings.load_profile(os.environ.get("POSTEL_HYPOTHESIS", "default"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--evidence", type=Path, help="write the facts of the run, as JSON, to this file")


def pytest_collection_finish() -> None:
    """Freeze the modules and tests, so that the garbage collector does not examine them again and again."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    path = session.config.getoption("--evidence")
    if path is not None:
        write(session.config, path)

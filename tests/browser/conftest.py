"""Collect nothing here without selenium, which only the environment of ``make test-browser`` has."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from typing import Any

import pytest

collect_ignore_glob = [] if importlib.util.find_spec("selenium") else ["test_*.py"]


@pytest.fixture(scope="session")
def driver() -> Iterator[Any]:
    """Run one Chromium for all tests that do not need one with other settings."""
    from browser.chromium import chromium, programs  # noqa: PLC0415 - this module imports selenium

    if not all(programs()):
        (pytest.fail if os.environ.get("POSTEL_REQUIRE_BROWSER") else pytest.skip)(
            "Chromium is not installed"
        )
    with chromium() as made:
        yield made

"""Without selenium, which the environment of ``make test-browser`` has, there is nothing to collect here."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from typing import Any

import pytest

collect_ignore_glob = [] if importlib.util.find_spec("selenium") else ["test_*.py"]


@pytest.fixture(scope="session")
def driver() -> Iterator[Any]:
    """One Chromium for all tests that need nothing special of it."""
    from browser.chromium import chromium, programs  # noqa: PLC0415 - it imports selenium

    if not all(programs()):
        (pytest.fail if os.environ.get("POSTEL_REQUIRE_BROWSER") else pytest.skip)(
            "Chromium is not installed"
        )
    with chromium() as made:
        yield made

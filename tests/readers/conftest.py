"""Write what a run has found about frameworks, for docs/frameworks.md. Close files that they leave open."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from readers.left_open import left_open  # noqa: F401 - a fixture
from readers.record import write


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Write the facts of a run, if requested."""
    if path := os.environ.get("POSTEL_FACTS"):
        write(Path(path))

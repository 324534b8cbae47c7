"""Close files that frameworks leave open, and record the number of requests for docs/evidence.md."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from evidence.record import note
from readers.left_open import left_open  # noqa: F401 - a fixture
from whole.scale import Run

Noting = Callable[..., None]


@pytest.fixture
def asked_about(pytestconfig: pytest.Config) -> Noting:
    """Record how many requests a run has sent, and how many of them violate a law."""

    def keep(subject: str, run: Run, *, requests: int, broken: int) -> None:
        fact = {"subject": subject, "seed": run.seed, "requests": requests, "broken": broken}
        note(pytestconfig, "whole", [fact] if run.long else [])

    return keep

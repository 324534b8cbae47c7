"""Collects what frameworks leave open, and notes what was asked for docs/evidence.md."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from evidence.record import note
from readers.left_open import left_open  # noqa: F401 - a fixture
from whole.scale import Run

Noting = Callable[..., None]


@pytest.fixture
def asked_about(pytestconfig: pytest.Config) -> Noting:
    """Note how many requests a run has asked about, and how many of them break what is promised."""

    def keep(subject: str, run: Run, *, requests: int, broken: int) -> None:
        fact = {"subject": subject, "seed": run.seed, "requests": requests, "broken": broken}
        note(pytestconfig, "whole", [fact] if run.long else [])

    return keep

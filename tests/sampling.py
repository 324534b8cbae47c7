"""Tables of many thousand rows: ``make test`` tests a sample of them, ``make evidence`` tests all."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Final, TypeVar

import pytest

Row = TypeVar("Row")

EVERY: Final = pytest.mark.parametrize(
    "every", [pytest.param(8, id="a sample"), pytest.param(1, id="all", marks=pytest.mark.evidence)]
)
"""A test with this mark has the argument ``every``, and calls ``sample(rows, every)``."""


def sample(rows: Iterable[Row], every: int) -> list[Row]:
    """Return 1/``every`` of the rows, the same rows each time; all of them if ``every`` is 1."""
    table = list(rows)
    return table if every == 1 else random.Random(0).sample(table, len(table) // every)  # noqa: S311

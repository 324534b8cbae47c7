"""How many requests are sent: few in `make test`, more in `make evidence`, and any number on request.

``POSTEL_SEEDS=10-19`` uses these seeds instead of those of `make evidence`. ``POSTEL_TIMES=20`` multiplies
the number of requests by 20.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Final, final

import pytest


@final
@dataclass(frozen=True)
class Run:
    """A seed, and whether its run is long."""

    seed: int
    long: bool = True

    def count(self, few: int, many: int) -> int:
        """Return how many requests to send."""
        return many * TIMES if self.long else few

    def __str__(self) -> str:
        return f"seed {self.seed}"


def _seeds(text: str) -> list[int]:
    first, _, last = text.partition("-")
    return list(range(int(first), int(last or first) + 1))


TIMES: Final = int(os.environ.get("POSTEL_TIMES", "1"))
RUNS: Final[list[Any]] = [
    pytest.param(Run(0, long=False), id="a few"),
    *(
        pytest.param(Run(seed), marks=pytest.mark.evidence, id=f"seed {seed}")
        for seed in _seeds(os.environ.get("POSTEL_SEEDS", "1-2"))
    ),
]
"""`make test` does the first run, `make evidence` all of them."""
EACH_RUN: Final = pytest.mark.parametrize("run", RUNS)

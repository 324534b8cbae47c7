"""Facts about how readers agree, for the summary of a run and for the page of evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, final

import pytest


@final
@dataclass(frozen=True)
class Agreement:
    """How one reader, or router, reads what a preset accepts."""

    of: str
    """``query`` or ``path``."""
    reader: str
    preset: str
    seed: int
    compared: int
    differing: int


@final
@dataclass(frozen=True)
class Raw:
    """How many generated queries a group of readers reads in the same way without postel."""

    group: str
    seed: int
    readers: tuple[str, ...]
    count: int
    agreed: int

    def __str__(self) -> str:
        return (
            f"{self.group}, seed {self.seed}: before postel, {len(self.readers)} readers agree on "
            f"{self.agreed} of {self.count} generated queries ({self.agreed / self.count:.0%})"
        )


AGREEMENTS: Final = pytest.StashKey[list[Agreement]]()
RAW: Final = pytest.StashKey[list[Raw]]()

"""The request targets of ``targets.toml``: one list, for all servers, frameworks and clients."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

FILE: Final = Path(__file__).with_suffix(".toml")
HOST: Final = "postel.test"
"""The Host that the absolute forms in the list are for."""


@dataclass(frozen=True)
class Sample:
    """One target, as a client writes it."""

    name: str
    octets: bytes
    about: str
    subject: str

    @property
    def path(self) -> bytes:
        return self.octets.partition(b"?")[0]

    @property
    def query(self) -> bytes:
        return self.octets.partition(b"?")[2]

    @property
    def origin(self) -> bool:
        """Whether the target begins with a slash, so that it can follow a prefix."""
        return self.octets.startswith(b"/")


def _read() -> list[Sample]:
    return [
        Sample(name, _octets(**row), row["about"], subject)
        for subject, rows in tomllib.loads(FILE.read_text("utf-8")).items()
        for name, row in rows.items()
    ]


def _octets(octets: str, then: str = "", times: int = 0, **_: Any) -> bytes:
    return (octets + then * times).encode("latin-1")


SAMPLES: Final = _read()
BY_NAME: Final = {sample.name: sample for sample in SAMPLES}

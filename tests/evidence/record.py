"""The facts that a run of the tests has found; ``--evidence`` names the file to write them to."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import pytest

RECORD: Final = pytest.StashKey[dict[str, list[Any]]]()


def note(config: pytest.Config, subject: str, facts: Iterable[Any]) -> None:
    """Keep facts on a subject."""
    config.stash.setdefault(RECORD, {}).setdefault(subject, []).extend(facts)


def write(config: pytest.Config, path: Path) -> None:
    """Write all facts."""
    path.write_text(json.dumps(config.stash.get(RECORD, {}), indent=1) + "\n", "utf-8")

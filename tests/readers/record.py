"""What a run has found of the frameworks that are installed, written as JSON where ``POSTEL_FACTS`` says."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final

FACTS: Final[dict[str, list[Any]]] = {}


def note(subject: str, fact: Any) -> None:
    """Keep a fact on a subject."""
    FACTS.setdefault(subject, []).append(fact)


def write(path: Path) -> None:
    """Write all that was kept, and the Python that has run."""
    python = ".".join(map(str, sys.version_info[:3]))
    path.write_text(json.dumps({"python": [python], **FACTS}, indent=1) + "\n", "utf-8")

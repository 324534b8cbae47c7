"""Facts about the installed frameworks, written as JSON to the file that ``POSTEL_FACTS`` names."""

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
    """Write all facts, and the version of Python."""
    python = ".".join(map(str, sys.version_info[:3]))
    path.write_text(json.dumps({"python": [python], **FACTS}, indent=1) + "\n", "utf-8")

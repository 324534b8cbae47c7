"""Sum the facts of ``make evidence-full`` in tests/readers/full.json; docs/evidence.md has its table.

python tests/readers/full.py FACTS...
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

RESULTS: Final = Path(__file__).parent / "full.json"


def summed(facts: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sum the targets that each version has received, and those that it reads differently, by policy."""
    rows: dict[tuple[str, ...], dict[str, Any]] = {}
    for fact in facts:
        key = (fact["framework"], fact["version"], fact["policy"])
        row = rows.setdefault(key, {**fact, "targets": 0, "differing": 0})
        row["targets"] += fact["targets"]
        row["differing"] += fact["differing"]
    return [rows[key] for key in sorted(rows)]


def main(paths: list[str]) -> None:
    facts = [json.loads(Path(path).read_text("utf-8")) for path in paths]
    rows = summed(row for found in facts for row in found["denoting"])
    RESULTS.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])

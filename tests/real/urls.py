"""Judge real URLs as GET requests under STANDARD, and list the refused ones.

    python -m real.urls

Every refusal must have a line in ``urls.toml`` that says whether it is legitimate, and every line there must
have a refusal; otherwise the run fails.
"""

from __future__ import annotations

import fnmatch
import io
import json
import sys
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote_to_bytes

from postel import Action, Report
from postel.wsgi import NormalizeMiddleware
from real.corpora import ROOT, SOURCES, AbsentError

FILE: Final = Path(__file__).parent / "urls.toml"
FACTS: Final = ROOT / ".venv-real-facts"
JUDGEMENTS: Final = ("legitimate", "hostile", "mistake")


@dataclass(frozen=True)
class Judgement:
    """A line of ``urls.toml``: refusals, their judgement, and the reason."""

    source: str
    kinds: frozenset[str]
    judged: str
    """``legitimate``, ``hostile``, or ``mistake``: a link that is broken for everybody."""
    why: str
    target: str = "*"

    def takes(self, source: str, target: str, kinds: frozenset[str]) -> bool:
        pattern = self.target.replace("[", "[[]")
        return source == self.source and kinds <= self.kinds and fnmatch.fnmatchcase(target, pattern)


def judgements() -> list[Judgement]:
    """Read ``urls.toml``."""
    found = []
    for table in tomllib.loads(FILE.read_text("utf-8")).get("refusal", []):
        each = Judgement(**{**table, "kinds": frozenset(table["kinds"])})
        if each.judged not in JUDGEMENTS:
            raise ValueError(f"{each.judged!r} is not one of {', '.join(JUDGEMENTS)}")
        found.append(each)
    return found


def asked(target: str) -> dict[str, Any]:
    """Return what a WSGI server hands over for a GET."""
    path, _, query = target.partition("?")
    return {
        "REQUEST_METHOD": "GET",
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
        "QUERY_STRING": query,
        "REQUEST_URI": target,
        "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_HOST": "example.com",
        "wsgi.input": io.BytesIO(),
    }


def main() -> int:
    known = judgements()
    left = dict.fromkeys(known, 0)
    facts: dict[str, Any] = {}
    unjudged = 0
    reports: list[Report] = []
    app = NormalizeMiddleware(lambda environ, start_response: [], observer=reports.append)
    for source in SOURCES:
        try:
            targets = sorted(set(source.targets()))
        except AbsentError as absence:
            print(f"== NOT read: {source.name}: {absence}", file=sys.stderr)
            continue
        redirected: Counter[str] = Counter()
        judged: list[dict[str, str]] = []
        for target in targets:
            reports.clear()
            app(asked(target), lambda status, headers: None)
            for report in reports:
                kinds = frozenset(each.kind.slug for each in report.findings if each.action is Action.REJECT)
                if report.location is not None:
                    redirected[" ".join(sorted(kinds))] += 1
                elif report.refused:
                    row = next((row for row in known if row.takes(source.name, target, kinds)), None)
                    if row is None:
                        unjudged += 1
                        print(f"  not judged: {source.name} {target[:200]} {' '.join(sorted(kinds))}")
                    else:
                        left[row] += 1
                        judged.append(
                            {"kinds": " ".join(sorted(kinds)), "judged": row.judged, "why": row.why}
                        )
        facts[source.name] = {
            "what": source.what,
            "targets": len(targets),
            "redirected": dict(sorted(redirected.items())),
            "refused": judged,
        }
        print(
            f"{source.name}: {len(targets)} targets, {len(judged)} refused, {redirected.total()} redirected"
        )
    idle = [row for row, count in left.items() if not count and row.source in facts]
    for row in idle:
        print(f"  does not occur: {row.source}, {row.why!r}")
    FACTS.mkdir(exist_ok=True)
    (FACTS / "urls.json").write_text(json.dumps(facts, indent=1) + "\n", "utf-8")
    return bool(unjudged or idle)


if __name__ == "__main__":
    sys.exit(main())

"""Run the tests of real applications, with and without postel, and list the differences.

    python -m real.run [NAME ...] [--keep]

The applications are tested one at a time, each in its own environment. Every difference must have a class in
``classes.toml``, and every line there must have a difference; otherwise the run fails. If a line names an
exemption, the tests run once more under a policy with it, and the policy must accept those requests.
``--keep`` reads the records of the last run instead of running the tests, to work on the classes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any, Final

from real.applications import HERE, ROOT, Application, applications, install
from real.differences import Difference, Row, Run, classed, differences, edited, recorded, rows

FACTS: Final = ROOT / ".venv-real-facts"
MINUTES: Final = 30
"""The most minutes that one run of an application's tests may take."""


def main() -> int:
    known = applications()
    parser = argparse.ArgumentParser(
        description="Run the tests of real applications, with and without postel."
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of: {', '.join(known)}")
    parser.add_argument("--keep", action="store_true", help="read the last records instead of running")
    given = parser.parse_args()
    if strangers := [name for name in given.names if name not in known]:
        parser.error(f"there is no application {strangers[0]!r}: {', '.join(known)}")
    classes = rows()
    FACTS.mkdir(exist_ok=True)
    failed = [
        name for name in given.names or known if not _one(known[name], classes, run_anew=not given.keep)
    ]
    print(f"differences without a class, or classes without a difference: {', '.join(failed) or 'none'}")
    return bool(failed)


def _one(app: Application, classes: list[Row], *, run_anew: bool) -> bool:
    """Run and compare one application; return whether differences and classes match."""
    own = [row for row in classes if row.application == app.name]
    exemptions = " ".join(dict.fromkeys(clause for row in own for clause in row.policy.split()))
    if run_anew:
        install(app, sys.executable)
        _run(app, "bare")
        _run(app, "wrapped")
        if exemptions:
            _run(app, "exempt", f"standard {exemptions}")
    bare, wrapped = (recorded(_record(app, mode)) for mode in ("bare", "wrapped"))
    found = differences(bare, wrapped)
    by_row, unclassed = classed(found, own)
    useless = _useless(app, bare, own) if exemptions else []
    counts = Counter(row.class_ for row, each in by_row.items() for _ in each)
    tests = sum(map(_ran, bare.outcomes.values()))
    print(
        f"{app.name} {app.version}: {tests} tests, {wrapped.requests} requests, "
        f"{len(found)} differences: {', '.join(f'{n} {each}' for each, n in counts.items()) or 'none'}"
    )
    for difference in unclassed:
        print(f"  unclassed: {difference}")
    for row, each in by_row.items():
        if not each:
            print(f"  does not occur: {row.class_}, {row.why!r} ({row.test})")
    for row in useless:
        print(f"  not let pass by {row.policy!r}: {row.why!r} ({row.test})")
    facts = _facts(app, bare, wrapped, by_row)
    (FACTS / f"{app.name}.json").write_text(json.dumps(facts, indent=1) + "\n", "utf-8")
    return (
        bool(bare.outcomes) and wrapped.requests > 0 and not (unclassed or useless) and all(by_row.values())
    )


def _useless(app: Application, bare: Run, own: list[Row]) -> list[Row]:
    """Return the rows whose exemption does not accept their requests."""
    left, _ = classed(differences(bare, recorded(_record(app, "exempt"))), own)
    return [
        row
        for row, found in left.items()
        if row.policy and any(each.what in {"refused", "redirected"} for each in found)
    ]


def _ran(outcome: str) -> bool:
    return outcome != "skipped"


def _facts(app: Application, bare: Run, wrapped: Run, by_row: dict[Row, list[Difference]]) -> dict[str, Any]:
    """Return the facts about an application for the page."""
    return {
        "distribution": app.distribution,
        "version": app.version,
        "protocol": app.protocol,
        "what": app.what,
        "tests": sum(map(_ran, bare.outcomes.values())),
        "failing": sum(outcome in {"failed", "error"} for outcome in bare.outcomes.values()),
        "requests": wrapped.requests,
        "edited": dict(sorted(edited(wrapped).items())),
        "rows": [
            {
                "class": row.class_,
                "why": row.why,
                "exemption": row.policy or row.setting,
                "told": row.told,
                "kinds": sorted({kind for each in found for kind in each.kinds}),
                "what": sorted({each.what for each in found}),
                "count": len(found),
                "example": found[0].request,
            }
            for row, found in by_row.items()
            if found
        ],
    }


def _record(app: Application, mode: str) -> Path:
    return app.environment / f"{mode}.jsonl"


def _run(app: Application, mode: str, policy: str = "standard") -> None:
    """Run the tests of an application once; their output is in a log beside the record."""
    print(f"== {app.name} {app.version}, {mode}", flush=True)
    record = _record(app, mode)
    record.unlink(missing_ok=True)
    environment = {
        **os.environ,
        "PATH": f"{app.environment / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(HERE / "inside")]),
        "PYTHONHASHSEED": "0",
        "BEHIND_POSTEL_RECORD": str(record),
        "BEHIND_POSTEL_CLIENTS": "" if mode == "bare" else app.clients,
        "BEHIND_POSTEL_POLICY": policy,
    }
    with (app.environment / f"{mode}.log").open("wb") as log:
        subprocess.run(  # noqa: S603 - our own arguments
            [str(app.python), *app.command],
            check=False,  # Tests that also fail without postel are no difference.
            cwd=app.source / app.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            timeout=60 * MINUTES,
        )


if __name__ == "__main__":
    sys.exit(main())

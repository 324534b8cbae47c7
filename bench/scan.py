"""Compare the time and memory of ``postel scan`` with those of other programs that read the same log.

    python bench/scan.py [--lines 1000000] [--rounds 3] [--workers 1] [--log FILE] [--json]

The others are goaccess, an awk program that counts answers by status, and a Python program that only splits
lines. Each runs as a process of its own, in turns, so that a busy machine slows all of them. The times are
processor time. bench/access_log.py writes the log; one line in ten has a fault. It also gives the counts
that the scan must report: if they differ, the exit code is 1. With --log, another log in the combined format
is read, and no counts are compared.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import access_log

SPLIT: Final = """
import sys
with open(sys.argv[1], "rb") as file:
    print(sum(len(line.split(b" ")) > 6 for line in file))
"""
SCAN: Final = """
import json, sys
from postel.scan import Summary, count_parts, parts_of
if __name__ == "__main__":
    print(json.dumps(Summary.of(count_parts(parts_of(sys.argv[1]), workers=int(sys.argv[2]))).as_json()))
"""
AWK: Final = "{ count[$9]++ } END { for (status in count) print status, count[status] }"


@dataclass(slots=True)
class Contender:
    """A program that reads a log, and what it has used in each round."""

    name: str
    command: list[str]
    seconds: list[float] = field(default_factory=list)
    """The processor time of all its processes, in each round."""
    peak: int = 0
    """The most memory of one process, in KiB."""
    output: str = ""

    def run(self) -> None:
        """Run it once."""
        with tempfile.TemporaryFile("w+") as output:
            process = subprocess.Popen(self.command, stdout=output, stderr=subprocess.DEVNULL)  # noqa: S603 - ours
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                raise SystemExit(f"{self.name} has failed with {process.returncode}: {self.command}")
            output.seek(0)
            self.output = output.read()
        self.seconds.append(used.ru_utime + used.ru_stime)
        self.peak = max(self.peak, used.ru_maxrss)


def contenders(log: Path, folder: Path, workers: int) -> list[Contender]:
    """Return the programs that are installed."""
    scan, split = folder / "scan.py", folder / "split.py"
    scan.write_text(SCAN)
    split.write_text(SPLIT)
    found = [
        Contender("postel scan", [sys.executable, str(scan), str(log), str(workers)]),
        Contender("Python, split only", [sys.executable, str(split), str(log)]),
    ]
    if awk := shutil.which("awk"):
        found.append(Contender(f"awk ({Path(awk).resolve().name}), count by status", [awk, AWK, str(log)]))
    if goaccess := os.environ.get("POSTEL_GOACCESS") or shutil.which("goaccess"):
        report = str(folder / "goaccess.json")
        options = ["--no-global-config", "--log-format=COMBINED", "--no-progress", "-o", report]
        found.append(Contender("goaccess", [goaccess, str(log), *options]))
    return found


def counted(summary: dict[str, object]) -> dict[str, object]:
    """Return a summary in the form of ``expected`` in bench/access_log.py."""
    kinds = summary["kinds"]
    assert isinstance(kinds, list)  # noqa: S101 - for the type checker
    return {
        name: summary[name] for name in ("lines", "requests", "clean", "unreadable", "refused", "redirected")
    } | {
        "kinds": {
            f"{each['kind']}@{each['component']}": each["requests"]
            for each in sorted(kinds, key=lambda each: (each["kind"], each["component"]))
            if each["requests"]
        }
    }


def main() -> int:
    """Print the table, and return 1 if the scan has miscounted."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--log", type=Path, help="a log in the combined format, instead of a generated one")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        log, expected = options.log, None
        if log is None:
            log = Path(place) / "access.log"
            expected = access_log.write(options.lines, log)
        with log.open("rb") as file:
            lines = sum(1 for _ in file)
        compared = contenders(log, Path(place), options.workers)
        began = time.perf_counter()
        for _ in range(options.rounds):
            for contender in compared:
                contender.run()
        wall = time.perf_counter() - began
        right = expected is None or counted(json.loads(compared[0].output)) == expected
        octets = log.stat().st_size
    rows = [
        {
            "what": each.name,
            "microseconds": statistics.median(each.seconds) / lines * 1e6,
            "least": min(each.seconds) / lines * 1e6,
            "most": max(each.seconds) / lines * 1e6,
            "peak_mib": each.peak / 1024,
        }
        for each in compared
    ]
    if options.json:
        print(json.dumps({"lines": lines, "octets": octets, "exact": right, "contenders": rows}, indent=2))
        return 0 if right else 1
    share = (
        f"; the processor was busy with these for {sum(sum(each.seconds) for each in compared) / wall:.0%}"
    )
    print(f"{lines:,} lines, {octets / 2**20:,.0f} MiB, {options.rounds} rounds in turns{share} of the time")
    print(f"CPython {platform.python_version()}, {platform.machine()}, workers: {options.workers}\n")
    print("| program | µs of a core for each line, median | least to most | peak, MiB |")
    print("|---|---:|---:|---:|")
    for row in rows:
        print(
            f"| {row['what']} | {row['microseconds']:.2f} | {row['least']:.2f} to {row['most']:.2f} "
            f"| {row['peak_mib']:.0f} |"
        )
    if expected is not None:
        print(f"\nThe counts of the scan are {'correct' if right else 'WRONG'}.")
    return 0 if right else 1


if __name__ == "__main__":
    raise SystemExit(main())

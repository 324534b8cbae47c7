"""How fast a log is scanned, and in how much memory, beside plain Python that reads and splits its lines.

    python bench/scan.py [--lines 1000000] [--times 10] [--workers 1] [--json]

Each contender is a process of its own, so that its peak of memory is its own. The log is that of
bench/access_log.py, and the scan's counts are held against those that it states: a scan that miscounts is an
error, however fast. With --times, a log so many times as long is scanned, too, and its memory set beside.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

import access_log

_PEAK: Final = """
import json, os, resource, time
begin = time.perf_counter()
told = run()
seconds = time.perf_counter() - begin
cpu = sum(os.times()[:4])
peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
print(json.dumps({"seconds": seconds, "cpu": cpu, "peak": peak, "told": told}))
"""
"""ru_maxrss is in KiB on Linux; of children it is the largest one's."""
READ_AND_SPLIT: Final = f"""
def run():
    count = 0
    with open({{log!r}}, "rb") as file:
        for line in file:
            count += len(line.split(b" ")) > 6
    return {{{{"lines": count}}}}
{_PEAK.replace("{", "{{").replace("}", "}}")}
"""
SCAN: Final = f"""
from postel.scan import Summary, count_parts, parts_of
def run():
    return Summary.of(count_parts(parts_of({{log!r}}), workers={{workers}})).as_json()
if __name__ == "__main__":
{chr(10).join("    " + line for line in _PEAK.replace("{", "{{").replace("}", "}}").strip().splitlines())}
"""


def measured(code: str, folder: Path) -> dict[str, object]:
    """Run a contender."""
    script = folder / "contender.py"
    script.write_text(code)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)  # noqa: S603 - ours
    told: dict[str, object] = json.loads(done.stdout)
    return told


def counted(summary: dict[str, object]) -> dict[str, object]:
    """A summary in the words of bench/access_log.py."""
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
    """Print the table; 1 where a scan has miscounted."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--times", type=int, default=0, help="scan a log so many times as long, too")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="for machines")
    options = parser.parse_args()
    results: list[dict[str, object]] = []
    right = True
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for lines in [options.lines, *([options.lines * options.times] if options.times else [])]:
            log = folder / "access.log"
            owed = access_log.write(lines, log)
            for name, code in (("read and split", READ_AND_SPLIT), ("postel scan", SCAN)):
                began = time.perf_counter()
                got = measured(code.format(log=str(log), workers=options.workers), folder)
                told = got.pop("told")
                assert isinstance(told, dict)  # noqa: S101 - for the type checker
                exact = name != "postel scan" or counted(told) == owed
                right = right and exact
                results.append(
                    {
                        "what": name,
                        "lines": lines,
                        "octets": log.stat().st_size,
                        "exact": exact,
                        "wall": time.perf_counter() - began,
                        **got,
                    }
                )
    if options.json:
        print(json.dumps(results, indent=2))
        return 0 if right else 1
    print(f"CPython {platform.python_version()}, {platform.machine()}, workers: {options.workers}\n")
    print("| what | lines | seconds | of a core | lines a second of a core | peak, MiB | counts |")
    print("|---|---:|---:|---:|---:|---:|---|")
    for each in results:
        lines, seconds, cpu, peak = (float(str(each[name])) for name in ("lines", "seconds", "cpu", "peak"))
        verdict = "as stated" if each["exact"] else "WRONG"
        print(
            f"| {each['what']} | {lines:,.0f} | {seconds:.1f} | {cpu:.1f} | {lines / cpu:,.0f} | "
            f"{peak / 1024:.0f} | {verdict if each['what'] == 'postel scan' else ''} |"
        )
    return 0 if right else 1


if __name__ == "__main__":
    raise SystemExit(main())

"""Fuzz every invariant for some seconds, beginning with the kept inputs and the borrowed cases.

    python tests/fuzz/run.py [--seconds N] [--keep] [NAME ...]

An input that breaks its invariant is printed as a line of the corpus, and the run fails. Add the input, with
the fix, to the table of the test that should have found it. ``--keep`` adds the new inputs that reach other
code to the kept ones, as few as possible.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

TESTS: Final = Path(__file__).parents[1]
sys.path.insert(0, str(TESTS))

from conformance.corpora import FOLDER, octets  # noqa: E402 - the path is set above
from fuzz.corpus import keep, kept  # noqa: E402
from fuzz.invariants import INVARIANTS  # noqa: E402

LONGEST: Final = 400
"""The most octets of an input. Law 8 tests longer ones."""
MOST: Final = 400
"""The most inputs that are kept for an invariant; the shortest are kept."""
FIELDS: Final = ("in", "target", "query_bytes", "ref", "input")


def borrowed() -> Iterator[bytes]:
    """Yield the inputs of the borrowed cases."""
    for path in sorted(FOLDER.glob("*.json")):
        for case in json.loads(path.read_text("utf-8"))["cases"]:
            for field in FIELDS:
                value: Any = case.get(field)
                if isinstance(value, str) or (isinstance(value, dict) and {*value} & {"hex", "utf16"}):
                    yield octets(value)


def seeds(name: str) -> set[bytes]:
    """Return the first inputs of a fuzzer."""
    inputs = {*kept(name)}
    if name in {"path", "query", "form"}:
        inputs |= {b"\0" + each for each in borrowed() if len(each) < LONGEST}
    return inputs


def lay_out(folder: Path, inputs: set[bytes]) -> Path:
    """Write a folder with a file for each input, as libFuzzer needs it."""
    folder.mkdir()
    for number, each in enumerate(sorted(inputs)):
        (folder / str(number)).write_bytes(each)
    return folder


def libfuzzer(name: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a fuzzer's program in a folder."""
    again = folder / "again"
    program = [sys.executable, str(TESTS / "fuzz" / "target.py"), name]
    again.write_text(f'#!/bin/sh\nexec {shlex.join(program)} "$@"\n', "utf-8")
    again.chmod(0o700)
    return subprocess.run(  # noqa: S603 - our own program
        [*program, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(TESTS), "POSTEL_FUZZER": str(again)},
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )


def fuzz(name: str, seconds: int, *, keeping: bool) -> dict[str, Any]:
    """Run one fuzzer, and return facts of its run, with the inputs that have broken the invariant."""
    with tempfile.TemporaryDirectory(prefix=f"postel-fuzz-{name}-") as temporary:
        folder = Path(temporary)
        began = seeds(name)
        found = lay_out(folder / "inputs", began)
        done = libfuzzer(
            name,
            folder,
            "inputs",
            f"-max_total_time={seconds}",
            f"-max_len={LONGEST}",
            "-timeout=20",
            "-print_final_stats=1",
        )
        broken = [
            path.read_bytes()
            for pattern in ("crash-*", "timeout-*", "oom-*")
            for path in folder.glob(pattern)
        ]
        if done.returncode != 0 and not broken:
            sys.exit(f"{name}: the fuzzer failed\n{done.stderr[-3000:]}")
        if keeping and not broken:
            merge(name, folder, found)
        runs = re.search(r"stat::number_of_executed_units:\s*(\d+)", done.stderr)
        facts = {
            "name": name,
            "seconds": seconds,
            "seeds": len(began),
            "runs": int(runs[1]) if runs else 0,
            "broken": [each.decode("latin-1").encode("unicode_escape").decode("ascii") for each in broken],
        }
        if broken:
            sys.stderr.write(done.stderr[-3000:])
        return facts


def merge(name: str, folder: Path, found: Path) -> None:
    """Keep the fewest inputs that reach the same code as all of these; borrowed ones are not kept."""
    theirs = {b"\0" + each for each in borrowed()}
    for path in found.iterdir():
        if path.read_bytes() in theirs:
            path.unlink()
    least = folder / "least"
    least.mkdir()
    done = libfuzzer(name, folder, "-merge=1", f"-max_len={LONGEST}", "least", "inputs")
    if done.returncode != 0:
        sys.exit(f"{name}: merging failed\n{done.stderr[-3000:]}")
    if not (merged := [path.read_bytes() for path in least.iterdir()]):
        sys.exit(f"{name}: merging left no input\n{done.stderr[-3000:]}")
    keep(name, sorted(merged, key=lambda each: (len(each), each))[:MOST])
    shutil.rmtree(least)


def main() -> int:
    """Run the named fuzzers, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(INVARIANTS))
    parser.add_argument(
        "--seconds", type=int, default=20, help="seconds for each fuzzer (default: %(default)s)"
    )
    parser.add_argument(
        "--keep", action="store_true", help="add new inputs that reach other code to the kept ones"
    )
    parser.add_argument("--facts", type=Path, help="write the facts of the run, as JSON, to this file")
    given = parser.parse_args()
    facts = []
    for name in given.names or INVARIANTS:
        done = fuzz(name, given.seconds, keeping=given.keep)
        facts.append(done)
        print(
            f"{name}: {done['runs']} inputs in {done['seconds']} s, {len(done['broken'])} break it",
            flush=True,
        )
        for line in done["broken"]:
            print(f"  {line}")
    if given.facts:
        given.facts.write_text(json.dumps(facts, indent=1) + "\n", "utf-8")
    return any(each["broken"] for each in facts)


if __name__ == "__main__":
    sys.exit(main())

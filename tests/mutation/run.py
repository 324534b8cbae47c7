"""Mutation testing of the core's modules, one after another: ``make mutation``, or with names of modules.

    python tests/mutation/run.py [--sample N] [--seed N] [--judge] [MODULE ...]

mutmut changes one thing of a function at a time, and runs the tests that reach the function: a change that
no test notices is a survivor. Each module is mutated in a copy of the checkout, with the few test files that
``modules.toml`` names for it, in one process.

``--sample N`` tries N mutants of each module, chosen by ``--seed``. A run that was stopped goes on where it
was: mutants are tried once, as long as neither the sources nor the tests of the module change. ``--judge``
tries none, and judges what the last run has left.

A survivor must stand in ``survivors.toml``, by what was changed into what, with the reason why no test can
notice it (or, where one could, why none does). One that is not listed fails the run, and so does a listed one
that is killed, if all mutants were tried. The counts go to ``results.json``, which docs/evidence.md is made
from.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, final

HERE: Final = Path(__file__).parent
CHECKOUT: Final = HERE.parents[1]
WORK: Final = CHECKOUT / ".venv-evidence" / "mutation"
RESULTS: Final = HERE / "results.json"
STAMP: Final = "sources"
"""The file in a module's copy of the checkout that says of what it is a copy."""
SURVIVED: Final = {0}
"""The exit code of pytest when every test has passed."""
UNREACHED: Final = {5, 33}
"""No test reaches the mutant: as good as a survivor."""
ASKED: Final = [*SURVIVED, *UNREACHED]


@final
@dataclass(frozen=True, order=True)
class Change:
    """What a mutant is: the function, and the lines that it lost and got."""

    function: str
    was: str
    becomes: str

    def __str__(self) -> str:
        return f"[[{self.function}]]\n-{self.was}\n+{self.becomes}"


def load(name: str) -> dict[str, Any]:
    return tomllib.loads((HERE / name).read_text("utf-8"))


def listed(module: str) -> dict[Change, str]:
    """The survivors that are known, with the reason of each."""
    return {
        Change(entry["function"], entry["was"].strip(), entry["becomes"].strip()): group["reason"]
        for group in load("survivors.toml").get("survivor", [])
        if group["module"] == module
        for entry in group["of"]
    }


def digest(work: Path, module: str) -> str:
    """The beginning of the SHA-256 of the source that was mutated."""
    return hashlib.sha256((work / "src" / "postel" / f"{module}.py").read_bytes()).hexdigest()[:16]


def stamp(tests: list[str]) -> str:
    """The SHA-256 of what decides on the mutants of a module: all sources, and the tests of the module."""
    sources = sorted((CHECKOUT / "src").rglob("*.py"))
    tried = [CHECKOUT / "tests" / name for name in tests]
    return hashlib.sha256(b"\0".join(each.read_bytes() for each in [*sources, *tried])).hexdigest()


def prepare(module: str, tests: list[str]) -> Path:
    """A copy of what mutmut needs, told to mutate this module alone; the last one, if nothing has changed."""
    work, now = WORK / module, stamp(tests)
    if (work / STAMP).exists() and (work / STAMP).read_text("utf-8") == now:
        return work
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    ignored = shutil.ignore_patterns("__pycache__")
    for folder in ("src", "tests"):
        shutil.copytree(CHECKOUT / folder, work / folder, ignore=ignored)
    told = {
        "source_paths": ["src"],
        "only_mutate": [f"src/postel/{module}.py"],
        "pytest_add_cli_args_test_selection": [f"tests/{name}" for name in tests],
        "pytest_add_cli_args": [
            "-p",
            "no:xdist",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:cov",
            "-p",
            "fresh_ids",
        ],
        # On a busy machine a test that takes long is no test that fails; nothing here can loop without end.
        "timeout_multiplier": 200.0,
        "timeout_constant": 120.0,
        "use_setproctitle": False,
        "use_git_change_detection": False,
    }
    lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in told.items())
    project = (CHECKOUT / "pyproject.toml").read_text("utf-8")
    (work / "pyproject.toml").write_text(f"{project}\n[tool.mutmut]\n{lines}", "utf-8")
    (work / STAMP).write_text(now, "utf-8")
    return work


def mutate(work: Path, module: str, most: int | None, seed: int) -> None:
    """Try the mutants of a module that were not tried yet: all, or a sample of so many."""
    if not _meta(work, module).exists():
        # No mutant has this name, so mutmut makes the mutants, runs the tests once, and stops.
        _mutmut(work, ["nobody"])
    codes = outcomes(work, module)
    chosen = sample(codes, most, seed)
    if left := [mutant for mutant in chosen if codes[mutant] is None]:
        said = _mutmut(work, left)
        # A test that cannot be found is no test that fails, though mutmut counts the mutant as killed.
        missing = [mutant for mutant in chosen if outcomes(work, module)[mutant] is None]
        if missing or "BadTestExecutionCommands" in said:
            sys.exit(f"mutmut failed; its words are in {work / 'mutmut.log'}")


def sample(mutants: Iterable[str], most: int | None, seed: int) -> list[str]:
    """So many of the mutants by a seed, in their order; all if there is no bound."""
    every = list(mutants)
    if most is None or most >= len(every):
        return every
    chosen = {*random.Random(seed).sample(sorted(every), most)}  # noqa: S311 - a choice, no secret
    return [mutant for mutant in every if mutant in chosen]


def _mutmut(work: Path, mutants: list[str]) -> str:
    """Run mutmut, gently: one process, behind everyone else's. Returns what it said."""
    mutmut = Path(sys.executable).with_name("mutmut")
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    with (work / "mutmut.log").open("wb") as log:
        subprocess.run(  # noqa: S603 - our own tool
            ["nice", "-n", "19", mutmut, "run", "--max-children", "1", *mutants],  # noqa: S607
            cwd=work,
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
            check=False,
        )
    return (work / "mutmut.log").read_text("utf-8", "replace")


def _meta(work: Path, module: str) -> Path:
    return work / "mutants" / "src" / "postel" / f"{module}.py.meta"


def outcomes(work: Path, module: str) -> Mapping[str, int | None]:
    """The exit code of the tests for each mutant; ``None`` if it was not tried."""
    if not _meta(work, module).exists():
        sys.exit(f"mutmut failed; its words are in {work / 'mutmut.log'}")
    found: dict[str, int | None] = json.loads(_meta(work, module).read_text("utf-8"))["exit_code_by_key"]
    return found


def change(work: Path, mutant: str) -> Change:
    """What was changed in a mutant, by mutmut's own diff."""
    mutmut = Path(sys.executable).with_name("mutmut")
    shown = subprocess.run(  # noqa: S603 - our own tool
        [mutmut, "show", mutant], cwd=work, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    function = mutant.rpartition("__mutmut_")[0].rpartition(".")[2]
    function = function.removeprefix("x_").removeprefix("xǁ").replace("ǁ", ".")
    return Change(function, *(_side(shown, mark) for mark in "-+"))


def _side(diff: list[str], mark: str) -> str:
    lines = [line[1:].strip() for line in diff if line.startswith(mark) and not line.startswith(mark * 3)]
    return "\n".join(lines)


def judge(module: str, work: Path) -> Iterator[str]:
    """What is wrong with a module's run, in words; the counts are kept."""
    codes = outcomes(work, module)
    tried = {mutant: code for mutant, code in codes.items() if code is not None}
    left = [mutant for mutant, code in tried.items() if code in ASKED]
    changes = {change(work, mutant) for mutant in left}
    known = listed(module)
    results = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    results[module] = {
        "digest": digest(work, module),
        "mutants": len(codes),
        "tried": len(tried),
        "killed": len(tried) - len(left),
        "unexplained": len(changes - known.keys()),
    }
    RESULTS.write_text(json.dumps(results, indent=2, sort_keys=True) + "\n", "utf-8")
    share = 1 - len(left) / len(tried)
    print(
        f"{module}: {len(codes)} mutants, {len(tried)} tried, {len(tried) - len(left)} killed ({share:.1%})",
        flush=True,
    )
    for each in sorted(changes - known.keys()):
        yield f"{module}: a survivor that is not listed\n{each}"
    for each in sorted(known.keys() - changes if len(tried) == len(codes) else ()):
        yield f"{module}: listed, but it is killed\n{each}"


def main() -> int:
    """Mutate the named modules, or all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="such as _alphabet/percent")
    parser.add_argument("--sample", type=int, metavar="N", help="try at most N mutants of each module")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="chooses the sample (1)")
    parser.add_argument("--judge", action="store_true", help="only judge what the last run has left")
    options = parser.parse_args()
    selection: dict[str, list[str]] = load("modules.toml")["tests"]
    wrong: list[str] = []
    for module in options.modules or selection:
        if not options.judge:
            mutate(prepare(module, selection[module]), module, options.sample, options.seed)
        wrong += judge(module, WORK / module)
    print("\n\n".join(wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())

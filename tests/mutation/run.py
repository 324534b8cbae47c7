"""Mutation testing of the core's modules, one after another: ``make mutation``, or with names of modules.

mutmut changes one thing of a function at a time, and runs the tests that reach the function: a change that
no test notices is a survivor. Each module is mutated in a copy of the checkout, with the few test files that
``modules.toml`` names for it, in one process.

A survivor must stand in ``survivors.toml``, by what was changed into what, with the reason why no test can
notice it (or, where one could, why none does). One that is not listed fails the run, and so does a listed one
that is killed. The counts go to ``results.json``, which docs/evidence.md is made from.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, final

HERE: Final = Path(__file__).parent
CHECKOUT: Final = HERE.parents[1]
WORK: Final = CHECKOUT / ".venv-evidence" / "mutation"
RESULTS: Final = HERE / "results.json"
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


def prepare(module: str, tests: list[str]) -> Path:
    """A copy of what mutmut needs, told to mutate this module alone."""
    work = WORK / module
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
    return work


def mutate(work: Path) -> None:
    """Run mutmut, gently: one process, behind everyone else's."""
    mutmut = Path(sys.executable).with_name("mutmut")
    environment = {
        **os.environ,
        "PYTHONPATH": str(HERE),
        "POSTEL_CORPORA": os.environ.get("POSTEL_CORPORA") or str(CHECKOUT.parent / "shared" / "corpora"),
    }
    with (work / "mutmut.log").open("wb") as log:
        done = subprocess.run(  # noqa: S603 - our own tool
            ["nice", "-n", "10", mutmut, "run", "--max-children", "1"],  # noqa: S607
            cwd=work,
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
            check=False,
        )
    said = (work / "mutmut.log").read_text("utf-8", "replace")
    # A test that cannot be found is no test that fails, though mutmut counts the mutant as killed.
    if done.returncode != 0 or "BadTestExecutionCommands" in said:
        sys.exit(f"mutmut failed; its words are in {work / 'mutmut.log'}")


def outcomes(work: Path, module: str) -> Mapping[str, int]:
    """The exit code of the tests for each mutant."""
    meta = json.loads((work / "mutants" / "src" / "postel" / f"{module}.py.meta").read_text("utf-8"))
    found: dict[str, int] = meta["exit_code_by_key"]
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
    left = [mutant for mutant, code in codes.items() if code in ASKED]
    changes = {change(work, mutant) for mutant in left}
    known = listed(module)
    results = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    results[module] = {
        "digest": digest(work, module),
        "mutants": len(codes),
        "killed": len(codes) - len(left),
    }
    RESULTS.write_text(json.dumps(results, indent=2, sort_keys=True) + "\n", "utf-8")
    share = 1 - len(left) / len(codes)
    print(f"{module}: {len(codes)} mutants, {len(codes) - len(left)} killed ({share:.1%})", flush=True)
    for each in sorted(changes - known.keys()):
        yield f"{module}: a survivor that is not listed\n{each}"
    for each in sorted(known.keys() - changes):
        yield f"{module}: listed, but it is killed\n{each}"
    if share < load("modules.toml")["least"]:
        yield f"{module}: fewer are killed than {load('modules.toml')['least']:.0%}"


def main(arguments: list[str]) -> int:
    """Mutate the named modules, or all; with ``--judge`` only look again at what the last run has left."""
    again = "--judge" in arguments
    arguments = [each for each in arguments if each != "--judge"]
    selection: dict[str, list[str]] = load("modules.toml")["tests"]
    wrong: list[str] = []
    for module in arguments or selection:
        work = WORK / module
        if not again:
            mutate(prepare(module, selection[module]))
        wrong += judge(module, work)
    print("\n\n".join(wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

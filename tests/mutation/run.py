"""Mutation testing of the core's modules, one after another. ``make mutation`` runs it for all of them.

    python tests/mutation/run.py [--sample N] [--seed N] [--left] [--judge] [MODULE ...]

A mutant is a module with one change of a function, made by ``mutants.py``. ``trial.py`` runs the tests that
``modules.toml`` names for the module. A mutant that no test kills is a survivor. Survivors of the quick tests
are tried with the slow ones, if there are any. Only one process runs at a time, with a low priority.

``--sample N`` tries N mutants of each module, chosen by ``--seed``. A run that was stopped can be continued:
mutants are tried once, as long as neither the sources nor the tests of the module change. ``--left`` tries
only the survivors of the last run again, after tests were added. ``--judge`` tries no mutants, and compares
the survivors of the last run with the list.

``survivors.toml`` must list every survivor, by its old and new lines, with the reason why no test can kill it
(or, if one could, why none does). A survivor that is not listed fails the run, and so does a listed one that
is killed, if all mutants were tried. The counts are written to ``results.json``, from which docs/evidence.md
is generated.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import random
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, final

from mutants import Mutant, mutants

HERE: Final = Path(__file__).parent
CHECKOUT: Final = HERE.parents[1]
WORK: Final = CHECKOUT / ".venv-evidence" / "mutation"
RESULTS: Final = HERE / "results.json"


@final
@dataclass(frozen=True, order=True)
class Change:
    """The identity of a mutant: its function, and the lines that the change removes and adds."""

    function: str
    was: str
    becomes: str

    def __str__(self) -> str:
        return f"[[{self.function}]]\n-{self.was}\n+{self.becomes}"


def load(name: str) -> dict[str, Any]:
    return tomllib.loads((HERE / name).read_text("utf-8"))


def listed(module: str) -> dict[Change, str]:
    """Return the listed survivors of a module, with the reason of each."""
    return {
        Change(entry["function"], entry["was"].strip(), entry["becomes"].strip()): group["reason"]
        for group in load("survivors.toml").get("survivor", [])
        if group["module"] == module
        for entry in group["of"]
    }


def source(module: str) -> Path:
    return CHECKOUT / "src" / "postel" / f"{module}.py"


def digest(code: str) -> str:
    """Return the beginning of the SHA-256 of code without its comments and docstrings."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            node.body = [each for each in node.body if not _is_text(each)] or [ast.Pass()]
    return hashlib.sha256(ast.unparse(tree).encode()).hexdigest()[:16]


def _is_text(statement: ast.stmt) -> bool:
    """Whether a statement is only a text, such as a docstring."""
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def stamp(tests: list[str]) -> str:
    """Return the SHA-256 of all sources and of the tests of a module, on which the outcomes depend."""
    sources = sorted((CHECKOUT / "src").rglob("*.py"))
    tried = [CHECKOUT / "tests" / name for name in tests]
    return hashlib.sha256(b"\0".join(each.read_bytes() for each in [*sources, *tried])).hexdigest()


@final
class State:
    """The outcomes of the mutants of a module, kept in a file between runs."""

    def __init__(self, module: str, tests: list[str]) -> None:
        """Read the outcomes of the last run, if the source is the same."""
        self.file = WORK / f"{module}.json"
        self.now = {"digest": digest(source(module).read_text("utf-8")), "stamp": stamp(tests)}
        kept = json.loads(self.file.read_text("utf-8")) if self.file.exists() else {}
        same = kept.get("digest") == self.now["digest"]
        self.is_current: bool = same and kept["stamp"] == self.now["stamp"]
        self.killers: list[str | None] = kept["killers"] if same else []
        """The test that killed each mutant, ``""`` if it survived, or ``None`` if it was not tried."""

    def forget(self, mutants: int, *, killed: bool) -> None:
        """Forget the outcomes of survivors, and with ``killed`` also of those that were killed."""
        kept = self.killers or [None] * mutants
        self.killers = [each if each and not killed else None for each in kept]

    def keep(self) -> None:
        """Write the outcomes to the file."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(json.dumps({**self.now, "killers": self.killers}), "utf-8")


def sample(mutants: int, most: int | None, seed: int) -> Iterable[int]:
    """Return the numbers of at most ``most`` random mutants, in order; of all mutants if it is ``None``."""
    if most is None or most >= mutants:
        return range(mutants)
    return sorted(random.Random(seed).sample(range(mutants), most))  # noqa: S311 - a choice, no secret


def attempt(module: str, tests: list[str], chosen: Mapping[int, Mutant], state: State) -> None:
    """Try mutants with these tests, and keep each outcome."""
    if not chosen:
        return
    told = {number: vars(mutant) for number, mutant in chosen.items()}
    order = json.dumps({"module": module, "tests": tests, "mutants": told})
    with subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, HERE / "trial.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(order)
        process.stdin.close()
        for line in process.stdout:
            number, killer = json.loads(line)
            state.killers[number] = killer or ""
            state.keep()
    if process.returncode or any(state.killers[number] is None for number in chosen):
        sys.exit(f"not all mutants of {module} could be tried")


def judge(module: str, made: list[Mutant], state: State) -> Iterator[str]:
    """Yield a message for each wrong survivor of a module, and keep the counts."""
    tried = [mutant for mutant, killer in zip(made, state.killers, strict=True) if killer is not None]
    left = [mutant for mutant, killer in zip(made, state.killers, strict=True) if killer == ""]
    changes = {Change(each.function, each.was, each.becomes) for each in left}
    known = listed(module)
    results = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    results[module] = {
        "digest": digest(source(module).read_text("utf-8")),
        "mutants": len(made),
        "tried": len(tried),
        "killed": len(tried) - len(left),
        "unexplained": len(changes - known.keys()),
    }
    RESULTS.write_text(json.dumps(results, indent=2, sort_keys=True) + "\n", "utf-8")
    share = 1 - len(left) / max(1, len(tried))
    print(
        f"{module}: {len(made)} mutants, {len(tried)} tried, {len(tried) - len(left)} killed ({share:.1%})",
        flush=True,
    )
    for each in sorted(changes - known.keys()):
        yield f"{module}: a survivor that is not listed\n{each}"
    for each in sorted(known.keys() - changes if len(tried) == len(made) else ()):
        yield f"{module}: listed, but it is killed\n{each}"


def mutate(module: str, options: argparse.Namespace) -> Iterator[str]:
    """Try the mutants of a module that the options select, and judge the outcome."""
    chosen = load("modules.toml")
    tests, slow = chosen["tests"][module], chosen.get("slow", {}).get(module, [])
    made = [*mutants(source(module))]
    state = State(module, [*tests, *slow])
    if not state.killers or not (state.is_current or options.judge):
        state.forget(len(made), killed=not options.left)
    elif options.left:
        state.forget(len(made), killed=False)
    if not options.judge:
        numbers = [*sample(len(made), options.sample, options.seed)]
        untried = {number: made[number] for number in numbers if state.killers[number] is None}
        attempt(module, tests, untried, state)
        if slow:
            left = {number: each for number, each in untried.items() if state.killers[number] == ""}
            attempt(module, slow, left, state)
    yield from judge(module, made, state)


def main() -> int:
    """Mutate the named modules, or all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="such as _alphabet/percent")
    parser.add_argument("--sample", type=int, metavar="N", help="try at most N mutants of each module")
    parser.add_argument(
        "--seed", type=int, default=1, metavar="N", help="the seed of the sample (default: 1)"
    )
    parser.add_argument("--left", action="store_true", help="try only survivors of the last run")
    parser.add_argument("--judge", action="store_true", help="only compare the last survivors with the list")
    options = parser.parse_args()
    wrong: list[str] = []
    for module in options.modules or load("modules.toml")["tests"]:
        wrong += mutate(module, options)
    print("\n\n".join(wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())

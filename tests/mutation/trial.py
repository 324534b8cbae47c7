"""Try the mutants of one module that ``run.py`` names.

pytest collects the tests once. For each mutant, a child process changes the function and runs the tests:
first those that have killed other mutants of the function, then those that call it, then the others. Within
each group, the quickest come first. The first test that fails ends the child. Some functions are called while
the tests are collected, for example to compile a policy of a table. Such a function is changed before postel
is imported, and the child collects the tests again.

The mutants and the tests are read as JSON from standard input. Each outcome is a line of JSON on standard
output.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import importlib.util
import inspect
import json
import os
import resource
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, Final, final

import pytest
from hypothesis import Phase, settings
from mutants import Mutant

CHECKOUT: Final = Path(__file__).parents[2]
NICE: Final = 15
ENOUGH: Final = 6 << 30
"""The most octets of memory of a child; no test needs as many."""
OURS: Final = {"postel", "pytest_postel"}
CHANGED: Final = 6
"""The exit code of a child that collects other tests than the first process."""
ARGUMENTS: Final = [
    *("-q", "--hypothesis-seed=1", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:cov"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),
    *("-m", "not servers and not browser and not cluster and not fresh and not evidence"),
]


# ---- change the module ----


@final
class Replaced:
    """Imports one module from given code instead of its file."""

    def __init__(self, name: str, path: Path, code: CodeType) -> None:
        self.name, self.path, self.code = name, path, code

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name != self.name:
            return None
        loader = SourceFileLoader(name, str(self.path))
        loader.get_code = lambda _: self.code
        return importlib.util.spec_from_file_location(name, self.path, loader=loader)


def telling(path: Path) -> CodeType:
    """Return the module's code, in which each function calls ``__reached__`` with its name."""
    tree = ast.parse(path.read_text("utf-8"))
    for each in tree.body:
        inside = each.body if isinstance(each, ast.ClassDef) else [each]
        for function in inside:
            if isinstance(function, ast.FunctionDef):
                name = f"{each.name}.{function.name}" if isinstance(each, ast.ClassDef) else function.name
                told = ast.parse(f"__reached__({name!r})").body
                function.body[0:0] = told
    return compile(ast.fix_missing_locations(tree), str(path), "exec", dont_inherit=True)


def change(module: Any, mutant: Mutant) -> None:
    """Replace the code of a function of an imported module by that of a mutant."""
    namespace = dict(vars(module))
    exec(compile(mutant.source, module.__file__, "exec", dont_inherit=True), namespace)  # noqa: S102
    old, new = _function(vars(module), mutant.function), _function(namespace, mutant.function)
    old.__code__, old.__defaults__, old.__kwdefaults__ = new.__code__, new.__defaults__, new.__kwdefaults__


def _function(namespace: dict[str, Any], name: str) -> FunctionType:
    first, _, method = name.partition(".")
    found = inspect.getattr_static(namespace[first], method) if method else namespace[first]
    return getattr(found, "__func__", found)


# ---- run the tests ----


@final
@dataclass
class Survey:
    """What the tests call and import, and how long they take, without any change."""

    early: set[str] = field(default_factory=set)
    """The functions that are called before the first test."""
    imported: list[str] = field(default_factory=list)
    """The modules of other packages that the tests import."""
    seconds: dict[str, float] = field(default_factory=dict)
    reached: dict[str, list[str]] = field(default_factory=dict)
    """The functions that each test calls."""

    def order(self, function: str, killers: Counter[str]) -> list[str]:
        """Return the tests in the order in which to try them on a change of a function."""
        return sorted(
            self.seconds,
            key=lambda test: (-killers[test], function not in self.reached[test], self.seconds[test]),
        )


@final
class Plugin:
    """Passes the tests that pytest has collected to ``then``."""

    def __init__(self, then: Callable[[dict[str, pytest.Item]], None]) -> None:
        self.then = then
        self.failed = False

    def pytest_configure(self, config: pytest.Config) -> None:
        config.addinivalue_line("markers", "no_cover: only pytest-cov reads it")

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        # Any failure kills the mutant, so examples are neither shrunk nor kept for the next run.
        settings.register_profile("mutation", phases=[Phase.explicit, Phase.generate], database=None)
        settings.load_profile("mutation")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed:
            os._exit(3)
        self.then({item.nodeid: item for item in session.items})
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed |= report.failed

    def run(self, items: Sequence[pytest.Item], patience: Callable[[str], float]) -> Iterator[str]:
        """Run tests, and yield the name of each; the process ends if one takes too long."""
        for item, following in zip(items, [*items[1:], None], strict=True):
            signal.setitimer(signal.ITIMER_PROF, patience(item.nodeid))
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            signal.setitimer(signal.ITIMER_PROF, 0)
            yield item.nodeid


def in_child(work: Callable[[Callable[[str], None]], None]) -> tuple[int, str]:
    """Run ``work`` in a child, and return its exit status and its words.

    ``work`` receives a function that sends words to the parent.
    """
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        os.close(ours)
        silent = os.open(os.devnull, os.O_RDWR)
        for stream in (1, 2):
            os.dup2(silent, stream)
        try:
            work(lambda words: _write(theirs, words))
        except BaseException:  # a child never returns to the caller
            traceback.print_exc()
            os._exit(4)
        os._exit(0)
    os.close(theirs)
    with os.fdopen(ours, encoding="utf-8") as said:
        words = said.read()
    return os.waitpid(child, 0)[1], words


def _write(to: int, words: str) -> None:
    left = words.encode()
    while left:
        left = left[os.write(to, left) :]


@final
class Trial:
    """One module with its tests."""

    def __init__(self, module: str, tests: Sequence[str], tell: Callable[[int, str | None], None]) -> None:
        self.path = CHECKOUT / "src" / "postel" / f"{module}.py"
        self.name = f"postel.{module.replace('/', '.')}"
        self.arguments = [*ARGUMENTS, *(str(CHECKOUT / "tests" / test) for test in tests)]
        self.tell = tell
        self.killers: dict[str, Counter[str]] = {}
        self.survey = Survey()

    def look(self) -> None:
        """Run all tests once, without any change."""
        before = set(sys.modules)

        def work(say: Callable[[str], None]) -> None:
            names: set[str] = set()
            builtins.__reached__ = names.add
            sys.meta_path.insert(0, Replaced(self.name, self.path, telling(self.path)))
            survey = Survey()

            def then(items: dict[str, pytest.Item]) -> None:
                survey.early = {*names}
                survey.imported = [name for name in sys.modules if name not in before and _foreign(name)]
                begin = time.process_time()
                names.clear()
                for name in plugin.run([*items.values()], lambda _: 600):
                    if plugin.failed:
                        os.write(2, f"{name} fails without any change\n".encode())
                        os._exit(5)
                    survey.seconds[name] = time.process_time() - begin
                    survey.reached[name] = sorted(names)
                    names.clear()
                    begin = time.process_time()

            plugin = Plugin(then)
            pytest.main(self.arguments, [plugin])
            say(json.dumps({**vars(survey), "early": sorted(survey.early)}))

        code, said = in_child(work)
        if code or not said:
            sys.exit(f"the tests of {self.name} fail without any change, or cannot be collected: {code}")
        found = json.loads(said)
        self.survey = Survey(**{**found, "early": {*found["early"]}})

    def go(self, chosen: dict[int, Mutant]) -> None:
        """Try mutants."""
        early = {number: each for number, each in chosen.items() if each.function in self.survey.early}
        late = {number: each for number, each in chosen.items() if number not in early}
        if late:
            in_child(lambda _: self._late(late))
        for name in self.survey.imported:
            try:
                importlib.import_module(name)
            except Exception:  # noqa: S112 - a module that cannot be imported first
                continue
        for number, mutant in early.items():
            self._try(number, mutant, lambda say, mutant=mutant: self._anew(mutant, say))

    def _late(self, chosen: dict[int, Mutant]) -> None:
        def then(items: dict[str, pytest.Item]) -> None:
            module = importlib.import_module(self.name)
            for number, mutant in chosen.items():

                def work(say: Callable[[str], None], mutant: Mutant = mutant) -> None:
                    change(module, mutant)
                    self._run(plugin, items, mutant, say)

                self._try(number, mutant, work)

        plugin = Plugin(then)
        pytest.main(self.arguments, [plugin])

    def _anew(self, mutant: Mutant, say: Callable[[str], None]) -> None:
        code = compile(mutant.source, str(self.path), "exec", dont_inherit=True)
        sys.meta_path.insert(0, Replaced(self.name, self.path, code))
        plugin = Plugin(lambda items: self._run(plugin, items, mutant, say))
        if pytest.main(self.arguments, [plugin]):
            os._exit(3)

    def _run(
        self, plugin: Plugin, items: dict[str, pytest.Item], mutant: Mutant, say: Callable[[str], None]
    ) -> None:
        resource.setrlimit(resource.RLIMIT_AS, (ENOUGH, ENOUGH))
        order = self.survey.order(mutant.function, self.killers.setdefault(mutant.function, Counter()))
        if items.keys() != {*order}:
            os._exit(CHANGED)
        for name in plugin.run(
            [items[name] for name in order], lambda name: 5 + 10 * self.survey.seconds[name]
        ):
            if plugin.failed:
                say(name)
                os._exit(1)

    def _try(self, number: int, mutant: Mutant, work: Callable[[Callable[[str], None]], None]) -> None:
        code, name = in_child(work)
        if os.waitstatus_to_exitcode(code) == CHANGED:
            sys.exit("the collected tests have changed during the run")
        if name:
            self.killers.setdefault(mutant.function, Counter())[name] += 1
        self.tell(number, (name or f"status {code}") if code else None)


def _foreign(name: str) -> bool:
    spec = getattr(sys.modules[name], "__spec__", None)
    origin = getattr(spec, "origin", None) or ""
    return (
        name.partition(".")[0] not in OURS
        and spec is not None
        and spec.name == name
        and not origin.startswith((f"{CHECKOUT}/tests", f"{CHECKOUT}/src", f"{CHECKOUT}/tools"))
    )


def main() -> None:
    """Try the mutants that standard input names."""
    order = json.load(sys.stdin)
    os.setpriority(os.PRIO_PROCESS, 0, max(NICE, os.getpriority(os.PRIO_PROCESS, 0)))
    os.chdir(CHECKOUT)
    out = os.dup(1)

    def tell(number: int, killer: str | None) -> None:
        _write(out, json.dumps([number, killer]) + "\n")

    trial = Trial(order["module"], order["tests"], tell)
    trial.look()
    trial.go({int(number): Mutant(**each) for number, each in order["mutants"].items()})


if __name__ == "__main__":
    main()

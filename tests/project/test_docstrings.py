"""The examples in docstrings print what they show."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
from typing import Final

import pytest

import postel
from project.test_package import ENTRANCES
from together import together

MODULES: Final = sorted(
    name
    for name in ["postel", *(each.name for each in pkgutil.walk_packages(postel.__path__, "postel."))]
    if not name.endswith("__main__")  # Importing __main__ would run the command.
)


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_print_what_they_show(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


@together(
    ("name", "value"),
    [
        pytest.param(name, vars(module)[name], id=f"{module.__name__}.{name}")
        for module in map(importlib.import_module, ["postel", *ENTRANCES])
        for name in module.__all__
        if inspect.isclass(vars(module)[name]) or inspect.isfunction(vars(module)[name])
    ],
)
def test_an_example_runs_with_no_names_but_its_own(
    name: str, value: object, capsys: pytest.CaptureFixture[str]
) -> None:
    # The examples of methods continue those of their class.
    names: dict[str, object] = {name: value}
    runner = doctest.DocTestRunner(verbose=False)
    for test in doctest.DocTestFinder(exclude_empty=True).find(value, name, module=False):
        test.globs = names if test.name == name else {**names}
        runner.run(test, clear_globs=False)
    assert runner.summarize().failed == 0, capsys.readouterr().out


@pytest.mark.parametrize("entrance", ["postel", *ENTRANCES])
def test_every_public_module_has_names_with_examples(entrance: str) -> None:
    module, finder = importlib.import_module(entrance), doctest.DocTestFinder(exclude_empty=True)
    described = [value for value in map(vars(module).get, module.__all__) if callable(value)]
    assert any(test.examples for value in described for test in finder.find(value, "name", module=False))


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    modules = map(importlib.import_module, MODULES)
    assert sum(bool(test.examples) for module in modules for test in finder.find(module)) > 30

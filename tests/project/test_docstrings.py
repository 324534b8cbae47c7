"""The examples in docstrings print what they show."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from typing import Final

import pytest

import postel

MODULES: Final = sorted(
    name
    for name in ["postel", *(each.name for each in pkgutil.walk_packages(postel.__path__, "postel."))]
    if not name.endswith("__main__")  # Importing __main__ would run the command.
)


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_print_what_they_show(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


@pytest.mark.parametrize("name", ["postel.cli", "postel.doctor", "postel.scan"])
def test_an_example_imports_all_that_it_uses_but_the_described_name(name: str) -> None:
    module = importlib.import_module(name)
    finder, runner = doctest.DocTestFinder(exclude_empty=True), doctest.DocTestRunner()
    for each in filter(callable, map(module.__dict__.get, module.__all__)):
        for test in finder.find(each, each.__name__, globs={each.__name__: each}):
            runner.run(test)
    result = runner.summarize()
    assert result.attempted > 0
    assert result.failed == 0


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    modules = map(importlib.import_module, MODULES)
    assert sum(bool(test.examples) for module in modules for test in finder.find(module)) > 30

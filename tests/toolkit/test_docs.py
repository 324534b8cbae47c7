"""The toolkit's page and docstrings: every example runs, and every table is generated."""

from __future__ import annotations

import doctest
import importlib

import pytest

from postel import uri
from toolkit_page import PAGE, renewed

MODULES = [
    "postel.uri",
    "postel.form",
    "postel.javascript",
    "postel.uri._address_bar",
    "postel.uri._building",
    "postel.uri._cleaning",
    "postel.uri._encoding",
    "postel.uri._local",
    "postel.uri._percent",
    "postel.uri._places",
    "postel.uri._pretty",
    "postel.uri._reference",
]


@pytest.mark.parametrize("module", MODULES)
def test_examples_of_docstrings_run(module: str) -> None:
    results = doctest.testmod(importlib.import_module(module))
    assert results.attempted > 0
    assert results.failed == 0


def test_examples_of_the_page_run() -> None:
    results = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert results.attempted > 30
    assert results.failed == 0


def test_the_tables_of_the_page_are_current() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert renewed(page) == page


def test_the_page_names_every_character_class() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert all(f"`{name}`" in page for name in uri.__all__ if name.isupper() or name[-1].isupper())

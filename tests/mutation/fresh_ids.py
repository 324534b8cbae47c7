"""A plugin for pytest, which mutmut runs many times in one process: names of rows stay the same.

pytest keeps the names that it has made for a table on the table's mark, and in a second run escapes them a
second time. A name with a backslash in it is then not found, pytest exits with an error of usage, and mutmut
takes that for a test that fails: every mutant would seem to be killed.

The plugin also registers the marker of pytest-cov, which is switched off here.
"""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker that some tests have for pytest-cov."""
    config.addinivalue_line("markers", "no_cover: read by pytest-cov alone")


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Forget the names that were made before."""
    for mark in metafunc.definition.iter_markers("parametrize"):
        for each in (mark, mark._param_ids_from):
            if each is not None:
                object.__setattr__(each, "_param_ids_generated", None)

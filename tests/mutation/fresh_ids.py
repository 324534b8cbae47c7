"""A plugin for pytest: names of rows stay the same when pytest runs twice in one process, as mutmut does it.

pytest keeps the names that it has made for a table on the table's mark, and in a second run escapes them a
second time. A name with a backslash in it is then not found, pytest exits with an error of usage, and mutmut
takes that for a test that fails: every mutant would seem to be killed.
"""

from __future__ import annotations

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Forget the names that were made before."""
    for mark in metafunc.definition.iter_markers("parametrize"):
        for each in (mark, mark._param_ids_from):
            if each is not None:
                object.__setattr__(each, "_param_ids_generated", None)

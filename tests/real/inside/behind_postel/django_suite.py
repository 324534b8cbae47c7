"""Run a suite of Django's own test runner, keep its outcomes, and patch its clients.

    python -m behind_postel.django_suite runtests.py --parallel=1 admin_views
    python -m behind_postel.django_suite django test --settings=wagtail.test.settings wagtail.admin

The first argument is a script, or a module that is run like a script.
"""

from __future__ import annotations

import functools
import os
import runpy
import sys
import unittest
from pathlib import Path
from typing import Any

from behind_postel.recording import RECORD

_OUTCOMES = {
    "addSuccess": "passed",
    "addFailure": "failed",
    "addError": "error",
    "addSkip": "skipped",
    "addExpectedFailure": "xfailed",
    "addUnexpectedSuccess": "xpassed",
}


def _record_outcomes(result: Any) -> None:
    """Let a class of results record which test runs, and its outcome."""
    outcomes: dict[str, tuple[str, str]] = {}
    start, stop, subtest = result.startTest, result.stopTest, result.addSubTest

    def starting(self: Any, test: Any) -> None:
        RECORD.test = test.id()
        start(self, test)

    def stopping(self: Any, test: Any) -> None:
        stop(self, test)
        RECORD.outcome(test.id(), *outcomes.pop(test.id(), ("passed", "")))
        RECORD.test = ""

    def of_subtest(self: Any, test: Any, part: Any, error: Any) -> None:
        subtest(self, test, part, error)
        if error is not None:
            outcomes[test.id()] = "failed", str(error[1])

    def noting(name: str, outcome: str) -> None:
        add = getattr(result, name)

        @functools.wraps(add)
        def adding(self: Any, test: Any, *more: Any) -> None:
            add(self, test, *more)
            why = str(more[0][1]) if more and isinstance(more[0], tuple) else ""
            outcomes.setdefault(test.id(), (outcome, why))

        setattr(result, name, adding)

    result.startTest, result.stopTest, result.addSubTest = starting, stopping, of_subtest
    for name, outcome in _OUTCOMES.items():
        noting(name, outcome)


def main() -> None:
    """Run the command in the arguments as if it had been called directly."""
    _record_outcomes(unittest.TextTestResult)
    if names := os.environ.get("BEHIND_POSTEL_CLIENTS"):
        from behind_postel.clients import patch

        patch(names.split())
    del sys.argv[0]
    what = sys.argv[0]
    try:
        if what.endswith(".py"):
            sys.path.insert(0, str(Path(what).resolve().parent))
            runpy.run_path(what, run_name="__main__")
        else:
            runpy.run_module(what, run_name="__main__")
    finally:
        RECORD.end()


if __name__ == "__main__":
    main()

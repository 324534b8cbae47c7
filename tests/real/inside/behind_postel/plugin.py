"""The pytest plugin: it records the running test and its outcome, and patches the clients."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from behind_postel.recording import RECORD

if names := os.environ.get("BEHIND_POSTEL_CLIENTS"):
    from behind_postel.clients import patch

    patch(names.split())

_worst: dict[str, tuple[str, str]] = {}


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: Any) -> Iterator[Any]:
    RECORD.test = item.nodeid
    result = yield
    RECORD.outcome(item.nodeid, *_worst.pop(item.nodeid, ("skipped", "")))
    RECORD.test = ""
    return result


def pytest_runtest_logreport(report: Any) -> None:
    """Record the outcome of the call, or that of a setup or teardown that failed."""
    if report.when == "call" or report.outcome != "passed":
        if hasattr(report, "wasxfail"):
            outcome = "xfailed" if report.outcome == "skipped" else "xpassed"
        else:
            outcome = report.outcome if report.when == "call" or report.outcome == "skipped" else "error"
        crash = getattr(getattr(report.longrepr, "reprcrash", None), "message", "") or ""
        if _worst.get(report.nodeid, ("passed",))[0] == "passed":
            _worst[report.nodeid] = outcome, crash


def pytest_unconfigure() -> None:
    RECORD.end()

"""The record of a run: a line of JSON for each test, and for each request that postel refused or changed.

The variable ``BEHIND_POSTEL_RECORD`` names the file. Requests are written at once, with the test that makes
them, so that a test that never ends is recorded, too.
"""

from __future__ import annotations

import json
import os
from typing import Any, Final

from postel import Action, Report

MOST: Final = 200
"""The most octets of a target that are kept."""
_EDITS: Final = frozenset(
    {Action.REPAIR, Action.PRESERVE, Action.REPLACE, Action.DROP, Action.DROP_PAIR, Action.REJECT}
)


class Record:
    """The record of one run; ``test`` is the running test."""

    def __init__(self, path: str) -> None:
        # A file descriptor instead of a file object: a forked child must not write the parent's buffer again,
        # and some suites treat unclosed files as errors.
        self._descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        self._process = os.getpid()
        self.test = ""
        self.requests = 0

    def write(self, **line: Any) -> None:
        os.write(self._descriptor, json.dumps(line).encode() + b"\n")

    def outcome(self, test: str, outcome: str, why: str = "") -> None:
        self.write(test=test, outcome=outcome, why=why[:300])

    def observe(self, report: Report) -> None:
        """Record a request that is refused, redirected or edited; this is the observer of the middleware."""
        acted = [each for each in report.findings if each.action in _EDITS]
        what = "redirected" if report.location else "refused" if report.refused else "changed"
        if what != "changed":
            acted = [each for each in acted if each.action is Action.REJECT]
        if acted:
            self.write(
                test=self.test,
                what=what,
                method=report.method,
                target=report.received_target[:MOST].decode("latin-1"),
                given="" if report.target is None else (report.target.path[:MOST].decode("latin-1")),
                kinds=sorted({f"{each.component.value}:{each.kind.slug}" for each in acted}),
                excerpts=[each.excerpt.decode("latin-1") for each in acted[:4]],
            )

    def end(self) -> None:
        if os.getpid() == self._process:
            self.write(requests=self.requests)


RECORD: Final = Record(os.environ.get("BEHIND_POSTEL_RECORD", os.devnull))

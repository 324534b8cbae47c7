"""Compare two runs of an application's tests, with and without postel, and classify the differences.

A difference is a request that was refused or redirected. If the outcome of a test has changed, a request that
was edited is a difference, too; if no request was edited, the changed outcome itself is a difference.
``classes.toml`` lists the class of each difference, as judged by hand:

``hostile``     the test means to send what no browser or library would, or to see it refused
``exempt``      a legitimate request; ``policy``, or a ``setting`` of the middleware, lets it pass
``artificial``  no server hands such a request over: the test has made it by hand, or examines objects of the
                test client, which the application behind postel does not receive
``defect``      a legitimate request that is refused or read differently; there should be none
"""

from __future__ import annotations

import fnmatch
import json
import tomllib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from postel import Policy

CLASSES: Final = ("hostile", "exempt", "artificial", "defect")
FILE: Final = Path(__file__).parent / "classes.toml"
TOLD: Final = {
    "scan": "`postel scan` suggests it",
    "check": "`postel check` names it",
    "log": "the line in the log leads to it",
}
"""How people find an exemption; ``test_exemptions.py`` tests each way."""


@dataclass(frozen=True)
class Difference:
    """A test, what was done to one of its requests, and the kinds."""

    test: str
    what: str
    """``refused``, ``redirected`` or ``changed``; ``outcome`` if no request was changed."""
    kinds: tuple[str, ...] = ()
    """The kinds of the findings, each as ``component:kind``."""
    request: str = field(default="", compare=False)
    """The first request of the test with this difference."""
    outcome: str = field(default="", compare=False)
    """How the outcome of the test has changed, if it has."""

    def __str__(self) -> str:
        parts = [self.test, self.what, ", ".join(self.kinds), self.request, self.outcome]
        return "  ".join(part for part in parts if part)


@dataclass(frozen=True)
class Run:
    """One recorded run of the tests of an application."""

    outcomes: dict[str, str]
    events: list[dict[str, Any]]
    requests: int


@dataclass(frozen=True)
class Row:
    """A line of ``classes.toml``: which differences, their class, and why."""

    application: str
    class_: str
    why: str
    test: str = "*"
    what: str = "*"
    kinds: frozenset[str] = frozenset()
    """The kinds that a difference may have; empty if only the outcome differs."""
    policy: str = ""
    """The exemption, as clauses of a policy's text."""
    setting: str = ""
    """The exemption, if it is a setting of the middleware and not a clause."""
    told: str = ""
    """How people find the exemption: a key of ``TOLD``."""

    def takes(self, difference: Difference) -> bool:
        return (
            fnmatch.fnmatchcase(difference.test, self.test.replace("[", "[[]"))
            and fnmatch.fnmatchcase(difference.what, self.what)
            and set(difference.kinds) <= self.kinds
            and bool(difference.kinds) == bool(self.kinds)
        )


def recorded(path: Path) -> Run:
    """Read a record."""
    run = Run({}, [], 0)
    requests = 0
    for line in path.read_text("utf-8").splitlines():
        entry = json.loads(line)
        if "outcome" in entry:
            run.outcomes[entry["test"]] = entry["outcome"]
        elif "what" in entry:
            run.events.append(entry)
        else:
            requests += entry["requests"]
    return Run(run.outcomes, run.events, requests)


def differences(bare: Run, wrapped: Run) -> list[Difference]:
    """Return every difference in the order of the tests. Equal differences of a test count once."""
    found: dict[Difference, Difference] = {}
    events: dict[str, list[dict[str, Any]]] = {}
    for event in wrapped.events:
        events.setdefault(event["test"], []).append(event)
    for test in dict.fromkeys([*bare.outcomes, *wrapped.outcomes, *events]):
        was, became = bare.outcomes.get(test, "absent"), wrapped.outcomes.get(test, "absent")
        outcome = "" if was == became else f"{was} -> {became}"
        explained = False
        for event in events.get(test, ()):
            if event["what"] == "changed" and not outcome:
                continue
            explained = True
            request = f"{event['method']} {event['target']}"
            each = Difference(test, event["what"], tuple(event["kinds"]), request, outcome)
            found.setdefault(each, each)
        if outcome and not explained:
            each = Difference(test, "outcome", outcome=outcome)
            found.setdefault(each, each)
    return list(found.values())


def edited(run: Run) -> Counter[str]:
    """Return how many requests were passed on edited, by kind."""
    return Counter(kind for event in run.events if event["what"] == "changed" for kind in event["kinds"])


def rows() -> list[Row]:
    """Read ``classes.toml``. An invalid line raises ValueError."""
    found = []
    for application, tables in tomllib.loads(FILE.read_text("utf-8")).items():
        for table in tables:
            named = {key: value for key, value in table.items() if key not in {"class", "kinds"}}
            row = Row(application, table["class"], kinds=frozenset(table.get("kinds", ())), **named)
            if row.class_ not in CLASSES:
                raise ValueError(f"{application}: class {row.class_!r} is not one of {', '.join(CLASSES)}")
            if (row.class_ == "exempt") != bool(row.policy or row.setting):
                raise ValueError(
                    f"{application}: {row.why!r}: only a row of the class exempt has policy= or setting="
                )
            if (row.class_ == "exempt") != (row.told in TOLD):
                raise ValueError(
                    f"{application}: {row.why!r}: only a row of the class exempt has told=, "
                    f"one of {', '.join(TOLD)}"
                )
            if row.policy:
                Policy.parse(f"standard {row.policy}")
            found.append(row)
    return found


def classed(
    found: list[Difference], known: list[Row]
) -> tuple[dict[Row, list[Difference]], list[Difference]]:
    """Return the differences by their rows, and those without a row. The first row that matches applies."""
    by_row: dict[Row, list[Difference]] = {row: [] for row in known}
    unclassed = []
    for each in found:
        row = next((row for row in known if row.takes(each)), None)
        (unclassed if row is None else by_row[row]).append(each)
    return by_row, unclassed

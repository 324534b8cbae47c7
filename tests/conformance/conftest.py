"""Count the comparisons, and print the numbers at the end of a run."""

from __future__ import annotations

import pytest

from conformance.comparison import Answer
from evidence.record import note

ANSWERS = pytest.StashKey[list[Answer]]()


@pytest.fixture(scope="session")
def answers(pytestconfig: pytest.Config) -> list[Answer]:
    """Return all answers of this run, for the summary."""
    return pytestconfig.stash.setdefault(ANSWERS, [])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print how many rows agree, and how many disagree with a reason."""
    answers = config.stash.get(ANSWERS, [])
    if not answers:
        return
    terminalreporter.section("borrowed cases")
    if config.get_verbosity() > 0:
        for answer in answers:
            terminalreporter.line(counts(str(answer.question), [answer]))
    for file in sorted({answer.question.file for answer in answers}):
        terminalreporter.line(counts(file, [a for a in answers if a.question.file == file]))
    terminalreporter.line(counts("all", answers))


def counts(name: str, answers: list[Answer]) -> str:
    asked = sum(answer.asked for answer in answers)
    disagreeing = sum(len(answer.disagreeing) for answer in answers)
    return f"{name}: {asked} comparisons, {asked - disagreeing} agree, {disagreeing} do not"


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Keep the facts for the page of evidence."""
    note(
        session.config,
        "borrowed",
        (
            {
                "file": answer.question.file,
                "question": answer.question.about,
                "asked": answer.asked,
                "disagreeing": len(answer.disagreeing),
                "by": "postel",
            }
            for answer in session.config.stash.get(ANSWERS, [])
        ),
    )

"""Browsers: the URL Standard's parser and setters.

A URL in absolute form is read under LENIENT, with empty segments and semicolons in the query left unchanged.
Fragments and authorities are not compared: postel cuts fragments, and judges authorities as the Host. A
reference with a base is put in origin form if it has a path from the root.
"""

from __future__ import annotations

import pytest

from conformance.comparison import Answer, Question, unlike
from conformance.corpora import Case, octets
from conformance.reading import QUERY, raw_target, received, spelled, was_refused
from postel import Kind, Policy, Target

URLS = (
    Policy.LENIENT.allowing(Kind.EMPTY_SEGMENT, Kind.LEADING_SLASHES)
    .allowing(Kind.SEMICOLON, on=QUERY)
    .repairing(Kind.SPELLING)
)
WEB = ("http://", "https://")


def is_of_the_web(case: Case) -> bool:
    return case["input"].lower().startswith(WEB) and "pathname" in case.row


def is_from_the_root(case: Case) -> bool:
    return (
        (case["base"] or "").startswith(WEB)
        and case["input"][:1] == "/"
        and case["input"][1:2] not in {"/", "\\"}
        and "pathname" in case.row
    )


def parsed(case: Case) -> str:
    return unlike(
        spelled(case["pathname"] + case["search"]), raw_target(URLS, received(octets(case["input"])))
    )


def refused(case: Case) -> str:
    """Check that a URL that browsers reject is refused: no Host header can equal an invalid host."""
    found = raw_target(URLS, received(octets(case["input"])))
    return "" if was_refused(found) else f"expected a refusal, read {found!r}"


def is_failure_of_the_web(case: Case) -> bool:
    return case["input"].lower().startswith(WEB) and case.get("failure", False)


def set_to(case: Case) -> str:
    """Compare the result of a setter with postel's reading of its argument as a path or a query."""
    given = octets(case["new_value"])
    if case["attr"] == "pathname":
        target = Target(path=given if given.startswith(b"/") else b"/" + given)
        expected = case["expected"]["pathname"]
    else:
        target = Target(query=given.removeprefix(b"?"))
        expected = "/" + case["expected"]["search"]
    return unlike(spelled(expected), raw_target(URLS, target))


def is_set_of_the_web(case: Case) -> bool:
    return case["href"].startswith(WEB) and case["attr"] in {"pathname", "search"}


QUESTIONS = [
    Question("wpt_urltestdata", "a URL of the web", parsed, is_of_the_web),
    Question("wpt_urltestdata", "a path from the root", parsed, is_from_the_root),
    Question("wpt_urltestdata", "failures of the web", refused, is_failure_of_the_web),
    Question("wpt_setters", "path and query", set_to, is_set_of_the_web),
]


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_rows_of_browsers_agree_except_listed_ones(question: Question, answers: list[Answer]) -> None:
    answer = question.put()
    answers.append(answer)
    answer.check()

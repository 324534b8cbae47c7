"""Browsers: the URL Standard's parser and setters.

A URL in absolute form is read under LENIENT with slashes side by side left, and semicolons in the query.
Fragments and authorities are not compared: the first is cut, the second is the Host's affair. A
reference with a base is put in origin form where it has a path from the root.
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
    """A URL that fails is one with a host that is none, which no Host header can equal."""
    found = raw_target(URLS, received(octets(case["input"])))
    return "" if was_refused(found) else f"expected a refusal, read {found!r}"


def is_failure_of_the_web(case: Case) -> bool:
    return case["input"].lower().startswith(WEB) and case.get("failure", False)


def set_to(case: Case) -> str:
    """What the setter is given, as path or as query of its own."""
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
def test_browsers(question: Question, answers: list[Answer]) -> None:
    answer = question.put()
    answers.append(answer)
    answer.check()

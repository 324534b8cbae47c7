"""Jetty: HttpURI, which lists what is ambiguous about a target, and request targets sent over the wire.

- ``canonical`` drops path parameters, resolves dots, keeps empty segments, and keeps only escapes of reserved
characters. LENIENT does the same with three settings: it cuts parameters, leaves empty segments and preserves
escaped delimiters.

- A violation is a reason for a strict server to refuse, so STRICT must refuse it, and STANDARD must at least
report what Jetty flags.

- A target that Jetty refuses in every mode must be refused by every preset.

- On the wire, Jetty's lenient mode accepts controls and empty segments, refuses a malformed escape, and hands
on the path undecoded.
"""

from __future__ import annotations

import re

import pytest

from conformance.comparison import Answer, Question, operation, unlike
from conformance.corpora import Case
from conformance.reading import (
    PATH,
    accepts,
    path_text,
    raw_target,
    read,
    received,
    refusal,
    spelled,
    was_refused,
)
from postel import Accepted, Kind, Policy

CANONICAL = (
    Policy.LENIENT.repairing(Kind.PATH_PARAMETER)
    .allowing(Kind.EMPTY_SEGMENT, Kind.LEADING_SLASHES)
    .preserving(Kind.ENCODED_DELIMITER)
)
DECODED = CANONICAL.repairing(Kind.ENCODED_SLASH).allowing(Kind.ENCODED_DELIMITER)
ON_THE_WIRE = (
    Policy.LENIENT.allowing(Kind.CONTROL, Kind.LINE_BREAK, Kind.TAB, on=PATH)
    .allowing(Kind.EMPTY_SEGMENT, Kind.LEADING_SLASHES)
    .rejecting(Kind.MALFORMED_ESCAPE)
)
SCHEME_OR_SLASH = re.compile("/|[a-z.]+:")
PRESETS = {"STRICT": Policy.STRICT, "STANDARD": Policy.STANDARD, "LENIENT": Policy.LENIENT}


def canonical(case: Case) -> str:
    return path_below_the_root(case, "canonical", CANONICAL)


def decoded(case: Case) -> str:
    return path_below_the_root(case, "decoded", DECODED)


def path_below_the_root(case: Case, view: str, policy: Policy) -> str:
    """Compare the path of a URI.

    A text without scheme and leading slash is put below the root, and so is the result.
    """
    root = "" if SCHEME_OR_SLASH.match(case["in"]) else "/"
    return unlike(root + case[view], path_text(policy, received(root.encode() + case.octets)))


def accepted(case: Case) -> bool:
    return case.get("verdict") == "accept" and case.get("op") in {"parse", "pathquery"}


def refused_in_every_mode(case: Case) -> str:
    accepting = [name for name, policy in PRESETS.items() if accepts(policy, received(case.octets))]
    return f"accepted by {', '.join(accepting)}" if accepting else ""


def refused_by_strict(case: Case) -> str:
    return f"accepted: {case['violations']}" if accepts(Policy.STRICT, received(case.octets)) else ""


def noted(case: Case) -> str:
    outcome = read(Policy.STANDARD, received(case.octets))
    return "" if outcome.findings else "no finding"


def split(case: Case) -> str:
    outcome = read(CANONICAL.allowing(Kind.PATH_PARAMETER), received(case.octets))
    if not isinstance(outcome, Accepted):
        return refusal(outcome)
    expected = case["path"], case["query"] or ""
    return unlike(expected, (outcome.target.path.decode(), outcome.target.query.decode()))


def on_the_wire(case: Case) -> str:
    found = raw_target(ON_THE_WIRE, received(case.octets))
    if case["verdict"] == "reject":
        return "" if was_refused(found) else f"expected a refusal, read {found!r}"
    query = case["query"]
    return unlike(spelled(case["path"]) + (f"?{query}" if query else ""), found)


QUESTIONS = [
    Question(
        "jetty_httpuri",
        "canonical path",
        canonical,
        lambda case: accepted(case) or case["op"] == "canonical",
    ),
    Question("jetty_httpuri", "decoded path", decoded, accepted),
    Question(
        "jetty_httpuri",
        "refused in every mode",
        refused_in_every_mode,
        lambda case: case.get("verdict") == "reject",
    ),
    Question(
        "jetty_httpuri",
        "violations refused by STRICT",
        refused_by_strict,
        lambda case: bool(case.get("violations")),
    ),
    Question("jetty_httpuri", "flagged", noted, operation("has_violation")),
    Question("jetty_httpuri", "path and query", split, operation("split")),
    Question("jetty_request_target", "on the wire", on_the_wire),
]


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_rows_of_jetty_agree_except_listed_ones(question: Question, answers: list[Answer]) -> None:
    answer = question.put()
    answers.append(answer)
    answer.check()

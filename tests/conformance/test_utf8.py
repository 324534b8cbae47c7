"""Which octets are UTF-8, which fault the others have, and the result of replacing or dropping the fault.

The sources test decoders, which judge octets and not characters: NUL, controls and noncharacters are
well-formed. So the policy here allows all of these and refuses only ill-formed UTF-8, in every place where
octets can stand.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from conformance.comparison import Answer, Question, unlike
from conformance.corpora import Case, text
from conformance.reading import (
    ANY_TEXT,
    GONE,
    QUERY,
    accepts,
    dropped,
    escaped,
    read,
    value,
)
from postel import Accepted, Kind, Rejected, Target

RAW = frozenset(range(0x80, 0x100))

REPLACING = ANY_TEXT.replacing(Kind.ILL_FORMED_UTF8, on=QUERY)
DROPPING = ANY_TEXT.dropping(Kind.ILL_FORMED_UTF8, on=QUERY)

CLASSES = {
    "overlong": "overlong",
    "surrogate": "surrogate",
    "out-of-range": "out-of-range",
    "impossible-byte": "out-of-range",
    "bare-continuation": "stray",
    "lone-start": "truncated",
    "truncated": "truncated",
}
"""Kuhn's classes and their names in postel."""


def decodes(case: Case) -> bool:
    return "valid" in case.row


def well_formed(case: Case) -> str:
    """Compare the validity of octets, escaped and bare, in a segment of a path, a value and a name."""
    readings = {
        "escaped in a path": Target(path=b"/x" + escaped(case.octets) + b"x"),
        "bare in a path": Target(path=b"/x" + escaped(case.octets, RAW) + b"x"),
        "escaped in a value": Target(query=b"q=" + escaped(case.octets)),
        "bare in a value": Target(query=b"q=" + escaped(case.octets, RAW)),
        "escaped in a name": Target(query=b"x" + escaped(case.octets) + b"=q"),
        "bare in a name": Target(query=b"x" + escaped(case.octets, RAW) + b"=q"),
    }
    wrong = [where for where, target in readings.items() if accepts(ANY_TEXT, target) != case["valid"]]
    return f"valid: {case['valid']}, but postel disagrees: {', '.join(wrong)}" if wrong else ""


def text_of_well_formed(case: Case) -> str:
    """Compare the text of well-formed octets; the decoded path keeps ``/`` and ``%`` escaped."""
    expected = case.octets.decode()
    outcome = read(
        ANY_TEXT, Target(path=b"/x" + escaped(case.octets) + b"x", query=b"q=" + escaped(case.octets))
    )
    assert isinstance(outcome, Accepted)
    kept = expected.replace("%", "%25").replace("/", "%2F")
    return unlike(
        (f"/x{kept}x", (f"x{expected}x",), (("q", expected),)),
        (outcome.target.path_text, outcome.target.segments, outcome.target.pairs),
    )


def class_of_fault(case: Case) -> str:
    """Compare the class of the first fault."""
    outcome = read(ANY_TEXT, Target(query=b"q=" + escaped(case.octets)))
    assert isinstance(outcome, Rejected)
    return unlike(CLASSES[case["class"]], outcome.findings[0].detail)


def place_of_fault(case: Case) -> str:
    """Compare where the first ill-formed sequence begins; each escaped octet before it counts as three."""
    outcome = read(ANY_TEXT, Target(query=b"q=" + escaped(case.octets)))
    assert isinstance(outcome, Rejected)
    return unlike(len("q=") + 3 * case["error_at"], outcome.findings[0].offset)


def code_point(case: Case) -> str:
    return unlike(chr(case["code_point"]), value(ANY_TEXT, escaped(case.octets)))


def replaced(case: Case) -> str:
    """Compare replaced text: one U+FFFD for each maximal subpart, escaped or bare."""
    expected = text(case["replaced"])
    escaped_value = value(REPLACING, escaped(case.octets))
    bare_value = value(REPLACING, escaped(case.octets, RAW))
    return unlike(expected, escaped_value) or unlike(expected, bare_value)


def left_after_dropping(case: Case) -> str:
    """Compare the text without the faulty octets; there is no pair if two kept characters would be joined."""
    left = dropped(case.octets.decode("utf-8", "surrogateescape"), "\ud800-\udfff")
    if left != GONE and left != text(case["dropped"]):
        return unlike(text(case["dropped"]), left)
    return unlike(left, value(DROPPING, escaped(case.octets)))


def having(key: str) -> Callable[[Case], bool]:
    return lambda case: key in case.row


FILES = ("utf8_kuhn", "utf8_cpython", "utf8_go", "utf8_simdutf", "jetty_utf8", "wpt_utf8_decode")

QUESTIONS = [
    *(Question(file, "is it UTF-8", well_formed, having("valid")) for file in FILES),
    *(
        Question(file, "the text of UTF-8", text_of_well_formed, lambda case: case.get("valid"))
        for file in FILES
    ),
    Question("utf8_kuhn", "class of fault", class_of_fault, lambda case: case["class"] in CLASSES),
    Question("utf8_simdutf", "place of fault", place_of_fault, having("error_at")),
    Question("utf8_go", "code point", code_point, having("code_point")),
    *(
        Question(file, "replaced", replaced, having("replaced"))
        for file in ("utf8_cpython", "jetty_utf8", "wpt_utf8_decode")
    ),
    Question("utf8_cpython", "dropped", left_after_dropping, having("dropped")),
]


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_rows_of_utf8_agree_except_listed_ones(question: Question, answers: list[Answer]) -> None:
    answer = question.put()
    answers.append(answer)
    answer.check()

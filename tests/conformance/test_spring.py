"""Spring Security's firewalls, which never rewrite: they accept a request or refuse it.

The strict firewall is compared with STRICT, its options translated, and the default one with STANDARD.
A row about the decoded path is sent as a path that decodes to it: everything except slashes and unreserved
characters is escaped.
"""

from __future__ import annotations

import pytest

from conformance.comparison import Answer, Question, unlike
from conformance.corpora import Case
from conformance.reading import escaped, undecoded, verdict
from postel import Kind, Policy, Target

OPTIONS = {
    "allowSemicolon": (Kind.PATH_PARAMETER, Kind.ENCODED_DELIMITER),
    "allowUrlEncodedPercent": (Kind.UNSAFE_DOUBLE_ESCAPE, Kind.DOUBLE_ESCAPE),
    "allowUrlEncodedLineFeed": (Kind.LINE_BREAK,),
    "allowUrlEncodedCarriageReturn": (Kind.LINE_BREAK,),
    "allowUrlEncodedLineSeparator": (Kind.LINE_SEPARATOR,),
    "allowUrlEncodedParagraphSeparator": (Kind.LINE_SEPARATOR,),
    "allowUrlEncodedDoubleSlash": (Kind.EMPTY_SEGMENT,),
    "removeFromEncodedUrlBlocklist": (Kind.EMPTY_SEGMENT,),
    "removeFromDecodedUrlBlocklist": (Kind.EMPTY_SEGMENT,),
    "allowUrlEncodedPeriod": (),  # postel has no option for escaped dots
}


def policy(case: Case) -> Policy:
    """Return a policy for the options of the firewall."""
    configured = Policy.STRICT if case["firewall"] == "strict" else Policy.STANDARD
    for option in case["config"]:
        if option == "allowUrlEncodedSlash":
            configured = configured.preserving(Kind.ENCODED_SLASH)
        elif kinds := OPTIONS[option]:
            configured = configured.allowing(*kinds)
    return configured


def let_through(case: Case) -> str:
    raw, decoded = case.octets, undecoded(case.text)
    paths = {
        "raw_path": (raw,),
        "decoded_path": (decoded,),
        "any_path": (raw, decoded),
        "raw_prefix": (b"/" + raw,),
        "raw_and_decoded": (raw,),
    }[case["field"]]
    verdicts = {verdict(policy(case), Target(path=path)) for path in paths}
    return unlike({case["verdict"]}, verdicts)


def parameter(case: Case) -> str:
    query = escaped(case["name"].encode()) + b"=" + escaped(case["value"].encode())
    return unlike(case["verdict"], verdict(policy(case), Target(query=query)))


QUESTIONS = [
    Question(
        "spring_firewall",
        "a path",
        let_through,
        lambda case: case["field"] not in {"header", "parameter"},
    ),
    Question("spring_firewall", "a parameter", parameter, lambda case: case["field"] == "parameter"),
]


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_rows_of_spring_agree_except_listed_ones(question: Question, answers: list[Answer]) -> None:
    answer = question.put()
    answers.append(answer)
    answer.check()

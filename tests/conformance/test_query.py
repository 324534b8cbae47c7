"""Pairs: does the lenient reading equal the URL Standard's, and does the strict one refuse where it guesses?

LENIENT, with ill-formed UTF-8 replaced, is the URL Standard's parser, which keeps a malformed escape as
it is and decodes with U+FFFD. Node reads the same, but groups by name. Rack knows ``null`` for a name
without ``=``, which is an empty value everywhere else.
"""

from __future__ import annotations

import pytest

from conformance.comparison import Answer, Question, operation, unlike
from conformance.corpora import Case, text
from conformance.reading import (
    QUERY,
    escaped,
    grouped,
    pairs,
    raw_target,
    value,
    verdict,
    was_refused,
)
from postel import Kind, Policy, Target

AS_BROWSERS_READ = Policy.LENIENT.replacing(Kind.ILL_FORMED_UTF8, on=QUERY)
REFUSING = Policy.LENIENT.rejecting(Kind.MALFORMED_ESCAPE, Kind.ILL_FORMED_UTF8)


def pairs_of_the_standard(case: Case) -> str:
    expected = tuple((text(name), text(each)) for name, each in case["pairs"])
    return unlike(expected, pairs(AS_BROWSERS_READ, case.octets))


def refused_where_the_standard_guesses(case: Case) -> str:
    """STRICT refuses both guesses, STANDARD only that of UTF-8, because people type ``50% off``."""
    target = Target(query=case.octets)
    guessed = "reject" if case["malformed_percent"] or case["ill_formed_utf8"] else "accept"
    text_guessed = "reject" if case["ill_formed_utf8"] else "accept"
    return (
        unlike(guessed, verdict(REFUSING, target))
        or unlike(text_guessed, verdict(Policy.STANDARD, target))
        or (unlike(guessed, verdict(Policy.STRICT, target)) if guessed == "reject" else "")
    )


def groups_of_node(case: Case) -> str:
    expected = [(text(name), list(map(text, each))) for name, each in case["grouped"]]
    read = pairs(AS_BROWSERS_READ, case.octets)
    return unlike(expected, read if isinstance(read, str) else grouped(read))


def groups_of_rack(case: Case) -> str:
    limits = {
        ours: case[theirs] + more
        # Rack counts the octets of a query; postel also counts the path, here "/".
        for theirs, ours, more in (("params_limit", "pairs", 0), ("bytesize_limit", "octets", 1))
        if theirs in case.row
    }
    read = pairs(Policy.LENIENT.limiting(**limits), case.octets)
    if isinstance(read, str):
        return "" if case.get("verdict") == "reject" else f"expected pairs, read {read}"
    return unlike({text(name): all_of(each) for name, each in case.get("grouped", [])}, dict(grouped(read)))


def all_of(found: object) -> list[str]:
    many = found if isinstance(found, list) else [found]
    return ["" if each is None else text(each) for each in many]


def last_of_rack(case: Case) -> str:
    """Without brackets, a nested query of Rack is its pairs, with the last value of each name."""
    expected = {text(name): all_of(each) for name, each in case["grouped"]}
    read = pairs(Policy.LENIENT, case.octets)
    if isinstance(read, str):
        return f"expected {expected}, read {read}"
    return unlike(expected, {name: [each] for name, each in read})


def is_flat(case: Case) -> bool:
    return case.get("op") == "parse_nested_query" and all(
        isinstance(each, str | None) for _, each in case["grouped"]
    )


def unescaped(case: Case) -> str:
    """Return a value for a query without malformed escapes. Its ``&`` is data, so it is escaped."""
    read = value(Policy.LENIENT.rejecting(Kind.MALFORMED_ESCAPE), case.octets.replace(b"&", escaped(b"&")))
    if case.get("verdict") == "reject":
        return "" if was_refused(read) else f"expected a refusal, read {read!r}"
    return unlike(case["out"], read)


def percent_encoded_query(case: Case) -> str:
    """Raw non-ASCII is escaped. The URL Standard leaves some characters bare that postel escapes."""
    policy = Policy.LENIENT.allowing(Kind.ILLEGAL_CHARACTER, on=QUERY)
    return unlike("/?" + case["out"], raw_target(policy, Target(query=case.octets)))


QUESTIONS = [
    Question("wpt_urlencoded_parser", "pairs", pairs_of_the_standard),
    Question("wpt_urlencoded_parser", "refused where guessed", refused_where_the_standard_guesses),
    Question("node_querystring", "pairs by name", groups_of_node),
    Question("rack_query", "pairs by name", groups_of_rack, operation("parse_query")),
    Question("rack_query", "last pair of each name", last_of_rack, is_flat),
    Question("rack_query", "a value", unescaped, operation("unescape")),
    Question("wpt_percent_encoding", "a query", percent_encoded_query),
]


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_query(question: Question, answers: list[Answer]) -> None:
    answer = question.put()
    answers.append(answer)
    answer.check()

"""Pairs: LENIENT reads them like the URL Standard, and stricter policies refuse where the Standard guesses.

LENIENT, with ill-formed UTF-8 replaced, reads like the URL Standard's parser, which keeps a malformed escape
and decodes with U+FFFD. Node reads the same, but groups pairs by name. Rack reads a name without ``=`` as
``null``, and all others read an empty value.
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
    """Check that STRICT refuses both guesses, and STANDARD only that of UTF-8: people type ``50% off``."""
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
    """Compare a nested query without brackets: Rack keeps the last value of each name."""
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
    """Compare an unescaped value; its ``&`` is data, so it is escaped for the query."""
    read = value(Policy.LENIENT.rejecting(Kind.MALFORMED_ESCAPE), case.octets.replace(b"&", escaped(b"&")))
    if case.get("verdict") == "reject":
        return "" if was_refused(read) else f"expected a refusal, read {read!r}"
    return unlike(case["out"], read)


def percent_encoded_query(case: Case) -> str:
    """Compare escaped non-ASCII; characters that the URL Standard leaves bare are allowed bare."""
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
def test_rows_of_query_agree_except_listed_ones(question: Question, answers: list[Answer]) -> None:
    answer = question.put()
    answers.append(answer)
    answer.check()

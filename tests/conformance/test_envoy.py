"""Envoy: its transformations of a path one by one, and its whole universal header validator.

Each is compared with LENIENT, which makes the same repairs. Its policy allows the faults that Envoy leaves
unchanged in a transformation. The options of the validator are translated one by one, and nothing
in the query is escaped. A text without a leading slash gets one, and so does the result.
"""

from __future__ import annotations

from urllib.parse import urldefrag

import pytest

from conformance.comparison import Answer, Question, operation, unlike
from conformance.corpora import Case
from conformance.reading import (
    QUERY,
    raw_path,
    raw_target,
    received,
    spelled,
    verdict,
    was_refused,
)
from postel import Kind, Policy, Target

SLASHES = (Kind.EMPTY_SEGMENT, Kind.LEADING_SLASHES)
ESCAPED_SLASHES = (Kind.ENCODED_SLASH, Kind.ENCODED_BACKSLASH)
LENIENT = Policy.LENIENT.allowing(Kind.ILLEGAL_CHARACTER, Kind.SEMICOLON, on=QUERY)
CANONICAL = LENIENT.allowing(*SLASHES).rejecting(Kind.MALFORMED_ESCAPE)
ONE_BY_ONE = {
    "rfc_normalize": CANONICAL.preserving(*ESCAPED_SLASHES),
    "merge_slashes": LENIENT,
    "unescape_slashes": LENIENT.allowing(*SLASHES, Kind.MALFORMED_ESCAPE).repairing(*ESCAPED_SLASHES),
    "remove_path_parameters": LENIENT.allowing(*SLASHES).repairing(Kind.PATH_PARAMETER),
}
OCTETS = Policy.STRICT.allowing(Kind.ILL_FORMED_UTF8, on=QUERY)


def one_by_one(case: Case) -> str:
    root = b"" if case["in"].startswith("/") else b"/"
    found = raw_target(ONE_BY_ONE[case["op"]], received(root + case.octets))
    if case.get("verdict") == "reject":
        return "" if was_refused(found) else f"expected a refusal, read {found!r}"
    expected = urldefrag(case["out"]).url  # The client keeps a fragment; a server cuts it.
    if case["op"] != "rfc_normalize":  # rfc_normalize itself adds a leading slash.
        expected = root.decode() + expected
    return unlike(spelled(expected).removesuffix("?"), found)


def without_query_and_fragment(case: Case) -> str:
    return unlike(case["out"], raw_path(LENIENT, received(case.octets)))


def validator(case: Case) -> Policy:
    """Return a policy for the options of the validator."""
    config = case.get("config", {})
    policy = LENIENT.preserving(*ESCAPED_SLASHES).allowing(Kind.BACKSLASH)
    match config.get("escaped_slashes", "KEEP_UNCHANGED"):
        case "REJECT_REQUEST":
            policy = policy.rejecting(*ESCAPED_SLASHES)
        case "UNESCAPE_AND_FORWARD" | "UNESCAPE_AND_REDIRECT":
            policy = policy.repairing(*ESCAPED_SLASHES)
    if config.get("backslash_to_slash"):
        policy = policy.repairing(Kind.BACKSLASH)
    if config.get("skip_merging_slashes"):
        policy = policy.allowing(*SLASHES)
    if config.get("preserve_case"):
        policy = policy.allowing(Kind.SPELLING)
    if config.get("allow_malformed"):
        return policy.allowing(Kind.MALFORMED_ESCAPE)
    return policy.rejecting(Kind.MALFORMED_ESCAPE)


def validated(case: Case) -> str:
    found = raw_target(validator(case), received(case.octets))
    if case["verdict"] == "reject":
        return "" if was_refused(found) else f"expected a refusal, read {found!r}"
    return unlike(urldefrag(case["out"]).url, found)


def one_octet(case: Case) -> str:
    """Compare an escape of any octet with its canonical spelling in a query."""
    target = Target(query=b"q=" + case.octets)
    if case["verdict"] == "invalid":
        return unlike("reject", verdict(OCTETS, target))
    return unlike("/?q=" + (case["out"] or case["in"].upper()), raw_target(OCTETS, target))


QUESTIONS = [
    *(Question("envoy_path", name, one_by_one, operation(name)) for name in ONE_BY_ONE),
    Question(
        "envoy_path",
        "strip_query_and_fragment",
        without_query_and_fragment,
        operation("strip_query_and_fragment"),
    ),
    Question("envoy_path", "uhv_normalize", validated, operation("uhv_normalize")),
    Question("envoy_path", "an octet", one_octet, operation("decode_unreserved_octet")),
]


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_rows_of_envoy_agree_except_listed_ones(question: Question, answers: list[Answer]) -> None:
    answer = question.put()
    answers.append(answer)
    answer.check()

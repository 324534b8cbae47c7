"""Go: net/url, a strict decoder that accepts octets other than UTF-8, and path.Clean.

- Escapes are read under LENIENT, with malformed escapes refused, as in Go.
- A query is read under STANDARD, with ``;`` and malformed escapes refused, as in Go.
- Paths of URLs are read under LENIENT, where an escaped slash is decoded, since Go's ``path`` is
  decoded. Repeated slashes stay, as in Go; controls are refused.
- For a reference, this file merges the path with that of the base, and postel resolves the dots.
- path.Clean works on decoded text, so the text is escaped for the comparison. It merges slashes as LENIENT
  does. It removes a slash at the end, which is not compared.
"""

from __future__ import annotations

import pytest

from conformance.comparison import Answer, Question, operation, unlike
from conformance.corpora import Case, octets
from conformance.reading import (
    climbs,
    grouped,
    merged,
    pairs,
    path_text,
    raw_path,
    raw_target,
    read,
    received,
    rooted,
    spelled,
    undecoded,
    value,
    verdict,
    was_refused,
)
from postel import Accepted, Kind, Policy, Target

ESCAPES = Policy.LENIENT.rejecting(Kind.MALFORMED_ESCAPE).repairing(Kind.ENCODED_SLASH)
PAIRS = Policy.STANDARD.rejecting(Kind.SEMICOLON, Kind.MALFORMED_ESCAPE)
URLS = (
    Policy.LENIENT.allowing(Kind.EMPTY_SEGMENT, Kind.LEADING_SLASHES)
    .rejecting(Kind.MALFORMED_ESCAPE, Kind.NUL, Kind.CONTROL)
    .repairing(Kind.ENCODED_SLASH)
)
REFERENCES = URLS.preserving(Kind.ENCODED_SLASH)
CLEAN = Policy.LENIENT.repairing(Kind.ENCODED_SLASH)


def unescaped_value(case: Case) -> str:
    read_as = value(ESCAPES, case.octets)
    return verdict_of(case, read_as) or faulty_escape(case, Target(query=b"q=" + case.octets))


def unescaped_segment(case: Case) -> str:
    target = Target(path=b"/" + case.octets)
    read_as = path_text(ESCAPES, target)
    return verdict_of(case, read_as.removeprefix("/")) or faulty_escape(case, target)


def verdict_of(case: Case, read_as: str) -> str:
    if case.get("verdict") == "reject":
        return "" if was_refused(read_as) else f"expected a refusal, read {read_as!r}"
    return unlike(case["out"], read_as)


def faulty_escape(case: Case, target: Target) -> str:
    """Compare the escape that Go's error names with the one that postel's finding quotes."""
    if "error_at_text" not in case.row:
        return ""
    found = read(ESCAPES, target).findings[0]
    return unlike((Kind.MALFORMED_ESCAPE, octets(case["error_at_text"])), (found.kind, found.excerpt))


def parsed_query(case: Case) -> str:
    target = Target(query=case.octets)
    if case["verdict"] == "reject":
        return unlike("reject", verdict(PAIRS, target))
    found = pairs(PAIRS, case.octets)
    expected = [(name, list(values)) for name, values in case["grouped"]]
    return unlike(expected, found if isinstance(found, str) else grouped(found))


def resolved(case: Case) -> str:
    base, reference, out = (
        (rooted(case["base"]), case["ref"], case["out"])
        if case["op"] == "resolve_path"
        else (case["base"], case["ref"], merged("", case["out"]))
    )
    target = Target(path=(merged(base, reference) or "/").encode())
    return unlike(spelled(out or "/"), raw_path(REFERENCES, target))


def has_a_path(case: Case) -> bool:
    """Select references with a path to resolve; those with another scheme and without ``//`` have none."""
    return case.get("op") == "resolve_path" or (case.get("op") == "resolve_reference" and "//" in case["out"])


def request_target(case: Case) -> str:
    return verdict_only(case, raw_target(URLS, received(case.octets)))


def url(case: Case) -> str:
    """Compare the verdict for an absolute URL and, if Go has them, the decoded path and the raw query."""
    target = received(case.octets)
    differs = verdict_only(case, raw_target(URLS, target))
    if differs or "path" not in case.row:
        return differs
    outcome = read(URLS, target)
    assert isinstance(outcome, Accepted)
    expected = case["path"] or "/", case["raw_query"]
    return unlike(expected, (outcome.target.path_text, outcome.target.query.decode()))


def verdict_only(case: Case, found: str) -> str:
    expected = case["verdict"] == "reject"
    return "" if was_refused(found) == expected else f"expected to {case['verdict']}, read {found!r}"


def cleaned(case: Case) -> str:
    target = Target(path=undecoded(rooted(case["in"])))
    read_as = path_text(CLEAN, target)
    if climbs(case["out"]):
        return "" if was_refused(read_as) else f"expected a refusal, read {read_as!r}"
    expected = rooted(case["out"].removeprefix("."))
    return unlike(expected, read_as.rstrip("/") or "/")


QUESTIONS = [
    Question("go_url", "a value", unescaped_value, operation("query_unescape")),
    Question("go_url", "a segment", unescaped_segment, operation("path_unescape")),
    Question("go_url", "a query", parsed_query, operation("parse_query")),
    Question("go_url", "dots", resolved, has_a_path),
    Question("go_url", "a request target", request_target, operation("parse_request_target")),
    Question("go_url", "a URL", url, operation("parse")),
    Question("go_path", "a clean path", cleaned, operation("path_clean")),
]


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_rows_of_go_agree_except_listed_ones(question: Question, answers: list[Answer]) -> None:
    answer = question.put()
    answers.append(answer)
    answer.check()

"""ModSecurity's primitives, as Coraza tests them: decoding, paths, NULs, and the operators that find faults.

- Decoding is compared with a value of a query in which everything is allowed, even malformed escapes and
  ill-formed octets. The input is not a query, so its delimiters are escaped.
- Paths are compared with LENIENT, with NUL allowed. They are decoded, so they are escaped for the comparison.
  A relative path is put below the root; if the result still climbs (``../a``), postel must refuse it.
  ModSecurity removes a slash at the end together with a last dot segment, so this slash is not compared.
- An operator must fire if STRICT finds the kind, and only then.
"""

from __future__ import annotations

import pytest

from conformance.comparison import Answer, Question, operation, unlike
from conformance.corpora import Case, octets
from conformance.reading import (
    ANY_TEXT,
    QUERY,
    UNRESERVED,
    climbs,
    dropped,
    escaped,
    kinds,
    path_text,
    rooted,
    value,
    verdict,
    was_refused,
)
from postel import Characters, Kind, Policy, Target

DECODING = ANY_TEXT.allowing(Kind.ILL_FORMED_UTF8, Kind.MALFORMED_ESCAPE, on=QUERY)
PATHS = Policy.LENIENT.repairing(Kind.ENCODED_SLASH).allowing(Kind.NUL)
FIRES = {"validateUrlEncoding": Kind.MALFORMED_ESCAPE, "validateUtf8Encoding": Kind.ILL_FORMED_UTF8}


def as_value(received: bytes) -> bytes:
    """Return octets as a value of a query: delimiters are escaped, and the escapes are decoded as usual."""
    return received.replace(b"&", b"%26").replace(b"#", b"%23")


def decoded(case: Case) -> str:
    found = value(DECODING, as_value(case.octets))
    return unlike(octets(case["out"]), found.encode("utf-8", "surrogateescape"))


def path(case: Case) -> str:
    out = case["out"]
    root = b"" if case.octets.startswith(b"/") else b"/"
    decoded_path = escaped(case.octets, UNRESERVED | frozenset(b"/\\"))
    found = path_text(PATHS, Target(path=root + decoded_path))
    if climbs(out):
        return "" if was_refused(found) else f"expected a refusal, read {found!r}"
    return unlike(rooted(out).rstrip("/") or "/", found.rstrip("/") or "/")


def without_nuls(case: Case) -> str:
    left = dropped(case.text, "\0")
    found = value(ANY_TEXT.dropping(Kind.NUL, on=QUERY), escaped(case.octets))
    return unlike(left, found)


def with_nuls_replaced(case: Case) -> str:
    """Compare replaced NULs: ModSecurity writes a space for each, postel U+FFFD."""
    found = value(ANY_TEXT.replacing(Kind.NUL, on=QUERY), escaped(case.octets))
    return unlike(case["out"], found.replace("\ufffd", " "))


def fires(case: Case) -> str:
    query = as_value(case.octets) if case["op"] == "validateUrlEncoding" else escaped(case.octets)
    found = FIRES[case["op"]] in kinds(Policy.STRICT, Target(query=b"q=" + query))
    return unlike(case["fires"], found)


def outside_range(case: Case) -> str:
    first, last = map(int, case["param"].split("-"))
    policy = ANY_TEXT.accepting(Characters.of((first, last)), names=["q"])
    expected = "reject" if case["fires"] else "accept"
    refusing = policy.rejecting(Kind.OUTSIDE_ACCEPTED_RANGE)
    return unlike(expected, verdict(refusing, Target(query=b"q=" + escaped(case.octets))))


FILE = "modsec_transformations"

QUESTIONS = [
    Question(FILE, "urlDecode", decoded, operation("urlDecode")),
    Question(FILE, "urlDecodeUni", decoded, operation("urlDecodeUni")),
    Question(FILE, "a path", path, operation("normalisePath", "normalisePathWin")),
    Question(FILE, "removeNulls", without_nuls, operation("removeNulls")),
    Question(FILE, "replaceNulls", with_nuls_replaced, operation("replaceNulls")),
    Question(FILE, "operators", fires, operation(*FIRES)),
    Question(FILE, "a range", outside_range, operation("validateByteRange")),
]


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_rows_of_modsecurity_agree_except_listed_ones(question: Question, answers: list[Answer]) -> None:
    answer = question.put()
    answers.append(answer)
    answer.check()

"""Python's own software: how httpx writes a URL, and what uvicorn and Starlette hand to an application.

httpx is compared with LENIENT, with semicolons in the query unchanged. A server decodes its ``path``
completely, so escaped slashes are decoded.
"""

from __future__ import annotations

import pytest

from conformance.comparison import Answer, Question, operation, unlike
from conformance.corpora import Case, octets
from conformance.reading import (
    path_text,
    raw_path,
    raw_target,
    received,
    spelled,
    was_refused,
)
from postel import Kind, Policy, Target

DECODING = Policy.LENIENT.repairing(Kind.ENCODED_SLASH)


def cleaned(case: Case) -> str:
    found = raw_target(Policy.LENIENT.allowing(Kind.SEMICOLON), received(octets(case["in"])))
    path, _, query = case["raw_target"].partition("?")
    return unlike(spelled(path) + ("?" + query if query else ""), found)


def decoded(case: Case) -> str:
    return unlike(case["path"], path_text(DECODING, received(octets(case["in"]))))


def resolved(case: Case) -> str:
    return unlike(case["out"], raw_path(Policy.LENIENT, received(octets(case["in"]))))


def refused(case: Case) -> str:
    found = raw_path(Policy.LENIENT, received(octets(case["in"])))
    return "" if was_refused(found) else f"expected a refusal, read {found!r}"


def scope(case: Case) -> str:
    """Compare prefix, raw path and decoded path with those of a server's scope."""
    prefix, expected = case["root_path"], case["scope"]
    target = Target(path=case["target"].encode(), prefix=prefix.encode())
    raw = prefix + raw_path(Policy.LENIENT, target)
    path = prefix + path_text(DECODING, target)
    return unlike(expected, {"path": path, "raw_path": raw} if "path" in expected else {"raw_path": raw})


FILE = "python_gateways"

QUESTIONS = [
    Question(FILE, "httpx's target", cleaned, operation("clean_split")),
    Question(
        FILE,
        "httpx's path",
        decoded,
        lambda case: case["op"] == "clean_split" and "path" in case.row,
    ),
    Question(FILE, "httpx's dots", resolved, operation("path")),
    Question(FILE, "httpx's refusals", refused, operation("parse")),
    Question(FILE, "a server's scope", scope, operation("asgi_scope")),
]


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_rows_of_gateways_agree_except_listed_ones(question: Question, answers: list[Answer]) -> None:
    answer = question.put()
    answers.append(answer)
    answer.check()

"""yarl: the path and the query of a whole URL, and where references lead.

postel reads the path and the query of a URL under LENIENT, and leaves empty segments and leading slashes. A
reference is first merged with its base, without resolving dots. Fragments and authorities are not compared.
yarl decodes an escaped slash in its ``path``, and keeps it in its ``path_safe``.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from conformance.comparison import Answer, Question, unlike
from conformance.corpora import Case
from conformance.reading import QUERY, merged, path_text, raw_path, raw_target, spelled
from postel import Kind, Policy, Target

URLS = Policy.LENIENT.allowing(Kind.EMPTY_SEGMENT, Kind.LEADING_SLASHES).repairing(Kind.SPELLING, on=QUERY)
DECODING = URLS.repairing(Kind.ENCODED_SLASH)


PARTS = re.compile(r"(?:[^:/?#]+:)?(?://[^/?#]*)?([^?#]*)(?:[?]([^#]*))?", re.DOTALL)
"""RFC 3986, appendix B."""


def parts_of(url: str) -> tuple[str, str]:
    """Return path and query of a URL or of a target."""
    match = PARTS.match(url)
    assert match is not None
    return match[1] or "/", match[2] or ""


def origin_form(url: str) -> Target:
    path, query = parts_of(url)
    return Target(path.encode(), query.encode())


def expected(url: str) -> str:
    path, query = parts_of(url)
    return spelled(path) + (f"?{spelled(query)}" if query else "")


def whole(case: Case) -> str:
    return unlike(expected(case["out"]), raw_target(URLS, origin_form(case["in"])))


def raw(case: Case) -> str:
    return unlike(spelled(case["out"]), raw_path(URLS, origin_form(case["in"])))


def decoded(case: Case) -> str:
    return unlike(case["out"], path_text(DECODING, origin_form(case["in"])))


def kept(case: Case) -> str:
    return unlike(case["out"], path_text(URLS, origin_form(case["in"])))


def joined(case: Case) -> str:
    path = merged(case["base"], case["ref"]).encode() or b"/"
    return unlike(spelled(parts_of(case["out"])[0]), raw_path(URLS, Target(path)))


def is_of(*operations: str) -> Callable[[Case], bool]:
    """Select rows of these operations whose input begins with "http://" or a slash."""
    return lambda case: case["op"] in operations and case["in"].lower().startswith(("http://", "/"))


def is_of_the_web(case: Case) -> bool:
    return case["op"] == "join" and case["base"].startswith("http") and not case["ref"].startswith("g:")


FILE = "yarl_url"

QUESTIONS = [
    Question(FILE, "path and query", whole, is_of("normalize", "raw_path_qs")),
    Question(FILE, "the path", raw, is_of("raw_path")),
    Question(FILE, "the decoded path", decoded, is_of("path")),
    Question(FILE, "the decoded path, slashes kept", kept, is_of("path_safe")),
    Question(FILE, "where a reference leads", joined, is_of_the_web),
]


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_rows_of_yarl_agree_except_listed_ones(question: Question, answers: list[Answer]) -> None:
    answer = question.put()
    answers.append(answer)
    answer.check()

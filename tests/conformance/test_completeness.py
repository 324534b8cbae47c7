"""Every row of every file is compared or listed as not applicable, and no list is stale."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Final

import pytest

from conformance import corpora
from conformance.comparison import LISTS, Question, is_beyond

QUESTIONS: Final[list[Question]] = [
    question
    for module in sorted(Path(__file__).parent.glob("test_*.py"))
    if module.stem != Path(__file__).stem
    for question in importlib.import_module(f"conformance.{module.stem}").QUESTIONS
]
FILES: Final = sorted({question.file for question in QUESTIONS})

ELSEWHERE: Final = {
    "cpython_urllib": "the toolkit",
    "hyperlink_url": "the toolkit",
    "rfc3986_lib": "the toolkit",
    "test262_uri": "the toolkit",
    "uri_cleaning": "the toolkit",
    "werkzeug_urls": "the toolkit",
    "yarl_quoting": "the toolkit",
}
"""Files that no question here reads, and where they are tested."""


def test_every_file_is_compared_or_named() -> None:
    for file in FILES:
        corpora.require(file)
    assert sorted(path.stem for path in corpora.FOLDER.glob("*.json")) == sorted([*FILES, *ELSEWHERE])


@pytest.mark.parametrize("file", FILES)
def test_no_row_is_dropped_silently(file: str) -> None:
    corpora.require(file)
    asked = {case for question in QUESTIONS if question.file == file for case in question.asked()}
    rest = [case for case in corpora.cases(file) if case not in asked and not is_beyond(case)]
    allowed = sum(entry.get("rest", 0) for entry in LISTS["beyond"] if entry["file"] == file)
    assert len(rest) == allowed, [str(case) for case in rest]


@pytest.mark.parametrize("file", FILES)
def test_rows_listed_as_not_applicable_exist(file: str) -> None:
    corpora.require(file)
    cases = corpora.cases(file)
    for entry in LISTS["beyond"]:
        if entry["file"] == file:
            assert set(entry.get("operations", ())) <= {case.get("op") for case in cases}
            assert set(entry.get("rows", ())) <= set(map(str, cases))


def test_every_list_belongs_to_a_question() -> None:
    known = {(question.file, question.about) for question in QUESTIONS}
    listed = {
        (entry["file"], about)
        for group in LISTS["disagreement"]
        for entry in group["of"]
        for about in entry["questions"]
    }
    assert listed <= known
    assert {entry["file"] for entry in LISTS["beyond"]} <= set(FILES)


def test_names_of_questions_are_unique() -> None:
    names = list(map(str, QUESTIONS))
    assert len(names) == len(set(names))


def test_no_row_is_listed_twice() -> None:
    listed = [
        (entry["file"], about, row)
        for group in LISTS["disagreement"]
        for entry in group["of"]
        for about in entry["questions"]
        for row in entry["rows"]
    ]
    assert len(listed) == len(set(listed))

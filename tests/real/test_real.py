"""The classes, the judgements, the results and the page of real applications and URLs agree."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import real_page as page
from postel import Action, Component, Kind, Policy
from real.applications import applications
from real.differences import Difference, Row, Run, classed, differences, recorded, rows
from real.urls import judgements

RESULTS = page.read()


def test_the_page_is_current() -> None:
    assert page.PAGE.read_text("utf-8") == page.page(RESULTS, page.decided())


def test_the_table_of_the_roll_out_is_current() -> None:
    text = page.ROLL_OUT.read_text("utf-8")
    assert text == page.roll_out(text, RESULTS)
    assert all(source["what"] in text for source in RESULTS["urls"].values())


def test_every_application_has_results_of_its_pinned_version() -> None:
    known = applications()
    assert {name: each["version"] for name, each in RESULTS["applications"].items()} == {
        name: app.version for name, app in known.items()
    }
    assert len(known) >= 10
    protocols = {protocol for app in known.values() for protocol in app.protocol.split(", ")}
    assert protocols == {"WSGI", "ASGI"}


def test_every_application_has_requests() -> None:
    assert [name for name, each in RESULTS["applications"].items() if not each["requests"]] == []


def test_the_classes_match_the_differences_on_the_page() -> None:
    told = Counter(
        (name, each["class"], each["why"], each["exemption"])
        for name, facts in RESULTS["applications"].items()
        for each in facts["rows"]
    )
    assert told == Counter(
        (row.application, row.class_, row.why, row.policy or row.setting) for row in rows()
    )


def test_no_difference_is_a_defect() -> None:
    assert [row for row in rows() if row.class_ == "defect"] == []


def test_the_judgements_of_urls_match_the_refusals_on_the_page() -> None:
    told = {
        (name, each["judged"], each["why"])
        for name, facts in RESULTS["urls"].items()
        for each in facts["refused"]
    }
    assert told == {(each.source, each.judged, each.why) for each in judgements()}


def test_every_kind_that_refuses_legitimate_requests_has_a_decision() -> None:
    assert page.refusing_kinds(RESULTS) <= set(page.decided())
    assert list(page.decided()) == sorted(page.decided())
    assert {Kind.of(slug) for slug in page.decided()} <= set(Kind)


@pytest.mark.parametrize("row", [row for row in rows() if row.policy], ids=lambda row: row.application)
def test_an_exemption_covers_the_kinds_of_its_differences(row: Row) -> None:
    exempt = Policy.parse(f"standard {row.policy}")
    if exempt.limits != Policy.STANDARD.limits:
        return  # no action accepts a value over a limit; the run shows that the limit suffices
    for component, _, kind in (each.partition(":") for each in row.kinds):
        if Component(component) in Kind.of(kind).check.presets:
            assert exempt.action(Kind.of(kind), Component(component)) is not Action.REJECT


# -- how runs are compared -----------------------------------------------------------------------------------


def event(test: str, what: str, *kinds: str) -> dict[str, Any]:
    return {"test": test, "what": what, "kinds": list(kinds), "method": "GET", "target": "/a"}


def test_a_refused_request_is_a_difference_whatever_the_outcome_of_its_test() -> None:
    bare = Run({"one": "passed", "two": "passed"}, [], 0)
    wrapped = Run(
        {"one": "passed", "two": "failed"},
        [event("one", "refused", "path:nul"), event("two", "refused", "path:nul")],
        2,
    )
    assert [(each.test, each.outcome) for each in differences(bare, wrapped)] == [
        ("one", ""),
        ("two", "passed -> failed"),
    ]


def test_an_edited_request_is_a_difference_if_the_outcome_of_its_test_changes() -> None:
    events = [event("one", "changed", "path:spelling"), event("two", "changed", "path:spelling")]
    bare = Run({"one": "passed", "two": "passed"}, [], 0)
    [found] = differences(bare, Run({"one": "passed", "two": "error"}, events, 2))
    assert found == Difference("two", "changed", ("path:spelling",))


def test_a_changed_outcome_without_a_listed_request_is_a_difference() -> None:
    bare, wrapped = Run({"one": "passed", "two": "passed"}, [], 0), Run({"one": "failed"}, [], 0)
    assert [(each.what, each.outcome) for each in differences(bare, wrapped)] == [
        ("outcome", "passed -> failed"),
        ("outcome", "passed -> absent"),
    ]


def test_equal_differences_of_a_test_count_once() -> None:
    events = [event("one", "refused", "path:nul")] * 3
    assert len(differences(Run({}, [], 0), Run({}, events, 3))) == 1


def test_the_first_matching_class_applies() -> None:
    known = [
        Row("x", "hostile", "of a test", test="a[*", kinds=frozenset({"path:nul"})),
        Row("x", "hostile", "of all", kinds=frozenset({"path:nul", "path:tab"})),
        Row("x", "artificial", "outcomes", what="outcome"),
    ]
    found = [
        Difference("a[1]", "refused", ("path:nul",)),
        Difference("b", "refused", ("path:nul", "path:tab")),
        Difference("b", "outcome"),
        Difference("b", "refused", ("path:control",)),
    ]
    by_row, unclassed = classed(found, known)
    assert [by_row[row] for row in known] == [found[:1], found[1:2], found[2:3]]
    assert unclassed == found[3:]


def test_a_record_is_read_as_it_is_written(tmp_path: Path) -> None:
    lines = [
        {"test": "one", "outcome": "passed", "why": ""},
        event("one", "refused", "path:nul"),
        {"requests": 7},
    ]
    (tmp_path / "record").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    assert recorded(tmp_path / "record") == Run({"one": "passed"}, [event("one", "refused", "path:nul")], 7)

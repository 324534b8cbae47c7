"""The doctor finds each vulnerability, names the clause that closes it, and reports nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from doctor.holes import CORRECT, HOLES, Application
from postel import Policy
from postel.doctor import Examination, examine


def examined(application: Application, folder: Path) -> Examination:
    with application.make(folder) as app:
        policy = Policy.parse(application.policy)
        return examine(app, policy=policy, routes=application.routes, unsafe_methods=True)


@pytest.mark.parametrize("hole", HOLES, ids=str)
def test_the_doctor_finds_the_hole_and_the_clause_that_closes_it(hole: Application, tmp_path: Path) -> None:
    found = examined(hole, tmp_path)
    assert {each.rule for each in found.bare} - {"length"} == {hole.rule}
    clauses = {each.clause(Policy.STANDARD) for each in found.bare if each.rule == hole.rule}
    assert clauses == set(hole.clauses)
    assert [each.title for each in found.behind] == []


@pytest.mark.parametrize("application", CORRECT, ids=str)
def test_the_doctor_reports_nothing_without_a_hole(application: Application, tmp_path: Path) -> None:
    found = examined(application, tmp_path)
    assert [(each.title, each.request) for each in (*found.bare, *found.behind)] == []

"""The laws that need no framework, for whole requests on both protocols."""

from __future__ import annotations

from functools import cache
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postel import Forms, Policy
from postel._bodies.urlencoded import FormRules
from whole import strategies
from whole.conftest import Noting
from whole.generator import forms, requests
from whole.laws import LAWS, STRICT_QUERY, Law, form_in_blocks
from whole.request import Request
from whole.runs import Break, breaks, smallest
from whole.scale import EACH_RUN, Run
from whole.settings import MIXED, PRESETS, Setting, form_policies, settings

EACH_LAW = pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)


@cache
def settings_of(run: Run) -> list[Setting]:
    return settings(run.seed, run.count(12, 60))


@EACH_RUN
def test_the_laws_hold(run: Run, asked_about: Noting) -> None:
    count = run.count(150, 1500)
    found = list(islice(breaks(LAWS, settings_of(run), requests(run.seed, count)), 3))
    asked_about("laws", run, requests=2 * count, broken=len(found))
    assert not found, "\n".join(str(smallest(each)) for each in found)


@EACH_RUN
def test_a_form_has_the_same_result_whole_and_in_blocks(run: Run) -> None:
    """Every rule that edits a form is tested on top of every preset."""
    bodies = list(forms(run.seed, run.count(15, 150)))
    for policy in form_policies()[:: 1 if run.long else 4]:
        rules = FormRules(policy, Forms())
        found = [what for body in bodies if (what := form_in_blocks(rules, body))]
        assert not found, (str(policy), found[:3])


@EACH_RUN
def test_a_form_that_strict_accepts_is_a_query_of_rfc_3986(run: Run) -> None:
    rules = FormRules(Policy.STRICT, Forms())
    taken = [rules.judge(body).octets for body in forms(run.seed, run.count(2000, 20_000))]
    assert sum(each is not None for each in taken) > 200
    assert not [each for each in taken if each is not None and not STRICT_QUERY.fullmatch(each)][:3]


@EACH_LAW
@pytest.mark.filterwarnings("ignore:Generating overly large repr")  # some bodies repeat a part 40 times
@given(strategies.requests, st.sampled_from([*PRESETS, *MIXED]))
def test_the_laws_hold_for_requests_that_hypothesis_shrinks(
    law: Law, request_: Request, setting: Setting
) -> None:
    assert not (what := law.breaks(request_, setting)), str(Break(law, setting, request_, what))


def test_a_request_that_violates_a_law_is_shrunk() -> None:
    """Otherwise the requests that a run reports would be hard to read."""
    law = Law(
        "none", "No request has a query.", lambda request, _: "a query" if b"?" in request.target else ""
    )
    (found, *_) = breaks([law], PRESETS, requests(0, 50))
    small = smallest(found).request
    assert small == Request(b"/?", fields=())

"""Six frameworks read the same fields of a form behind postel, or none of them receives the request."""

from __future__ import annotations

import json

import pytest

from bodies import FORM
from form_readers import ALIKE, BODIES, FRAMEWORKS, Body, Reading
from postel import Policy
from readers.left_open import left_open  # noqa: F401 - a fixture
from together import together

POLICIES = {"STRICT": Policy.STRICT, "STANDARD": Policy.STANDARD, "LENIENT": Policy.LENIENT}


def read(body: Body, policy: Policy | None = None, *, chunked: bool = False) -> dict[str, Reading]:
    return {each.name: each.read(body, policy, chunked=chunked) for each in FRAMEWORKS}


def distinct(readings: dict[str, Reading]) -> set[str]:
    return {json.dumps([each.status, each.fields], sort_keys=True) for each in readings.values()}


def test_there_are_a_hundred_forms() -> None:
    assert len(set(BODIES)) == 100
    assert {each.name.removesuffix(" on ASGI") for each in FRAMEWORKS} == {
        "Django", "Flask", "Starlette", "FastAPI", "Falcon", "Quart",
    }  # fmt: skip


@pytest.mark.filterwarnings("ignore")  # The warnings of the frameworks do not matter here.
@together("body", BODIES, ids=str)
def test_without_postel_frameworks_read_the_forms_in_different_ways(body: Body) -> None:
    """Otherwise this file would test nothing."""
    assert len(distinct(read(body))) > 1


@pytest.mark.no_cover
@together("policy", POLICIES)
@together("body", BODIES + ALIKE, ids=str)
def test_behind_postel_all_frameworks_read_the_same_or_nothing(body: Body, policy: str) -> None:
    readings = read(body, POLICIES[policy])
    assert len(distinct(readings)) == 1, readings
    reading = next(iter(readings.values()))
    assert all(each.asked is reading.asked for each in readings.values())
    # A framework that receives the form reads it; only postel refuses.
    assert (reading.status == 200) is reading.asked is (reading.fields is not None)
    if reading.fields is not None:
        text = json.dumps(reading.fields, ensure_ascii=False)
        assert "\ufffd" not in text
        assert "\\u0000" not in text


@pytest.mark.parametrize("body", BODIES[::4] + ALIKE, ids=str)
def test_chunked_forms_give_the_same_result(body: Body) -> None:
    assert read(body, Policy.STANDARD, chunked=True) == read(body, Policy.STANDARD)


def test_enough_forms_are_accepted() -> None:
    """Otherwise postel could pass the other tests by refusing everything.

    STANDARD repairs unambiguous faults, LENIENT all that it can.
    """
    django = FRAMEWORKS[0]
    counts = {
        name: sum(django.read(body, policy).asked for body in BODIES + ALIKE)
        for name, policy in POLICIES.items()
    }
    assert counts == {"STRICT": 10, "STANDARD": 32, "LENIENT": 100}


@pytest.mark.filterwarnings("ignore")  # The warnings of the frameworks do not matter here.
@pytest.mark.parametrize(
    "content_type",
    [
        FORM.upper(), f" {FORM}", f"{FORM};", f"{FORM} ;x=y", f"{FORM};;charset=utf-8", f"{FORM}\t",
        f"{FORM}; charset", f"{FORM}, text/plain", f"text/plain, {FORM}", f"{FORM} x", f'{FORM}; x="',
        f"{FORM}; charset=utf-8; charset=bogus", f"{FORM}:", f"{FORM},", f"{FORM}x", f"x{FORM}", f"{FORM}/",
        "text/plain", f"multipart/mixed; x={FORM}",
    ],
)  # fmt: skip
def test_no_spelling_of_the_type_bypasses_postel(content_type: str) -> None:
    """Every type that a framework reads as a form has been judged, in every spelling."""
    for framework in FRAMEWORKS:
        reading = framework.read(Body(b"q=%00", content_type), Policy.STANDARD)
        assert not reading.fields, framework.name

"""Twelve readers of ten frameworks read one value of a JSON body behind postel, or none receives the request.

``measured`` has bodies that these readers, and readers in other languages, read in different ways.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any, Final

import pytest

from _bodies.hostile import Hostile
from _bodies.test_json import TABLE, TOKENS
from json_readers import FRAMEWORKS, Reading
from postel import Json, Kind, Policy
from postel._bodies.json import JsonRules
from postel._bodies.json_settings import LONGEST_NUMBER
from readers.left_open import left_open  # noqa: F401 - a fixture
from readers.quiet import quiet  # noqa: F401 - a fixture

FOLDER: Final = Path(__file__).with_name("measured")
POLICIES: Final = {"STRICT": Policy.STRICT, "STANDARD": Policy.STANDARD, "LENIENT": Policy.LENIENT}
JSON: Final = [b"application/json"]
READ_DIFFERENTLY: Final = {
    "type-plus-merge": "for other types than application/json, Bottle reads None and others refuse",
    "type-form": "it is judged as a form, but some views call json.loads on any body",
}
"""Bodies that frameworks still read in different ways behind postel, and why; see docs/bodies.md."""
ONE_FIELD_SHOWN: Final = {"type-two": "of two Content-Type fields, WSGI shows one"}

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.no_cover]  # warnings of the frameworks


def bodies(file: str) -> list[Any]:
    """Return the bodies of a file, each as a test case."""
    cases: list[Any] = []
    for each in json.loads((FOLDER / f"{file}.json").read_text("utf-8")):
        octets = b"".join(text.encode("latin-1") * times for text, times in each["octets"])
        types = [field.encode("latin-1") for field in each["content_type"]]
        cases.append(pytest.param(each["id"], octets, types, id=each["id"]))
    return cases


def read(octets: bytes, types: list[bytes], policy: Policy | None = None) -> dict[str, Reading]:
    return {each.name: each.read(octets, types, policy) for each in FRAMEWORKS}


def check(readings: dict[str, Reading], name: str = "") -> bool:
    """Check that all applications read one value and none failed. Return whether they were called."""
    told = {each: reading for each, reading in readings.items() if reading.status >= 500}
    assert not told
    if name not in ONE_FIELD_SHOWN:
        assert len({reading.asked for reading in readings.values()}) == 1, readings
    values = {reading.value for reading in readings.values() if reading.status == 200}
    if name in READ_DIFFERENTLY:
        return True
    assert len(values) <= 1, readings
    assert all(reading.status == 200 or not reading.asked for reading in readings.values()), readings
    return bool(values)


# -- measured bodies -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(("name", "octets", "types"), bodies("json"))
def test_hostile_bodies_have_one_meaning_or_none(
    name: str, octets: bytes, types: list[bytes], policy: str
) -> None:
    check(read(octets, types, POLICIES[policy]), name)


@pytest.mark.parametrize(("name", "octets", "types"), bodies("ordinary_json"))
def test_ordinary_bodies_pass(name: str, octets: bytes, types: list[bytes]) -> None:
    passes = check(read(octets, types, Policy.STANDARD))
    assert passes is (name != "fetch-json-surrogate")  # half a surrogate pair, as JSON.stringify writes it


CHARSETS: Final = [
    b"charset=utf-7", b"charset*=utf-8''utf-7", b"charset=utf-8; charset*=utf-8''utf-7", b"charset*0=utf-7",
    b'x="; charset=utf-7"', b'x="a\\"; charset=utf-7"', b'x="\\"; charset=utf-7; y="',
]  # fmt: skip


@pytest.mark.parametrize("parameter", CHARSETS, ids=repr)
@pytest.mark.parametrize("body", [b'"+ADw-"', b'"+ACI-,1'], ids=["a sign", "a quote"])
def test_no_charset_is_read_even_if_it_is_only_reported(parameter: bytes, body: bytes) -> None:
    """Django REST framework and Pyramid decode JSON in the charset that they find."""
    types = [b"application/json; " + parameter]
    assert check(read(b'"a"', [b"application/json"]))
    assert not check(read(body, types, Policy.STANDARD.reporting(Kind.STEERING_CHARSET)))


@pytest.mark.parametrize("before", [b"", b"-"], ids=["digits", "a sign"])
def test_no_framework_fails_for_the_longest_number_that_can_be_allowed(before: bytes) -> None:
    longest = Json(number=LONGEST_NUMBER)
    number = before + b"9" * (LONGEST_NUMBER - len(before))
    rules = JsonRules(Policy.STANDARD, longest)
    assert rules.judge(number).octets == number
    assert rules.judge(number + b"9").octets is None
    readings = {each.name: each.read(number, JSON) for each in FRAMEWORKS}
    assert {(each.status, each.value) for each in readings.values()} == {(200, str(int(number)))}
    assert {500} < {each.read(number + b"99", JSON).status for each in FRAMEWORKS}


def test_without_postel_bodies_are_read_in_different_ways_and_make_frameworks_fail() -> None:
    """Otherwise this file would test nothing."""
    readings = [read(*case.values[1:]) for case in bodies("json")]
    values = [{each.value for each in found.values() if each.status == 200} for found in readings]
    assert sum(len(each) > 1 for each in values) >= 5
    assert sum(any(each.status >= 500 for each in found.values()) for found in readings) >= 20


# -- other bodies --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("octets", [pytest.param(row[1], id=row[0]) for row in TABLE])
def test_bodies_of_the_table_have_one_meaning_or_none(octets: bytes, policy: str) -> None:
    check(read(octets, JSON, POLICIES[policy]))


def made(rng: random.Random) -> bytes:
    """Return a value with a token inserted, removed or doubled at some places."""
    tokens = [b'{"a":', b"[1,", b'"x"', b",", b"2]", b',"b":', b'{"c":null}', b"}"]
    for _ in range(rng.randrange(4)):
        at = rng.randrange(len(tokens) + 1)
        tokens[at : at + rng.randrange(2)] = [rng.choice(TOKENS)] * rng.randrange(1, 3)
    return b"".join(tokens)


@pytest.mark.parametrize("seed", range(8))
def test_generated_bodies_have_one_meaning_or_none(seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311 - no secret
    passed = 0
    for _ in range(25):
        octets = made(rng)
        for policy in (Policy.STANDARD, Policy.LENIENT):
            passed += check(read(octets, JSON, policy))
    assert passed


@pytest.mark.parametrize("seed", range(2))
def test_bodies_of_the_grammar_have_one_meaning_or_none(seed: int) -> None:
    hostile, passed = Hostile(seed), 0
    for _ in range(150):
        octets, content_type = hostile.json()
        passed += check(read(octets, [content_type], Policy.STANDARD))
    assert passed >= 20


@pytest.mark.parametrize(
    "field",
    [
        b"Application/JSON",
        b"application/json;charset=UTF-8",
        b'application/json ; charset="utf-8"',
        b"application/json;",
    ],
)
def test_all_recognise_the_same_spellings_of_the_type(field: bytes) -> None:
    assert check(read(b'{"a": "\xc3\xa9"}', [field], Policy.STANDARD))

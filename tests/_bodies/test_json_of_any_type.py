"""Views that read JSON under any Content-Type read no value that would be refused as application/json.

A body passes or is refused. If it passes, all of these views read one value from it, or none, and none fails.
"""

from __future__ import annotations

import itertools
import json
import random
from typing import Final

import pytest

from _bodies.hostile import Hostile
from _bodies.test_json import TABLE, check_no_name_repeats
from _bodies.test_json_frameworks import POLICIES, made
from _bodies.test_json_in_forms import PASSES, REFUSED
from json_readers import FORCED, Reading
from postel import Policy
from readers.left_open import left_open  # noqa: F401 - a fixture
from readers.quiet import quiet  # noqa: F401 - a fixture
from sampling import EVERY, sample

FORM: Final = [b"application/x-www-form-urlencoded"]
TYPES: Final = {
    "absent": [],
    "empty": [b""],
    "form": FORM,
    "form, in another spelling": [b"Application/X-WWW-Form-Urlencoded;charset=UTF-8"],
    "multipart form": [b"multipart/form-data; boundary=x"],
    "multipart form, without a boundary": [b"multipart/form-data"],
    "other multipart type": [b"multipart/mixed; boundary=x"],
    "JSON": [b"application/json"],
    "text": [b"text/plain"],
    "unknown": [b"application/x-unknown"],
    "not a type": [b"json"],
}
FRONT: Final = [b"", b"", b"", b"&", b"a=1&", b"[", b"[&[", b'"&"=', b"1", b" "]
BACK: Final = [b"", b"", b"", b"&", b"&a=1", b"=1", b"]", b"&]"]

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.no_cover]  # warnings of the frameworks


def read(octets: bytes, types: list[bytes], policy: Policy | None = None) -> dict[str, Reading]:
    return {each.name: each.read(octets, types, policy) for each in FORCED}


def check(octets: bytes, types: list[bytes], policy: Policy) -> bool:
    """Check that at most one value is read, and that bodies that are not JSON get a 400.

    Return whether one was read.
    """
    readings = read(octets, types, policy)
    assert len({each.asked for each in readings.values()}) == 1, readings
    if not any(each.asked for each in readings.values()):
        return False
    assert len({(each.status, each.value) for each in readings.values()}) == 1, readings
    (status,) = {each.status for each in readings.values()}
    assert status in {200, 400}
    if status != 200:
        return False
    if policy is not Policy.LENIENT:
        json.loads(octets.removeprefix(b"\xef\xbb\xbf"), object_pairs_hook=check_no_name_repeats)
        assert not any("\\x00" in (each.value or "") for each in readings.values())
    escaped = "\ufffd".encode() in octets or b"fffd" in octets.lower()
    is_silent = types and not types[0].endswith(b"json")
    assert escaped or not is_silent or not any("\ufffd" in (each.value or "") for each in readings.values())
    return True


@EVERY
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", TYPES)
def test_hostile_bodies_are_read_as_one_value_or_refused(name: str, policy: str, every: int) -> None:
    rows = [row[1] for row in sample(itertools.chain(TABLE, PASSES, REFUSED), every)]
    passed = [octets for octets in rows if octets and check(octets, TYPES[name], POLICIES[policy])]
    if name == "JSON" or (name.startswith("form,") and policy != "STRICT"):
        assert passed
    if name not in {"JSON", "form", "form, in another spelling"}:
        assert not passed


@pytest.mark.parametrize("seed", range(4))
def test_generated_bodies_that_are_sent_as_forms(seed: int) -> None:
    rng, hostile = random.Random(seed), Hostile(seed)  # noqa: S311 - no secret
    passed = 0
    for _ in range(60):
        text = made(rng) if rng.randrange(2) else hostile.json()[0]
        octets = rng.choice(FRONT) + text + rng.choice(BACK)
        for policy in (Policy.STANDARD, Policy.LENIENT):
            passed += check(octets, FORM, policy)
    assert passed


def test_without_postel_bodies_make_frameworks_fail() -> None:
    """Otherwise this file would test nothing."""
    readings = [read(row[1], FORM) for row in [*TABLE, *REFUSED]]
    assert sum(any(each.status >= 500 for each in found.values()) for found in readings) >= 3
    assert sum(any(each.status == 200 for each in found.values()) for found in readings) >= 10

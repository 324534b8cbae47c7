"""Law 8 for JSON: twice the body takes at most about twice the steps; there is no recursion."""

from __future__ import annotations

from functools import partial
from typing import Final

import pytest

from laws.checks import repeated, steps_of
from postel import Json, Kind, Policy
from postel._bodies.json import JsonRules

OPEN: Final = Json(limit=1 << 24, members=1 << 24, name=1 << 24, number=4300)
POLICIES: Final = {
    "strict": Policy.STRICT,
    "standard": Policy.STANDARD,
    "lenient": Policy.LENIENT,
    "allowing": Policy.LENIENT.allowing(Kind.NUL, Kind.CONTROL, Kind.BIG_INTEGER),
}
# A front, the repeated octets, and an end.
SHAPES: Final = {
    "objects": (b"[", b'{"id": 1, "name": "x"},', b"0]"),
    "empty arrays": (b"[", b"[],", b"0]"),
    "empty objects": (b"[", b"{},", b"0]"),
    "not closed": (b"", b"[", b""),
    "deep at the end": (b"[", b"[],", b"[" * 101),
    "closed too often": (b"", b"]", b""),
    "quotes": (b"", b'"', b""),
    "escaped quotes": (b'"', b'\\"', b'"'),
    "escaped quotes, not closed": (b'"', b'\\"', b""),
    "backslashes": (b'"', b"\\\\", b'"'),
    "backslashes outside": (b"", b"\\", b""),
    "brackets after backslashes": (b"[", b'\\"[', b"]"),
    "surrogates": (b'"', b"\\ud800", b'"'),
    "pairs of surrogates": (b'"', b"\\ud83d\\ude00", b'\\ud800"'),
    "NUL": (b'"', b"\\u0000", b'"'),
    "NUL in values": (b"[", b'"\\u0000",', b"1]"),
    "controls": (b'"', b"\\b\x7f", b'"'),
    "ill-formed": (b'"', b"\xff", b'"'),
    "ill-formed octets between letters": (b'"', b"\xffa\xc3", b'"'),
    "text": (b'"', "é€😀".encode(), b'"'),
    "text before large integers": (b"[", '"é",18446744073709551616,'.encode(), b"1]"),
    "names": (b"{", b'"aa": 1,', b'"b": 1}'),
    "names with faults": (b"{", b'"\\n\\u0000\\u0001": 1,', b'"b": 1}'),
    "integers": (b"[", b"18446744073709551616,", b"1]"),
    "digits": (b"", b"9", b""),
    "digits of a float": (b"0.", b"9", b""),
    "numbers": (b"[", b"-1.5e10,", b"1]"),
    "blanks": (b"", b" ", b"1"),
    "blanks after strings": (b"[", b'""   ,', b"1]"),
    "NaN": (b"[", b"NaN,", b"1]"),
    "BOMs": (b"", b"\xef\xbb\xbf", b"1"),
    "commas": (b"[", b",", b"]"),
}


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("shape", SHAPES)
def test_hostile_bodies_take_linear_steps(policy: str, shape: str) -> None:
    rules = JsonRules(POLICIES[policy], OPEN)
    small, large = (
        steps_of(partial(rules.judge, repeated(SHAPES[shape], octets))) for octets in (4096, 8192)
    )
    assert large <= 2.3 * small + 200
    assert large <= 8192 * 5


@pytest.mark.parametrize("shape", SHAPES)
def test_findings_are_few(shape: str) -> None:
    for policy in POLICIES.values():
        judged = JsonRules(policy, OPEN).judge(repeated(SHAPES[shape], 20_000))
        assert len(judged.findings) <= 32
        assert judged.octets is None or len(judged.octets) <= 3 * 20_100

"""Shapes: targets that differ only in ordinary words have the same shape, and the same verdict."""

from __future__ import annotations

import random
import re
from collections import Counter
from functools import cache
from itertools import islice

import pytest

from differential.targets import paths, queries
from postel import LATIN, Normalizer, Policy, Rejected, Target
from postel.scan import Entry
from postel.scan._judging import PRESETS, Judge
from postel.scan._shapes import LONGEST, has_shapes, shape_of
from scan.targets import HOSTILE_TARGETS
from together import together

POLICIES = [
    *(Policy.STANDARD, Policy.STRICT, Policy.LENIENT),
    Policy.parse("standard encoded-slash=preserve duplicate-name=reject malformed-escape=report"),
    Policy.parse("lenient not-nfc=repair double-escape=reject device-name=reject spelling=report"),
    Policy.LENIENT.local(names=["a", "q"]),
]
WORDS = [
    *(
        b"a",
        b"A",
        b"z",
        b"e",
        b"n",
        b"u",
        b"0",
        b"41",
        b"2F",
        b"00e9",
        b"u0041",
        b"word",
        b"4711",
        b"zz" * 20,
    ),
    *(b"con", b"CON", b"com1", b"nul", b"aux", b"lpt9", b"prn", b"conin", b"o", b"co", b"f", b"D800"),
]
BESIDE_WORDS = [
    *(b"/units/kg%2Fs", b"/a%252Fb", b"/a%25b", b"/caf%c3%a9", b"/x?q=50%25off", b"/x?q=M%FCller", b"/c%3Aa"),
    *(
        b"/x?q=e%CC%81a",
        b"/%63on",
        b"/c%6Fn",
        b"/co%6E",
        b"/con%2Etxt",
        b"/con%3A",
        b"/c:",
        b"/ab:",
        b"/conin$",
    ),
    *(b"/%%34%31", b"/%4%31", b"/%%32a%00", b"/a%u0041b", b"/x?q=%u00%341z", b"/x?a=1&b=2&a=3", b"/%C3a9"),
    *(b"/x?con=%00&a=%00", b"/a;b=c//d", b"/a.b./c..", b"/%c3%a9/a/../b", b"/x?q=%C2%A0e&q=%E4rzte"),
    *(
        b"/a//b:/c",
        b"//a/b",
        b"/\\a",
        b"/x#a?b=c%00",
        b"/x?a=%00#b&c=d",
        b"/x?a[b]=%00&a%5Bb]=1",
        b"/x?&&a=%",
    ),
    *(b"/x?q=https:a%2Fb", b"/x?q=a:b/c", b"/x?q=%2Fa%2F/b", b"/x?a=/%5Ca.b", b"/x?q=javascript:a(1)"),
]


def others(target: bytes, source: random.Random) -> bytes:
    """Return the target with other words."""
    return re.sub(
        rb"[0-9A-Za-z]+", lambda word: source.choice([word[0], word[0], *WORDS, b"k" * len(word[0])]), target
    )


@cache
def preset_normalizers() -> dict[str, Normalizer]:
    return {name: Normalizer(preset) for name, preset in PRESETS.items()}


@cache  # The result does not depend on the policy under test.
def refusing(target: Target) -> list[str]:
    """Return the presets that refuse a target."""
    return [
        name for name, each in preset_normalizers().items() if isinstance(each.normalize(target), Rejected)
    ]


@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_equal_shapes_have_equal_verdicts(policy: Policy) -> None:
    source = random.Random(4)  # noqa: S311 - the same targets in every run
    made = [*islice(paths(11), 50), *(b"/x?" + query for query in islice(queries(12), 50))]
    some = [*HOSTILE_TARGETS, *BESIDE_WORDS, *made]
    first = [target for target in some if target.startswith(b"/") and len(target) <= LONGEST]
    targets = [
        *first,
        *(other for target in first for _ in range(2) if len(other := others(target, source)) <= LONGEST),
    ]
    own, judge = Normalizer(policy), Judge(policy)
    shapes = Counter(map(shape_of, targets))
    assert sum(count for count in shapes.values() if count > 1) >= 100
    for target in targets:
        path, _, query = target.partition(b"?")
        received = Target(path, query)
        verdict = judge.judge(Entry(None, b"GET", target, 200))
        outcome = own.normalize(received)
        noted = {
            (place, action) for place, actions in (verdict.found if verdict else ()) for action in actions
        }
        assert noted == {((each.kind, each.component), each.action) for each in outcome.findings}, target
        refused = [*refusing(received), *(["policy"] if isinstance(outcome, Rejected) else [])]
        assert sorted(verdict.refused if verdict else ()) == sorted(refused), target


@together(
    ("one", "other", "alike"),
    [
        (b"/units/kg%2F1", b"/units/kg%2F4711", True),
        (
            b"/search?q=M%FCller+shoes",
            b"/search?q=T%FCr+1",
            False,
        ),  # The character before an escape may compose with it.
        (b"/search?q=Ma%FCller+shoes", b"/search?q=Lieba%FCr+1", True),
        (b"/search?q=50%+off", b"/search?q=20%+less", True),
        (b"/search?q=%00", b"/search?p=%00", False),
        (b"/con/%00", b"/can/%00", False),
        (b"/coat/%00", b"/word/%00", True),
        (b"/search?q=<b>%00", b"/search?q=<div>%00", True),
        (b"/%2541", b"/%2551", False),
        (b"/%u0041", b"/%u0042", False),
    ],
)
def test_targets_with_equal_shapes(one: bytes, other: bytes, alike: bool) -> None:
    assert (shape_of(one) == shape_of(other)) is alike


@together(
    ("policy", "expected"),
    [
        (Policy.LENIENT, True),
        (Policy.STANDARD.limiting(octets=511), False),
        (Policy.STANDARD.limiting(name=100), False),
        (Policy.STANDARD.limiting(value=100), False),
        (Policy.STANDARD.limiting(segment=100), False),
        (Policy.STANDARD.limiting(segment=512), True),
        (Policy.STANDARD.accepting(LATIN, names=["q"]), False),
        (
            Policy.STANDARD.charset("shift_jis", names=["q"]),
            False,
        ),  # in Shift JIS, %83A is a character, and %830 is not
    ],
)
def test_policies_under_which_equal_shapes_have_equal_verdicts(policy: Policy, expected: bool) -> None:
    assert has_shapes(policy) is expected

"""Editing the structure and the characters of a path in one stage gives the same path as in two."""

from __future__ import annotations

import random
from functools import partial
from typing import Final

import pytest

from postel import Accepted, Action, Component, Kind, Normalizer, Policy, Target
from postel._normalizer.detected import Detected
from postel._normalizer.findings import Collector
from postel._normalizer.path_edits import PathEdits
from postel._normalizer.source_map import Mapped

PIECES: Final = [
    *(b"/", b"/", b"/", b"/./", b"/../", b"//", b".", b"..", b"%2e", b"%2F", b"%5c", b"\\", b"a", b"b"),
    *(b";x", b";", b"%3b", b"%", b"%%", b" ", b"%7e", b"%01", b"\xff", b"%FF", b"%C3%A9", b"\xc3\xa9", b"?"),
    *(b"%u002f", b"%u005c", b"%u002e", b"%u0041", b"%E2%80%AE", b":", b"e\xcc\x81", b"con"),
]
KINDS: Final = [kind for kind in Kind if Component.PATH in kind.check.actions]
WAYS: Final = {
    Action.ALLOW: Policy.allowing,
    Action.REPORT: Policy.reporting,
    Action.REPAIR: Policy.repairing,
    Action.DROP: Policy.dropping,
    Action.REPLACE: Policy.replacing,
    Action.REJECT: Policy.rejecting,
}


def _repaired(edits: PathEdits, mapped: Mapped, detected: Detected, _notes: Collector) -> Mapped:
    return edits._repair(mapped, lambda: detected.reading.text, detected, composes=False)


@pytest.mark.parametrize("seed", range(6))
def test_one_stage_gives_the_same_path_as_two(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(seed)  # noqa: S311 - inputs, no secrets
    accepted = 0
    for _ in range(60):
        policy = Policy.LENIENT
        for _ in range(chance.randint(0, 4)):
            kind, action = chance.choice(KINDS), chance.choice(list(WAYS))
            if kind.check.supports(action, Component.PATH):
                policy = WAYS[action](policy, kind, on=Component.PATH)
        normalizer, staged = Normalizer(policy), Normalizer(policy)
        edits = PathEdits(staged._path._column)
        first, second, rewrite, last = edits.stages
        assert rewrite == edits._rewrite
        repair = partial(_repaired, edits)
        stages = (first, second, edits._restructure, repair, last)
        monkeypatch.setattr(staged._path._grammar, "stages", stages)
        for _ in range(30):
            path = b"/" + b"".join(chance.choices(PIECES, k=chance.choice([2, 5, 9, 50])))
            one, two = (each.normalize(Target(path)) for each in (normalizer, staged))
            assert type(one) is type(two), (str(policy), path)
            if isinstance(one, Accepted) and isinstance(two, Accepted):
                accepted += 1
                assert one.target == two.target, (str(policy), path)
    assert accepted


@pytest.mark.parametrize(
    ("path", "target"),
    [
        (b"/a%u005cb", None),
        (b"/a%u005Cb?%3b", None),
        (b"/a%u005cb/../c", b"/c"),
    ],
)
def test_units_that_decode_to_a_backslash_are_refused_unless_their_segment_goes(
    path: bytes, target: bytes | None
) -> None:
    outcome = Normalizer(Policy.LENIENT).normalize(Target(path))
    if target is None:
        assert outcome.findings[-1].detail == "after a repair"
        assert outcome.findings[-1].kind is Kind.ENCODED_BACKSLASH
        assert (outcome.findings[-1].offset, outcome.findings[-1].excerpt[:6].lower()) == (2, b"%u005c")
    else:
        assert isinstance(outcome, Accepted)
        assert outcome.target.path == target

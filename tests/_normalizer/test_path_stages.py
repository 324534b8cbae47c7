"""Editing the structure and the characters of a path in one stage gives the same path as in two."""

from __future__ import annotations

import random
from functools import partial
from typing import Final

import pytest

from postel import Accepted, Action, Component, Kind, Normalizer, Policy, Rejected, Target
from postel._alphabet.steps import Steps
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


def _restructured(
    edits: PathEdits, mapped: Mapped, detected: Detected, collector: Collector
) -> Steps[Mapped | None]:
    yield
    return edits._restructure(mapped, detected, collector)


def _repaired(edits: PathEdits, mapped: Mapped, detected: Detected, collector: Collector) -> Steps[Mapped]:
    yield
    return edits._repair(mapped, lambda: detected.reading.text, detected, collector)


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
        first, second, rewrite = edits.stages
        assert rewrite == edits._rewrite
        stages = (first, second, partial(_restructured, edits), partial(_repaired, edits))
        monkeypatch.setattr(staged._path._grammar, "stages", stages)
        for _ in range(30):
            path = b"/" + b"".join(chance.choices(PIECES, k=chance.choice([2, 5, 9, 50])))
            one, two = (each.normalize(Target(path)) for each in (normalizer, staged))
            assert type(one) is type(two), (str(policy), path)
            if isinstance(one, Accepted) and isinstance(two, Accepted):
                accepted += 1
                assert one.target == two.target, (str(policy), path)
    assert accepted


@pytest.mark.parametrize("path", [b"/a%u005cb", b"/a%u005Cb?%3b", b"/a%u005cb%u005c"])
def test_units_that_decode_to_a_backslash_are_refused(path: bytes) -> None:
    outcome = Normalizer(Policy.LENIENT).normalize(Target(path))
    assert isinstance(outcome, Rejected)
    last = outcome.findings[-1]
    assert (last.kind, last.action) == (Kind.ENCODED_BACKSLASH, Action.REJECT)
    assert (last.offset, last.excerpt.lower(), last.detail) == (2, b"%u005c", "after a repair")


@pytest.mark.parametrize(
    ("path", "written", "offsets"),
    [
        pytest.param(b"/a//%00%C3%A9;x/b", b"/a/%C3%A9/b", [], id="something else is left"),
        pytest.param(b"/a//%00%C3%A9/%00;x/b/%00;x/c", None, [14], id="nothing else is left"),
    ],
)
def test_an_octet_that_must_stay_once_the_structure_is_edited_is_refused(
    path: bytes, written: bytes | None, offsets: list[int]
) -> None:
    policy = Policy.LENIENT.dropping(Kind.NUL, on=Component.PATH).repairing(Kind.PATH_PARAMETER)
    outcome = Normalizer(policy).normalize(Target(path))
    assert outcome == Normalizer(policy).examine(Target(path))
    assert (outcome.target.path if isinstance(outcome, Accepted) else None) == written
    refused = [each for each in outcome.findings if each.action is Action.REJECT]
    assert [(each.kind, each.offset) for each in refused] == [(Kind.NUL, offset) for offset in offsets]
    assert not refused or outcome.findings[-1] is refused[-1], "nothing is examined after that"


@pytest.mark.parametrize(
    ("path", "offset"),
    [
        pytest.param(b"/" + b"|a" * 140 + b"/;x/b", 284, id="very many repairs that keep the units"),
        pytest.param(b"/x/../a%00/;x/b", 13, id="a replacement behind a dot segment"),
    ],
)
def test_the_offset_of_a_fault_is_traced_through_repairs(path: bytes, offset: int) -> None:
    policy = Policy.LENIENT.repairing(Kind.PATH_PARAMETER).replacing(Kind.NUL, on=Component.PATH)
    outcome = Normalizer(policy).normalize(Target(path))
    assert isinstance(outcome, Rejected)
    last = outcome.findings[-1]
    assert (last.kind, last.action, last.offset) == (Kind.EMPTY_SEGMENT, Action.REJECT, offset)


@pytest.mark.parametrize(
    ("policy", "received", "written"),
    [
        pytest.param(
            Policy.LENIENT, b"/a%u005cb/../c", b"/c", id="a segment that decodes to a backslash goes"
        ),
        pytest.param(Policy.LENIENT, b"/x/..//a//b", b"/a/b", id="slashes that become leading ones"),
        pytest.param(
            Policy.LENIENT.replacing(Kind.NUL, Kind.ILL_FORMED_UTF8),
            b"/x/../a%00%FF",
            b"/a%EF%BF%BD%EF%BF%BD",
            id="octets that are replaced behind a dot segment",
        ),
        pytest.param(
            Policy.LENIENT,
            b"/a//\xe2%82%ac",
            b"/a/%E2%82%AC",
            id="a character of a bare octet and escapes",
        ),
        pytest.param(
            Policy.LENIENT.repairing(Kind.NOT_NFC),
            b"/" + b"|/" * 40 + b"e%CC%81/\xe2%82%ac",
            b"/" + b"%7C/" * 40 + b"%C3%A9/%E2%82%AC",
            id="text that is composed after very many repairs",
        ),
        pytest.param(
            Policy.LENIENT.repairing(Kind.NOT_NFC).rejecting(Kind.UNSAFE_DOUBLE_ESCAPE),
            b"/%4%65%CC%A3",
            b"/%254%E1%BA%B9",
            id="a letter behind an escaped percent sign and a digit, if it composes",
        ),
        pytest.param(
            Policy.LENIENT,
            b"/" + b"|/" * 40 + b"e%CC%81",
            b"/" + b"%7C/" * 40 + b"e%CC%81",
            id="text that is not composed after very many repairs",
        ),
    ],
)
def test_structure_and_characters_are_repaired(policy: Policy, received: bytes, written: bytes) -> None:
    outcome = Normalizer(policy).normalize(Target(received))
    assert outcome == Normalizer(policy).examine(Target(received))
    assert isinstance(outcome, Accepted)
    assert outcome.target.path == written


@pytest.mark.parametrize(
    ("path", "offsets"),
    [
        pytest.param(b"/|%u202e", [2], id="behind a character that is repaired later"),
        pytest.param(b"/%00%u202e", [4], id="behind a character that is replaced later"),
        pytest.param(b"/%E2%80%AEa%u202e", [1, 11], id="behind a character that is reported"),
        pytest.param(b"/a\\|%u202e", [4], id="behind a slash that is repaired, too"),
    ],
)
def test_a_fault_that_a_unit_hides_is_named_where_the_unit_was_received(
    path: bytes, offsets: list[int]
) -> None:
    policy = Policy.LENIENT.reporting(Kind.BIDI_CONTROL).replacing(Kind.NUL, on=Component.PATH)
    outcome = Normalizer(policy).normalize(Target(path))
    assert isinstance(outcome, Accepted)
    assert [each.offset for each in outcome.findings if each.kind is Kind.BIDI_CONTROL] == offsets


def test_after_a_refusal_of_leading_slashes_nothing_else_is_looked_for() -> None:
    edited = (Kind.DOT_SEGMENT, Kind.ENCODED_SLASH)
    outcome = Normalizer(Policy.LENIENT.rejecting(Kind.LEADING_SLASHES).repairing(*edited)).normalize(
        Target(b"/.//a%u002f")
    )
    assert isinstance(outcome, Rejected)
    refused = [each.kind for each in outcome.findings if each.action is Action.REJECT]
    assert refused == [Kind.LEADING_SLASHES]


def test_very_many_faults_beside_slashes_that_were_decoded_are_reported_once() -> None:
    outcome = Normalizer(Policy.LENIENT).normalize(Target(b"/a" + b"%u002F%u002F%u0061" * 40))
    assert isinstance(outcome, Accepted)
    assert not outcome.truncated
    assert [(each.kind, each.action, each.offset) for each in outcome.findings] == [
        (Kind.UNICODE_ESCAPE, Action.REPAIR, 2),
        (Kind.ENCODED_SLASH, Action.PRESERVE, 2),
        (Kind.SPELLING, Action.REPAIR, 2),
        (Kind.EMPTY_SEGMENT, Action.REPORT, 2),
    ]

"""What is proven to be settled needs neither an edit nor a refusal.

A path needs none whichever way preserved slashes are read; text is compared with its composed form.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Final

import pytest

from postel import Accepted, Action, Characters, Component, Kind, Limits, Normalizer, Policy, Target
from postel._alphabet.percent import joined
from postel._alphabet.steps import Steps, finished
from postel._catalogue.repairs import composed_runs
from postel._normalizer.composition import Composition, left_in
from postel._normalizer.detected import Detected
from postel._normalizer.engine import Engine
from postel._normalizer.findings import Collector, changes_octets, rejects
from postel._normalizer.pair_stages import PairStages
from postel._normalizer.source_map import Mapped

PIECES: Final = [
    *(b"%2F", b"%2F", b"/", b".", b"a", b"con", b"$", b":", b";", b"%"),
    *(b"%25", b"%2f", b"2F", b"41", b"\xcc\xb8", b"%CC%B8", b"%C3", b"%5C"),
]
POLICIES: Final = [
    Policy.LENIENT,
    Policy.STRICT.preserving(Kind.ENCODED_SLASH),
    Policy.STANDARD.preserving(Kind.ENCODED_SLASH).repairing(Kind.NOT_NFC),
    Policy.LENIENT.reporting(Kind.DOT_SEGMENT, Kind.ENCODED_BACKSLASH),
    Policy.LENIENT.allowing(Kind.EMPTY_SEGMENT, Kind.LEADING_SLASHES, Kind.SPELLING, Kind.MALFORMED_ESCAPE),
    Policy.LENIENT.accepting(Characters.of("acon", (0x2B, 0x2E)), on=Component.PATH),
]


def composed(octets: bytes) -> bytes:
    """Put text into NFC."""
    return joined(composed_runs(octets)[1])


def _composed(between: str) -> Composition:
    """What is known of a component that was composed, if something in it may not be in NFC."""
    composition = Composition(between)
    composition.is_whole = True
    return composition


def _is_edited(detected: Detected) -> bool:
    return detected.edits_characters or finished(detected.editing()) is not None


@pytest.mark.no_cover
@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_what_is_settled_needs_no_edit(policy: Policy) -> None:
    engine = Engine(policy, Component.PATH)
    settled = 0
    for pieces in {each for size in range(5) for each in product(PIECES, repeat=size)}:
        path = b"/" + b"".join(pieces)
        if not engine._column.is_settled(path, Composition("/")):
            continue
        settled += b"%2F" in path
        collector = Collector(Limits())
        detected = engine.judge(Mapped(path), collector)
        assert not collector.rejected, path
        assert not _is_edited(detected), path
    assert settled or policy.acceptances


OF_PAIRS: Final = [
    *(b"&", b"=", b"%3D", b"%26", b"a", b"e", b"%65", b"+", b"<", b"%3C", b"%u0065", b"%u000E"),
    *("\u0301".encode(), b"%CC%81", b"%CC%B8", b"%C3%A9", b"%E0%BD%B3", b"%CD%84", b"%FF", b"%E1%84%80"),
    *(b"%E1%85%A1", b"%CC%81" * 31, b"%E0%BD%B3" * 16),
]  # fmt: skip
COMPOSING: Final = [
    Policy.LENIENT.repairing(Kind.NOT_NFC),
    Policy.LENIENT.repairing(Kind.NOT_NFC, Kind.DUPLICATE_NAME).allowing(Kind.ILL_FORMED_UTF8),
    Policy.LENIENT.repairing(Kind.NOT_NFC, names=["e*", "a"]),
    Policy.LENIENT.rejecting(Kind.NOT_NFC).allowing(Kind.UNICODE_ESCAPE, Kind.RAW_NON_ASCII),
    Policy.LENIENT.dropping_pairs(Kind.NOT_NFC).reporting(Kind.ILLEGAL_CHARACTER, Kind.UNICODE_ESCAPE),
]


@pytest.mark.parametrize("component", [Component.PATH, Component.QUERY])
@pytest.mark.parametrize("policy", COMPOSING, ids=str)
def test_what_is_settled_needs_no_edit_of_text(policy: Policy, component: Component) -> None:
    engine = Engine(policy, component)
    is_path = component is Component.PATH
    settled = composed = 0
    for pieces in {each for size in range(4) for each in product(OF_PAIRS, repeat=size)}:
        octets = b"/" * is_path + b"".join(pieces)
        if not engine._column.is_settled(octets, Composition("/")):
            continue
        settled += 1
        composed += b"%CC%81" in octets
        collector = Collector(Limits())
        detected = engine.judge(Mapped(octets), collector)
        assert not collector.rejected, octets
        assert not _is_edited(detected), octets
    assert settled
    assert composed or (is_path and Kind.NOT_NFC in {rule.kind for rule in policy.rules})


@pytest.mark.parametrize("policy", COMPOSING[:2], ids=str)
def test_what_is_settled_after_composing_needs_no_edit_of_text(policy: Policy) -> None:
    engine = Engine(policy, Component.QUERY)
    settled = 0
    for pieces in {each for size in range(4) for each in product(OF_PAIRS, repeat=size)}:
        octets = composed(b"".join(pieces))
        if not engine._column.is_settled(octets, _composed("&")):
            continue
        settled += 1
        collector = Collector(Limits())
        detected = engine.judge(Mapped(octets), collector)
        assert not collector.rejected, octets
        assert not _is_edited(detected), octets
    assert settled


@pytest.mark.parametrize("component", [Component.PATH, Component.QUERY])
@pytest.mark.parametrize("policy", COMPOSING[:2], ids=str)
def test_what_is_clean_after_composing_has_no_finding(policy: Policy, component: Component) -> None:
    engine = Engine(policy, component)
    begin, between = (b"/", "/") if component is Component.PATH else (b"", "&")
    clean = 0
    for pieces in {each for size in range(4) for each in product([b"/", *OF_PAIRS], repeat=size)}:
        octets = begin + composed(b"".join(pieces))
        if not engine._column.is_clean(octets, _composed(between)):
            continue
        clean += not octets.isascii() or b"%" in octets
        collector = Collector(Limits())
        detected = engine.judge(Mapped(octets), collector)
        assert not collector.findings, octets
        assert not _is_edited(detected), octets
    assert clean


def test_text_that_composing_leaves_is_found_in_a_proven_path() -> None:
    engine = Engine(COMPOSING[0], Component.PATH)
    left = 0
    for pieces in {each for size in range(4) for each in product([b"/", *OF_PAIRS], repeat=size)}:
        octets = b"/" + composed(b"".join(pieces))
        if not engine._column.is_settled(octets, _composed("/")):
            continue
        span = left_in(octets, "/")
        left += span is not None
        detected = engine.judge(Mapped(octets), Collector(Limits()))
        matches = detected.of("uncomposed")
        assert span == (matches.find(rejects)[2:] if matches.have(rejects) else None), octets
        assert not _is_edited(detected), octets
    assert left


def test_text_that_composing_leaves_is_found_in_pairs() -> None:
    engine = Engine(COMPOSING[0], Component.QUERY)
    left = 0
    for pieces in {each for size in range(4) for each in product(OF_PAIRS, repeat=size)}:
        octets = composed(b"".join(pieces))
        if b"%FF" in octets:
            continue
        span = left_in(octets, "&")
        left += span is not None
        matches = engine.judge(Mapped(octets), Collector(Limits())).of("uncomposed")
        assert span == (matches.find(rejects)[2:] if matches.have(rejects) else None), octets
    assert left


def test_a_percent_sign_that_is_data_begins_no_escape_that_composing_left() -> None:
    assert left_in(b"/%25u122C%E2%80%A8", "/") is None


def test_a_value_that_begins_with_a_mark_does_not_compose_with_the_equals_sign() -> None:
    column = Engine(Policy.LENIENT.repairing(Kind.NOT_NFC), Component.QUERY)._column
    assert column.is_settled(b"a=%CC%B8", Composition("&"))
    assert not column.is_settled(b"a=e%CC%81", Composition("&"))


def test_what_is_only_reported_is_not_looked_for_after_an_edit() -> None:
    policy = Policy.LENIENT.reporting(Kind.SPELLING, Kind.RAW_NON_ASCII, on=Component.PATH)
    engine, collector = Engine(policy, Component.PATH), Collector(Limits())
    path = Mapped(b"//" + b"%7e\xc3\xa9/" * 40, Component.PATH)
    detected = engine.judge(path, collector)
    assert detected.pending_without_edits == {"writing"}
    detected.later("writing", lambda _: pytest.fail("spelling was looked for"), edits=False)
    assert finished(detected.editing()) is not None
    edited = engine.edit(path, detected, collector)
    assert edited is not None
    assert (edited.octets, len(collector.findings)) == (b"/" + b"%7e\xc3\xa9/" * 40, 32)


@pytest.mark.parametrize(
    ("received", "edited"),
    [
        (Target(b"/" + b"%7Ea" * 40 + b"e%CC%81#x"), Target(b"/" + b"%7Ea" * 40 + b"%C3%A9")),
        (
            Target(b"/", b"a=%7E&" * 40 + b"%u0065%CC%81=1"),
            Target(b"/", b"a=%7E&" * 40 + b"%C3%A9=1"),
        ),
    ],
    ids=["path", "query"],
)
def test_text_is_composed_after_another_edit_although_other_faults_are_only_reported(
    received: Target, edited: Target
) -> None:
    policy = Policy.LENIENT.reporting(Kind.SPELLING).allowing(Kind.RAW_NON_ASCII)
    normalizer = Normalizer(policy.repairing(Kind.NOT_NFC))
    outcome = normalizer.normalize(received)
    assert isinstance(outcome, Accepted)
    assert outcome.target == replace(edited, preserved=normalizer.preserved)


AROUND: Final = [
    *(b"&", b"=", b"a", b"%00", b"\xff", b"%u0065", b"%u000E", b"%", b"%E2%80%AE", b"%0A"),
]  # fmt: skip
DROPPING: Final = [
    Policy.LENIENT,
    Policy.LENIENT.repairing(Kind.DUPLICATE_NAME, Kind.LONE_NEWLINE),
    Policy.LENIENT.dropping_pairs(Kind.UNICODE_ESCAPE, names=["a"]).dropping(Kind.NUL),
    Policy.STANDARD.dropping_pairs(Kind.CONTROL, Kind.NUL).dropping(Kind.ILL_FORMED_UTF8, Kind.BIDI_CONTROL),
]


@pytest.mark.no_cover
@pytest.mark.parametrize("policy", DROPPING, ids=str)
def test_what_is_settled_after_dropping_pairs_needs_no_edit(
    policy: Policy, monkeypatch: pytest.MonkeyPatch
) -> None:
    left: list[bytes] = []
    drop = PairStages._drop

    def dropping(
        stages: PairStages, mapped: Mapped, detected: Detected, collector: Collector
    ) -> Steps[Mapped]:
        edited = yield from drop(stages, mapped, detected, collector)
        before = detected.pair_actions.acts(detected.seen) - {Action.DROP_PAIR}
        if detected.is_settled and any(map(changes_octets, before)):
            left.append(edited.octets)
        return edited

    monkeypatch.setattr(PairStages, "_drop", dropping)
    engine = Engine(policy, Component.QUERY)
    for pieces in {each for size in range(5) for each in product(AROUND, repeat=size)}:
        received, collector = Mapped(b"".join(pieces), Component.QUERY), Collector(Limits())
        detected = engine.judge(received, collector)
        edited = None if collector.rejected else engine.edit(received, detected, collector)
        if edited is None or not left or left[-1] != edited.octets:
            continue
        again = Collector(Limits())
        detected = engine.judge(Mapped(edited.octets, Component.QUERY), again)
        assert {each.kind for each in again.findings} <= {each.kind for each in collector.findings}, pieces
        assert not again.rejected, pieces
        assert not _is_edited(detected), pieces
    assert left


@pytest.mark.parametrize(
    ("query", "stages"),
    [
        pytest.param(b"a=%00\xff&b=%E2%80%AE", [], id="a fault that is left in a dropped pair"),
        pytest.param(b"a=%00\xff&b=%u202E", [0], id="a unit that is decoded first"),
        pytest.param(b"a=%00\xff&b=%E2%80%AE%u202E<" + b"&c=%00\xff" * 12, [0, 1], id="many pairs"),
    ],
)
def test_pairs_that_are_kept_are_not_judged_again_after_others_are_dropped(
    query: bytes, stages: list[int]
) -> None:
    engine, collector = Engine(Policy.LENIENT, Component.QUERY), Collector(Limits())
    received = Mapped(query, Component.QUERY)
    edited = engine.edit(received, engine.judge(received, collector), collector)
    assert edited is not None
    assert b"%00" not in edited.octets
    assert [number for number, _, _ in collector.steps] == stages

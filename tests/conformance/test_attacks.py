"""Attack lists: the lists name no expected result, but no accepted target may have a fault.

Every payload is sent as a request target, as a segment and as a value, under every preset. An accepted target
has no dot segment, no NUL and no ill-formed UTF-8. Every reader finds the same segments in it, and decoding
it a second time does not change its structure. This last sentence has limits:

- Under STRICT and STANDARD it holds without exception.

- STANDARD refuses a double escape of ASCII (``unsafe-double-escape``). It accepts and reports that of a space
or of other text (``double-escape``), which does not change the structure.

- LENIENT keeps data ``%`` and data slashes escaped in the decoded view. A second decoding turns only a
preserved slash into structure. A finding names this slash, and it was judged as the slash that it could
become, so that even then there is no dot segment.
"""

from __future__ import annotations

import re
from urllib.parse import unquote_to_bytes

import pytest

from conformance.comparison import Answer, Question
from conformance.corpora import Case, cases, require
from conformance.reading import accepts, escaped, read, received
from evidence.record import note
from postel import Accepted, Kind, Policy, Target

PRESETS = {
    "STRICT": Policy.STRICT,
    "STANDARD": Policy.STANDARD,
    "LENIENT": Policy.LENIENT,
}
NAMED = {"LENIENT": {Kind.ENCODED_SLASH}}
"""Kinds with which a preset reports that a second decoding would change the structure."""


PLACES = ("a target", "a segment", "a segment, escaped", "a value", "a value, escaped")


def targets(case: Case) -> dict[str, Target]:
    """Return the payload in each place of a request."""
    payload = case.octets
    return dict(
        zip(
            PLACES,
            (
                received(payload if payload.startswith(b"/") else b"/" + payload),
                Target(path=b"/a/" + payload.replace(b"/", b"%2F").replace(b"?", b"%3F") + b"/b"),
                Target(path=b"/a/" + escaped(payload) + b"/b"),
                Target(query=b"q=" + payload),
                Target(query=b"q=" + escaped(payload)),
            ),
            strict=True,
        )
    )


def structure(path: bytes) -> list[bytes]:
    """Return the segments of a decoded path, for a reader that treats a backslash as a slash."""
    return re.split(rb"[/\\]", path)


def faults(preset: str, accepted: Accepted) -> list[str]:
    """Return the faults of an accepted target."""
    target = accepted.target
    decoded = target.path_octets
    once = structure(decoded)
    again = structure(unquote_to_bytes(decoded))
    found = {finding.kind for finding in accepted.findings}
    texts = [target.path_text, *target.segments, *(each for pair in target.pairs for each in pair)]
    wrong = {
        "a dot segment": {b".", b".."} & {*once, *target.path.split(b"/")},
        "a NUL": any("\0" in each for each in texts),
        "ill-formed UTF-8": any("\ud800" <= c <= "\udfff" for each in texts for c in each),
        "another number of segments": len(once) != len(target.path.split(b"/")),
        "segments that disagree": b"/".join(structure(target.path)) != target.path,  # A bare backslash.
        "a structure that a second decoding changes": len(again) != len(once)
        and not found & NAMED.get(preset, set()),
        "a dot segment after a second decoding": {b".", b".."} & set(again),
    }
    return [fault for fault, is_so in wrong.items() if is_so]


def nothing_goes_wrong(case: Case) -> str:
    wrong = {
        f"{fault} under {preset}: {target}"
        for preset, policy in PRESETS.items()
        for target in targets(case).values()
        if isinstance(outcome := read(policy, target), Accepted)
        for fault in faults(preset, outcome)
    }
    return "; ".join(sorted(wrong))


FILE = "attack_payloads"

QUESTIONS = [Question(FILE, "nothing goes wrong", nothing_goes_wrong)]


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_no_payload_of_the_lists_goes_wrong(question: Question, answers: list[Answer]) -> None:
    answer = question.put()
    answers.append(answer)
    answer.check()


@pytest.mark.parametrize("preset", PRESETS)
def test_no_accepted_payload_has_a_fault(preset: str, pytestconfig: pytest.Config) -> None:
    """Record how much of each list a preset accepts in each place; accepted payloads have no fault."""
    require(FILE)
    for place in PLACES:
        lists: dict[str, list[bool]] = {}
        for case in cases(FILE):
            outcome = read(PRESETS[preset], targets(case)[place])
            lists.setdefault(case["src"], []).append(isinstance(outcome, Accepted))
            assert not isinstance(outcome, Accepted) or not faults(preset, outcome), str(case)
        note(
            pytestconfig,
            "attacks",
            (
                {"list": name, "place": place, "preset": preset, "of": len(found), "accepted": sum(found)}
                for name, found in lists.items()
            ),
        )


def refused(preset: str, place: str) -> list[Case]:
    policy = PRESETS[preset]
    return [case for case in cases(FILE) if not accepts(policy, targets(case)[place])]


@pytest.mark.parametrize(
    ("place", "count"),
    [
        ("a target", 276),
        ("a segment", 281),
        ("a segment, escaped", 280),
        ("a value", 203),
        ("a value, escaped", 0),  # An escaped payload in a value is text.
    ],
)
def test_how_many_of_297_payloads_strict_refuses(place: str, count: int) -> None:
    require(FILE)
    assert (len(cases(FILE)), len(refused("STRICT", place))) == (297, count)


def test_payloads_that_strict_accepts_as_targets_are_harmless() -> None:
    """Such payloads are words, or dots written as ``0x2e``, which no URL decodes."""
    require(FILE)
    through = set(cases(FILE)) - set(refused("STRICT", "a target"))
    assert {feature for case in through for feature in case["features"]} <= {"0x"}


@pytest.mark.parametrize("preset", PRESETS)
def test_no_preset_accepts_a_payload_that_climbs(preset: str) -> None:
    require(FILE)
    climbing = {
        case for case in cases(FILE) if {"climbs-raw", "climbs-after-1-decode"} & set(case["features"])
    }
    assert climbing <= set(refused(preset, "a target"))

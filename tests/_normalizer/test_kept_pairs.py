"""Pairs that are kept while others are removed: their octets, and the places from which these come."""

from __future__ import annotations

from itertools import combinations
from typing import Final

import pytest

from postel import Accepted, Kind, Normalizer, Policy, Target
from postel._bodies.form_settings import Forms
from postel._bodies.urlencoded import FormRules
from postel._normalizer.kept_pairs import only
from postel._normalizer.pairs import Pairs
from postel._normalizer.source_map import Mapped

RECEIVED: Final = b"a&&cd&e=f"


def test_kept_pairs_stay_in_their_places() -> None:
    pairs = Pairs(RECEIVED)
    every = range(len(pairs.pieces))
    for kept in (each for number in every for each in combinations(every, number)):
        mapped = only(kept, pairs, Mapped(RECEIVED))
        assert mapped.octets == b"&".join(pairs.pieces[pair] for pair in kept)
        for place, octet in enumerate(mapped.octets):
            if octet != ord("&"):  # all other octets differ
                start, end = mapped.origin(place, place + 1)
                assert RECEIVED[start:end] == bytes([octet])


def test_the_end_comes_from_behind_removed_pairs() -> None:
    mapped = only([0], Pairs(RECEIVED), Mapped(RECEIVED))
    assert mapped.origin(0, 1) == (0, 1)
    assert mapped.origin(1, 1) == (len(RECEIVED), len(RECEIVED))


def test_names_keep_their_own_faults_if_other_pairs_are_dropped_at_once() -> None:
    policy = Policy.LENIENT.dropping_pairs(Kind.NUL).reporting(Kind.NAME_LINE_BREAK)
    outcome = Normalizer(policy).normalize(Target(b"/", b"a=%00&" * 40 + b"b%0A=1"))
    assert isinstance(outcome, Accepted)
    assert outcome.target.query == b"b%0A=1"
    assert Normalizer(policy).normalize(outcome.target).findings[0].kind is Kind.NAME_LINE_BREAK


@pytest.mark.parametrize("dropped", [b"a%00=1", b"a=" + b"%00" * 8])
def test_a_place_behind_dropped_octets_and_pairs_is_traced(dropped: bytes) -> None:
    drops = Policy.LENIENT.dropping(Kind.NUL).dropping_pairs(Kind.BIDI_CONTROL)
    policy = drops.repairing(Kind.SPELLING, Kind.LONE_NEWLINE).limiting(form_value=60)
    front = b"x=%E2%80%AE" + b"y" * 40 + b"&" + b"t=%c3%a9&" * 40 + dropped + b"&b="
    judged = FormRules(policy, Forms()).judge(front + b"%0A" * 40)  # each newline becomes CR LF
    assert judged.truncated
    assert [each.offset for each in judged.findings if each.kind is Kind.LONG_VALUE] == [len(front)]

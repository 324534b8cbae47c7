"""Edits of the faulty pairs alone give the same result as edits of the whole component."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Final

import pytest

from _normalizer.mixtures import edited
from _normalizer.test_dropped_at_once import PIECES, _policies
from postel import Accepted, Component, Finding, Kind, Normalizer, Policy, Target
from postel._alphabet.percent import measure
from postel._normalizer import engine as engines
from postel._normalizer.detected import Context, Detected
from postel._normalizer.engine import Engine
from postel._normalizer.faulty_pairs import FaultyPairs
from postel._normalizer.kept_pairs import only
from postel._normalizer.pair_grammar import PairGrammar
from postel._normalizer.pairs import Pairs
from postel._normalizer.source_map import Mapped

LENIENT: Final = Policy.LENIENT
CLEAN: Final = [b"a=b%d" % number for number in range(200)]
"""Pairs without a fault: together more than 1,024 octets."""


def among_clean_pairs(chance: random.Random) -> Iterator[bytes]:
    """Yield long components in which a few pairs consist of random pieces."""
    for _ in range(12):
        pairs = [*CLEAN]
        for _ in range(chance.choice([1, 2, 4, 10, 25])):
            place = chance.choice([0, 1, len(pairs) - 1, chance.randrange(len(pairs))])
            piece = b"".join(chance.choices([*PIECES, b"#"], k=chance.choice([1, 1, 2, 4])))
            pairs[place] = chance.choice([piece, pairs[place] + piece, b"a" + piece])
        yield b"&".join(pairs)


def found_in_full(findings: Sequence[object]) -> list[object]:
    """Return the findings except those whose place could not be traced, because it lies behind many edits."""
    return [
        each for each in findings if isinstance(each, Finding) and (each.offset, each.excerpt) != (0, b"")
    ]


@pytest.mark.no_cover
@pytest.mark.parametrize("component", [Component.QUERY, Component.FORM])
@pytest.mark.parametrize("seed", range(3))
def test_editing_only_faulty_pairs_changes_nothing(
    seed: int, component: Component, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)  # noqa: S311 - inputs, no secrets
    divided = 0
    find = engines.faulty_pairs

    def counted(mapped: Mapped, detected: Detected) -> FaultyPairs | None:
        nonlocal divided
        found = find(mapped, detected)
        divided += found is not None
        return found

    for policy in _policies(chance, component):
        for octets in among_clean_pairs(chance):
            most = measure(octets) + chance.choice([0, 1, 5, 20, 1000])  # the edits may need more
            engine = Engine(policy.limiting(octets=most), component)
            with monkeypatch.context() as patch:
                patch.setattr(engines, "faulty_pairs", counted)
                result, findings, truncated = edited(engine, octets, component)
                patch.setattr(engines, "faulty_pairs", lambda *_: None)
                whole, every, are_more = edited(engine, octets, component)
            assert (result, truncated) == (whole, are_more), (str(policy), octets)
            assert found_in_full(findings) == found_in_full(every), (str(policy), octets)
    assert divided > 100


def query_of(*changed: tuple[int, bytes]) -> bytes:
    """Return long pairs, some of which are other octets."""
    pairs = [*CLEAN]
    for place, pair in changed:
        pairs[place] = pair
    return b"&".join(pairs)


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        pytest.param([(0, b"")], CLEAN[1:], id="only the first pair, which is empty"),
        pytest.param([(0, b"\x00")], CLEAN[1:], id="only the first pair, which is dropped"),
        pytest.param([(199, b"")], CLEAN[:-1], id="only the last pair, which is empty"),
        pytest.param([(5, b"\x00"), (7, b"b= ")], [*CLEAN[:5], CLEAN[6], b"b=%20", *CLEAN[8:]], id="both"),
        pytest.param([(3, b"b=1#2"), (9, b"\x00")], [*CLEAN[:3], b"b=1"], id="a fragment"),
        pytest.param([(3, b"#")], CLEAN[:3], id="a fragment that leaves an empty pair"),
        pytest.param([(0, b"#")], [], id="a fragment that leaves nothing"),
        pytest.param([(0, b"\x00"), (1, b"\x00#")], [], id="a fragment behind pairs that are all dropped"),
        pytest.param([(4, b"b=%u0026c")], [*CLEAN[:4], b"b=%26c", *CLEAN[5:]], id="an ampersand in a value"),
    ],
)
def test_other_pairs_keep_their_places(changed: list[tuple[int, bytes]], expected: list[bytes]) -> None:
    policy = LENIENT.repairing(Kind.EMPTY_PAIR, Kind.UNICODE_ESCAPE).dropping_pairs(Kind.NUL)
    received = query_of(*changed)
    outcome = Normalizer(policy).normalize(Target(query=received))
    assert isinstance(outcome, Accepted)
    assert outcome.target.query == b"&".join(expected)
    for finding in outcome.findings:
        assert received[finding.offset :].startswith(finding.excerpt)


def test_an_edit_may_make_the_whole_query_too_long() -> None:
    policy = LENIENT.replacing(Kind.NUL)
    received = query_of((7, b"b=" + b"\x00" * 20))
    for most, is_short in ((len(received) + 41, True), (len(received) + 40, False)):
        outcome = Normalizer(policy.limiting(octets=most)).normalize(Target(b"/", received))
        assert isinstance(outcome, Accepted) is is_short
        assert (outcome.findings[-1].kind is Kind.TOO_LONG) is not is_short


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The lengths of all components that are judged."""
    lengths: list[int] = []
    split = PairGrammar.split

    def counted(grammar: PairGrammar, octets: bytes, context: Context) -> Detected:
        lengths.append(len(octets))
        return split(grammar, octets, context)

    monkeypatch.setattr(PairGrammar, "split", counted)
    return lengths


@pytest.mark.parametrize("policy", [LENIENT, Policy.STANDARD, LENIENT.repairing(Kind.NOT_NFC)], ids=str)
def test_clean_pairs_are_judged_only_once(policy: Policy, judged: list[int]) -> None:
    faults = b"&utm_a=\xff%7e&%u0041=<&c%C2%85=e%CC%81&[]=%4&e=%E2%80%AE\xc3\xa9&=;"
    received = b"&".join(b"a=%d" % number for number in range(800)) + faults
    Normalizer(policy).normalize(Target(query=received))
    assert judged[0] == len(received)
    assert sum(judged[1:]) < 600


def test_pairs_that_are_most_of_a_query_are_edited_with_the_others(judged: list[int]) -> None:
    received = b"a=1&" + b"b=%u0041" + b"x" * 2000 + b"&c=2"
    policy = LENIENT.repairing(Kind.UNICODE_ESCAPE, Kind.SPELLING)
    outcome = Normalizer(policy).normalize(Target(query=received + b"%7e"))
    assert isinstance(outcome, Accepted)
    assert outcome.target.query == received.replace(b"%u0041", b"A") + b"~"
    assert min(judged) > 2000


def test_removed_pairs_are_traced_through_several_edits() -> None:
    received = Mapped(b"a&b&c&d&e")
    cut = received.splice([(8, 9, b"")])
    first = only([0, 2, 3], Pairs(cut.octets), cut)
    second = only([1, 2], Pairs(first.octets), first)
    assert second.octets == b"c&d"
    assert second.kept_since(received, range(5)) == [2, 3]
    assert second.kept_since(first, [10, 12, 13]) == [12, 13]
    assert received.kept_since(received, range(5)) == range(5)

"""UTF-16 units in names and values are decoded at once, although the rules for values depend on names."""

from __future__ import annotations

import random
from functools import partial
from typing import Final

import pytest

from _normalizer.mixtures import edited, mixtures
from postel import Component, Kind, Policy, PolicyError
from postel._normalizer.engine import Engine
from postel._normalizer.pair_grammar import PairGrammar
from postel._normalizer.pair_stages import PairStages

PIECES: Final = [
    *(b"&", b"&", b"&a=", b"&b=", b"=", b"a", b"0", b"%", b"%4", b";", b" ", b"+", b"[", b"|", b"#"),
    *(
        b"%C4",
        b"\xff",
        b"%7F",
        b"%00",
        b"%0A",
        b"%E2%80%AE",
        b"\xe2\x80\xa8",
        b"%EF%BF%BE",
        b"%7e",
        b"e%CC%81",
    ),
    *(b"&utm_a=", b"&A", b"&0", b"%u0041", b"%u0030", b"%u202e", b"%u0061", b"%u0075tm_a", b"%u0000"),
    *(b"%u00e9", b"%uD83D", b"%ud83d%ude00", b"%u0075tm_a;", b"%u003B"),
]
NAMES: Final = [["a"], ["b"], ["*1"], ["a*"], ["A*"], ["0"], ["*"], ["utm_*", "a"]]
ACTIONS: Final = [
    "repairing",
    "reporting",
    "rejecting",
    "allowing",
    "dropping_pairs",
    "dropping",
    "replacing",
]


def _policy(chance: random.Random, component: Component) -> Policy:
    policy = Policy.STANDARD.repairing(Kind.UNICODE_ESCAPE)
    kinds = [kind for kind in Kind if component in kind.check.actions]
    for _ in range(chance.randint(0, 4)):
        names = {"names": chance.choice(NAMES)} if chance.random() < 0.5 else {}
        try:
            policy = getattr(policy, chance.choice(ACTIONS))(chance.choice(kinds), on=component, **names)
        except PolicyError:  # the kind has no such action, or another rule beside this one
            continue
    return policy


@pytest.mark.parametrize("component", [Component.QUERY, Component.FORM])
@pytest.mark.parametrize("seed", range(3))
def test_decoding_all_units_at_once_gives_the_same_pairs(
    seed: int, component: Component, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)  # noqa: S311 - inputs, no secrets
    compared = accepted = 0
    for _ in range(60):
        policy = _policy(chance, component)
        engine, staged = Engine(policy, component), Engine(policy, component)
        if not _edits_names_first(staged, monkeypatch):
            continue
        for octets in mixtures(chance, PIECES, policy, component):
            left, _, _ = edited(engine, octets, component)
            assert edited(staged, octets, component)[0] == left, (str(policy), octets)
            compared += 1
            accepted += left is not None and b"%u" in octets
    assert compared > 100
    assert accepted > 20


def _edits_names_first(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Let the engine decode the units of names in a stage of their own; return whether it did not before."""
    grammar = engine._grammar
    assert isinstance(grammar, PairGrammar)
    if len(grammar.stages) != 4:
        return False
    stages, edits = (
        PairStages(engine._column, grammar._edits, grammar.limits, grammar._profiles, {}),
        grammar._edits,
    )
    units = partial(stages._in_names, edits.unescape)
    monkeypatch.setattr(
        grammar, "stages", (units, grammar.stages[1], edits.cut, edits.unescape, *grammar.stages[2:])
    )
    return True

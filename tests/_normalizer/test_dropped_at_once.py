"""Pairs that are dropped at once after a repair are the same as without this shortcut."""

from __future__ import annotations

import random
from typing import Final

import pytest

from postel import Action, Component, Kind, Policy, PolicyError
from postel._normalizer.engine import Engine
from postel._normalizer.findings import Collector
from postel._normalizer.pair_grammar import PairGrammar
from postel._normalizer.source_map import Mapped

PIECES: Final = [
    *(b"&", b"&", b"&a=", b"&b=", b"=", b"a", b"b", b"%", b"%%", b"%4", b"1", b";", b" ", b"+", b"[", b"|"),
    *(b"%C4", b"\xc4", b"%FF", b"\xff", b"%7F", b"\x7f", b"%00", b"%09", b"%0A", b"%0D", b"%0D%0A", b"\xa4"),
    *(b"%u0041", b"%u0000", b"%uD83D", b"%uDE00", b"%E2%80%AE", b"\xe2\x80\xa8", b"%C3%A4", b"\xc3\xa4"),
    *(b"%EF%BF%BE", b"%7e", b"%c3%b6", b"e%CC%81", b"//x", b"https:"),
]
KINDS: Final = [kind for kind in Kind if Component.FORM in kind.check.actions]
OFTEN: Final = [Kind.DUPLICATE_NAME, Kind.EMPTY_PAIR, Kind.ILL_FORMED_UTF8, Kind.LONE_NEWLINE, Kind.CONTROL]
EDITS: Final = [Action.DROP, Action.DROP_PAIR, Action.REPAIR, Action.REPLACE, Action.REPORT]


def _policies(chance: random.Random) -> list[Policy]:
    """Return presets, and policies with up to four other actions."""
    policies = [Policy.LENIENT, Policy.STANDARD]
    while len(policies) < 60:
        policy = chance.choice(policies[:2])
        for _ in range(chance.randint(1, 4)):
            kind, action = chance.choice(chance.choice([KINDS, OFTEN])), chance.choice(EDITS)
            if kind.check.supports(action, Component.FORM):
                word = {Action.DROP_PAIR: "dropping_pairs", Action.REPAIR: "repairing"}
                name = word.get(action) or {
                    Action.DROP: "dropping", Action.REPLACE: "replacing", Action.REPORT: "reporting",
                }[action]  # fmt: skip
                try:
                    policy = getattr(policy, name)(kind, on=Component.FORM)
                except PolicyError:  # the kind has another rule beside this one
                    continue
        policies.append(policy)
    return policies


def _edited(engine: Engine, octets: bytes) -> tuple[bytes | None, list[object], int]:
    notes, mapped = Collector(), Mapped(octets, Component.FORM)
    detected = engine.judge(mapped, notes)
    edited = None if notes.rejected else engine.edit(mapped, detected, notes)
    return edited and edited.octets, [*notes.findings], notes.omitted


@pytest.mark.parametrize("seed", range(4))
def test_dropping_pairs_at_once_changes_nothing(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(seed)  # noqa: S311 - inputs, no secrets
    shortcuts = 0
    taken = PairGrammar._dropped_at_once

    def counted(*given: object) -> Mapped | None:
        nonlocal shortcuts
        found = taken(*given)  # type: ignore[arg-type]
        shortcuts += found is not None
        return found

    for policy in _policies(chance):
        with monkeypatch.context() as patch:
            engine, slow = Engine(policy, Component.FORM), Engine(policy, Component.FORM)
            patch.setattr(PairGrammar, "_dropped_at_once", counted)
            for _ in range(12):
                pieces = chance.choices(PIECES, k=chance.randint(1, 7))
                size = chance.choice([20, 60, 150])
                mixed = b"".join(chance.choices([*pieces, b"&", b"&a="], k=size))
                octets = chance.choice([mixed, b"&".join([b"".join(pieces)] * size)])
                fast = _edited(engine, octets)
                with monkeypatch.context() as without:
                    without.setattr(PairGrammar, "_dropped_at_once", lambda *_: None)
                    assert _edited(slow, octets) == fast, (str(policy), octets)
    assert shortcuts

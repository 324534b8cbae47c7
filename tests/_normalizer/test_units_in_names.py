"""UTF-16 units are decoded in names and values at once if no rule changes; the result is the same."""

from __future__ import annotations

import random
from typing import Final

import pytest

from _normalizer.mixtures import edited, mixtures
from postel import Component, Kind, Policy, PolicyError
from postel._normalizer.detected import Detected
from postel._normalizer.engine import Engine
from postel._normalizer.profiles import Profiles

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
ACTIONS: Final = ["repairing", "reporting", "rejecting", "allowing", "dropping_pairs"]


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


def _without_last(
    octets: bytes | None, findings: list[object], omitted: int
) -> tuple[bytes | None, list[object], int]:
    """Leave out the last finding if the octets are refused; the first refused octet can be another one."""
    return octets, findings if octets is not None else findings[:-1], omitted


@pytest.mark.parametrize("component", [Component.QUERY, Component.FORM])
@pytest.mark.parametrize("seed", range(3))
def test_decoding_units_at_once_changes_nothing(
    seed: int, component: Component, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)  # noqa: S311 - inputs, no secrets
    shortcuts = 0
    asked = Profiles.hold_for_units

    def counted(profiles: Profiles, detected: Detected) -> bool:
        nonlocal shortcuts
        held = asked(profiles, detected)
        shortcuts += held
        return held

    for _ in range(40):
        policy = _policy(chance, component)
        engine = Engine(policy, component)
        for octets in mixtures(chance, PIECES, policy, component):
            with monkeypatch.context() as patch:
                patch.setattr(Profiles, "hold_for_units", counted)
                fast = _without_last(*edited(engine, octets, component))
                patch.setattr(Profiles, "hold_for_units", lambda *_: False)
                assert _without_last(*edited(engine, octets, component)) == fast, (str(policy), octets)
    assert shortcuts

"""Law 8: twice the target takes at most about twice the steps; calls of Python and of C are counted."""

from __future__ import annotations

from laws.checks import steps
from laws.strategies import PRESETS
from laws.test_laws import HOSTILE
from postel import Component, Kind, Normalizer, Policy, Target
from together import together

OPEN = {
    "octets": 1 << 20,
    "segments": 1 << 20,
    "pairs": 1 << 20,
    "name": 1 << 20,
    "value": 1 << 20,
    "depth": 1 << 20,
}
POLICIES = {
    **PRESETS,
    "dropping": Policy.LENIENT.dropping(Kind.NUL, Kind.ILL_FORMED_UTF8, Kind.CONTROL),
    "composing": Policy.LENIENT.repairing(Kind.NOT_NFC, Kind.DUPLICATE_NAME, Kind.PATH_PARAMETER),
}
SHAPES = {
    **HOSTILE,
    "dropped": b"a%00",
    "marks": b"%CC%81",
    "names": b"a=%C4&",
    "mixed writing": b"\xff\xc3\xa4%c3%a4",
}


@together("policy", POLICIES)
@together("shape", SHAPES)
@together("component", [Component.PATH, Component.QUERY], ids=lambda each: each.value)
def test_law_8_steps_grow_with_the_target(policy: str, shape: str, component: Component) -> None:
    normalizer = Normalizer(POLICIES[policy].limiting(**OPEN))
    piece = SHAPES[shape]

    def target(octets: int) -> Target:
        text = piece * (octets // len(piece))
        return Target(b"/" + text) if component is Component.PATH else Target(query=text)

    assert steps(normalizer, target(8192)) <= 2.3 * steps(normalizer, target(4096)) + 200

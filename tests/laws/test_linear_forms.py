"""Law 8 for forms: a hundred times the body takes at most about a hundred times the steps, up to 1 MiB."""

from __future__ import annotations

from functools import partial

import pytest

from laws.checks import steps_of
from laws.test_laws import HOSTILE
from postel import Forms, Kind, Policy
from postel._bodies.urlencoded import FormRules
from together import together

OPEN = {"pairs": 1 << 20, "name": 1 << 20, "value": 1 << 20, "depth": 1 << 20}
POLICIES = {
    "strict": Policy.STRICT,
    "standard": Policy.STANDARD,
    "lenient": Policy.LENIENT,
    "repairing": Policy.LENIENT.repairing(Kind.LONE_NEWLINE, Kind.EMPTY_PAIR, Kind.SPELLING),
}
SHAPES = {
    **HOSTILE,
    "newlines": b"a=%0A&",
    "charsets": b"_charset_=utf-8&",
    "pairs": b"a=caf%C3%A9&",
    "stray": b"%",
}
PLAIN = {"pairs": b"q=caf%C3%A9+x&", "values": b"q=" + b"caf%C3%A9+" * 800 + b"&"}


def steps(rules: FormRules, piece: bytes, octets: int, codec: str | None = None, end: bytes = b"") -> int:
    return steps_of(partial(rules.judge, piece * (octets // len(piece)) + end, codec))


@together("policy", POLICIES)
@together("shape", SHAPES)
def test_hostile_forms_take_linear_steps(policy: str, shape: str) -> None:
    rules = FormRules(POLICIES[policy].limiting(**OPEN), Forms())
    piece = SHAPES[shape]
    small, large = (steps(rules, piece, octets) for octets in (4096, 8192))
    assert large <= 2.3 * small + 200


@pytest.mark.parametrize("codec", ["cp1252", "cp932", "gb18030"])
@pytest.mark.parametrize("piece", [b"%E9", b"\xe9&", b"%81%40", b"%82\xa0", b"%81"])
@pytest.mark.parametrize("is_half", [False, True], ids=["whole", "half a character at the end"])
def test_forms_in_other_charsets_take_linear_steps(codec: str, piece: bytes, is_half: bool) -> None:
    """A form that ends in half a character is refused, so both sizes get the same end."""
    rules = FormRules(
        Policy.STANDARD.limiting(**OPEN), Forms(charsets=["windows-1252", "shift_jis", "gb18030"])
    )
    end = piece if is_half else b""
    small, large = (steps(rules, piece * 2, octets, codec, end) for octets in (4096, 8192))
    assert large <= 2.3 * small + 200


@pytest.mark.parametrize("shape", PLAIN)
def test_plain_forms_of_up_to_1_mib_take_linear_steps(shape: str) -> None:
    rules = FormRules(Policy.STANDARD.limiting(pairs=1 << 20), Forms())
    piece = PLAIN[shape]
    counts = [steps(rules, piece, octets) for octets in (1 << 10, 100 << 10, 1 << 20)]
    assert counts[0] <= (1 << 10) // 8
    assert counts[1] <= (100 << 10) // 8
    assert counts[2] <= min((1 << 20) // 8, 10.3 * counts[1] + 200)

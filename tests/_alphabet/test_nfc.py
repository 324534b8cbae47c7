"""A Composer gives the same texts as ``unicodedata.normalize``, and composes long runs only once."""

from __future__ import annotations

import random
import unicodedata
from typing import Final

import pytest

from postel._alphabet.nfc import _APART, Composer

PIECES: Final = [
    *("e", "A", "<", "%", " ", "\0", "\2", "/", "\u0301", "\u0323", "\u0338", "\u0344", "\u00e9", "\u1100"),
    *("\u1161", "\uac00", "\u4e00", "\U0001d160", "\ud83d", "\u0301" * 30, "\u4e00" * 63, "\u4e00" * 64),
    *("\U0001d160" * 70, "\u1100\u1161" * 40, "\u0958" * 65),
]  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_each_text_is_composed(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - inputs, no secrets
    for _ in range(100):
        composer = Composer()
        for _ in range(5):
            text = "".join(chance.choices(PIECES, k=chance.randint(0, 8)))
            assert composer.composed(text) == unicodedata.normalize("NFC", text)


def test_a_long_run_is_composed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    composed: list[str] = []
    normalize = unicodedata.normalize

    def recorded(form: str, text: str) -> str:
        composed.append(text)
        return normalize(form, text)

    monkeypatch.setattr(unicodedata, "normalize", recorded)
    composer, run = Composer(), "\U0001d160" * 64
    assert composer.composed(f"a=e{run}&b") == f"a=e{normalize('NFC', run)}&b"
    assert run in composed.pop()
    assert composer.composed(f"<e{run}<") == f"<e{normalize('NFC', run)}<"
    assert len(composed.pop()) < 10
    assert composer.composed(f"<E{run}<") == f"<E{normalize('NFC', run)}<"
    assert len(composed.pop()) < 10, "what is before the run is not part of it"


def test_a_character_that_is_apart_composes_with_nothing_before_it() -> None:
    every = [chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000]
    composed = [each for each in every if unicodedata.is_normalized("NFC", each)]
    parts = [unicodedata.decomposition(each).split() for each in composed]
    seconds = {chr(int(each[1], 16)) for each in parts if len(each) == 2 and "<" not in each[0]}
    assert "\u0301" in seconds
    jamo = set(map(chr, [*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)]))
    apart = list(filter(_APART.match, every))
    assert len(apart) > 200_000
    firsts = {unicodedata.normalize("NFD", each)[0] for each in apart}
    assert not firsts & (seconds | jamo)
    assert not any(map(unicodedata.combining, firsts))

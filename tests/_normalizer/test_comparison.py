"""Comparison with composed forms: equal to a comparison of every part alone, whatever was compared before."""

from __future__ import annotations

import random
import re
import unicodedata
from itertools import chain

import pytest

from postel._alphabet.percent import joined, percent_decode
from postel._alphabet.text import text_of
from postel._catalogue.check import Component
from postel._catalogue.repairs import composed_runs, long_runs
from postel._normalizer import comparison as comparison_module
from postel._normalizer.comparison import Comparison, may_stay
from postel._normalizer.composition import Composition
from postel._normalizer.source_map import Edit, Mapped

PIECES = [
    *("a", "e\u0301", "%65%CC%81", "\u00e9", "\u0301", "\u0323", "\u0338", "%CC%B8", "\u0334", "\u0344"),
    *(
        "<",
        "%3C",
        "=",
        "%3D",
        "=\u0338",
        "%u004e",
        "%u004E",
        "%u00%34E",
        "%25u004E",
        "%u00e9",
        "%",
        "%4",
        ";",
    ),
    *("\u0f73", "\u212b", "\u1100\u1161", "\uac00\u11a8", "\u0301\u0323" * 15, "\u0344" * 16, "\u0301" * 31),
    *("\0", "%00", "\1", "%02", "\3", "%04", "\3\u0301", "<\2\u0338"),  # the normalizer uses these as guards
    *("\udcff", "%FF", "%C3", "&", "/", "%26", "%2F", "\u8d77", "\U0001d15f", "\u0e48"),
]


def composed(octets: bytes) -> bytes:
    """Put text into NFC."""
    return joined(composed_runs(octets)[1])


def random_octets(chance: random.Random) -> bytes:
    pieces = [*chance.choices(PIECES, k=chance.randint(1, 6)), *chance.choices("&/=", k=chance.randint(0, 3))]
    return "".join(chance.choices(pieces, k=chance.randint(1, 30))).encode("utf-8", "surrogateescape")


def parts_of(octets: bytes, between: str) -> list[bytes]:
    if between == "/":
        return octets.split(b"/")
    return [*chain(*(piece.partition(b"=")[::2] for piece in octets.split(b"&")))]


def is_composed(part: bytes) -> bool:
    """Whether an octet is ill-formed, or the part is in NFC and has no run of too many marks."""
    text = percent_decode(part).decode("utf-8", "surrogateescape")
    if re.search("[\udc80-\udcff]", text):
        return True
    return not long_runs(text) and unicodedata.is_normalized("NFC", text)


@pytest.mark.parametrize("between", ["&", "/"])
@pytest.mark.parametrize("seed", range(4))
def test_each_part_is_compared_as_if_it_were_alone(between: str, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - inputs, no secrets
    left = 0
    for _ in range(300):
        comparison = Comparison(between)
        octets = random_octets(chance)
        for _ in range(3):
            parts = parts_of(octets, between)
            text = text_of(octets)
            places = [place for place, part in enumerate(parts) if not is_composed(part)]
            staying = [place for place in places if not is_composed(composed(parts[place]))]
            assert comparison.places(text) == places
            assert comparison.left(text) == staying
            assert {*places} <= {*comparison.suspects(text)}
            left += bool(staying)
            octets = chance.choice([octets, composed(octets), b""]) + random_octets(chance)
    assert left > 50


@pytest.mark.parametrize("between", ["&", "/"])
@pytest.mark.parametrize("seed", range(4))
def test_only_the_asked_parts_are_composed_and_traced(between: str, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - inputs, no secrets
    for _ in range(200):
        mapped = Mapped(octets := random_octets(chance), Component.QUERY)
        parts = parts_of(octets, between)
        places = sorted(chance.sample(range(len(parts)), chance.randint(0, len(parts))))
        edits: list[Edit] = []
        start = 0
        for place, part in enumerate(parts):
            at = start
            for before, after in zip(*composed_runs(part), strict=True):
                if before != after and place in places:
                    edits.append((at, at + len(before), after))
                at += len(before)
            start = at + (between == "/" or place & 1 or octets[at : at + 1] == b"=")
        expected = mapped.splice(edits)
        written = Composition(between).written_in(mapped, places)
        assert written.octets == expected.octets
        for offset in range(len(written.octets)):
            assert written.origin(offset, offset + 1) == expected.origin(offset, offset + 1)


@pytest.mark.parametrize("between", ["&", "/"])
@pytest.mark.parametrize("seed", range(4))
def test_no_part_is_left_where_none_is_looked_for(between: str, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - inputs, no secrets
    found = [0, 0]
    for _ in range(500):
        octets = composed(random_octets(chance))
        text = text_of(octets)
        stays = not all(map(is_composed, parts_of(octets, between)))
        assert may_stay(text, between) or not stays
        found[stays] += 1
    assert min(found) > 30


@pytest.mark.parametrize("seed", range(4))
def test_every_long_run_of_marks_is_found(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - inputs, no secrets
    for _ in range(500):
        letters = chance.choices(
            "\u0301\u0323\u0f73\u0e48\U0001d165a\u05d0\U0001d158&", [8, 8, 1, 4, 4, 1, 1, 1, 1], k=9
        )
        counts = chance.choices([1, 1, 2, 3, 7, 8, 9, 15, 29, 30, 31, 32], k=chance.randint(1, 30))
        text = "".join(chance.choice(letters) * count for count in counts)
        marks = "".join("m" if unicodedata.combining(each) or each == "\u0f73" else "-" for each in text)
        assert long_runs(text) == [match.span() for match in re.finditer("m{31,}", marks)]


def test_no_character_that_only_guards_is_slow_to_compose() -> None:
    """The time that ``unicodedata.normalize`` takes for a character grows with its code point."""
    seen: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(comparison_module.unicodedata, "normalize", lambda _, text: seen.append(text) or text)
        Comparison("/").places("<<\u0338" + 40 * "\u0301" + "/%u004e\u0301")
    assert {each for text in seen for each in text if each > "\u0338"} == set()

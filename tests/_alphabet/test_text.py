"""The text of a component equals the text that a plain loop over its units reads."""

from __future__ import annotations

import random
import re
import tracemalloc
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Final

from postel._alphabet.characters import Characters
from postel._alphabet.percent import measure, units
from postel._alphabet.text import ESCAPED, Reading, decoded, members, text_of

if TYPE_CHECKING:
    import pytest

_UNIT: Final = re.compile(rb"%[0-9A-Fa-f]{2}|.", re.DOTALL)
PIECES: Final = [
    *(b"%", b"%C", b"%c3", b"%C3", b"%A9", b"=", b"=3D", b"=C", b"%3D", b"\n", b"\r", b"C", b"3", b"\xc3"),
    *(b"\xa9", b"%25", b"%41", b"%2f", b"\0", b"%00", b" ", b"%u00e9", b"%e", b"%z", b"\xff", b"%FF", b"%8"),
    *(b"%02", b"\x02", b"\\", b"\\u", b"\\U0001F600", b"\\\\", b"u005c", b"%5c", b"%5Cu"),
    "\U0001f600".encode(),
    *(b"%%%02x" % octet for octet in range(0, 256, 5)),
]  # fmt: skip


def _inputs() -> list[bytes]:
    chance = random.Random(7)  # noqa: S311 - inputs, no secrets
    drawn = [b"".join(chance.choices(PIECES, k=chance.choice((1, 2, 3, 8, 60)))) for _ in range(3000)]
    every = b"".join(b"%%%02X" % octet for octet in range(256))
    pairs = [b"".join(b"%%%c%c" % (first, second) for second in range(256)) for first in range(256)]
    return [b"", b"%", b"%%", *pairs, every, every.lower(), b"%C%" + every, *drawn]


def _plain_text(octets: bytes) -> str:
    """Decode unit by unit: escapes of ASCII become surrogates, and all other octets are decoded together."""
    read, pending = "", b""
    for unit in _UNIT.findall(octets):
        octet = int(unit[1:], 16) if len(unit) > 1 else unit[0]
        if len(unit) > 1 and octet < 0x80:
            read += pending.decode("utf-8", "surrogateescape") + chr(ESCAPED + octet)
            pending = b""
        else:
            pending += bytes([octet])
    return read + pending.decode("utf-8", "surrogateescape")


def test_the_text_equals_that_of_a_loop_over_units() -> None:
    for octets in _inputs():
        text = text_of(octets)
        assert text == _plain_text(octets), octets
        plain = "".join(chr(ord(c) - ESCAPED) if 0 <= ord(c) - ESCAPED < 0x80 else c for c in text)
        assert decoded(text) == plain, octets


def test_the_shape_has_one_octet_for_each_unit() -> None:
    for octets in _inputs():
        each = _UNIT.findall(octets)
        shapes = units(octets)
        assert len(shapes) == len(each) == measure(octets), octets
        for unit, shape in zip(each, shapes, strict=True):
            assert (shape == 0) == (len(unit) > 1), octets
            assert (shape == 0x80) == (unit[0] > 0x7F), octets


def test_each_character_has_the_position_that_a_loop_finds() -> None:
    chance = random.Random(13)  # noqa: S311 - inputs, no secrets
    for octets in [*_inputs(), b"".join(chance.choices(PIECES, k=4000))]:
        lengths = iter([len(unit) for unit in _UNIT.findall(octets)])
        reading = Reading(octets)
        ends = [sum(islice(lengths, len(each.encode("utf-8", "replace")))) for each in reading.text]
        places = list(accumulate(ends, initial=0))
        asked = chance.choices(range(len(places)), k=20)  # First in random order, then sorted.
        for index in [*asked, *sorted(asked), *range(0, len(places), 3)]:
            assert reading.offset(index) == places[index], (octets, index)


def test_a_class_matches_bare_and_escaped_characters() -> None:
    bare, escaped = Characters.of((0x41, 0x43), (0x7E, 0x81), "\U00010000"), Characters.of((0x70, 0x90))
    held = re.compile(f"[{members(bare, escaped)}]")
    points = [*range(0x200), *range(0xD800, 0xE000), 0x1000, *range(0xFFFE, 0x10002)]
    matching = [point for point in points if held.match(chr(point))]
    ascii_alone = [*range(ESCAPED + 0x70, ESCAPED + 0x80)]
    assert matching == [*range(0x41, 0x44), *range(0x7E, 0x91), *ascii_alone, 0x10000]
    assert re.fullmatch(f"[{members(Characters.of((0x7F, 0x80)), Characters.of('a'))}]", "\x80")


def test_long_octets_are_decoded_in_pieces_with_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = _inputs()
    whole = [text_of(octets) for octets in inputs]
    for size in 1, 2, 3, 5, 8:
        monkeypatch.setattr("postel._alphabet.text._PIECE", size)
        assert [text_of(octets) for octets in inputs] == whole


def test_decoding_long_octets_needs_little_memory() -> None:
    octets = b"%0A%E2%80%8B" * 16_384
    tracemalloc.start()
    try:
        text = text_of(octets)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(text) == 2 * 16_384
    assert peak < 5 * len(octets)

"""Edits of many units at once have the same result as a plain loop over the units."""

from __future__ import annotations

import random
import re
from typing import Final
from urllib.parse import unquote

from postel import Accepted, Kind, Normalizer, Policy, Target
from postel._alphabet.percent import respell
from postel._alphabet.text import ILL_FORMED, text_of
from postel._normalizer.edits import (
    REST,
    literal_percents,
    marked,
    replaced,
    unescaping,
    without,
)
from postel._normalizer.pairs import Pairs
from postel._normalizer.raw_text import RunsOfText, has_raw, raw_escaped

_UNIT: Final = re.compile(rb"%[0-9A-Fa-f]{2}|.", re.DOTALL)
_RUN: Final = re.compile(rb"((?:%[uU][0-9A-Fa-f]{4})+)")
_ANY_ESCAPE: Final = re.compile(rb"%(?:[0-9A-Fa-f]{2}|[uU][0-9A-Fa-f]{4})")
ILL: Final = re.compile(f"[{ILL_FORMED}]")
WIDE: Final = re.compile("[\u202e\ufffe]")
EDITED: Final = [(ILL, 1), (WIDE, 3)]
PIECES: Final = [
    *(b"a", b"%", b"%41", b"\xff", b"%FF", b"\0", b"\1", b"\2", b"%00", b"%01", b"\xc3\xa9", b"%C3%A9", b"&"),
    *("\u202e".encode(), b"%E2%80%AE", b"%EF%BF%BE", b"\xe2%80%ae", b"\xc0\xaf", b"%C4", b"="),
]  # fmt: skip
UNITS: Final = [
    *(b"%", b"%4", b"4", b"1", b"0", b"u", b"%u", b"%u00", b"%u0041", b"%u0034", b"%u0075", b"%u00e9"),
    *(b"&", b"z", b"%uD800", b"%uDC00", b"%uD83D", b"%uDE00", b"%U0025", b"%25", b"%ud800%udc00"),
    *(b"%u000A", b"%u0000"),
]  # fmt: skip


def _drawn(pieces: list[bytes]) -> list[bytes]:
    chance = random.Random(11)  # noqa: S311 - inputs, no secrets
    drawn = [b"".join(chance.choices(pieces, k=chance.choice((1, 2, 3, 8, 60)))) for _ in range(2000)]
    return [b"", *drawn]


def _edited(octets: bytes, replacement: bytes) -> bytes:
    """Write the replacement for each faulty character, unit by unit."""
    units = iter(_UNIT.findall(octets))
    written: list[bytes] = []
    for character in text_of(octets):
        held = [next(units) for _ in character.encode("utf-8", "replace")]
        faulty = ILL.match(character) or WIDE.match(character)
        written += [replacement] if faulty else held
    return b"".join(written)


def test_dropping_and_replacing_equal_a_loop() -> None:
    every = b"a".join(bytes([octet]) for octet in range(0x80, 0x100))  # more than are replaced singly
    for octets in [every, *_drawn(PIECES)]:
        text = text_of(octets)
        assert without(octets, marked(EDITED, text)) == _edited(octets, b""), octets
        assert replaced(octets, marked(EDITED, text, rest=REST)) == _edited(octets, b"%EF%BF%BD"), octets


def _runs_of_text(octets: bytes) -> list[tuple[int, int]]:
    """Return the spans of the runs of bare non-ASCII octets that hold a well-formed character."""
    units, shape = iter(_UNIT.findall(octets)), bytearray()
    for character in text_of(octets):
        flag = b"i" if ILL.match(character) else b"w"
        for unit in (next(units) for _ in character.encode("utf-8", "replace")):
            shape += flag if unit > b"\x7f" else b"-" * len(unit)
    return [run.span() for run in re.finditer(b"i*w[iw]*", shape)]


def test_escaping_runs_of_text_equals_a_loop() -> None:
    for octets in _drawn(PIECES):
        text, spans = text_of(octets), _runs_of_text(octets)
        runs = RunsOfText(octets, text)
        assert list(runs.spans()) == spans, octets
        assert bool(runs) is has_raw(octets, text) is bool(spans), octets
        written = list(map(bytes, zip(octets, strict=True)))
        for place in (place for span in spans for place in range(*span)):
            written[place] = b"%%%02X" % octets[place]
        assert raw_escaped(octets, lambda text=text: text) == b"".join(written), octets


def test_a_stray_percent_sign_is_written_as_a_literal_one() -> None:
    for octets in _drawn(UNITS):
        stray = rb"%(?![0-9A-Fa-f]{2}|[uU][0-9A-Fa-f]{4})"
        assert literal_percents(octets) == re.sub(stray, b"%25", octets), octets


def test_undoing_units_creates_no_escape_with_its_neighbours() -> None:
    for octets in _drawn(UNITS):
        pieces = _RUN.split(octets)
        edits = list(unescaping(octets)[1]())
        assert [octets[start:end] for start, end, _ in edits] == pieces[1::2], octets
        for run, (_, _, written) in zip(pieces[1::2], edits, strict=True):
            units = bytes.fromhex(re.sub("%[uU]", "", run.decode()))
            utf8 = units.decode("utf-16-be", "surrogatepass").encode("utf-8", "surrogatepass")
            full = b"".join(b"%%%02X" % octet for octet in utf8)
            assert written in {run, full, respell(full)}, octets
        pieces[1::2] = [written for _, _, written in edits]
        assert b"".join(pieces) == unescaping(octets)[0], octets
        apart = len(_ANY_ESCAPE.findall(b"\n".join(pieces)))
        assert len(_ANY_ESCAPE.findall(b"".join(pieces))) == apart, octets


def test_units_before_a_fragment_are_decoded_as_if_it_had_been_cut_first() -> None:
    for octets, fragment in zip(_drawn([*UNITS, b"%u0023", b"%23"]), _drawn(UNITS), strict=True):
        pairs = Pairs(octets + b"#" + fragment)
        pairs.unescaping()
        before, edits = pairs.until(len(octets), text_of(octets)).unescaping()
        alone, edits_alone = unescaping(octets)
        assert (before, [*edits()]) == (alone, [*edits_alone()]), (octets, fragment)


def test_raw_text_beside_ill_formed_octets_is_escaped_only_in_some_pairs() -> None:
    policy = Policy.STANDARD.allowing(Kind.ILL_FORMED_UTF8).allowing(Kind.RAW_NON_ASCII, names=["raw"])
    outcome = Normalizer(policy).normalize(Target(query="raw=\u00e9&q=a\u00e9".encode() + b"\xff&p=\xff"))
    assert isinstance(outcome, Accepted)
    assert outcome.target.query == "raw=\u00e9".encode() + b"&q=a%C3%A9%FF&p=\xff"


def test_every_supplementary_character_is_decoded() -> None:
    """No character is free to stand between the runs: they hold all 1,048,576 of them."""
    pairs = [
        b"%%u%04X%%u%04X" % (high, low) for high in range(0xD800, 0xDC00) for low in range(0xDC00, 0xE000)
    ]
    octets, _ = unescaping(b"&".join([b"".join(pairs[::2]), b"".join(pairs[1::2])]))
    first, second = octets.split(b"&")
    assert [unquote(first), unquote(second)] == [
        "".join(map(chr, range(at, 0x110000, 2))) for at in (0x10000, 0x10001)
    ]

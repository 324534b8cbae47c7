"""The readings of Cookie and Referer find what slower and plainer readings find."""

from __future__ import annotations

import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laws.checks import steps_of
from postel import Action, Component, Kind
from postel._alphabet.text import Reading as Text
from postel._http.cookies import padded, undone, with_wide_spaces, without_tabs_around
from postel._http.fields import FieldRules
from postel._http.readings import faulty, readings
from postel._normalizer.scanner import at_characters

SCANNER = at_characters(Component.QUERY, (Kind.ILL_FORMED_UTF8, Kind.NUL, Kind.CONTROL))
PIECES = [
    *(bytes([octet]) for octet in range(256) if octet != ord("&")),
    *(b"%%%02X" % octet for octet in range(256)),
    *(b"%0a", b"%0d", b"%c3", b"%%", b"%2541", b"\xc3\xa9", b"%C3%A9", b"%C3\xa9", b"\xf0%9f\x98\x80"),
    *(b"\xf8\x80\x80\x80\x80\x80", b"\xfc\x80", b"\xe1\x80\xe1\x80", b"\xed\xa0\x80", b"\xc0\x80\xc1"),
]  # fmt: skip
COOKIES = [
    *(b"\\", b"\\\\", b"\\0", b"\\01", b"\\000", b"\\015", b"\\046", b"\\134", b"\\177", b"\\200", b"\\377"),
    *(b"\\&", b"&", b"&&", b"\\400", b"7", b"a", b" ", b"\t", b" \t", b"\xff"),
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES)).map(b"".join))
def test_a_reading_has_the_faults_that_a_scanner_of_text_finds(octets: bytes) -> None:
    text = Text(octets)
    expected = [(kind, text.span(*at)) for kind, *at in SCANNER.walk(text.text)]
    reading = readings(octets, cookies=False)[0][0]
    assert list(reading.faults()) == expected
    assert faulty(reading.octets) == bytes([bool(expected)])


@pytest.mark.parametrize(
    "first", [b"\x00", b"\x1f", b"\xff", b"%00", b"%7F", b"%C0%80", b"?", b"%0A", b"%26"]
)
@pytest.mark.parametrize("second", [b"\x00", b"%00", b"\x7f", b"%01", b"%FF", b"\xfe", b"&"])
def test_pieces_are_faulty_if_they_have_a_fault(first: bytes, second: bytes) -> None:
    reading = readings(first + b"&&a" + second, cookies=False)[0][0]
    fine = [b"?", b"%0A", b"%26"]
    expected = bytes([first not in fine, 0, second != b"&"]) + b"\0" * (second == b"&")
    assert faulty(reading.octets) == expected


def plainly_undone(octets: bytes) -> tuple[bytes, list[int]]:
    """Undo the escapes of joined cookies one by one."""
    read, starts = b"", [0]
    for match in re.finditer(rb"\\(?:([0-3][0-7]{2})|([^&]))|.", octets, re.DOTALL):
        meaning = match[2] or match[0]
        if match[1]:
            octet = int(match[1], 8)
            meaning = match[0] if octet > 0x7F else b"." if octet == ord("&") else bytes([octet])
        starts += [match.end()] if len(meaning) == 1 else range(match.start() + 1, match.end() + 1)
        read += meaning
    return read, starts


@given(st.lists(st.sampled_from(COOKIES)).map(b"".join))
def test_escapes_are_undone_from_the_left(octets: bytes) -> None:
    read, starts = undone(octets)
    assert (read, starts()) == plainly_undone(octets)


@given(st.lists(st.sampled_from(COOKIES)).map(b"".join))
def test_only_the_tabs_around_pieces_become_spaces(octets: bytes) -> None:
    expected = []
    for piece in octets.split(b"&"):
        bare = piece.strip(b" \t")
        bare = piece.lstrip(b" \t") if bare.endswith(b"\\") else bare
        place = piece.index(bare)
        expected.append((b" " * place + bare).ljust(len(piece)))
    assert without_tabs_around(octets) == b"&".join(expected)


@pytest.mark.no_cover
def test_white_space_beyond_ascii_is_that_of_python() -> None:
    for character in map(chr, [*range(0xD800), *range(0xE000, sys.maxunicode + 1)]):
        octets = character.encode()
        text = with_wide_spaces(octets)
        assert (set(text) == {"\u0100"}) == (character.isspace() and not character.isascii())
        assert len(text) == len(octets)


SPACES = ["\u2003", "\xa0", " ", "\t", "\n", "\x1c", "a", "é", "=", ";", "\udcff"]


@given(st.lists(st.sampled_from(SPACES), max_size=16).map("".join))
def test_padding_is_what_python_strips_from_names(text: str) -> None:
    octets = text.encode("utf-8", "surrogateescape")
    expected, begin = [], 0
    for piece in text.split(";"):
        name = piece.partition("=")[0]
        front = name.removesuffix(name.lstrip())
        back = name.removeprefix(name.rstrip()) if front != name else ""
        for space, before in [(front, ""), (back, name.removesuffix(back))]:
            if not space.isascii():
                start = begin + len(
                    (before + space.removesuffix(space.lstrip(" \t"))).encode("utf-8", "replace")
                )
                expected.append((start, start + len(space.strip(" \t").encode())))
        begin += len(piece.encode("utf-8", "surrogateescape")) + 1
    assert padded(with_wide_spaces(octets)) == expected


def test_faults_inside_a_long_one_are_passed_in_steps_of_any_length() -> None:
    # Without the backslashes all octets are one fault; with them, each fault of twelve octets is inside it.
    cookie = b"%FF%FF%FF%FF\\" * 600
    rules = FieldRules({"cookie": Action.REJECT})
    assert [each.offset for each in rules.judge("cookie", [cookie]).findings] == [0]
    assert steps_of(lambda: rules.judge("cookie", [cookie])) < 1000


@pytest.mark.parametrize("front", [b"", b"a"])
def test_a_fault_that_only_readers_without_decoding_see_is_found_at_its_offset(front: bytes) -> None:
    _, faults = readings(front + b"\xc3%A9", cookies=False)
    assert list(faults(0)) == [(Kind.ILL_FORMED_UTF8, (len(front), len(front) + 1))]


def test_a_fault_that_two_readings_have_is_found_once() -> None:
    _, faults = readings(b"\xff%41 \xc3%A9", cookies=False)
    assert list(faults(0)) == [(Kind.ILL_FORMED_UTF8, (0, 1)), (Kind.ILL_FORMED_UTF8, (5, 6))]


def test_the_faults_of_two_readings_are_found_in_order() -> None:
    octets = b"\xff \xfe \xfd \xc3%A9 \xff \xc3%A9"
    _, faults = readings(octets, cookies=False)
    starts = [0, 2, 4, 6, 11, 13]
    assert [start for _, (start, _) in faults(0)] == starts
    assert [start for _, (start, _) in faults(3)] == starts[2:]


def test_both_spellings_of_a_cookie_are_also_read_without_decoding() -> None:
    # With the backslash, only the first A9 is beside the escape; without it, both are.
    _, faults = readings(b"%C3\xa9\\\xa9", cookies=True)
    assert list(faults(0)) == [(Kind.ILL_FORMED_UTF8, (3, 4)), (Kind.ILL_FORMED_UTF8, (4, 6))]


def test_only_cookies_are_unescaped() -> None:
    faults = {cookies: list(readings(rb"\000", cookies=cookies)[1](0)) for cookies in (False, True)}
    assert faults == {False: [], True: [(Kind.NUL, (0, 4))]}

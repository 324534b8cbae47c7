"""Targets of 8 KiB that once cost far more than others of this length.

Steps are calls, of Python and of C.
"""

from __future__ import annotations

import pytest

from laws.checks import steps_of
from postel import LATIN, Accepted, Kind, Normalizer, Policy, Target

STANDARD, LENIENT = Policy.STANDARD, Policy.LENIENT


def numbered(piece: bytes) -> bytes:
    """Return 8 KiB of one piece, each time with another number behind it."""
    return b"".join(piece + b"%d" % number for number in range(8190 // (len(piece) + 3)))


def with_rules() -> Policy:
    """Return a policy with rules for eight letters, so that there are 256 combinations of rules."""
    kinds = (
        *(Kind.ILL_FORMED_UTF8, Kind.NUL, Kind.CONTROL, Kind.BIDI_CONTROL, Kind.INVISIBLE, Kind.C1_CONTROL),
        *(Kind.LINE_SEPARATOR, Kind.NONCHARACTER),
    )
    policy = LENIENT
    for kind, letter in zip(kinds, "abcdefgh", strict=True):
        policy = policy.dropping_pairs(kind, names=[f"*{letter}*"])
    return policy


def in_every_name() -> bytes:
    """Return pairs to which different rules of ``with_rules`` apply, with different faults."""
    faults = [
        b"\xff",
        b"%00",
        b"\x01",
        *(each.encode() for each in "\u202e\u200b\x85\u2028\ufffe"),
        b";",
        b"%",
    ]
    names = [
        bytes(letter for place, letter in enumerate(b"abcdefgh") if number >> place & 1)
        for number in range(990)
    ]
    return b"&".join(name + b"=" + faults[number % 10] for number, name in enumerate(names))


@pytest.mark.parametrize(
    ("policy", "query", "most"),
    [
        pytest.param(with_rules(), in_every_name(), 15_000, id="other rules and faults in each pair"),
        pytest.param(
            STANDARD.dropping_pairs(Kind.ILL_FORMED_UTF8, names=[f"n{number}" for number in range(700)]),
            numbered(b"=%ff&n"),
            9000,
            id="a rule for each of very many names",
        ),
        pytest.param(
            STANDARD.repairing(Kind.UNICODE_ESCAPE),
            b"%F0%9F%98%80" + b"%4%u00e9&a=%uDE00" * 480,
            6500,
            id="units of UTF-16 in values, after one in a name",
        ),
        pytest.param(
            LENIENT,
            b"\n%7E" + b"%uDE00&a=%4" * 744,
            2800,
            id="lone surrogates behind stray percent signs",
        ),
        pytest.param(
            STANDARD.charset("windows-1252", names=[f"n{number}" for number in range(700)]),
            numbered(b"=%ff&n"),
            13_000,
            id="a charset for each of very many names",
        ),
        pytest.param(
            STANDARD.accepting(LATIN, names=[f"n{number}" for number in range(700)]),
            numbered("=\u8d77&n".encode()),
            4000,
            id="an accepted range for each of very many names",
        ),
        pytest.param(
            STANDARD.accepting(LATIN, names=["n"]),
            numbered("&n=\u8d77".encode()),
            3000,
            id="very many values outside an accepted range",
        ),
        pytest.param(
            STANDARD.accepting(LATIN, names=[f"*{letter}*" for letter in "abcdefghij"]),
            numbered("&abcdefghij=\u8d77".encode()),
            2000,
            id="an accepted range for ten patterns that match each name",
        ),
        pytest.param(
            LENIENT.allowing(Kind.ILL_FORMED_UTF8),
            b"q=" + b"\xc3\xa9\xff-" * 2000,
            2000,
            id="raw text beside ill-formed octets",
        ),
        pytest.param(
            LENIENT.repairing(Kind.NOT_NFC, Kind.SPELLING),
            b"&a==\xcc\x81\x81\x81}\xe0\xbd\xb3" * 580,
            6000,
            id="composed text beside ill-formed octets",
        ),
        pytest.param(
            LENIENT.repairing(Kind.NOT_NFC),
            b"%u202e\xe0\xbd\xb3" + b"&a==\xed\xa0\x80%61\xe0\xbd\xb3" * 480,
            6000,
            id="one pair to compose before ill-formed ones",
        ),
        pytest.param(
            LENIENT.repairing(Kind.NOT_NFC, names=["a*"]).dropping(Kind.NUL),
            b"".join(b"&a\xcc\x81%d\0=e\xcc\x81%d" % (number, number) for number in range(500)),
            6500,
            id="names and values to compose after an edit",
        ),
        pytest.param(
            LENIENT.dropping_pairs(Kind.NOT_NFC).dropping(Kind.NUL),
            b"".join(b"&%d\0=e\xcc\x81\xcc\xa3" % number for number in range(700)),
            4000,
            id="pairs that are dropped because they are not composed",
        ),
        pytest.param(
            LENIENT.dropping_pairs(Kind.ILL_FORMED_UTF8, names=["a*", "*1"]),
            numbered(b"&a%ff%zz"),
            9000,
            id="names that patterns match",
        ),
        pytest.param(
            LENIENT.dropping_pairs(Kind.MALFORMED_ESCAPE, names=["q", "a*"]).repairing(Kind.SPELLING),
            b"a=%4%31&a=" + b"-+" * 4085,
            12_000,
            id="very many spaces behind a percent sign that may become an escape",
        ),
        pytest.param(STANDARD, b"text=" + b"it's%0D%0A" * 815, 100, id="lines of a text area"),
        pytest.param(
            LENIENT,
            b"q=%%&" + b"a=\xe2\x80\xa8%%\xdfx&b=%0A\x7f&" * 400,
            3000,
            id="pairs that are dropped beside pairs that are repaired",
        ),
        pytest.param(
            STANDARD,
            b"%C3\xa9" + b"&utm_x=%C4<<%%\xc2\x85&utm_y=a}%%<" * 264,
            5000,
            id="pairs that are dropped because of their names beside pairs that are repaired",
        ),
        pytest.param(
            LENIENT.repairing(Kind.DUPLICATE_NAME, Kind.EMPTY_PAIR).keeping("last"),
            b"%1B" + b"&%u202e\xff%%a&b%u0041;\xc3" * 330,
            5000,
            id="repeated names with octets that are dropped",
        ),
    ],
)
def test_a_query_takes_few_steps(policy: Policy, query: bytes, most: int) -> None:
    normalizer = Normalizer(policy)
    assert steps_of(lambda: normalizer.normalize(Target(b"/", query))) < most


def test_parameters_are_not_compared_with_escaped_slashes_one_by_one() -> None:
    normalizer = Normalizer(LENIENT.preserving(Kind.ENCODED_SLASH).repairing(Kind.PATH_PARAMETER))
    target = Target(b"/%u0041" + b";" * 8175 + b"/b%2F%2Fb")
    assert isinstance(normalizer.normalize(target), Accepted)
    assert steps_of(lambda: normalizer.normalize(target)) < 3000


def test_only_the_first_of_very_many_octets_that_cannot_be_dropped_is_located() -> None:
    normalizer = Normalizer(LENIENT.dropping(Kind.CONTROL))
    assert steps_of(lambda: normalizer.normalize(Target(b"/" + b"a\x01b" * 2700))) < 1500


def test_very_many_parameters_of_one_segment_are_cut_at_once() -> None:
    normalizer = Normalizer(LENIENT.repairing(Kind.PATH_PARAMETER))
    assert steps_of(lambda: normalizer.normalize(Target(b"/" + b";" * 8190))) < 1500


@pytest.mark.parametrize("piece", [b"\xc3\xa9-", b"%7E-", b"\xc3\xa9%7E-"])
def test_very_many_escapes_behind_an_authority_are_counted_at_once(piece: bytes) -> None:
    normalizer = Normalizer(STANDARD)
    target = Target(b"http://a/" + piece * (8180 // len(piece)), host=b"a")
    assert steps_of(lambda: normalizer.normalize(target)) < 2500


@pytest.mark.parametrize("piece", [b"50% off ", b"a%25 b"])
def test_percent_signs_in_a_path_are_repaired_in_bulk_although_escapes_are_preserved(piece: bytes) -> None:
    normalizer = Normalizer(LENIENT)
    target = Target(b"/" + piece * (8190 // len(piece)))
    assert normalizer.normalize(target) == normalizer.examine(target)
    assert steps_of(lambda: normalizer.normalize(target)) < 500

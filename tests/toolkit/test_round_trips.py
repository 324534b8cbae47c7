"""Round trips: every short text over an alphabet of significant characters, in every place and charset."""

from __future__ import annotations

import itertools
import random

import pytest

from postel import uri
from postel.uri import BuildError, Place
from together import together

ALPHABET = "aZ-~._%25+ &=;/?#@:!'*\"<>\\^|[]\0\n\r\x7féñ€漢😀\u202e"
CHARSETS = ["utf-8", "latin-1", "ascii", "cp1252", "koi8-r", "shift_jis", "gb18030", "utf-16", "utf-7"]


def texts_of(length: int) -> list[str]:
    return ["".join(each) for each in itertools.product(ALPHABET, repeat=length)]


def is_encodable(text: str, charset: str) -> bool:
    """Whether the charset has every character of a text."""
    try:
        text.encode(charset)
    except UnicodeEncodeError:
        return False
    return True


def comes_back(text: str, place: Place, charset: str) -> None:
    plus = bool(place.plus)
    try:
        encoded = uri.encode_component(text, place=place, charset=charset)
    except BuildError:
        assert not is_encodable(text, charset)
        return
    assert encoded.isascii()
    assert uri.decode_component(encoded, plus=plus, charset=charset) == text
    if charset == "utf-8":
        assert uri.percent_decode(encoded.replace("+", " ") if plus else encoded) == text.encode()


def test_the_alphabet_has_forty_characters() -> None:
    assert len(set(ALPHABET)) == 40


@pytest.mark.no_cover
@together("charset", CHARSETS)
@together("place", Place)
def test_texts_of_one_and_two_characters_survive(place: Place, charset: str) -> None:
    for text in (*texts_of(1), *texts_of(2)):
        comes_back(text, place, charset)


@together("charset", CHARSETS)
@together("place", Place)
def test_a_sample_of_texts_of_three_characters_survives(place: Place, charset: str) -> None:
    dice = random.Random(f"{place.value} {charset}")  # noqa: S311 - texts, not secrets
    for text in dice.sample(texts_of(3), 400):
        comes_back(text, place, charset)


@pytest.mark.evidence
@pytest.mark.parametrize("charset", CHARSETS)
@pytest.mark.parametrize("place", Place)
def test_all_texts_of_three_characters_survive(place: Place, charset: str) -> None:
    for text in texts_of(3):
        comes_back(text, place, charset)


@pytest.mark.parametrize("newline", ["keep", "lf", "crlf", "cr"])
def test_rewritten_line_breaks_survive(newline: uri.Newline) -> None:
    for length in range(1, 5):
        for each in itertools.product("a\r\n", repeat=length):
            text = "".join(each)
            rewritten = uri.decode_component(uri.encode_component(text, newline=newline))
            breaks = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}
            lines = text.replace("\r\n", "\n").replace("\r", "\n")
            assert rewritten == (text if newline == "keep" else lines.replace("\n", breaks[newline]))

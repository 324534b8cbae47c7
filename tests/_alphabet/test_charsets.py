"""Octets in older charsets are rewritten as UTF-8: in bulk, one by one, and as Python decodes them."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from laws.checks import steps_of
from postel._alphabet.charset_labels import NAMES
from postel._alphabet.charsets import in_utf8, recoding_edits, text_in, undefined
from postel._alphabet.percent import percent_decode
from postel._normalizer.source_map import Mapped
from together import together

CODECS = sorted(NAMES)
UNDEFINED = re.compile("[\udc80-\udcff]+")
TEXTS = ("Grüße €", "привет", "שלום", "你好", "ソース", "한국어", "ελλάδα", "สวัสดี")


def decodes(octets: bytes, codec: str) -> bool:
    try:
        octets.decode(codec)
    except UnicodeDecodeError:
        return False
    return True


@together("codec", CODECS)
def test_ascii_is_unchanged_and_other_text_agrees_with_python(codec: str) -> None:
    ascii_octets = bytes(range(128))
    assert ascii_octets.decode(codec) == ascii_octets.decode("ascii")
    for text in TEXTS:
        try:
            octets = text.encode(codec)
        except UnicodeEncodeError:
            continue
        escaped = "".join(f"%{octet:02X}" for octet in octets).encode()
        for value in (escaped, octets, escaped.lower()):
            recoded = in_utf8(b"q=" + value, codec)
            assert recoded is not None
            assert recoded.isascii()
            assert percent_decode(recoded) == f"q={text}".encode()


@together("codec", CODECS)
def test_no_lead_octet_is_a_character_and_no_character_holds_a_delimiter(codec: str) -> None:
    singles = {octet for octet in range(128, 256) if decodes(bytes((octet,)), codec)}
    for lead in set(range(128, 256)) - singles:
        for second in b"&=%+":
            assert not decodes(bytes((lead, second)), codec)


# Each unit is an octet, and whether it is escaped.
units = st.tuples(
    st.one_of(st.integers(0, 255), st.integers(0x80, 255), st.sampled_from(list(b"\\A@~0129_%=;+"))),
    st.booleans(),
).filter(lambda unit: unit[0] not in b"&=%" or unit[1])
values = st.lists(units, max_size=9).map(
    lambda each: b"".join(b"%%%02X" % octet if escaped else bytes([octet]) for octet, escaped in each)
)


@given(
    codec=st.one_of(
        st.sampled_from(CODECS), st.sampled_from(["cp932", "gb18030", "big5hkscs", "cp949", "euc_jp"])
    ),
    value=values,
    end=st.sampled_from([b"", b"%", b"%4", b"%zz", b"&p=%E9"]),
)
@example(codec="cp932", value=b"%83%5C", end=b"")
@example(codec="cp932", value=b"\x83A\x83%41\xb1%41", end=b"%")
@example(codec="gb18030", value=b"%810%81%30x", end=b"")
@example(codec="gb18030", value=b"\x81%30\x81%30%30", end=b"")
@example(codec="euc_jp", value=b"%8F%B0%A1%41", end=b"")
@example(codec="cp1252", value=b"%81", end=b"")
def test_bulk_and_single_conversion_agree_with_python(codec: str, value: bytes, end: bytes) -> None:
    octets = b"q=" + value + end
    recoded = in_utf8(octets, codec)
    assert (recoded is not None) is decodes(percent_decode(octets), codec)
    if recoded is None:
        assert undefined(octets, codec) < len(octets)
    else:
        assert percent_decode(recoded) == percent_decode(octets).decode(codec).encode()
        assert Mapped(octets).splice(recoding_edits(octets, codec)).octets == recoded
        assert undefined(octets, codec) == len(octets)


@together(
    ("octets", "codec", "text"),
    [
        pytest.param(b"a%3D%26+%2b%zz", "cp1252", "a%3D%26+%2b%zz", id="ASCII keeps its spelling"),
        pytest.param(b"=3D=", "cp1252", "=3D=", id="an equals sign is data"),
        pytest.param(b"%83%5c%5c", "cp932", "ソ%5c", id="a trailing octet is not ASCII"),
        pytest.param(b"%83%7f", "cp932", "\udcff%7f", id="not a trailing octet"),
        pytest.param(b"%83&A", "cp932", "\udcff&A", id="a truncated character"),
    ],
)
def test_octets_in_a_charset_are_read_as_text(octets: bytes, codec: str, text: str) -> None:
    assert text_in(octets, codec) == text


@together(
    ("octets", "codec", "offset"),
    [
        (b"q=%E4%81%41", "cp1252", 5),
        (b"%83", "cp932", 0),
        (b"%83%5C%83&x=%E9", "cp932", 6),
        (b"q=%E4\x81", "cp1252", 5),
        (b"%FF%FF%FF%FFx", "gb18030", 0),
        (b"%81%30%81", "gb18030", 0),
    ],
)
def test_edits_end_at_octets_that_do_not_decode(octets: bytes, codec: str, offset: int) -> None:
    assert in_utf8(octets, codec) is None
    assert undefined(octets, codec) == offset
    assert all(end <= offset for _, end, _ in recoding_edits(octets, codec))


@together("codec", CODECS)
def test_octets_that_do_not_decode_are_the_ones_that_python_escapes(codec: str) -> None:
    chance = random.Random(3)  # noqa: S311 - inputs, no secrets
    octets = [*range(0x80, 0x100), *b"&=019@A~" * 6]
    drawn = [bytes(chance.choices(octets, k=chance.choice((1, 2, 3, 4, 9)))) for _ in range(2000)]
    for each in [*drawn, b"\x841\xa47&\x84", b"\xef\xbf\xbd"]:
        escaped = UNDEFINED.sub("?", each.decode(codec, "surrogateescape"))
        assert UNDEFINED.sub("?", text_in(each, codec)) == escaped, each


@together("codec", ["cp1252", "cp932", "gb18030", "euc_jp"])
@together("piece", [b"%E9", b"\xe9", b"a%E9", b"%83%5C", b"\x83A", b"\x83Aa", b"%81%30", b"%81", b"%83%5Ca%"])
def test_conversion_takes_few_steps(codec: str, piece: bytes) -> None:
    octets = piece * (8192 // len(piece))
    assert steps_of(lambda: in_utf8(octets, codec)) < 6000

"""The character classes agree with the text of the standards, and percent-encoding agrees with a table."""

from __future__ import annotations

import random
import re
import urllib.parse
from itertools import product
from typing import Final

import pytest

from postel._alphabet import percent
from postel._alphabet.ill_formed import ILL_FORMED_CLASSES, classify_ill_formed
from postel._alphabet.percent import (
    ESCAPE,
    MISSPELLED,
    PATH,
    UNRESERVED,
    Octets,
    escape_non_ascii,
    has_strays,
    joined,
    measure,
    percent_decode,
    percent_encode,
    respell,
    rewrite_strays,
    units,
)

LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
DIGITS: Final = "0123456789"
HEX: Final = "0123456789abcdefABCDEF"
CONTROLS: Final = [*range(0x20), *range(0x7F, 0x100)]


def written(*texts: str) -> Octets:
    return frozenset("".join(texts).encode())


# -- the classes, as each standard writes them out -----------------------------------------------------------

RFC_3986: Final = [
    # Appendix A, rule by rule. Percent-encoded octets belong to no class of octets.
    pytest.param("ALPHA", written(LETTERS), id="alpha"),
    pytest.param("DIGIT", written(DIGITS), id="digit"),
    pytest.param("HEXDIG", written(HEX), id="hexdig"),
    pytest.param("UNRESERVED", written(LETTERS, DIGITS, "-._~"), id="unreserved"),
    pytest.param("GEN_DELIMS", written(":/?#[]@"), id="gen-delims"),
    pytest.param("SUB_DELIMS", written("!$&'()*+,;="), id="sub-delims"),
    pytest.param("RESERVED", written(":/?#[]@!$&'()*+,;="), id="reserved"),
    pytest.param("PCHAR", written(LETTERS, DIGITS, "-._~!$&'()*+,;=:@"), id="pchar"),
    pytest.param("PATH", written(LETTERS, DIGITS, "-._~!$&'()*+,;=:@/"), id="path"),
    pytest.param("QUERY", written(LETTERS, DIGITS, "-._~!$&'()*+,;=:@/?"), id="query"),
    pytest.param("FRAGMENT", written(LETTERS, DIGITS, "-._~!$&'()*+,;=:@/?"), id="fragment"),
    pytest.param("USERINFO", written(LETTERS, DIGITS, "-._~!$&'()*+,;=:"), id="userinfo"),
    pytest.param("REG_NAME", written(LETTERS, DIGITS, "-._~!$&'()*+,;="), id="reg-name"),
]
OLDER: Final = [
    pytest.param("RFC2396_MARK", written("-_.!~*'()"), id="rfc2396-mark"),
    pytest.param("RFC2396_UNRESERVED", written(LETTERS, DIGITS, "-_.!~*'()"), id="rfc2396-unreserved"),
    pytest.param("RFC2396_RESERVED", written(";/?:@&=+$,"), id="rfc2396-reserved"),
    pytest.param("RFC1738_SAFE", written("$-_.+"), id="rfc1738-safe"),
    pytest.param("RFC1738_EXTRA", written("!*'(),"), id="rfc1738-extra"),
    pytest.param("RFC1738_UNRESERVED", written(LETTERS, DIGITS, "$-_.+!*'(),"), id="rfc1738-unreserved"),
    pytest.param("RFC1738_RESERVED", written(";/?:@&="), id="rfc1738-reserved"),
]
URL_STANDARD: Final = [
    # Section 1.3. Each set consists of the one before it and some more characters.
    pytest.param("C0_CONTROL_SET", frozenset(CONTROLS), id="c0-control"),
    pytest.param("FRAGMENT_SET", frozenset([*CONTROLS, *b' "<>`']), id="fragment-set"),
    pytest.param("QUERY_SET", frozenset([*CONTROLS, *b' "#<>']), id="query-set"),
    pytest.param("SPECIAL_QUERY_SET", frozenset([*CONTROLS, *b" \"#<>'"]), id="special-query-set"),
    pytest.param("PATH_SET", frozenset([*CONTROLS, *b' "#<>?^`{}']), id="path-set"),
    pytest.param("USERINFO_SET", frozenset([*CONTROLS, *b' "#<>?^`{}/:;=@[\\]|']), id="userinfo-set"),
    pytest.param("COMPONENT_SET", frozenset([*CONTROLS, *b' "#<>?^`{}/:;=@[\\]|$%&+,']), id="component-set"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "octets"), [*RFC_3986, *OLDER, *URL_STANDARD])
def test_a_class_has_the_characters_of_its_standard(name: str, octets: Octets) -> None:
    assert getattr(percent, name) == octets


def test_the_form_set_leaves_the_characters_that_the_url_standard_names() -> None:
    # "all code points except the ASCII alphanumeric, U+002A (*), U+002D (-), U+002E (.), and U+005F (_)"
    assert frozenset(range(256)) - percent.FORM_SET == written(LETTERS, DIGITS, "*-._")


def test_reserved_and_unreserved_have_nothing_in_common() -> None:
    assert not percent.RESERVED & percent.UNRESERVED
    assert not percent.GEN_DELIMS & percent.SUB_DELIMS


# -- decoding ------------------------------------------------------------------------------------------------

DECODING: Final = [
    pytest.param(b"", b"", id="nothing"),
    pytest.param(b"plain", b"plain", id="no escape"),
    pytest.param(b"%41", b"A", id="one escape"),
    pytest.param(b"%c3%A4", b"\xc3\xa4", id="either case"),
    pytest.param(b"%25", b"%", id="a percent sign"),
    pytest.param(b"%2541", b"%41", id="once, not twice"),
    pytest.param(b"%25%34%31", b"%41", id="decoded octets are not decoded again"),
    pytest.param(b"a+b", b"a+b", id="plus is not a space here"),
    pytest.param(b"%2B", b"+", id="an escaped plus"),
    pytest.param(b"%", b"%", id="a lone percent sign"),
    pytest.param(b"%4", b"%4", id="one digit"),
    pytest.param(b"%zz", b"%zz", id="no digits"),
    pytest.param(b"%4g", b"%4g", id="a digit and another letter"),
    pytest.param(b"%%41", b"%A", id="a percent sign before an escape"),
    pytest.param(b"%%%", b"%%%", id="three percent signs"),
    pytest.param(b"%4%31", b"%41", id="an escape cut short by another"),
    pytest.param(b"%u0041", b"%u0041", id="a UTF-16 unit is not an escape"),
    pytest.param(b"% 41", b"% 41", id="a space is not a digit"),
    pytest.param(b"%+1", b"%+1", id="a sign is not a digit"),
    pytest.param(b"%0x41", b"%0x41", id="a prefix is not a digit"),
    pytest.param(b"%\xb2\xb3", b"%\xb2\xb3", id="superscript digits are not hex digits"),
    pytest.param(b"\xff%ff", b"\xff\xff", id="bare octets stay"),
    pytest.param(b"%00", b"\0", id="nul"),
]


@pytest.mark.parametrize(("octets", "decoded"), DECODING)
def test_percent_decode_decodes_each_well_formed_escape_once(octets: bytes, decoded: bytes) -> None:
    assert percent_decode(octets) == decoded


def test_all_484_hex_pairs_decode() -> None:
    pairs = list(product(HEX, repeat=2))
    assert len(pairs) == 484
    for high, low in pairs:
        assert percent_decode(f"%{high}{low}".encode()) == bytes([int(high + low, 16)])
        assert ESCAPE.fullmatch(f"%{high}{low}".encode())


def test_octets_beside_escapes_are_unchanged() -> None:
    # The bulk decoder gives a meaning to "=" and to what follows it at the end of a line.
    for pieces in product([b"%", b"=", b"3", b"D", b"%3D", b"%0d", b"\r", b"\n", b"_", b" "], repeat=5):
        octets = b"".join(pieces)
        one_by_one = re.sub(b"%([0-9A-Fa-f]{2})", lambda escape: bytes.fromhex(escape[1].decode()), octets)
        assert percent_decode(octets) == one_by_one


def test_other_octets_after_a_percent_sign_are_not_decoded() -> None:
    digits = set(HEX.encode())
    for high, low in product(range(256), repeat=2):
        octets = bytes([0x25, high, low])
        if high not in digits or low not in digits:
            assert percent_decode(octets) == octets
            assert not ESCAPE.match(octets)


@pytest.mark.parametrize("tail", [b"", b"x", b"%", b"%4", b"%zz"])
def test_every_octet_survives_encoding_and_decoding(tail: bytes) -> None:
    for octet in range(256):
        escaped = b"%%%02X" % octet
        assert percent_decode(escaped + tail) == bytes([octet]) + tail
        assert percent_decode(escaped.lower() + tail) == bytes([octet]) + tail


# -- encoding ------------------------------------------------------------------------------------------------

ENCODING: Final = [
    pytest.param(b"", UNRESERVED, b"", id="nothing"),
    pytest.param(b"a-._~Z9", UNRESERVED, b"a-._~Z9", id="unreserved"),
    pytest.param(b"a/b", UNRESERVED, b"a%2Fb", id="a delimiter"),
    pytest.param(b"a/b", PATH, b"a/b", id="a delimiter that is kept"),
    pytest.param(b"100%", UNRESERVED, b"100%25", id="a percent sign"),
    pytest.param(b"%41", UNRESERVED, b"%2541", id="an escape is data"),
    pytest.param(b"\xc3\xa4", UNRESERVED, b"%C3%A4", id="upper-case hex"),
    pytest.param(b"a b+c", UNRESERVED, b"a%20b%2Bc", id="a space does not become a plus"),
    pytest.param(b"az", frozenset(), b"%61%7A", id="keep nothing"),
]


@pytest.mark.parametrize(("octets", "keep", "encoded"), ENCODING)
def test_percent_encode_escapes_all_octets_except_those_to_keep(
    octets: bytes, keep: Octets, encoded: bytes
) -> None:
    assert percent_encode(octets, keep) == encoded


def test_unreserved_characters_are_kept_by_default() -> None:
    assert percent_encode(bytes(range(256))) == percent_encode(bytes(range(256)), UNRESERVED)


def test_every_octet_is_encoded_as_by_the_standard_library() -> None:
    for octet in range(256):
        assert percent_encode(bytes([octet])).decode() == urllib.parse.quote(bytes([octet]), safe="")


def test_decoding_is_the_inverse_of_encoding() -> None:
    for first, second in product(range(256), repeat=2):
        octets = bytes([first, second])
        assert percent_decode(percent_encode(octets)) == octets


# -- canonical spelling --------------------------------------------------------------------------------------

RESPELLING: Final = [
    pytest.param(b"", b"", id="nothing"),
    pytest.param(b"/~user", b"/~user", id="no escape"),
    pytest.param(b"%C3%A4", b"%C3%A4", id="canonical already"),
    pytest.param(b"%c3%a4", b"%C3%A4", id="lower case"),
    pytest.param(b"%c3%A4", b"%C3%A4", id="both cases"),
    pytest.param(b"%7e", b"~", id="unreserved"),
    pytest.param(b"%41%5A%61%7A%30%39", b"AZaz09", id="letters and digits"),
    pytest.param(b"%2d%2e%5f%7e", b"-._~", id="marks"),
    pytest.param(b"%2f", b"%2F", id="a delimiter stays escaped"),
    pytest.param(b"%2541", b"%2541", id="an escaped percent sign stays"),
    pytest.param(b"%25%34%31", b"%2541", id="digits after an escaped percent sign stay data"),
    pytest.param(b"+%2b", b"+%2B", id="plus"),
    pytest.param(b"%7ea%zz", b"~a%zz", id="a malformed escape after a well-formed one"),
    pytest.param(b"%zzz%c3%a4tt", b"%zzz%C3%A4tt", id="a malformed escape before, text after"),
    pytest.param(b"%zzz%7ett", b"%zzz~tt", id="a malformed escape before an unreserved one"),
    pytest.param(b"%%c3", b"%%C3", id="a percent sign before an escape"),
    pytest.param(b"%c3%", b"%C3%", id="a percent sign at the end"),
]


@pytest.mark.parametrize(("octets", "canonical"), RESPELLING)
def test_respell_writes_canonical_escapes(octets: bytes, canonical: bytes) -> None:
    assert respell(octets) == canonical


@pytest.mark.parametrize(
    ("octets", "canonical"),
    [
        (b"%31%4%31", b"1%41"),
        (b"1%%37e%7e", b"1%7e~"),
        (b"%%%341%34%41%", b"%%414A%"),
        (b"e%%%37e%7e%3%", b"e%%7e~%3%"),
    ],
)
def test_an_escape_that_respelling_would_complete_is_not_respelled(octets: bytes, canonical: bytes) -> None:
    assert respell(octets) == canonical


@pytest.mark.parametrize(
    ("octets", "shape"),
    [
        (b"", b""),
        (b"a%41b", b"z\0z"),
        (b"%", b"z"),
        (b"%%", b"zz"),
        (b"%%%", b"zzz"),
        (b"%%41", b"z\0"),
        (b"%%%41", b"zz\0"),
        (b"%4", b"zz"),
        (b"%41%", b"\0z"),
        (b"=%3D", b"z\0"),
        (b"\xc3%C3 \r\n", b"\x80\0zzz"),
    ],
)
def test_units_are_escapes_or_single_octets(octets: bytes, shape: bytes) -> None:
    # "z" stands for an ASCII octet, NUL for an escape, and 80 for a bare octet above ASCII.
    found = [octet if octet in b"\0\x80" else ord("z") for octet in units(octets)]
    assert bytes(found) == shape
    assert measure(octets) == len(shape)


@pytest.mark.parametrize("many", [0, 1, 2, 1023, 1024, 1025, 3000])
def test_pieces_are_joined_however_many_there_are(many: int) -> None:
    pieces = [b"%d," % number for number in range(many)]
    assert joined(pieces) == b"".join(pieces)


@pytest.mark.parametrize(
    ("octets", "strays"),
    [
        (b"", False),
        (b"a=00", False),
        (b"%41", False),
        (b"%e9%25", False),
        (b"%", True),
        (b"%4", True),
        (b"%zz=00", True),
        (b"%%41", True),
        (b"%41%4", True),
    ],
)
def test_stray_percent_signs_are_found(octets: bytes, strays: bool) -> None:
    assert has_strays(octets) is strays


def test_octets_above_ascii_are_escaped_and_others_are_not() -> None:
    every = bytes(range(256))
    assert escape_non_ascii(every) == percent_encode(every, frozenset(range(0x80)))
    assert escape_non_ascii("\u00e9\u00e9 50%".encode()) == b"%C3%A9%C3%A9 50%"
    assert escape_non_ascii(b"plain %41") == b"plain %41"


def test_many_different_escapes_are_respelled_like_few() -> None:
    every = b"".join(b"%%%02x" % octet for octet in range(256))
    assert respell(every) == b"".join(respell(b"%%%02x" % octet) for octet in range(256))


def test_respelling_beside_percent_and_equals_signs_equals_respelling_each_escape() -> None:
    chance = random.Random(5)  # noqa: S311 - inputs, no secrets
    for _ in range(3000):
        octets = bytes(chance.choices(b"%%%%%==23456789aAdDfF\\\n\r\0\xff", k=chance.choice((4, 12, 60))))
        each = re.sub(rb"%[0-9A-Fa-f]{2}", lambda escape: respell(escape[0]), octets)
        assert respell(octets) == each, octets


def test_respelling_equals_decoding_and_encoding_each_hex_pair() -> None:
    for high, low in product(HEX, repeat=2):
        escape = f"%{high}{low}".encode()
        canonical = percent_encode(percent_decode(escape))
        assert respell(escape) == canonical
        assert bool(MISSPELLED.fullmatch(escape)) is (escape != canonical)


def test_respelling_is_idempotent_and_keeps_the_decoded_octets() -> None:
    for first, second in product(range(0, 256, 3), repeat=2):
        octets = b"%%%02x%%%02X" % (first, second)
        assert respell(respell(octets)) == respell(octets)
        assert percent_decode(respell(octets)) == percent_decode(octets)


# -- measuring -----------------------------------------------------------------------------------------------

MEASURES: Final = [
    pytest.param(b"", 0, id="nothing"),
    pytest.param(b"abc", 3, id="no escape"),
    pytest.param(b"%41", 1, id="one escape"),
    pytest.param(b"a%c3%A4b", 4, id="two escapes"),
    pytest.param(b"%zz%4", 5, id="malformed escapes"),
    pytest.param(b"%2541", 3, id="escaped twice"),
]


@pytest.mark.parametrize(("octets", "length"), MEASURES)
def test_measure_counts_an_escape_as_one_octet(octets: bytes, length: int) -> None:
    assert measure(octets) == length


# -- ill-formed UTF-8 ----------------------------------------------------------------------------------------

FAULTS: Final = [
    # RFC 3629, sections 3 and 10; Unicode, table 3-7. No well-formed sequence begins with the first octet.
    pytest.param(b"\xc0\xaf", "overlong", id="slash in two"),
    pytest.param(b"\xc1\xbf", "overlong", id="del in two"),
    pytest.param(b"\xc0", "overlong", id="c0 alone"),
    pytest.param(b"\xc1a", "overlong", id="c1 before a letter"),
    pytest.param(b"\xe0\x80\xaf", "overlong", id="slash in three"),
    pytest.param(b"\xe0\x9f\xbf", "overlong", id="u+07ff in three"),
    pytest.param(b"\xe0\x80", "overlong", id="cut short in three"),
    pytest.param(b"\xf0\x80\x80\xaf", "overlong", id="slash in four"),
    pytest.param(b"\xf0\x8f\xbf\xbf", "overlong", id="u+ffff in four"),
    pytest.param(b"\xed\xa0\x80", "surrogate", id="first surrogate"),
    pytest.param(b"\xed\xbf\xbf", "surrogate", id="last surrogate"),
    pytest.param(b"\xed\xa0", "surrogate", id="surrogate cut short"),
    pytest.param(b"\xed\xa0\xbd\xed\xb8\x80", "surrogate", id="CESU-8"),
    pytest.param(b"\xf4\x90\x80\x80", "out-of-range", id="u+110000"),
    pytest.param(b"\xf5\x80\x80\x80", "out-of-range", id="f5"),
    pytest.param(b"\xf7\xbf\xbf\xbf", "out-of-range", id="u+1fffff"),
    pytest.param(b"\xf8\x88\x80\x80\x80", "out-of-range", id="five octets"),
    pytest.param(b"\xfc\x84\x80\x80\x80\x80", "out-of-range", id="six octets"),
    pytest.param(b"\xfe", "out-of-range", id="fe"),
    pytest.param(b"\xff", "out-of-range", id="ff"),
    pytest.param(b"\xff\xfe", "out-of-range", id="a byte order mark of UTF-16"),
    pytest.param(b"\xf5", "out-of-range", id="f5 alone"),
    pytest.param(b"\xc4", "truncated", id="lead alone"),
    pytest.param(b"\xc4rzteblatt", "truncated", id="latin-1"),
    pytest.param(b"\xc4\xc4", "truncated", id="lead before lead"),
    pytest.param(b"\xe2\x82", "truncated", id="two of three"),
    pytest.param(b"\xe2\x82a", "truncated", id="two of three before a letter"),
    pytest.param(b"\xe0\xa0", "truncated", id="e0 cut short"),
    pytest.param(b"\xed\x9f", "truncated", id="ed cut short"),
    pytest.param(b"\xe0", "truncated", id="e0 alone"),
    pytest.param(b"\xed", "truncated", id="ed alone"),
    pytest.param(b"\xef\xbf", "truncated", id="ef cut short"),
    pytest.param(b"\xf0\x9f\x98", "truncated", id="three of four"),
    pytest.param(b"\xf0\x90", "truncated", id="two of four"),
    pytest.param(b"\xf0", "truncated", id="f0 alone"),
    pytest.param(b"\xf4\x8f\xbf", "truncated", id="last plane cut short"),
    pytest.param(b"\xf4", "truncated", id="f4 alone"),
    pytest.param(b"\x80", "stray", id="first continuation"),
    pytest.param(b"\xbf", "stray", id="last continuation"),
    pytest.param(b"\x80\x80", "stray", id="continuations"),
    pytest.param(b"\xac\xe2\x82\xac", "stray", id="continuation before a character"),
    pytest.param(b"", "", id="nothing"),
    pytest.param(b"a\xff", "", id="ASCII in front"),
    pytest.param(b"\x7f", "", id="del"),
]


@pytest.mark.parametrize(("octets", "fault"), FAULTS)
def test_ill_formed_octets_are_classified_by_their_fault(octets: bytes, fault: str) -> None:
    assert classify_ill_formed(octets) == fault


def test_every_ill_formed_beginning_has_a_class() -> None:
    classes = {name for name, _ in ILL_FORMED_CLASSES}
    assert classes == {"overlong", "surrogate", "out-of-range", "truncated", "stray"}
    for first, second in product(range(256), repeat=2):
        octets = bytes([first, second])
        try:
            octets.decode()
        except UnicodeDecodeError as error:
            if error.start == 0:
                assert classify_ill_formed(octets) in classes


def test_the_class_agrees_with_a_more_lenient_decoder() -> None:
    # A decoder of RFC 2044 (1996) accepts any length and any code point, so its result shows the class.
    for point in [0, 0x2F, 0x7F]:
        assert classify_ill_formed(_generous(point, 2)) == "overlong"
    for point in [0, 0x7F, 0x80, 0x7FF]:
        assert classify_ill_formed(_generous(point, 3)) == "overlong"
    for point in [0, 0x7FF, 0x800, 0xFFFF]:
        assert classify_ill_formed(_generous(point, 4)) == "overlong"
    for point in range(0xD800, 0xE000):
        assert classify_ill_formed(_generous(point, 3)) == "surrogate"
    for point in [0x110000, 0x13FFFF, 0x140000, 0x1FFFFF]:
        assert classify_ill_formed(_generous(point, 4)) == "out-of-range"


def _generous(point: int, length: int) -> bytes:
    """Encode a code point in this number of octets, even if UTF-8 forbids that."""
    tail = [0x80 | point >> 6 * place & 0x3F for place in reversed(range(length - 1))]
    lead = (0xFF00 >> length & 0xFF) | point >> 6 * (length - 1)
    return bytes([lead, *tail])


@pytest.mark.parametrize(("with_units", "others"), [(False, ""), (True, "|[uU][0-9A-Fa-f]{4}")])
def test_a_percent_sign_is_rewritten_unless_it_begins_an_escape(with_units: bool, others: str) -> None:
    stray = re.compile(f"%(?![0-9A-Fa-f]{{2}}{others})".encode())
    for pieces in product([b"%", b"%%", b"u", b"U00", b"4f", b"e", b"=", b"\xc3"], repeat=4):
        octets = b"".join(pieces)
        assert rewrite_strays(octets, "<>", with_units=with_units) == stray.sub(b"<>", octets), octets
    assert rewrite_strays(b"%u0041", "<>") == b"<>u0041"

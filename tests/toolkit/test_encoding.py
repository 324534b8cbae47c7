from __future__ import annotations

import pickle

import pytest

from postel import uri
from postel.uri import BuildError, DecodeError, Place

ASCII = "".join(map(chr, range(0x80)))


@pytest.mark.parametrize(
    ("place", "bare"),
    [
        pytest.param(Place.ANYWHERE, "-._~", id="anywhere"),
        pytest.param(Place.SEGMENT, "!$&'()*-.:@_~", id="segment"),
        pytest.param(Place.QUERY_NAME, "!$()*,-./:@_~", id="query-name"),
        pytest.param(Place.QUERY_VALUE, "!$()*,-./:?@_~", id="query-value"),
        pytest.param(Place.FORM, "*-._", id="form"),
        pytest.param(Place.USERINFO, "!$&'()*+,-._~", id="userinfo"),
        pytest.param(Place.FRAGMENT, "!$&'()*+,-./:;=?@_~", id="fragment"),
    ],
)
def test_the_characters_that_each_place_leaves_bare(place: Place, bare: str) -> None:
    encoded = uri.encode_component(ASCII, place=place, plus=None if place.plus is None else False)
    kept = "".join(c for c in ASCII if f"%{ord(c):02X}" not in encoded)
    letters_and_digits = "".join(c for c in ASCII if c.isalnum())
    assert sorted(kept) == sorted(bare + letters_and_digits)
    assert all((c in place.escaped) != (c in kept) for c in ASCII)
    assert "é" in place.escaped


@pytest.mark.parametrize(
    ("charset", "text", "at"),
    [("euc_jp", "a¥", 1), ("shift_jis", "‾", 0), ("cp950", "x￥¥", 2), ("idna", "ß", 0)],
)
def test_a_character_that_a_codec_writes_as_another_one_is_refused(charset: str, text: str, at: int) -> None:
    with pytest.raises(uri.BuildError) as raised:
        uri.encode_component(text, charset=charset)
    assert (raised.value.what, raised.value.index) == ("not-in-charset", at)


@pytest.mark.parametrize("place", [place for place in Place if place.plus is not None])
def test_with_the_option_plus_a_space_is_a_plus(place: Place) -> None:
    assert uri.encode_component("a b+c", place=place, plus=True) == "a+b%2Bc"
    assert uri.encode_component("a b+c", place=place, plus=False) == "a%20b%2Bc"


def test_a_space_is_a_plus_in_a_form_by_default() -> None:
    assert uri.encode_component(" ", place=Place.FORM) == "+"
    assert uri.encode_component(" ", place=Place.QUERY_VALUE) == "%20"


@pytest.mark.parametrize("place", [place for place in Place if place.plus is None])
def test_a_plus_is_not_a_space_elsewhere(place: Place) -> None:
    where = "" if place is Place.ANYWHERE else f", not in a {place.value}"
    with pytest.raises(ValueError, match=f"a plus is a space only in queries and forms{where}; leave plus="):
        uri.encode_component(" ", place=place, plus=True)
    assert uri.encode_component(" ", place=place, plus=False) == "%20"


@pytest.mark.parametrize(
    ("charset", "encoded"),
    [
        ("utf-8", "%C3%84"),
        ("latin-1", "%C4"),
        ("cp437", "%8E"),
        ("utf-16-be", "%00%C4"),
        ("UTF8", "%C3%84"),
    ],
)
def test_text_is_encoded_and_decoded_in_a_charset(charset: str, encoded: str) -> None:
    assert uri.encode_component("Ä", charset=charset) == encoded
    assert uri.decode_component(encoded, charset=charset) == "Ä"


def test_a_legacy_charset_may_use_ascii_as_a_second_octet() -> None:
    assert uri.encode_component("ソ", charset="shift_jis") == "%83%5C"
    assert uri.encode_component("ホ", charset="shift_jis") == "%83z"
    assert uri.decode_component("é%83zé", charset="shift_jis") == "éホé"


@pytest.mark.parametrize(
    ("text", "charset", "index", "excerpt"),
    [
        pytest.param("10 €", "latin-1", 3, "€", id="latin-1"),
        pytest.param("é", "ascii", 0, "é", id="ascii"),
        pytest.param("x", "undefined", 0, "x", id="a codec whose error has no position"),
    ],
)
def test_characters_that_a_charset_lacks_raise(text: str, charset: str, index: int, excerpt: str) -> None:
    with pytest.raises(BuildError, match=f"{charset} cannot encode it; use utf-8") as caught:
        uri.encode_component(text, charset=charset)
    assert (caught.value.what, caught.value.index) == ("not-in-charset", index)
    assert caught.value.excerpt == excerpt


@pytest.mark.parametrize("charset", ["no-such-charset", "hex", "rot13"])
def test_unknown_charsets_raise(charset: str) -> None:
    with pytest.raises(LookupError):
        uri.encode_component("x", charset=charset)
    with pytest.raises(LookupError):
        uri.decode_component("x", charset=charset)


@pytest.mark.parametrize("charset", ["utf-8", "utf-7", "utf-16", "latin-1", "unicode_escape"])
def test_a_lone_surrogate_cannot_be_encoded(charset: str) -> None:
    with pytest.raises(DecodeError) as caught:
        uri.encode_component("ab\ud800", charset=charset)
    assert (caught.value.what, caught.value.offset) == ("lone-surrogate", 2)
    assert caught.value.excerpt == "\ud800"


@pytest.mark.parametrize(
    ("raw", "what", "offset", "excerpt", "detail"),
    [
        pytest.param("a%zz", "malformed-escape", 1, "%zz", "", id="no hex digits"),
        pytest.param("é%4", "malformed-escape", 1, "%4", "", id="one hex digit"),
        pytest.param("%", "malformed-escape", 0, "%", "", id="nothing follows"),
        pytest.param("%u00e9", "malformed-escape", 0, "%u0", "", id="unicode escape"),
        pytest.param("%\uff14\uff11", "malformed-escape", 0, "%\uff14\uff11", "", id="fullwidth digits"),
        pytest.param("a\udfff%zz", "lone-surrogate", 1, "\udfff", "", id="lone surrogate"),
        pytest.param("ab%C0%AF", "ill-formed-utf8", 2, "%C0%AF", "overlong", id="overlong in two octets"),
        pytest.param(
            "%E0%80%AF", "ill-formed-utf8", 0, "%E0%80%AF", "overlong", id="overlong in three octets"
        ),
        pytest.param("%ED%A0%80", "ill-formed-utf8", 0, "%ED%A0%80", "surrogate", id="surrogate"),
        pytest.param("%41%F4%90%80%80", "ill-formed-utf8", 3, "%F4%90%80%80", "out-of-range", id="U+110000"),
        pytest.param("%FF", "ill-formed-utf8", 0, "%FF", "out-of-range", id="not a lead octet"),
        pytest.param("%E2%82x", "ill-formed-utf8", 0, "%E2%82", "truncated", id="truncated"),
        pytest.param("%C3é", "ill-formed-utf8", 0, "%C3", "truncated", id="truncated by a bare character"),
        pytest.param("é%c3%a9%a9", "ill-formed-utf8", 7, "%a9", "stray", id="stray"),
        pytest.param("%FF%zz", "ill-formed-utf8", 0, "%FF", "out-of-range", id="the first of two faults"),
        pytest.param(
            "%zz%FF", "malformed-escape", 0, "%zz", "", id="the first of two faults, in the other order"
        ),
        pytest.param(
            "%C3%", "ill-formed-utf8", 0, "%C3", "truncated", id="truncated by a stray percent sign"
        ),
    ],
)
def test_text_that_cannot_be_decoded(raw: str, what: str, offset: int, excerpt: str, detail: str) -> None:
    with pytest.raises(DecodeError) as caught:
        uri.decode_component(raw)
    error = caught.value
    assert (error.what, error.offset, error.excerpt, error.detail) == (
        what,
        offset,
        excerpt,
        detail,
    )
    assert raw.startswith(error.excerpt, error.offset)
    assert str(error).isascii()
    assert str(error).isprintable()


@pytest.mark.parametrize(
    ("raw", "charset", "offset", "excerpt"),
    [
        pytest.param("ab%E9", "ascii", 2, "%E9", id="ascii"),
        pytest.param("%20é%61%83%20", "shift_jis", 7, "%83", id="shift_jis"),
        pytest.param("a%00b", "utf-16-le", 4, "b", id="utf-16-le"),
        pytest.param("a%41", "undefined", 0, "a%41", id="a codec whose error has no position"),
    ],
)
def test_text_that_cannot_be_decoded_in_another_charset(
    raw: str, charset: str, offset: int, excerpt: str
) -> None:
    with pytest.raises(DecodeError) as caught:
        uri.decode_component(raw, charset=charset)
    error = caught.value
    assert (error.what, error.offset, error.excerpt) == ("undecodable", offset, excerpt)


@pytest.mark.parametrize(
    ("raw", "dropped", "replaced"),
    [
        pytest.param("a%FFb", "ab", "a\ufffdb", id="one octet"),
        pytest.param("%E2%82%E2%82", "", "\ufffd\ufffd", id="one for each maximal subpart"),
        pytest.param("%C0%AF", "", "\ufffd\ufffd", id="an overlong form has two"),
        pytest.param("%F0%9F%98", "", "\ufffd", id="truncated"),
        pytest.param("%zz", "zz", "\ufffdzz", id="malformed escape"),
        pytest.param("%%FF41", "41", "\ufffd\ufffd41", id="a percent sign creates no escape"),
        pytest.param("%%2541", "%41", "\ufffd%41", id="decoded once"),
        pytest.param("%4%FF1", "41", "\ufffd4\ufffd1", id="a digit completes no escape"),
        pytest.param("%C3%FF%A9", "", "\ufffd\ufffd\ufffd", id="two parts do not form a character"),
        pytest.param("%C3%%A9", "", "\ufffd\ufffd\ufffd", id="two parts around a percent sign"),
        pytest.param("%C3\ud800%A9", "", "\ufffd\ufffd\ufffd", id="two parts around a surrogate"),
        pytest.param(".%FF.", "..", ".\ufffd.", id="dropping joins the dots"),
        pytest.param("%20%C3%A9", " é", " é", id="nothing wrong"),
    ],
)
def test_faults_are_dropped_or_replaced(raw: str, dropped: str, replaced: str) -> None:
    assert uri.decode_component(raw, errors="drop") == dropped
    assert uri.decode_component(raw, errors="replace") == replaced


def test_faults_in_another_charset_are_dropped_or_replaced() -> None:
    assert uri.decode_component("%83%zz%E9é", errors="drop", charset="ascii") == "zzé"
    assert uri.decode_component("%83%zz", errors="replace", charset="ascii") == "\ufffd\ufffdzz"
    with pytest.raises(DecodeError, match="undecodable"):
        uri.decode_component("a", errors="drop", charset="undefined")


def test_with_the_option_plus_a_plus_is_a_space() -> None:
    assert uri.decode_component("a+b%2B") == "a+b+"
    assert uri.decode_component("a+b%2B", plus=True) == "a b+"
    assert uri.decode_component("a+%zz", plus=True, errors="drop") == "a zz"


def test_errors_point_into_the_given_text() -> None:
    with pytest.raises(DecodeError) as caught:
        uri.decode_component("a+b%+c", plus=True)
    assert (caught.value.offset, caught.value.excerpt) == (3, "%+c")


def test_an_unknown_handling_of_errors_raises() -> None:
    with pytest.raises(ValueError, match="errors is 'ignore'; it can be 'strict', 'drop' or"):
        uri.decode_component("", errors="ignore")  # The value is wrong on purpose.


@pytest.mark.parametrize(
    ("newline", "encoded"),
    [
        ("keep", "%0D%0Aa%0Db%0Ac%0A%0D"),
        ("lf", "%0Aa%0Ab%0Ac%0A%0A"),
        ("crlf", "%0D%0Aa%0D%0Ab%0D%0Ac%0D%0A%0D%0A"),
        ("cr", "%0Da%0Db%0Dc%0D%0D"),
    ],
)
def test_line_breaks_are_data_by_default(newline: uri.Newline, encoded: str) -> None:
    assert uri.encode_component("\r\na\rb\nc\n\r", newline=newline) == encoded


def test_errors_point_into_text_with_rewritten_line_breaks() -> None:
    with pytest.raises(BuildError) as caught:
        uri.encode_component("\n\né", newline="crlf", charset="ascii")
    assert caught.value.index == 2
    with pytest.raises(ValueError, match="newline is 'nl'; it can be 'keep', 'lf', 'crlf' or 'cr'"):
        uri.encode_component("", newline="nl")  # The value is wrong on purpose.


OCTETS = bytes(range(256))


def test_octets_survive_escaping_and_unescaping() -> None:
    assert uri.percent_encode(b"\x00A\xff ") == "%00A%FF%20"
    assert uri.percent_decode(uri.percent_encode(OCTETS)) == OCTETS
    assert uri.percent_decode("".join(f"%{octet:02x}" for octet in OCTETS)) == OCTETS
    assert uri.percent_decode("+é%c3%A9%00") == b"+\xc3\xa9\xc3\xa9\0"


@pytest.mark.parametrize("place", Place)
def test_octets_are_escaped_for_each_place(place: Place) -> None:
    assert uri.percent_decode(uri.percent_encode(OCTETS, escaping=place.escaped)) == OCTETS
    assert uri.percent_encode(b"/\xff", escaping=uri.Characters.of("/")) == "%2F%FF"


@pytest.mark.parametrize(
    ("text", "what", "offset", "excerpt"),
    [
        ("é%4", "malformed-escape", 1, "%4"),
        ("%41%zz", "malformed-escape", 3, "%zz"),
        ("a\udcff%", "lone-surrogate", 1, "\udcff"),
    ],
)
def test_text_that_stands_for_no_octets_raises(text: str, what: str, offset: int, excerpt: str) -> None:
    with pytest.raises(DecodeError) as caught:
        uri.percent_decode(text)
    assert (caught.value.what, caught.value.offset, caught.value.excerpt) == (what, offset, excerpt)


def test_every_error_has_advice() -> None:
    with pytest.raises(DecodeError, match=r"malformed-escape at 2: '% o': write %25 for a percent sign\Z"):
        uri.decode_component("50% off")
    assert DecodeError("another", 0, "x").advice == ""
    assert str(DecodeError("another", 0, "x")) == "another at 0: 'x'"


def test_percent_encode_escapes_only_the_set() -> None:
    assert uri.percent_encode("a é/%", escaping=uri.PATH_SET) == "a%20%C3%A9/%"
    assert uri.percent_encode("a é/%") == "a%20%C3%A9%2F%25"
    assert uri.percent_encode("a é", escaping=uri.Characters.of("")) == "a é"
    with pytest.raises(DecodeError, match="lone-surrogate at 1"):
        uri.percent_encode("a\ud800")


def test_percent_encode_agrees_with_the_url_standard() -> None:
    # URL Standard, section 1.3, the table of examples.
    assert uri.percent_encode("≡", escaping=uri.USERINFO_SET) == "%E2%89%A1"
    assert uri.percent_encode("Say what‽", escaping=uri.USERINFO_SET) == "Say%20what%E2%80%BD"


@pytest.mark.parametrize(
    "error",
    [DecodeError("ill-formed-utf8", 3, "%C0", "overlong"), BuildError("dot-segment", 0, "..", "x")],
    ids=lambda error: error.what,
)
def test_errors_can_be_pickled(error: DecodeError | BuildError) -> None:
    travelled = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own octets
    assert vars(travelled) == vars(error)
    assert str(travelled) == str(error)


def test_messages_are_short_for_any_input() -> None:
    with pytest.raises(BuildError) as caught:
        uri.build_path(["a/b\n" * 1000])
    assert len(str(caught.value)) < 150
    assert str(caught.value).isprintable()
    assert caught.value.excerpt == "a/b\n" * 1000

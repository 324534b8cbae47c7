"""Properties of every text: the name of each test states one."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote_to_bytes

from hypothesis import assume, example, given
from hypothesis import strategies as st

from postel import form, javascript, uri
from postel.uri import BuildError, DecodeError, Place
from toolkit.grammar import is_valid

UNITS = st.characters()  # all characters, including surrogates
PIECES = st.sampled_from(
    [
        *'%/?#[]@:;&=+ .~\\"<>é漢\u0301\u202e\uff0f😀aA0',
        *("%C3%A9", "%c3%a9", "%CC%81", "%E2%80%AE", "%EF%BC%8F", "%41", "%2F", "%25", "%E2%82"),
        *("http:", "//", "[::1]", "[v1.a]", "..", "%2e", ":80", "%zz", "%FF"),
    ]
)
MESSY = st.lists(st.one_of(PIECES, UNITS)).map("".join)
"""Any text, in which pieces with a meaning in a URI are frequent."""
TEXT = st.one_of(st.text(), MESSY).filter(lambda text: not re.search("[\ud800-\udfff]", text))
ANY = st.one_of(st.text(UNITS), MESSY)

_HEX = st.sampled_from("0123456789ABCDEFabcdef")
_ESCAPE = st.one_of(
    st.tuples(_HEX, _HEX).map(lambda digits: "%" + "".join(digits)),
    st.characters(exclude_categories=["Cs"]).map(
        lambda character: "".join(f"%{octet:02X}" for octet in character.encode())
    ),
)


def _of(characters: uri.Characters, extra: str = "") -> st.SearchStrategy[str]:
    bare = st.sampled_from([chr(point) for point in range(0x80) if chr(point) in characters])
    pieces = st.one_of(bare, _ESCAPE, st.sampled_from(list(extra)) if extra else bare)
    return st.lists(pieces, max_size=8).map("".join)


_HOST = st.one_of(
    _of(uri.REG_NAME),
    st.ip_addresses(v=6).map(lambda address: f"[{address}]"),
    st.ip_addresses(v=6).map(lambda address: f"[{address.exploded}%25eth0]"),
    st.just("[v1F.a:b]"),
)
_AUTHORITY = st.builds(
    "//{}{}{}".format,
    st.one_of(st.just(""), _of(uri.USERINFO).map(lambda userinfo: userinfo + "@")),
    _HOST,
    st.from_regex(r"(:[0-9]{0,5})?", fullmatch=True),
)
VALID = st.builds(
    "{}{}{}{}{}".format,
    st.sampled_from(["", "http:", "x-1+.:"]),
    st.one_of(st.just(""), _AUTHORITY),
    _of(uri.PATH),
    st.one_of(st.just(""), _of(uri.QUERY).map(lambda query: "?" + query)),
    st.one_of(st.just(""), _of(uri.FRAGMENT).map(lambda fragment: "#" + fragment)),
).filter(is_valid)


def outcome(function: Callable[..., Any], *given: object, **options: object) -> Any:
    """Return the result of a function, or the refusal that it raises; other exceptions propagate."""
    try:
        return function(*given, **options)
    except (BuildError, DecodeError) as refusal:
        return refusal


def points_into(refusal: DecodeError, text: str) -> bool:
    """Whether the excerpt of a fault is the text at its offset."""
    return bool(refusal.excerpt) and text.startswith(refusal.excerpt, refusal.offset)


@given(TEXT, st.sampled_from(Place), st.booleans())
def test_decoding_undoes_encoding(text: str, place: Place, plus: bool) -> None:
    plus = plus and place.plus is not None
    encoded = uri.encode_component(text, place=place, plus=plus)
    assert uri.decode_component(encoded, plus=plus) == text
    assert is_valid("./" + encoded if place is not Place.USERINFO else f"//{encoded}@")
    if place.plus is not None:
        assert uri.decode_component(encoded, plus=True) == text


@given(TEXT, st.sampled_from(["utf-8", "utf-7", "utf-16", "utf-32-be", "gb18030", "utf-8-sig"]))
def test_decoding_undoes_encoding_in_any_charset_that_has_every_character(text: str, charset: str) -> None:
    encoded = uri.encode_component(text, charset=charset)
    assert encoded.isascii()
    assert uri.decode_component(encoded, charset=charset) == text


@given(TEXT, st.sampled_from(["latin-1", "cp1252", "koi8-r", "ascii"]))
def test_in_any_charset_text_survives_or_is_refused(text: str, charset: str) -> None:
    encoded = outcome(uri.encode_component, text, charset=charset)
    if isinstance(encoded, BuildError):
        assert encoded.what == "not-in-charset"
    else:
        assert uri.decode_component(encoded, charset=charset) == text


@given(ANY, st.booleans())
def test_decoding_returns_text_or_points_at_the_fault(raw: str, plus: bool) -> None:
    dropped = uri.decode_component(raw, plus=plus, errors="drop")
    replaced = uri.decode_component(raw, plus=plus, errors="replace")
    decoded = outcome(uri.decode_component, raw, plus=plus)
    if isinstance(decoded, DecodeError):
        assert points_into(decoded, raw)
        assert dropped != replaced
        # The text before the fault can be decoded; with the fault it cannot.
        before = raw[: decoded.offset]
        assert isinstance(uri.decode_component(before, plus=plus), str)
        after = outcome(uri.decode_component, before + decoded.excerpt, plus=plus)
        assert isinstance(after, DecodeError)
    else:
        assert dropped == replaced == decoded


@given(TEXT, st.sampled_from(["QUERY_SET", "PATH_SET", "COMPONENT_SET", "FORM_SET", "RESERVED"]))
def test_percent_encoding_leaves_no_character_of_its_set(text: str, name: str) -> None:
    escaping = getattr(uri, name)
    encoded = uri.percent_encode(text, escaping=escaping)
    assert not any(character in escaping for character in encoded.replace("%", ""))
    if "%" in escaping:
        assert uri.decode_component(encoded) == text


@given(st.lists(TEXT), st.booleans(), st.booleans())
@example([""], False, False)
@example(["", ""], True, True)
def test_parsing_undoes_building_of_paths(segments: list[str], slashes: bool, dot_segments: bool) -> None:
    path = outcome(uri.build_path, segments, slashes=slashes, dot_segments=dot_segments)
    if isinstance(path, BuildError):
        assert segments[path.index] == path.excerpt
    else:
        assert uri.parse_path(path, slashes=slashes, dot_segments=dot_segments) == segments
        assert is_valid(path)


@given(st.lists(st.tuples(TEXT, TEXT)), st.booleans())
def test_parsing_undoes_building_of_queries(pairs: list[tuple[str, str]], plus: bool) -> None:
    query = uri.build_query(pairs, plus=plus)
    assert uri.parse_query(query) == pairs
    assert form.parse(query) == pairs
    assert is_valid("?" + query)
    if not plus:
        assert uri.parse_query(query, plus=False) == pairs


@given(ANY, st.booleans(), st.booleans())
def test_building_undoes_parsing_of_paths(raw: str, slashes: bool, dot_segments: bool) -> None:
    raw = "/" + raw
    segments = outcome(uri.parse_path, raw, slashes=slashes, dot_segments=dot_segments)
    if isinstance(segments, DecodeError):
        assert points_into(segments, raw)
    else:
        path = uri.build_path(segments, slashes=slashes, dot_segments=dot_segments)
        assert uri.parse_path(path, slashes=slashes, dot_segments=dot_segments) == segments


@given(ANY)
def test_the_strict_and_lenient_readings_agree_where_the_strict_one_succeeds(raw: str) -> None:
    pairs = outcome(uri.parse_query, raw)
    if isinstance(pairs, DecodeError):
        assert points_into(pairs, raw)
    else:
        assert form.parse(raw) == pairs
        assert uri.parse_query(uri.build_query(pairs)) == pairs


@given(st.lists(st.tuples(TEXT, TEXT)))
def test_parsing_undoes_serializing_of_forms(pairs: list[tuple[str, str]]) -> None:
    assert form.parse(form.serialize(pairs, crlf=False)) == pairs
    normal = [tuple(re.sub("\r\n?|\n", "\r\n", text) for text in pair) for pair in pairs]
    assert form.parse(form.serialize(pairs)) == normal


@given(TEXT)
def test_cleaning_gives_a_valid_uri_and_is_idempotent(text: str) -> None:
    cleaned = uri.clean(text)
    assert is_valid(cleaned)
    assert uri.clean(cleaned) == cleaned
    assert (cleaned == text) == is_valid(text)


@given(TEXT)
def test_cleaning_changes_only_the_spelling(text: str) -> None:
    literal = re.sub("%(?![0-9A-Fa-f]{2})", "%25", text)
    assert unquote_to_bytes(uri.clean(text)) == unquote_to_bytes(literal)


@given(TEXT)
def test_cleaning_escapes_no_legal_character(text: str) -> None:
    text = re.sub("%(?![0-9A-Fa-f]{2})", "", text)
    assume(not re.search("%(?![0-9A-Fa-f]{2})", text))
    cleaned = uri.clean(text)
    before = {match.start() for match in re.finditer("%", text)}
    assume(not before)
    for match in re.finditer("((?:%[89A-F][0-9A-F])+)|%[0-7][0-9A-F]", cleaned):
        bare = unquote_to_bytes(match[0]).decode()
        assert not is_valid(cleaned[: match.start()] + bare + cleaned[match.end() :])


@given(VALID, st.booleans())
def test_pretty_uris_are_cleaned_to_the_original(reference: str, spaces: bool) -> None:
    assert uri.clean(reference) == reference
    pretty = uri.pretty(reference, spaces=spaces)
    assert uri.clean(pretty) == reference
    assert uri.pretty(pretty, spaces=spaces) == pretty


@given(VALID)
def test_respelling_keeps_the_meaning(reference: str) -> None:
    respelled = uri.respell(reference)
    assert is_valid(respelled)
    assert unquote_to_bytes(respelled) == unquote_to_bytes(reference)
    assert uri.respell(respelled) == respelled
    assert uri.respell(uri.pretty(respelled)) == respelled


@given(TEXT, st.booleans())
def test_any_pretty_text_is_cleaned_like_the_original(text: str, spaces: bool) -> None:
    assert uri.clean(uri.pretty(text, spaces=spaces)) == uri.clean(text)


@given(TEXT, st.sampled_from(["firefox", "chrome"]))
def test_an_address_bar_leaves_its_own_urls_unchanged(text: str, browser: uri.Browser) -> None:
    once = uri.address_bar(text, browser=browser)
    assert uri.address_bar(once, browser=browser) == once


@given(ANY)
def test_no_other_exceptions_are_raised(text: str) -> None:
    functions = [
        uri.encode_component,
        uri.decode_component,
        uri.percent_encode,
        uri.clean,
        uri.respell,
        uri.parse_path,
        uri.parse_query,
        uri.parse_reference,
        uri.percent_decode,
        lambda text: uri.address_bar(text, browser="chrome"),
        lambda text: uri.build_path([text, text]),
        lambda text: uri.build_query([(text, text)]),
        lambda text: form.serialize([(text, text)]),
        *(getattr(javascript, name) for name in javascript.__all__),
    ]
    for function in functions:
        answer = outcome(function, text)
        if isinstance(answer, ValueError):
            assert str(answer).isascii()
            assert str(answer).isprintable()
    for total in (uri.pretty, uri.is_local, form.parse, javascript.escape, javascript.unescape):
        assert not isinstance(outcome(total, text), ValueError)


@given(ANY)
def test_javascript_decodes_what_it_encodes(text: str) -> None:
    whole = javascript.unescape(javascript.escape(text))
    assert whole.encode("utf-16", "surrogatepass") == text.encode("utf-16", "surrogatepass")
    encoded = outcome(javascript.encodeURIComponent, text)
    if isinstance(encoded, DecodeError):
        assert encoded.what == "lone-surrogate"
        assert points_into(encoded, text)
    else:
        assert javascript.decodeURIComponent(encoded) == whole
        assert javascript.decodeURI(javascript.encodeURI(text)) == whole
        assert javascript.fixed_decodeURI(javascript.fixed_encodeURI(text)) == whole
        stable = javascript.stable_encodeURI(text)
        assert javascript.stable_encodeURI(stable) == stable
        decoded = javascript.stable_decodeURI(encoded)
        assert javascript.stable_decodeURI(decoded) == decoded

"""Sets of characters agree with Python's sets, and their patterns match exactly their characters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any, Final

import pytest

from postel import ASCII, LATIN, Characters
from postel._alphabet.characters import LAST, NON_ASCII, SURROGATES, Range
from postel._alphabet.ill_formed import ILL_FORMED_CLASSES
from postel._alphabet.regex import compiled
from postel._alphabet.spellings import ILL_FORMED_PATTERN, Spelling, octets_pattern, pattern_of, spelled
from together import together

SURROGATE_POINTS: Final = range(SURROGATES[0], SURROGATES[1] + 1)
EDGES: Final = sorted(
    {
        point
        # Code points at which UTF-8 changes its length or its first octet, and at which planes and surrogates
        # begin and end.
        for edge in (0, 0x2F, 0x41, 0x7F, 0x80, 0xBF, 0xC0, 0x7FF, 0x800, 0xFFF, 0x1000, 0xD7FF, 0xE000,
                     0xFEFF, 0xFFFD, 0xFFFF, 0x10000, 0x1F600, 0x3FFFF, 0x40000, 0xFFFFF, 0x100000, LAST)
        for point in (edge - 1, edge, edge + 1)
        if 0 <= point <= LAST and point not in SURROGATE_POINTS
    }
)  # fmt: skip


def points(characters: Characters) -> set[int]:
    return {ord(character) for character in characters.text()}


# -- the algebra ---------------------------------------------------------------------------------------------

SMALL: Final = [
    pytest.param([], id="empty"),
    pytest.param([(0x41, 0x41)], id="one"),
    pytest.param([(0x41, 0x5A)], id="range"),
    pytest.param([(0x41, 0x45), (0x46, 0x4A)], id="touching"),
    pytest.param([(0x41, 0x48), (0x44, 0x50)], id="overlapping"),
    pytest.param([(0x41, 0x60), (0x44, 0x50)], id="inside"),
    pytest.param([(0x50, 0x5A), (0x41, 0x44)], id="unsorted"),
    pytest.param([(0x41, 0x44), (0x48, 0x50)], id="apart"),
    pytest.param([(0, 3)], id="from zero"),
    pytest.param([(0xD700, 0xD7FF), (0xE000, 0xE010)], id="beside the surrogates"),
]


def _set(spans: list[Range]) -> set[int]:
    return {point for first, last in spans for point in range(first, last + 1)}


@together("one", SMALL)
@together("other", SMALL)
def test_union_difference_and_intersection_are_those_of_sets(one: list[Range], other: list[Range]) -> None:
    mine, yours = Characters.of(*one), Characters.of(*other)
    assert points(mine | yours) == _set(one) | _set(other)
    assert points(mine - yours) == _set(one) - _set(other)
    assert points(mine & yours) == _set(one) & _set(other)
    assert bool(mine & yours) is bool(_set(one) & _set(other))


@pytest.mark.parametrize("spans", SMALL)
def test_ranges_are_sorted_and_neither_overlap_nor_touch(spans: list[Range]) -> None:
    ranges = Characters.of(*spans).ranges
    assert all(first <= last for first, last in ranges)
    assert all(left[1] + 1 < right[0] for left, right in pairwise(ranges))


@pytest.mark.parametrize("spans", SMALL)
def test_the_order_of_construction_does_not_matter(spans: list[Range]) -> None:
    one, other = Characters.of(*spans), Characters.of(*reversed(spans))
    assert one == other
    assert hash(one) == hash(other)


@pytest.mark.parametrize("spans", SMALL)
def test_the_complement_has_all_other_characters_except_surrogates(spans: list[Range]) -> None:
    characters = Characters.of(*spans)
    complement = characters.complement()
    assert complement.complement() == characters
    assert not characters & complement
    everything = characters | complement
    assert everything.ranges == ((0, SURROGATES[0] - 1), (SURROGATES[1] + 1, LAST))


@pytest.mark.parametrize("spans", SMALL)
def test_membership_agrees_with_a_python_set(spans: list[Range]) -> None:
    characters = Characters.of(*spans)
    for point in (*range(0x70), 0xD6FF, 0xD700, 0xD7FF, 0xE000, 0xE010, 0xE011):
        assert (chr(point) in characters) is (point in _set(spans))


def test_texts_and_ranges_can_be_given_in_any_order() -> None:
    assert Characters.of("ca", (0x62, 0x62), "", "d") == Characters.of((0x61, 0x64))


def test_the_empty_set_is_false_and_its_text_is_empty() -> None:
    empty = Characters(())
    assert not empty
    assert str(empty) == empty.text() == ""
    assert Characters.of() == empty == Characters.of("")


@pytest.mark.parametrize(
    "member",
    [
        pytest.param((0x42, 0x41), id="backwards"),
        pytest.param((-1, 5), id="below zero"),
        pytest.param((0, 0x110000), id="beyond Unicode"),
    ],
)
def test_invalid_ranges_of_code_points_are_refused(member: Range) -> None:
    with pytest.raises(ValueError, match=re.escape(f"{member!r} is not a range: 0 <= first")):
        Characters.of("a", member)


@pytest.mark.parametrize(
    "ranges",
    [
        pytest.param(((5, 1),), id="backwards"),
        pytest.param(((5, 9), (1, 3)), id="not in order"),
        pytest.param(((1, 5), (4, 9)), id="overlapping"),
        pytest.param(((1, 5), (6, 9)), id="touching"),
        pytest.param(((1, 5), (1, 5)), id="twice"),
        pytest.param(((0xD000, 0xD900),), id="surrogates"),
        pytest.param(((0, 0x110000),), id="beyond Unicode"),
    ],
)
def test_ranges_that_are_unsorted_or_overlap_are_refused(ranges: tuple[Range, ...]) -> None:
    # Otherwise two sets with the same members would not be equal.
    with pytest.raises(ValueError, match="range"):
        Characters(ranges)


@pytest.mark.parametrize(
    "members",
    [
        pytest.param([(0xD000, 0xE0FF)], id="a range over the surrogates"),
        pytest.param([(0xD800, 0xDFFF)], id="a range of surrogates"),
        pytest.param(["a\ud900"], id="a surrogate in a text"),
        pytest.param(["a", (0xD900, 0xDA00)], id="surrogates beside other characters"),
    ],
)
def test_a_set_never_contains_surrogates(members: list[str | Range]) -> None:
    characters = Characters.of(*members)
    assert "\ud900" not in characters
    assert not points(characters) & set(SURROGATE_POINTS)
    assert characters.complement().complement() == characters


# -- as text -------------------------------------------------------------------------------------------------

WRITTEN: Final = [
    pytest.param("U+0041", [(0x41, 0x41)], id="one"),
    pytest.param("U+0041-005A", [(0x41, 0x5A)], id="range"),
    pytest.param("U+0041-005A,U+00E4", [(0x41, 0x5A), (0xE4, 0xE4)], id="two"),
    pytest.param("U+0000-D7FF,U+E000-10FFFF", [(0, LAST)], id="everything"),
    pytest.param("U+1F600-1F64F", [(0x1F600, 0x1F64F)], id="beyond the first plane"),
]


@pytest.mark.parametrize(("text", "spans"), WRITTEN)
def test_text_and_set_are_inverse(text: str, spans: list[Range]) -> None:
    assert str(Characters.of(*spans)) == text
    assert Characters.parse(text) == Characters.of(*spans)


@pytest.mark.parametrize("characters", [ASCII, LATIN, NON_ASCII], ids=["ascii", "latin", "non-ascii"])
def test_parse_reads_what_str_writes(characters: Characters) -> None:
    assert Characters.parse(str(characters)) == characters


@pytest.mark.parametrize(
    ("text", "same"),
    [
        pytest.param("u+0041".upper(), "U+0041", id="upper"),
        pytest.param("U+00e4", "U+00E4", id="lower-case digits"),
        pytest.param(" U+0041 , U+0042 ", "U+0041-0042", id="spaces"),
        pytest.param("U+0043,U+0041-0042", "U+0041-0043", id="unsorted"),
        pytest.param("U+000041", "U+0041", id="six digits"),
    ],
)
def test_parse_accepts_other_spellings_of_a_set(text: str, same: str) -> None:
    assert str(Characters.parse(text)) == same


@pytest.mark.parametrize(
    ("text", "item"),
    [
        pytest.param("", "", id="nothing"),
        pytest.param("U+0041,", "", id="nothing after a comma"),
        pytest.param("A-Z", "A-Z", id="letters"),
        pytest.param("U+41", "U+41", id="two digits"),
        pytest.param("U+0041-U+005A", "U+0041-U+005A", id="the U twice"),
        pytest.param("U+0041, 0042", "0042", id="no U"),
        pytest.param("U+0041\n\n", None, id="newlines"),
    ],
)
def test_parse_refuses_malformed_ranges(text: str, item: str | None) -> None:
    if item is None:
        assert Characters.parse(text) == Characters.of("A")  # White space around an item is not accepted.
        return
    with pytest.raises(ValueError, match=re.escape(f"{item!r} is not a range; write U+0041")):
        Characters.parse(text)


@pytest.mark.parametrize("text", ["U+005A-0041", "U+110000"], ids=["backwards", "beyond Unicode"])
def test_parse_refuses_ranges_of_invalid_code_points(text: str) -> None:
    with pytest.raises(ValueError, match="is not a range"):
        Characters.parse(text)


def test_only_one_character_can_be_a_member() -> None:
    given: Any
    for given in ("ab", "", b"a", 0x61, None):
        with pytest.raises(TypeError, match=f"^{re.escape(repr(given))} is not one character$"):
            _ = given in Characters.of("a")


def test_ranges_are_a_tuple() -> None:
    ranges: Any = [(3, 5)]
    message = re.escape("Characters([(3, 5)]): write Characters.of(...)")
    with pytest.raises(TypeError, match=f"^{message}$"):
        Characters(ranges)


# -- the sets that have names --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("characters", "inside", "outside"),
    [
        pytest.param(ASCII, " ~aZ09%", "\x1f\x7fä", id="ascii"),
        pytest.param(LATIN, "aäßÿŁžĐƒ–—“”…€ẞ\u0308", "\xad\x9f\u200b\u202eж起α", id="latin"),
        pytest.param(NON_ASCII, "\x80ä起\U0010ffff", "a\x7f", id="non-ascii"),
    ],
)
def test_named_sets(characters: Characters, inside: str, outside: str) -> None:
    assert [c for c in inside if c not in characters] == []
    assert [c for c in outside if c in characters] == []


# -- patterns ------------------------------------------------------------------------------------------------

SETS: Final = [
    pytest.param(Characters.of("/"), id="slash"),
    pytest.param(Characters.of("%"), id="percent sign"),
    pytest.param(Characters.of("\0\t\n\r"), id="controls"),
    pytest.param(Characters.of("-]^\\"), id="special in a character class of re"),
    pytest.param(ASCII, id="ascii"),
    pytest.param(LATIN, id="latin"),
    pytest.param(NON_ASCII, id="non-ascii"),
    pytest.param(Characters(()).complement(), id="everything"),
    pytest.param(Characters.of("aä起😀"), id="one of each length"),
    pytest.param(Characters.of((0x7F, 0x801)), id="over two lengths"),
    pytest.param(Characters.of((0xD000, 0xE0FF)), id="over the surrogates"),
    pytest.param(Characters.of((0xFFFE, 0x10001)), id="over the first plane"),
    pytest.param(Characters.of((0x3F, 0x10FFFE)), id="unaligned at both ends"),
    pytest.param(Characters.of((0x10FFFF, LAST)), id="the last"),
    pytest.param(Characters.of((0x300, 0x36F), (0x1E00, 0x1EFF), (0x20A0, 0x20C0)), id="blocks"),
]


def _spellings(point: int) -> Iterator[tuple[str, bytes]]:
    """Yield the spellings of a code point in UTF-8: octets bare or escaped, in upper, lower or both cases."""
    octets = chr(point).encode()
    upper = [b"%%%02X" % octet for octet in octets]
    lower = [escape.lower() for escape in upper]
    yield "bare", octets
    yield "upper", b"".join(upper)
    yield "lower", b"".join(lower)
    yield "lower at the end", b"".join([*upper[:-1], lower[-1]])
    yield "bare at the end", b"".join([*upper[:-1], octets[-1:]])


def _is_spelled(spelling: Spelling, octets: bytes, point: int) -> bool:
    """Whether these octets are the code point in this spelling."""
    bare = chr(point).encode()
    if spelling is Spelling.BARE:
        return octets == bare
    upper = b"".join(b"%%%02X" % octet for octet in bare)
    if spelling is Spelling.UPPER:
        return octets == upper
    if spelling is Spelling.ESCAPED:
        return octets.upper() == upper
    return True


@together("characters", SETS)
@together("spelling", Spelling, ids=lambda each: each.value)
def test_a_pattern_matches_its_characters_in_its_spelling_only(
    characters: Characters, spelling: Spelling
) -> None:
    pattern = re.compile(pattern_of(characters, spelling), re.DOTALL)
    for point in EDGES:
        member = chr(point) in characters
        for written, octets in _spellings(point):
            expected = member and _is_spelled(spelling, octets, point)
            assert bool(pattern.fullmatch(octets)) is expected, (f"U+{point:04X}", written)


@pytest.mark.parametrize("characters", SETS[:8])
def test_a_pattern_separates_all_two_octet_characters_and_a_sample_of_others(characters: Characters) -> None:
    patterns = {spelling: re.compile(pattern_of(characters, spelling), re.DOTALL) for spelling in Spelling}
    for point in (*range(0x800), *range(0x800, 0xD800, 97), *range(0xE000, LAST, 4099)):
        octets = chr(point).encode()
        escaped = b"".join(b"%%%02x" % octet for octet in octets)
        member = chr(point) in characters
        assert bool(patterns[Spelling.BARE].fullmatch(octets)) is member
        assert bool(patterns[Spelling.ESCAPED].fullmatch(escaped)) is member
        assert bool(patterns[Spelling.UPPER].fullmatch(escaped.upper())) is member
        assert bool(patterns[Spelling.ANY].fullmatch(escaped)) is member


def test_no_pattern_matches_a_surrogate() -> None:
    everything = re.compile(pattern_of(Characters(()).complement(), Spelling.ANY), re.DOTALL)
    for point in SURROGATE_POINTS:
        octets = chr(point).encode("utf-8", "surrogatepass")
        assert everything.fullmatch(octets) is None
        assert everything.fullmatch(b"".join(b"%%%02X" % octet for octet in octets)) is None


OCTET_RANGES: Final = [
    pytest.param([(0x2E, 0x2E)], id="one"),
    pytest.param([(0x00, 0x1F), (0x7F, 0x7F)], id="controls"),
    pytest.param([(0x80, 0xBF)], id="continuations"),
    pytest.param([(0x41, 0x5A), (0x61, 0x7A)], id="letters"),
    pytest.param([(0x2D, 0x2F), (0xAB, 0xCD)], id="ragged"),
    pytest.param([(0x30, 0x39), (0x35, 0x3F)], id="overlapping"),
    pytest.param([(0, 0xFF)], id="every octet"),
]


@pytest.mark.parametrize("ranges", OCTET_RANGES)
def test_a_pattern_of_octets_is_exact_for_all_octets(ranges: list[Range]) -> None:
    patterns = {spelling: re.compile(octets_pattern(ranges, spelling), re.DOTALL) for spelling in Spelling}
    for octet in range(256):
        bare = bytes([octet])
        inside = any(first <= octet <= last for first, last in ranges)
        for high, low in product(*({digit, digit.lower()} for digit in f"{octet:02X}")):
            escaped = f"%{high}{low}".encode()
            assert bool(patterns[Spelling.ESCAPED].fullmatch(escaped)) is inside
            assert bool(patterns[Spelling.ANY].fullmatch(escaped)) is inside
            upper = escaped == escaped.upper()
            assert bool(patterns[Spelling.UPPER].fullmatch(escaped)) is (inside and upper)
            assert not patterns[Spelling.BARE].fullmatch(escaped)
        assert bool(patterns[Spelling.BARE].fullmatch(bare)) is inside
        assert bool(patterns[Spelling.ANY].fullmatch(bare)) is inside
        assert not patterns[Spelling.ESCAPED].fullmatch(bare)


@pytest.mark.parametrize(
    ("pattern", "spelling", "octets"),
    [
        pytest.param(rb"[\xc0-\xc1][\x80-\xbf]?+", Spelling.ANY, b"\xc0%aF", id="partly bare"),
        pytest.param(rb"[\xc0-\xc1][\x80-\xbf]?+", Spelling.ESCAPED, b"%C1%80", id="escaped"),
        pytest.param(rb"[\xed][\xa0-\xbf]", Spelling.UPPER, b"%ED%A0", id="one octet and a range"),
    ],
)
def test_a_pattern_of_octets_is_rewritten_for_a_spelling(
    pattern: bytes, spelling: Spelling, octets: bytes
) -> None:
    assert re.fullmatch(spelled(pattern, spelling), octets, re.DOTALL)


# -- runs of ill-formed octets -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("octets", "run"),
    [
        pytest.param(b"%C0%AF", b"%C0%AF", id="overlong"),
        pytest.param(b"%c0\xaf", b"%c0\xaf", id="partly bare"),
        pytest.param(b"%C0%AF%C0%AF", b"%C0%AF%C0%AF", id="a run of one class"),
        pytest.param(b"%C0%AF%FF", b"%C0%AF", id="a run ends with its class"),
        pytest.param(b"%C4rzte", b"%C4", id="latin-1"),
        pytest.param(b"%E2%82%AC", None, id="well-formed"),
        pytest.param(b"%E2%82\xac", None, id="well-formed in both spellings"),
        pytest.param(b"%E2%82%E2%82%AC", b"%E2%82", id="a character ends the run"),
        pytest.param(b"%E2%82%E2%82", b"%E2%82%E2%82", id="cut short twice"),
        pytest.param(b"%80%BF%80", b"%80%BF%80", id="strays"),
        pytest.param(b"%ED%A0%BD%ED%B8%80", b"%ED%A0%BD%ED%B8%80", id="CESU-8"),
        pytest.param(b"%F4%90%80%80", b"%F4%90%80%80", id="out of range"),
        pytest.param(b"a", None, id="ASCII"),
    ],
)
def test_ill_formed_runs(octets: bytes, run: bytes | None) -> None:
    match = compiled(ILL_FORMED_PATTERN, re.DOTALL).match(octets)
    assert (match and match[0]) == run


def test_octet_classes_have_the_form_that_spelled_rewrites() -> None:
    # `spelled` rewrites no other form. It would leave a class with two ranges unchanged, and that class would
    # match nothing.
    for name, pattern in ILL_FORMED_CLASSES:
        assert (
            re.sub(rb"\[\\x[0-9a-f]{2}(-\\x[0-9a-f]{2})?\]", b"", pattern).translate(None, b"|?+{}0,12345")
            == b""
        ), name


def test_ill_formed_octets_and_characters_cover_all_octets_from_80_up() -> None:
    # Together, the patterns of ill-formed octets and of characters match any two octets, bare or escaped.
    ill_formed = compiled(
        b"(?:" + ILL_FORMED_PATTERN + b"|" + pattern_of(NON_ASCII, Spelling.ANY) + b")*+", re.DOTALL
    )
    for first, second in product(range(0x80, 0x100), repeat=2):
        for octets in (
            bytes([first, second]),
            b"%%%02X%%%02x" % (first, second),
            b"%%%02X%c" % (first, second),
        ):
            assert ill_formed.fullmatch(octets), octets

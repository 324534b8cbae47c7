"""Examples from the standards themselves, as our own tables, each with its source.

The character classes are compared with the standards in ``test_percent``, dot segments with RFC 3986, section
5.2.4, in ``test_normalizer``. The sentences of the standards about whole targets are here.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final

import pytest

from conformance.comparison import Question
from conformance.reading import ANY_TEXT, QUERY, accepts, escaped, pairs, raw_path, raw_target, value
from postel import Kind, Policy, Target
from postel._alphabet.percent import PCHAR, UNRESERVED

QUESTIONS: Final[list[Question]] = []
"""Empty, because no file here is borrowed."""

SPELLING: Final = ANY_TEXT.repairing(Kind.SPELLING, on=QUERY)

# -- RFC 3986, section 6.2.2: equivalent spellings of a target -----------------------------------------------

SAME: Final = [
    # 6.2.2: "example://a/b/c/%7Bfoo%7D" and "eXAMPLE://a/./b/../b/%63/%7bfoo%7d" are equivalent
    pytest.param(b"/./b/../b/%63/%7bfoo%7d", "/b/c/%7Bfoo%7D", id="6.2.2, its example"),
    # 6.2.2.1: "the hexadecimal digits within a percent-encoding triplet (e.g., "%3a" versus "%3A") are
    # case-insensitive and therefore should be normalized to use uppercase letters"
    pytest.param(b"/a%3ab%3Ac", "/a%3Ab%3Ac", id="6.2.2.1, hexadecimal digits"),
    # 6.2.2.2: only escapes of "unreserved" characters are decoded
    pytest.param(b"/%41%5A%61%7A%30%39%2D%2E%5F%7E.", "/AZaz09-._~.", id="6.2.2.2, unreserved"),
    pytest.param(
        b"/%21%24%26%27%28%29%2A%2B%2C%3D%3A%40", "/%21%24%26%27%28%29%2A%2B%2C%3D%3A%40", id="reserved"
    ),
    # 6.2.2.3: dot segments, by 5.2.4
    pytest.param(b"/mid/content=5/../6", "/mid/6", id="5.2.4, its second example"),
]


@pytest.mark.parametrize(("path", "canonical"), SAME)
def test_rfc_3986_6_2_2_equivalent_targets_get_one_spelling(path: bytes, canonical: str) -> None:
    assert raw_path(SPELLING, Target(path)) == canonical


def test_rfc_3986_6_2_2_every_escape_has_one_spelling() -> None:
    """6.2.2.1 and 6.2.2.2, octet by octet; octets beyond ASCII as part of a character."""
    for octet in range(0x80):
        canonical = chr(octet) if octet in UNRESERVED else f"%{octet:02X}"
        for spelled in (b"%%%02x" % octet, b"%%%02X" % octet):
            assert raw_path(SPELLING, Target(b"/x" + spelled + b"x")) == f"/x{canonical}x", spelled
            assert raw_target(SPELLING, Target(b"/", b"q=" + spelled)) == f"/?q={canonical}", spelled
            assert pairs(SPELLING, b"q=" + spelled) == (("q", chr(octet)),), spelled
    for point in (0x80, 0xE4, 0x7FF, 0x800, 0xFFFD, 0x10000, 0x10FFFF):
        octets = escaped(chr(point).encode())
        assert raw_path(SPELLING, Target(b"/" + octets.lower())) == "/" + octets.decode(), hex(point)


# -- RFC 3629: what is UTF-8 ---------------------------------------------------------------------------------

RFC_3629: Final = [
    # Section 7, the examples
    pytest.param(b"\x41\xe2\x89\xa2\xce\x91\x2e", "A\u2262\u0391.", id="7, A not identical to alpha"),
    pytest.param(b"\xed\x95\x9c\xea\xb5\xad\xec\x96\xb4", "\ud55c\uad6d\uc5b4", id="7, hangugeo"),
    pytest.param(b"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", "\u65e5\u672c\u8a9e", id="7, nihongo"),
    pytest.param(b"\xef\xbb\xbf\xf0\xa3\x8e\xb4", "\ufeff\U000233b4", id="7, a BOM and a stump of tree"),
    # Section 3, the ends of each row of its table
    pytest.param(b"\x00\x7f", "\0\x7f", id="3, one octet"),
    pytest.param(b"\xc2\x80\xdf\xbf", "\x80\u07ff", id="3, two octets"),
    pytest.param(b"\xe0\xa0\x80\xef\xbf\xbf", "\u0800\uffff", id="3, three octets"),
    pytest.param(b"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", "\U00010000\U0010ffff", id="3, four octets"),
    pytest.param(b"\xed\x9f\xbf\xee\x80\x80", "\ud7ff\ue000", id="3, around the surrogates"),
    # Sections 3 and 10, what must be refused
    pytest.param(b"\xc0\x80", None, id="3 and 10, U+0000 in two octets"),
    pytest.param(b"\xed\xa1\x8c\xed\xbe\xb4", None, id="3, a pair of surrogates"),
    pytest.param(b"\x2f\xc0\xae\x2e\x2f", None, id="10, /../ in disguise"),
    # Section 1: "The octet values C0, C1, F5 to FF never appear."
    *(pytest.param(bytes([octet]), None, id=f"1, {octet:X}") for octet in (0xC0, 0xC1, *range(0xF5, 0x100))),
]


@pytest.mark.parametrize(("octets", "text"), RFC_3629)
def test_rfc_3629_ill_formed_octets_are_refused_and_others_accepted(octets: bytes, text: str | None) -> None:
    assert accepts(ANY_TEXT, Target(b"/" + escaped(octets))) is (text is not None)
    assert accepts(ANY_TEXT, Target(query=b"q=" + escaped(octets))) is (text is not None)
    if text is not None:
        assert value(ANY_TEXT, escaped(octets)) == text


# -- Unicode, section 3.9: table 3-7, and what is replaced ---------------------------------------------------

TABLE_3_7: Final[list[list[range]]] = [
    [range(0x80)],
    [range(0xC2, 0xE0), range(0x80, 0xC0)],
    [range(0xE0, 0xE1), range(0xA0, 0xC0), range(0x80, 0xC0)],
    [range(0xE1, 0xED), range(0x80, 0xC0), range(0x80, 0xC0)],
    [range(0xED, 0xEE), range(0x80, 0xA0), range(0x80, 0xC0)],
    [range(0xEE, 0xF0), range(0x80, 0xC0), range(0x80, 0xC0)],
    [range(0xF0, 0xF1), range(0x90, 0xC0), range(0x80, 0xC0), range(0x80, 0xC0)],
    [range(0xF1, 0xF4), range(0x80, 0xC0), range(0x80, 0xC0), range(0x80, 0xC0)],
    [range(0xF4, 0xF5), range(0x80, 0x90), range(0x80, 0xC0), range(0x80, 0xC0)],
]
"""The rows of table 3-7: which octets may stand at each place of a well-formed sequence."""

ENDS: Final = (0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF)
"""The ends of all ranges after the first octet, and their neighbours."""


def _is_a_row(octets: tuple[int, ...]) -> bool:
    return any(
        len(row) == len(octets) and all(octet in place for octet, place in zip(octets, row, strict=True))
        for row in TABLE_3_7
    )


def _is_well_formed(octets: tuple[int, ...]) -> bool:
    """Whether octets are sequences of the table, one after the other."""
    return not octets or any(
        _is_a_row(octets[:length]) and _is_well_formed(octets[length:])
        for length in range(1, len(octets) + 1)
    )


def _sequences() -> Iterator[tuple[int, ...]]:
    """Yield every first octet, followed by the first and last octets that may and may not follow."""
    leads = range(0x80, 0x100)
    yield from product(leads)
    yield from product(leads, ENDS)
    yield from product((0xC1, 0xC2, *range(0xDF, 0x100)), ENDS, (0x7F, 0x80, 0xBF, 0xC0))
    yield from product((0xEF, *range(0xF0, 0x100)), ENDS, (0x7F, 0x80, 0xBF, 0xC0), (0x7F, 0x80, 0xBF, 0xC0))


def test_well_formed_utf_8_is_that_of_unicode_table_3_7() -> None:
    for octets in _sequences():
        assert accepts(ANY_TEXT, Target(query=b"q=" + escaped(bytes(octets)))) is _is_well_formed(octets), (
            octets
        )


REPLACING: Final = ANY_TEXT.replacing(Kind.ILL_FORMED_UTF8, on=QUERY)
MAXIMAL_SUBPARTS: Final = [
    # Tables 3-8 to 3-11: one U+FFFD for each maximal subpart of an ill-formed subsequence.
    pytest.param("C0 AF E0 80 BF F0 81 82 41", "\ufffd" * 8 + "A", id="table 3-8, not the shortest form"),
    pytest.param("ED A0 80 ED BF BF ED AF 41", "\ufffd" * 8 + "A", id="table 3-9, surrogates"),
    pytest.param("F4 91 92 93 FF 41 80 BF 42", "\ufffd" * 5 + "A\ufffd\ufffdB", id="table 3-10, other"),
    pytest.param("E1 80 E2 F0 91 92 F1 BF 41", "\ufffd" * 4 + "A", id="table 3-11, truncated"),
    # The text before these tables: in C2 41 only the first octet is ill-formed.
    pytest.param("C2 41 42", "\ufffdAB", id="D86, the octet after a truncated sequence is kept"),
]


@pytest.mark.parametrize(("octets", "text"), MAXIMAL_SUBPARTS)
def test_unicode_3_9_each_maximal_subpart_gets_one_replacement(octets: str, text: str) -> None:
    given = bytes.fromhex(octets)
    assert value(REPLACING, escaped(given)) == text
    assert value(REPLACING, escaped(given, frozenset(range(0x80, 0x100)))) == text


# -- URL Standard, section 1.3: characters that are escaped --------------------------------------------------

PATH_PERCENT_ENCODE: Final = frozenset(b' "<>^`{}')
QUERY_PERCENT_ENCODE: Final = frozenset(b' "<>')
"""The printable octets of the path and query percent-encode sets, but ``#`` and ``?``, which end a path."""
REPAIRING: Final = Policy.LENIENT.allowing(Kind.ENCODED_DELIMITER)


def test_url_standard_1_3_characters_that_a_parser_escapes_are_escaped() -> None:
    for octet in PATH_PERCENT_ENCODE:
        assert raw_path(REPAIRING, Target(b"/x" + bytes([octet]) + b"x")) == f"/x%{octet:02X}x"
    for octet in QUERY_PERCENT_ENCODE:
        assert pairs(REPAIRING, b"q=x" + bytes([octet]) + b"x") == (("q", f"x{chr(octet)}x"),)


def test_url_standard_1_3_and_rfc_3986_3_3_what_stays_bare_is_legal_in_both() -> None:
    """The Standard leaves more characters bare than the RFC allows in a segment; postel follows the RFC."""
    for octet in range(0x21, 0x7F):
        if octet in b"/?#%\\":
            continue  # Structure, or the beginning of an escape.
        path = raw_path(REPAIRING, Target(b"/x" + bytes([octet]) + b"x"))
        assert (path == f"/x{chr(octet)}x") is (octet in PCHAR), chr(octet)
        assert octet not in PATH_PERCENT_ENCODE or octet not in PCHAR

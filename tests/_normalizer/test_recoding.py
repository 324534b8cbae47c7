"""Values of a query in older charsets: which are recoded, what is judged in them, and the cost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laws.checks import steps, steps_of, total_and_lawful
from postel import Accepted, Action, Characters, Kind, Normalizer, Policy, Rejected, Target
from postel._alphabet.percent import percent_decode
from postel._normalizer.findings import MOST
from postel._normalizer.routes import RoutedNormalizer
from together import together

STANDARD, LENIENT, STRICT = Policy.STANDARD, Policy.LENIENT, Policy.STRICT
WESTERN = STANDARD.charset("windows-1252", names=["q"])
JAPANESE = STANDARD.charset("shift_jis", names=["q"])
LATIN_2 = STANDARD.charset("iso-8859-2", names=["q"])

# Each row: a policy, a query, what the application reads, and the kinds of the findings.
READ = [
    (WESTERN, b"q=%C4rzteblatt", b"q=%C3%84rzteblatt", [Kind.ILL_FORMED_UTF8]),
    (WESTERN, b"q=%c4rzteblatt", b"q=%C3%84rzteblatt", [Kind.ILL_FORMED_UTF8]),
    (WESTERN, b"p=1&q=a+%80%26&r=2", b"p=1&q=a+%E2%82%AC%26&r=2", [Kind.ILL_FORMED_UTF8]),
    (WESTERN, b"q=%E9&q=%E8", b"q=%C3%A9&q=%C3%A8", [Kind.ILL_FORMED_UTF8] * 2),
    # UTF-8 comes first, even if another reading is possible: these octets are "ä" and not "Ã¤".
    (WESTERN, b"q=%C3%A4", b"q=%C3%A4", []),
    (WESTERN, "q=ä".encode(), b"q=%C3%A4", [Kind.RAW_NON_ASCII]),
    # A whole value is in one charset.
    (WESTERN, b"q=%C3%A4%E4", b"q=%C3%83%C2%A4%C3%A4", [Kind.ILL_FORMED_UTF8]),
    # Bare octets become bare UTF-8, and the rule about it applies.
    (WESTERN, b"q=\xe4", b"q=%C3%A4", [Kind.ILL_FORMED_UTF8, Kind.RAW_NON_ASCII]),
    (
        *(WESTERN, b"q=\xe4%E4", b"q=%C3%A4%C3%A4"),
        [Kind.ILL_FORMED_UTF8, Kind.RAW_NON_ASCII],
    ),
    (STRICT.charset("latin1", names=["q"]), b"q=%E4", b"q=%C3%A4", [Kind.ILL_FORMED_UTF8]),
    (STRICT.charset("latin1", names=["q"]), b"q=\xe4", None, [Kind.ILL_FORMED_UTF8, Kind.RAW_NON_ASCII]),
    # Octets that the charset does not define are ill-formed, and so are all octets beyond ASCII in other
    # parameters.
    (WESTERN, b"q=%E4%81", None, [Kind.ILL_FORMED_UTF8]),
    (WESTERN, b"p=%E4", None, [Kind.ILL_FORMED_UTF8]),
    (WESTERN, b"Q=%E4", None, [Kind.ILL_FORMED_UTF8]),
    (WESTERN, b"q%E4=%E4", None, [Kind.ILL_FORMED_UTF8] * 2),
    (WESTERN, b"%E4", None, [Kind.ILL_FORMED_UTF8]),
    (WESTERN, b"q%E4", None, [Kind.ILL_FORMED_UTF8]),
    (WESTERN.dropping_pairs(Kind.ILL_FORMED_UTF8), b"q=%E4%81&q=%E4&p=%E4", b"q=%C3%A4", None),
    (LENIENT.charset("latin1", names=["q"]), b"q=a%81&q=%E4&p=a%E4", b"q=a&q=%C3%A4&p=a", None),
    # The spelling of the name does not matter.
    (WESTERN, b"%71=%E4", b"%71=%C3%A4", [Kind.ILL_FORMED_UTF8]),
    (STANDARD.charset("latin1", names=["é f"]), b"%C3%A9+f=%E4", b"%C3%A9+f=%C3%A4", [Kind.ILL_FORMED_UTF8]),
    (STANDARD.charset("latin1", names=["*"]), b"x=%E4&=%E5", b"x=%C3%A4&=%C3%A5", None),
    # The last clause that matches a name applies.
    (WESTERN.charset("koi8-r", names=["*"]), b"q=%C4", b"q=%D0%B4", [Kind.ILL_FORMED_UTF8]),
    (
        STANDARD.charset("koi8-r", names=["*"]).charset("utf-8", names=["q"]),
        b"q=%C4",
        None,
        [Kind.ILL_FORMED_UTF8],
    ),
    (
        STANDARD.charset("koi8-r", names=["a*"]).charset("latin1", names=["q"]),
        b"a1=%C4&q=%C4&a2=%C5",
        b"a1=%D0%B4&q=%C3%84&a2=%D0%B5",
        [Kind.ILL_FORMED_UTF8] * 3,
    ),
    # Characters of several octets, the last of which may be ASCII, bare or escaped.
    (JAPANESE, b"q=%83%5C%83\\x", b"q=%E3%82%BD%E3%82%BDx", None),
    (JAPANESE, b"q=%83%5C%5C", b"q=%E3%82%BD%5C", [Kind.ILL_FORMED_UTF8]),
    (JAPANESE, b"q=%83%26", None, [Kind.ILL_FORMED_UTF8]),
    (JAPANESE, b"q=%83&x=1", None, [Kind.ILL_FORMED_UTF8]),
    # Decoded text is judged: controls, noncharacters, direction, and ASCII beside it.
    (LATIN_2, b"q=%85%E1", b"q=%C2%85%C3%A1", [Kind.ILL_FORMED_UTF8, Kind.C1_CONTROL]),
    (LATIN_2.rejecting(Kind.C1_CONTROL), b"q=%85%E1", None, [Kind.ILL_FORMED_UTF8, Kind.C1_CONTROL]),
    (WESTERN, b"q=%E4%00", None, [Kind.ILL_FORMED_UTF8, Kind.NUL]),
    (WESTERN, b"q=%E4%zz", b"q=%C3%A4%25zz", [Kind.ILL_FORMED_UTF8, Kind.MALFORMED_ESCAPE]),
    (WESTERN, b"q=%E4;x", b"q=%C3%A4%3Bx", [Kind.ILL_FORMED_UTF8, Kind.SEMICOLON]),
    (
        STANDARD.charset("gb18030", names=["q"]).rejecting(Kind.BIDI_CONTROL),
        b"q=%81%36%AC%34",
        None,
        [Kind.ILL_FORMED_UTF8, Kind.BIDI_CONTROL],
    ),
    (
        STANDARD.charset("gb18030", names=["q"]).rejecting(Kind.NONCHARACTER),
        b"q=%84%31%A4%38",
        None,
        [Kind.ILL_FORMED_UTF8, Kind.NONCHARACTER],
    ),
    (
        WESTERN.accepting(Characters.of((0x20, 0x7E), "ä"), names=["q"]),
        b"q=%E4",
        b"q=%C3%A4",
        [Kind.ILL_FORMED_UTF8],
    ),
    (
        WESTERN.accepting(Characters.of((0x20, 0x7E), "ä"), names=["q"]),
        b"q=%E5",
        None,
        [Kind.ILL_FORMED_UTF8, Kind.OUTSIDE_ACCEPTED_RANGE],
    ),
    (WESTERN.rejecting(Kind.DUPLICATE_NAME), b"q=%E4&q=1", None, [Kind.ILL_FORMED_UTF8, Kind.DUPLICATE_NAME]),
    (WESTERN.limiting(value=5), b"q=%E4%E4", b"q=%C3%A4%C3%A4", None),
    (WESTERN.limiting(value=5), b"q=%E4%E4%E4", None, [Kind.ILL_FORMED_UTF8, Kind.LONG_VALUE]),
    (WESTERN.limiting(octets=8), b"q=%E4%E4%E4", None, [Kind.ILL_FORMED_UTF8, Kind.TOO_LONG]),
    (WESTERN.limiting(pairs=1), b"q=%E4&q=1", None, [Kind.TOO_MANY_PAIRS]),
]


@together(("policy", "query", "read", "kinds"), READ, ids=lambda each: str(each)[:60])
def test_what_the_application_reads(
    policy: Policy, query: bytes, read: bytes | None, kinds: list[Kind] | None
) -> None:
    outcome = total_and_lawful(Normalizer(policy), Target(query=query))
    assert (outcome.target.query if isinstance(outcome, Accepted) else None) == read
    if kinds is not None:
        assert [each.kind for each in outcome.findings] == kinds


def test_a_finding_has_the_place_and_the_charset_of_a_value() -> None:
    outcome = Normalizer(WESTERN).normalize(Target(query=b"p=1&q=a%C3%A4%C4%E4b%C4%00"))
    read, nul = outcome.findings
    assert str(read) == 'ill-formed-utf8 in query at 13: "%C4%E4" (read as windows-1252), of "q" (repair)'
    assert (read.action, read.offset, read.name) == (Action.REPAIR, 13, "q")
    assert (nul.kind, nul.offset, nul.excerpt) == (Kind.NUL, 23, b"%00")


def test_the_first_of_very_many_values_are_listed() -> None:
    query = b"&".join([b"q=%E4"] * 50)
    outcome = total_and_lawful(Normalizer(WESTERN), Target(query=query))
    assert isinstance(outcome, Accepted)
    assert (len(outcome.findings), outcome.truncated) == (MOST, True)
    outcome = total_and_lawful(Normalizer(WESTERN), Target(query=query + b"&q=%00"))
    assert isinstance(outcome, Rejected)


# Each row: a policy under which an edit leaves octets that would then be read in a charset, and such a query.
LEFT = [
    pytest.param(WESTERN.dropping(Kind.NUL), b"%00q=%E4", id="a name that dropping gives a charset"),
    pytest.param(
        WESTERN.repairing(Kind.UNICODE_ESCAPE), b"%u0071=%E4", id="a name that unescaping gives a charset"
    ),
    pytest.param(
        WESTERN.dropping(Kind.C1_CONTROL),
        b"q=%C2%81%E4",
        id="a dropped character that the charset cannot read",
    ),
]


@pytest.mark.parametrize(("policy", "query"), LEFT)
def test_an_edit_that_leaves_octets_in_a_charset_is_refused(policy: Policy, query: bytes) -> None:
    outcome = total_and_lawful(Normalizer(policy.allowing(Kind.ILL_FORMED_UTF8)), Target(query=query))
    assert isinstance(outcome, Rejected)
    left = outcome.findings[-1]
    assert (left.kind, left.action, left.detail) == (Kind.ILL_FORMED_UTF8, Action.REJECT, "after a repair")
    assert query[left.offset :].startswith(left.excerpt)


def test_findings_behind_values_in_several_charsets_are_traced() -> None:
    policy = WESTERN.charset("shift_jis", names=["j"]).reporting(Kind.NUL)
    query = b"q=%E4%E4&j=%83%5C%83A&q=\xe4%E4&j=\x83A%00&p=%C3%A4&q=%E4%00"
    outcome = Normalizer(policy).normalize(Target(query=query))
    assert [each.offset for each in outcome.findings if each.kind is Kind.NUL] == [33, 51]
    assert query[33:36] == query[51:] == b"%00"


def test_a_route_has_its_own_charset() -> None:
    routed = RoutedNormalizer(STANDARD, {"/old": WESTERN})
    assert isinstance(routed.normalize(Target(b"/old/search", b"q=%E4")), Accepted)
    assert isinstance(routed.normalize(Target(b"/search", b"q=%E4")), Rejected)
    assert not routed.is_clean(b"/old/search", b"q=%E4")


@given(st.text(st.characters(min_codepoint=0xA0, max_codepoint=0xFF), min_size=1, max_size=9), st.booleans())
def test_every_text_in_latin_1_is_recoded_unless_it_is_utf_8(text: str, bare: bool) -> None:
    octets = text.encode("latin-1")
    value = octets if bare else b"".join(b"%%%02x" % octet for octet in octets)
    outcome = Normalizer(WESTERN).normalize(Target(query=b"q=" + value))
    assert isinstance(outcome, Accepted)
    try:
        expected = octets.decode()
    except UnicodeDecodeError:
        expected = text
    [(_, read)] = outcome.target.pairs
    assert read == expected
    assert percent_decode(outcome.target.query).decode() == f"q={expected}"


COSTLY = [
    b"%C4",
    b"\xc4",
    b"a%C4",
    b"&q=%C4",
    b"&q=%81",
    b"%83%5C",
    b"\x83A",
    b"%C4%00",
    b"&a%d=%%C4",
    b";\xe4%",
    b"&q=%82%A0%",
]

MOST_STEPS = 13_500
"""The most expensive of these queries takes 12,417."""


@together("policy", [WESTERN, JAPANESE, LENIENT.charset("gb18030", names=["*"])])
@together("piece", COSTLY)
def test_a_query_takes_a_bounded_number_of_steps(policy: Policy, piece: bytes) -> None:
    def target(octets: int) -> Target:
        pieces = octets // len(piece)
        return Target(query=b"q=" + (piece * pieces if b"%d" not in piece else _numbered(piece, pieces)))

    normalizer = Normalizer(policy)
    assert steps_of(lambda: normalizer.normalize(target(8100))) < MOST_STEPS
    wide = Normalizer(policy.limiting(octets=1 << 20, pairs=1 << 20, value=1 << 20))
    assert steps(wide, target(16_384)) <= 2.3 * steps(wide, target(8192)) + 200


def _numbered(piece: bytes, pieces: int) -> bytes:
    return b"".join([piece % number for number in range(pieces)])

"""Findings and edits in bulk: after more findings than are kept, and after very many edits."""

from __future__ import annotations

from itertools import product
from string import ascii_uppercase
from typing import Final

import pytest

from postel import (
    LATIN,
    Accepted,
    Action,
    Characters,
    Component,
    Forms,
    Kind,
    Limits,
    Normalizer,
    Policy,
    Rejected,
    Target,
)
from postel._alphabet.text import ESCAPED, Reading, text_of
from postel._bodies.urlencoded import FormRules
from postel._catalogue.check import Family
from postel._normalizer.detected import Detected
from postel._normalizer.edits import unescaping
from postel._normalizer.findings import changes_octets, rejects
from postel._normalizer.pair_actions import PairActions
from postel._normalizer.pair_groups import characters_in_pairs
from postel._normalizer.pairs import Pairs
from postel._normalizer.scanner import at_characters, kinds_of_family
from postel._policy.name_rules import NUMBERS
from postel._policy.rules import COMPONENTS

STANDARD, STRICT = Policy.STANDARD, Policy.STRICT
UNESCAPING = STANDARD.repairing(Kind.UNICODE_ESCAPE)
KEPT = 32
"""The most findings that are kept."""


def judged(policy: Policy, target: Target) -> Accepted | Rejected:
    """Return the outcome, after checking that it is the same without proof and bulk repair."""
    outcome = Normalizer(policy).normalize(target)
    assert outcome == Normalizer(policy).examine(target)
    return outcome


@pytest.mark.parametrize(
    ("policy", "target", "refused", "offset"),
    [
        pytest.param(
            STANDARD.reporting(Kind.PATH_PARAMETER),
            Target(b"/a;b" * 40 + b"/../c"),
            Kind.DOT_SEGMENT,
            161,
            id="a dot segment after many reported faults",
        ),
        pytest.param(
            STANDARD.rejecting(Kind.RAW_NON_ASCII).reporting(Kind.SPELLING),
            Target(b"/" + b"%7ea" * 40 + "\u00e9".encode()),
            Kind.RAW_NON_ASCII,
            161,
            id="raw octets after many spellings",
        ),
        pytest.param(
            STANDARD,
            Target(query=b"|x" * 40 + b"a" * 3000),
            Kind.LONG_NAME,
            0,
            id="a long name after many repairs",
        ),
        pytest.param(
            STANDARD.dropping(Kind.ILL_FORMED_UTF8, on=Component.PATH),
            Target(b"/" + b"a%FF/" * 40 + b"a%FFb/c"),
            Kind.ILL_FORMED_UTF8,
            202,
            id="ill-formed octets inside a segment, after many that are dropped",
        ),
        pytest.param(
            STANDARD.rejecting(Kind.BIDI_CONTROL, names=["a"]).rejecting(Kind.NONCHARACTER, names=["b"]),
            Target(query=b"c=" + b"%E2%80%AEx" * 40 + b"&b=%EF%BF%BE&a=%E2%80%AE"),
            Kind.NONCHARACTER,
            405,
            id="the first of two that different names have, after many reported faults",
        ),
        pytest.param(
            UNESCAPING,
            Target(query=b"a=" + b"%u202ex" * 20 + b"%u0000"),
            Kind.NUL,
            142,
            id="a NUL that an edit writes after other faults",
        ),
        pytest.param(
            UNESCAPING,
            Target(query=b"%u00e9&" * 600 + b"a=%u0000"),
            Kind.NUL,
            0,  # After very many edits, the offset is not traced back to the received octets.
            id="a NUL that an edit writes after very many edits",
        ),
        pytest.param(
            Policy.LENIENT.rejecting(Kind.NUL, names=["q"]),
            Target(query=b"a=%00&" * 40 + b"q%C4=%00#x"),
            Kind.NUL,
            245,
            id="a NUL in a pair whose name a repair changes, before a fragment",
        ),
        pytest.param(
            Policy.LENIENT.rejecting(Kind.NUL, names=["q"]),
            Target(query=b"a=%00&" * 40 + b"q%C4=%00"),
            Kind.NUL,
            245,
            id="a NUL in a pair whose name a repair changes",
        ),
        pytest.param(
            Policy.LENIENT.rejecting(Kind.DUPLICATE_NAME),
            Target(
                query="".join(f"{name}=%00&" for name in ascii_uppercase + "cdefghijklmnop").encode()
                + b"b%C4=1&b=2"
            ),
            Kind.DUPLICATE_NAME,
            247,
            id="a name that a repair repeats",
        ),
        pytest.param(
            Policy.LENIENT.rejecting(Kind.NOT_NFC),
            Target(query=b"a=%00&" * 40 + b"b=e%CC%81%FF"),
            Kind.NOT_NFC,
            242,
            id="text that dropping leaves",
        ),
        pytest.param(
            Policy.LENIENT.repairing(Kind.NOT_NFC),
            Target(query=b"a=%00&" * 40 + b"b=e" + b"%CC%81" * 40 + b"%FF"),
            Kind.NOT_NFC,
            242,
            id="text that dropping leaves and that cannot be composed",
        ),
        pytest.param(
            Policy.LENIENT.rejecting(Kind.NOT_NFC).repairing(Kind.NOT_NFC, names=["q"]),
            Target(query=b"a=%00&" * 40 + b"q=e%CC%81&b=e%CC%81%FF"),
            Kind.NOT_NFC,
            252,
            id="text that dropping leaves beside text that is composed",
        ),
    ],
)
def test_one_reason_to_refuse_is_always_kept(
    policy: Policy, target: Target, refused: Kind, offset: int
) -> None:
    outcome = judged(policy, target)
    assert isinstance(outcome, Rejected)
    assert len(outcome.findings) == KEPT
    last = outcome.findings[-1]
    assert (last.kind, last.offset, last.action.name) == (refused, offset, "REJECT")


@pytest.mark.parametrize(("kind", "value"), [(Kind.SPELLING, b"%7e"), (Kind.NOT_NFC, b"e%CC%81")], ids=str)
@pytest.mark.parametrize("names", [None, ["b"]], ids=["no rule", "a rule"])
def test_very_many_reported_faults_are_cut_short(kind: Kind, value: bytes, names: list[str] | None) -> None:
    policy = STANDARD.reporting(kind)
    outcome = judged(
        policy.rejecting(kind, names=names) if names else policy, Target(query=b"a=%b&" % value * 100)
    )
    assert isinstance(outcome, Accepted)
    assert {each.kind for each in outcome.findings} == {kind}
    assert (len(outcome.findings), outcome.truncated) == (KEPT, True)


@pytest.mark.parametrize(
    ("kind", "query"), [(Kind.BIDI_CONTROL, b"%E2%80%AE-" * 100), (Kind.EMPTY_NAME, b"=1&" * 100)], ids=str
)
def test_very_many_reported_faults_of_names_are_cut_short(kind: Kind, query: bytes) -> None:
    outcome = judged(Policy.LENIENT.reporting(kind), Target(query=query))
    assert {each.kind for each in outcome.findings} == {kind}
    assert (len(outcome.findings), outcome.truncated) == (KEPT, True)


def test_findings_that_an_edit_creates_are_bounded_too() -> None:
    outcome = judged(UNESCAPING, Target(query=b"%u202e%uFFFEx" * 12))
    assert isinstance(outcome, Accepted)
    assert outcome.target.query == b"%E2%80%AE%EF%BF%BEx" * 12
    kinds = [each.kind for each in outcome.findings]
    assert kinds[:12] == [Kind.UNICODE_ESCAPE] * 12
    assert set(kinds[12:]) == {Kind.BIDI_CONTROL, Kind.NONCHARACTER}
    assert len(kinds) == KEPT


@pytest.mark.parametrize("many", [40, 70])
def test_a_fault_behind_many_that_one_edit_creates_is_found_but_not_behind_very_many(many: int) -> None:
    path = b"/" + b"%u202e%u0041" * many + b"/%uFFFE"
    outcome = judged(UNESCAPING, Target(path))
    assert isinstance(outcome, Accepted)
    assert outcome.target.path == b"/" + b"%E2%80%AEA" * many + b"/%EF%BF%BE"
    assert [(each.kind, each.offset) for each in outcome.findings] == [
        (Kind.UNICODE_ESCAPE, 1),
        (Kind.UNICODE_ESCAPE, 12 * many + 2),
        (Kind.BIDI_CONTROL, 1),
        *([(Kind.NONCHARACTER, 12 * many + 2)] if many == 40 else []),
        (Kind.SPELLING, 1),
    ]


def test_a_finding_after_an_edit_names_its_pair() -> None:
    few = judged(UNESCAPING, Target(query=b"a=%u202e"))
    assert [(each.kind, each.name) for each in few.findings] == [
        (Kind.UNICODE_ESCAPE, "a"),
        (Kind.BIDI_CONTROL, "a"),
    ]
    many = judged(UNESCAPING, Target(query=b"a=" + b"%u202ex" * 20 + b"%u0000"))
    assert (many.findings[-1].kind, many.findings[-1].name) == (Kind.NUL, "a")


def test_text_that_dropping_leaves_is_reported() -> None:
    policy = Policy.LENIENT.reporting(Kind.NOT_NFC, Kind.UNICODE_ESCAPE)
    outcome = judged(policy, Target(query=b"a=%u0041|&b=e%CC%81%FF"))
    assert [(each.kind, each.offset) for each in outcome.findings] == [
        (Kind.UNICODE_ESCAPE, 2),
        (Kind.ILLEGAL_CHARACTER, 8),
        (Kind.ILL_FORMED_UTF8, 19),
        (Kind.NOT_NFC, 12),
    ]


@pytest.mark.parametrize("names", [["e"], ["x"], ["\u00e9"]], ids=ascii)
def test_text_that_dropping_leaves_is_composed_and_named_with_its_pair(names: list[str]) -> None:
    policy = Policy.LENIENT.repairing(Kind.NOT_NFC)
    for each in (policy, policy.rejecting(Kind.NUL, names=names)):
        outcome = judged(each, Target(query=b"e%CC%81%FF=1&b=e%CC%81%FF"))
        assert isinstance(outcome, Accepted)
        assert outcome.target.query == b"%C3%A9=1&b=%C3%A9"
        places = [(found.offset, found.name) for found in outcome.findings if found.kind is Kind.NOT_NFC]
        assert places == [(0, "e\u0301"), (15, "b")]


@pytest.mark.parametrize(
    ("policy", "received", "edited", "offsets"),
    [
        pytest.param(
            STRICT.reporting(Kind.BIDI_CONTROL),
            b"a=1%0A%E2%80%AE",
            b"a=1%0D%0A%E2%80%AE",
            {Kind.LONE_NEWLINE: 3, Kind.BIDI_CONTROL: 6},
            id="newlines",
        ),
        pytest.param(
            STRICT.reporting(Kind.BIDI_CONTROL).allowing(Kind.LONE_NEWLINE, names=["t"]),
            b"t=%0A&u=%0A%E2%80%AE",
            b"t=%0A&u=%0D%0A%E2%80%AE",
            {Kind.LONE_NEWLINE: 8, Kind.BIDI_CONTROL: 11},
            id="newlines, allowed in one field",
        ),
        pytest.param(
            UNESCAPING.repairing(Kind.SPELLING),
            b"%7e%u0041=%7e%E2%80%AE",
            b"~A=~%E2%80%AE",
            {Kind.SPELLING: 10, Kind.UNICODE_ESCAPE: 3, Kind.BIDI_CONTROL: 13},
            id="edits in a name and its value",
        ),
        pytest.param(
            STANDARD.repairing(Kind.SPELLING)
            .replacing(Kind.ILL_FORMED_UTF8)
            .reporting(Kind.NUL, names=["t"]),
            b"%7e=%7e%FF%E2%80%AE",
            b"~=~%EF%BF%BD%E2%80%AE",
            {Kind.ILL_FORMED_UTF8: 7, Kind.BIDI_CONTROL: 10},
            id="replaced octets after a name that is edited",
        ),
        pytest.param(
            STANDARD,
            b"a=1&utm_x=%FF&b=%E2%80%AE",
            b"a=1&b=%E2%80%AE",
            {Kind.ILL_FORMED_UTF8: 10, Kind.BIDI_CONTROL: 16},
            id="after a dropped pair",
        ),
        pytest.param(
            STANDARD.allowing(Kind.BIDI_CONTROL, names=["t"]),
            b"t=|[%E2%80%AE#&u=%E2%80%AE",
            None,
            {Kind.FRAGMENT: 13},
            id="refused",
        ),
        pytest.param(
            STANDARD.allowing(Kind.BIDI_CONTROL, names=["t"]).repairing(Kind.UNICODE_ESCAPE),
            b"t=%u0041%E2%80%AE&u=%E2%80%AE",
            b"t=A%E2%80%AE&u=%E2%80%AE",
            {Kind.UNICODE_ESCAPE: 2, Kind.BIDI_CONTROL: 20},
            id="allowed in one field",
        ),
    ],
)
def test_findings_point_into_the_received_octets(
    policy: Policy, received: bytes, edited: bytes | None, offsets: dict[Kind, int]
) -> None:
    if Kind.LONE_NEWLINE in offsets:
        form = FormRules(policy, Forms()).judge(received)
        assert form.octets == edited
        findings = form.findings
    else:
        outcome = judged(policy, Target(query=received))
        assert (outcome.target.query if isinstance(outcome, Accepted) else None) == edited
        findings = outcome.findings
    assert {each.kind: each.offset for each in findings if each.kind in offsets} == offsets


def test_lines_are_ended_in_the_pairs_that_are_kept() -> None:
    found = FormRules(Policy.LENIENT.repairing(Kind.LONE_NEWLINE), Forms()).judge(b"a=1%0A&b=%00&c=%0D")
    assert found.octets == b"a=1%0D%0A&c=%0D%0A"


OF_ONE_FIELD: Final = STANDARD.repairing(Kind.UNICODE_ESCAPE).reporting(Kind.UNICODE_ESCAPE, names=["x"])


@pytest.mark.parametrize(
    ("policy", "received", "edited", "found"),
    [
        pytest.param(
            OF_ONE_FIELD,
            b"x=%u0041&a=%u0041%u202e&b=%u0041",
            b"x=%u0041&a=A%E2%80%AE&b=A",
            [
                (Kind.UNICODE_ESCAPE, 2, b"%u0041"),
                (Kind.UNICODE_ESCAPE, 11, b"%u0041%u202e"),
                (Kind.UNICODE_ESCAPE, 26, b"%u0041"),
                (Kind.BIDI_CONTROL, 11, b"%u0041%u202e"),
            ],
            id="units that are reported in one field",
        ),
        pytest.param(
            Policy.LENIENT.rejecting(Kind.UNICODE_ESCAPE, names=["\u00e9"]),
            b"%u0061%u202e=1#&%u0061=2#",
            b"a%E2%80%AE=1",
            [
                (Kind.UNICODE_ESCAPE, 0, b"%u0061%u202e"),
                (Kind.FRAGMENT, 14, b"#"),
                (Kind.UNICODE_ESCAPE, 16, b"%u0061"),
                (Kind.FRAGMENT, 24, b"#"),
                (Kind.BIDI_CONTROL, 0, b"%u0061%u202e"),
            ],
            id="units in names before a fragment",
        ),
        pytest.param(
            Policy.LENIENT.rejecting(Kind.FRAGMENT, names=["\u00e9"]),
            b"a%FF=1#&y%FF=2#",
            b"a=1",
            [
                (Kind.ILL_FORMED_UTF8, 1, b"%FF"),
                (Kind.FRAGMENT, 6, b"#"),
                (Kind.ILL_FORMED_UTF8, 9, b"%FF"),
                (Kind.FRAGMENT, 14, b"#"),
            ],
            id="ill-formed names before and after a fragment",
        ),
        pytest.param(
            Policy.LENIENT.repairing(Kind.NOT_NFC, Kind.DUPLICATE_NAME).reporting(Kind.ILL_FORMED_UTF8),
            b"x=%FF&e%CC%81=e%CC%81&%C3%A9=2",
            b"x=%FF&%C3%A9=%C3%A9",
            [
                (Kind.ILL_FORMED_UTF8, 2, b"%FF"),
                (Kind.NOT_NFC, 6, b"e%CC%81"),
                (Kind.NOT_NFC, 14, b"e%CC%81"),
                (Kind.DUPLICATE_NAME, 22, b"%C3%A9"),
            ],
            id="a composed name and value behind ill-formed octets",
        ),
        pytest.param(
            Policy.LENIENT.rejecting(Kind.NUL, names=["q"]),
            b"x%FF=a%FF&q%FF=%00",
            None,
            [
                (Kind.ILL_FORMED_UTF8, 1, b"%FF"),
                (Kind.ILL_FORMED_UTF8, 6, b"%FF"),
                (Kind.ILL_FORMED_UTF8, 11, b"%FF"),
                (Kind.NUL, 15, b"%00"),
            ],
            id="ill-formed names and values",
        ),
    ],
)
def test_findings_after_edits_of_some_names_or_values_point_into_the_received_octets(
    policy: Policy, received: bytes, edited: bytes | None, found: list[tuple[Kind, int, bytes]]
) -> None:
    outcome = judged(policy, Target(query=received))
    assert (outcome.target.query if isinstance(outcome, Accepted) else None) == edited
    assert [(each.kind, each.offset, each.excerpt) for each in outcome.findings] == found


def test_a_path_with_reported_text_is_respelled() -> None:
    outcome = judged(
        STANDARD.reporting(Kind.RAW_NON_ASCII).repairing(Kind.BACKSLASH),
        Target("/%7e\u00e9/%zz\\".encode()),
    )
    assert isinstance(outcome, Rejected)
    outcome = judged(
        STANDARD.reporting(Kind.RAW_NON_ASCII).repairing(Kind.MALFORMED_ESCAPE),
        Target("/%7e\u00e9/%zz%E2%80%AE".encode()),
    )
    assert isinstance(outcome, Accepted)
    assert outcome.target.path == "/~\u00e9/%25zz%E2%80%AE".encode()


@pytest.mark.no_cover
@pytest.mark.parametrize("component", [Component.PATH, Component.QUERY, Component.FORM], ids=str)
def test_kinds_found_in_bulk_equal_those_found_one_by_one(component: Component) -> None:
    kinds = kinds_of_family(component, Family.CHARACTER)
    scanner = at_characters(component, kinds)
    # Faults and other characters, some with UTF-8 or UTF-16 that resembles that of surrogates.
    pieces = ["", "a", "<", "\t", "\udc00", "\udc3c", "\udcc3", "\udca9", "%", "%u00e9", "\u202e", "\u200b"]
    pieces += ["\ufffe", "\U0001fffe", "\U0001f600", "\ud55c", "\ue83c", "\uec3c", "\uf8ff", "\u4123", "&"]
    pieces += ["\uffff", "\u102e", "\udc25", "2e", "u0041"]
    for each in product(pieces, repeat=3):
        text, start = "".join(each), len(each[0])
        walked = {kind for kind, _, _ in scanner.walk(text)}
        assert scanner.present(text) == walked == scanner.present(text, codes=scanner.census.codes(text))
        rest = [*scanner.walk(text, start)]
        assert scanner.present(text, start) == {kind for kind, _, _ in rest}
        for some in (kinds[::2], kinds[1::2]):
            seen = [any(kind in some for kind, _, _ in scanner.walk(pair)) for pair in text.split("&")]
            codes = scanner.census.codes(text)
            assert list(map(bool, scanner.census.parts(text, some))) == seen
            assert list(map(bool, scanner.census.parts(text, some, codes))) == seen
            by_kind = dict(scanner.census.by_kind(text, some, codes))
            for kind in some:
                held = [any(scanner.walk(pair, kinds=[kind])) for pair in text.split("&")]
                assert [*map(bool, by_kind.get(kind, bytes(len(held))))] == held
            found = [match for match in rest if match[0] in some]
            assert not found or scanner.first(text, start, some) == found[0]


@pytest.mark.parametrize("planes", [3, 17])
def test_few_and_many_characters_beyond_16_bits_are_found(planes: int) -> None:
    kinds = kinds_of_family(Component.PATH, Family.CHARACTER)
    scanner = at_characters(Component.PATH, kinds)
    text = "".join(f"{chr(0x1000E + plane)}a{chr(plane << 16 | 0xFFFF)}bX" for plane in range(1, planes))
    assert scanner.present(text) == {Kind.NONCHARACTER}
    assert len(scanner.scan(text)) == planes - 1


@pytest.mark.parametrize("digits", [2, 40, 128])
def test_few_and_many_different_escapes_have_the_same_result(digits: int) -> None:
    escapes = [f"%{octet:02x}%{octet:02X}" for octet in range(digits)]
    assert text_of("a".join(escapes).encode()) == "a".join(
        2 * chr(ESCAPED + octet) for octet in range(digits)
    )


def test_two_runs_do_not_form_an_escape() -> None:
    received = b"%u%u0030%u0030e%u0039"
    assert unescaping(received)[0] == b"%u00e%39"


@pytest.mark.parametrize("behind", [b"|", b"%E2%80%AE"], ids=["clean", "with a finding"])
def test_a_long_value_is_within_its_limit(behind: bytes) -> None:
    received = b"b=1&a=" + b"x" * (Limits().value + 1) + behind
    assert FormRules(STANDARD, Forms()).judge(received).octets == received


@pytest.mark.parametrize("many", [3, 40, 400])
def test_many_findings_of_a_kind_that_only_a_rule_for_other_names_covers(many: int) -> None:
    policy = Policy.STANDARD.allowing(Kind.TAB).rejecting(Kind.TAB, names=["x"])
    outcome = Normalizer(policy).examine(Target(query=b"a=" + b"%09%E2%80%AE" * many))
    assert isinstance(outcome, Accepted)
    assert {each.kind for each in outcome.findings} == {Kind.BIDI_CONTROL}
    assert (len(outcome.findings), outcome.truncated) == (min(many, 32), many > 32)
    refused = Normalizer(policy).examine(Target(query=b"a=1&x=" + b"%09%E2%80%AE" * many))
    assert isinstance(refused, Rejected)
    assert refused.findings[0].kind is Kind.TAB


def test_a_repeated_name_that_needs_an_edit_is_dropped_with_its_pair() -> None:
    policy = Policy.LENIENT.repairing(Kind.DUPLICATE_NAME).reporting(Kind.CONTROL, names=["b"])
    outcome = judged(policy, Target(query=b"%FFa=1&%FFa=2&b=3%01"))
    assert isinstance(outcome, Accepted)
    assert outcome.target.query == b"a=1&b=3%01"


def test_after_very_many_faults_only_the_first_place_that_dropping_would_join_is_named() -> None:
    policy = STANDARD.dropping(Kind.ILL_FORMED_UTF8, on=Component.PATH)
    outcome = judged(policy, Target(b"/" + b"a%FF/" * 40 + b"a%FFb/a%FFb/c"))
    assert isinstance(outcome, Rejected)
    assert (outcome.findings[-1].offset, outcome.truncated) == (202, True)
    outcome = judged(policy, Target(b"/" + b"a%FF/" * 30 + b"a%FFb/a%FFb/c"))
    assert (outcome.findings[-1].offset, outcome.truncated) == (152, True)
    outcome = judged(policy, Target(b"/a%FF/a%FFb/%FFc/a%FFb/c"))
    refused = [each.offset for each in outcome.findings if each.action.name == "REJECT"]
    assert refused == [7, 18], "after few faults, all places are named"


@pytest.mark.parametrize("many", [20, 70])
@pytest.mark.parametrize("front", [b"/a", b'/"'], ids=["as received", "after an edit"])
def test_the_first_of_very_many_preserved_slashes_are_listed(front: bytes, many: int) -> None:
    outcome = judged(Policy.LENIENT, Target(front + b"%2F%2Fa" * many))
    assert isinstance(outcome, Accepted)
    assert outcome.target.path == front.replace(b'"', b"%22") + b"%2F%2Fa" * many
    assert (len(outcome.findings), outcome.truncated) == (KEPT, True)
    actions = {each.action for each in outcome.findings if each.kind is Kind.EMPTY_SEGMENT}
    assert actions == ({Action.REPORT} if many == 20 else set())


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        pytest.param(b"/%2Fa" + b"%2F%2Fa" * 40, Kind.LEADING_SLASHES, id="in front"),
        pytest.param(b"a" + b"%2F%2Fa" * 20, Kind.MISSING_SLASH, id="without a first slash"),
    ],
)
def test_very_many_preserved_slashes_hide_no_other_fault(path: bytes, kind: Kind) -> None:
    outcome = judged(Policy.LENIENT, Target(path))
    assert isinstance(outcome, Rejected)
    assert [each.kind for each in outcome.findings if each.action is Action.REJECT] == [kind]
    assert (len(outcome.findings), outcome.truncated) == (KEPT, True)


@pytest.mark.parametrize(
    ("policy", "behind", "written"),
    [
        pytest.param(Policy.LENIENT, b"b=%zz#x", b"b=%25zz", id="a repair before a fragment"),
        pytest.param(
            Policy.LENIENT.replacing(Kind.ILL_FORMED_UTF8), b"b=%FF", b"b=%EF%BF%BD", id="a replacement"
        ),
        pytest.param(
            Policy.LENIENT.reporting(Kind.NUL),
            b"b=1#x",
            b"a=%00&" * 40 + b"b=1",
            id="nothing but a fragment",
        ),
        pytest.param(
            Policy.LENIENT.accepting(LATIN)
            .dropping_pairs(Kind.OUTSIDE_ACCEPTED_RANGE)
            .dropping(Kind.CONTROL, on=Component.QUERY)
            .rejecting(Kind.SEMICOLON, names=["a"]),
            b"a%01=1&b=1#",
            b"b=1",
            id="a name outside an accepted range before a fragment",
        ),
        pytest.param(
            Policy.LENIENT.repairing(Kind.DUPLICATE_NAME).reporting(Kind.CONTROL, names=["q"]),
            b"b%C4=1&b=2&q=%01",
            b"b=1&q=%01",
            id="a name that a repair repeats, beside a rule for another name",
        ),
        pytest.param(
            Policy.LENIENT.repairing(Kind.DUPLICATE_NAME).dropping_pairs(Kind.NOT_NFC),
            b"b=e%CC%81%FF&b=2",
            b"b=2",
            id="a pair dropped after another edit, before one with the same name",
        ),
        pytest.param(
            Policy.LENIENT.repairing(Kind.NOT_NFC)
            .accepting(Characters.of((0x20, 0x7E), "\u00c5"))
            .dropping_pairs(Kind.OUTSIDE_ACCEPTED_RANGE),
            b"b=%E2%84%AB",
            b"b=%C3%85",
            id="text that is accepted once it is composed",
        ),
        pytest.param(
            Policy.LENIENT.repairing(Kind.NOT_NFC).allowing(Kind.NOT_NFC, names=["q"]),
            b"q=a%CC%81b&c=e%CC%81%zz",
            b"q=a%CC%81b&c=%C3%A9%25zz",
            id="text to compose",
        ),
        pytest.param(
            Policy.LENIENT.repairing(Kind.NOT_NFC)
            .allowing(Kind.NUL, names=["\u00e9"])
            .allowing(Kind.NOT_NFC, names=["e"]),
            b"e%CC%81=1&c=e%CC%81%zz#x",
            b"%C3%A9=1&c=%C3%A9%25zz",
            id="a name to compose before a fragment",
        ),
    ],
)
def test_edits_behind_very_many_dropped_pairs(policy: Policy, behind: bytes, written: bytes) -> None:
    outcome = judged(policy, Target(query=b"a=%00&" * 40 + behind))
    assert isinstance(outcome, Accepted)
    assert outcome.target.query == written


@pytest.mark.parametrize(
    ("query", "found"),
    [
        (b"a=%4%u0065 ", [2, 4, 10]),
        (b"b=%4%u0065 &a=%4%u0065 ", [2, 4, 10, 14, 16, 22]),
        (b"%4%u0065 =1&a=%4%u0065 ", [0, 2, 8, 14, 16, 22]),
    ],
)
@pytest.mark.parametrize("name", ["a", "*"])
def test_a_unit_after_a_stray_percent_sign_moves_no_offset_under_rules_for_names(
    name: str, query: bytes, found: list[int]
) -> None:
    # The unit is written as an escape, because its bare character would complete "%4".
    outcome = judged(Policy.LENIENT.repairing(Kind.NOT_NFC, names=[name]), Target(query=query))
    assert [each.offset for each in outcome.findings] == found


@pytest.mark.parametrize(
    ("policy", "target", "kind"),
    [
        pytest.param(
            Policy.LENIENT,
            Target(b"http://example.com/" + b"%7ea" * 40 + b"%u0061", host=b"example.com"),
            Kind.SPELLING,
            id="misspelled escapes behind an authority",
        ),
        pytest.param(
            STANDARD.allowing(Kind.SPELLING).reporting(Kind.INVISIBLE),
            Target(b"/" + "\u00e9-".encode() * 40 + b"%E2%80%8B"),
            Kind.RAW_NON_ASCII,
            id="raw octets beside escapes that are not respelled",
        ),
        pytest.param(
            Policy.LENIENT,
            Target(b"/", b"q=" + "\u00e9-".encode() * 40 + b"\xff"),
            Kind.RAW_NON_ASCII,
            id="raw octets in front of an ill-formed one",
        ),
    ],
)
def test_very_many_runs_of_spelling_are_cut_short(policy: Policy, target: Target, kind: Kind) -> None:
    outcome = judged(policy, target)
    assert isinstance(outcome, Accepted)
    assert [each.kind for each in outcome.findings].count(kind) >= KEPT - 2
    assert outcome.truncated


@pytest.mark.parametrize(
    ("path", "places"),
    [
        pytest.param(b"[a" * 40, range(13, 77, 2), id="repaired characters"),
        pytest.param(b"%E2%80%AEa" * 31 + b"[a" * 5, range(323, 333, 2), id="behind allowed ones"),
        pytest.param(b"%E2%80%AEa" * 40 + b"[a" * 5, range(413, 423, 2), id="behind very many allowed ones"),
    ],
)
def test_very_many_faults_behind_an_authority_are_each_found_once(path: bytes, places: range) -> None:
    policy = STANDARD.allowing(Kind.BIDI_CONTROL)
    outcome = judged(policy, Target(b"http://[::1]/" + path, host=b"[::1]"))
    assert isinstance(outcome, Accepted)
    found = [each.offset for each in outcome.findings if each.kind is Kind.ILLEGAL_CHARACTER]
    assert found == list(places)[: KEPT - 1]
    assert outcome.truncated is (path.count(b"[") >= KEPT), "the form is a finding, too"


@pytest.mark.parametrize("many", [3, 40])
@pytest.mark.parametrize(("piece", "edited"), [(b"|x", b"%7Cx"), (b"\xc3\xa9-", b"%C3%A9-")])
def test_a_pair_is_dropped_beside_few_and_many_characters_that_are_repaired(
    piece: bytes, edited: bytes, many: int
) -> None:
    outcome = judged(STANDARD, Target(query=b"utm_x=%FF&b=" + piece * many))
    assert isinstance(outcome, Accepted)
    assert outcome.target.query == b"b=" + edited * many


def test_marks_behind_an_allowed_unit_are_composed_once() -> None:
    policy = STANDARD.repairing(Kind.NOT_NFC).allowing(Kind.UNICODE_ESCAPE)
    outcome = judged(policy, Target(b"/", b"e%CC%81%u0041%CC%81"))
    assert isinstance(outcome, Accepted)
    assert outcome.target.query == b"%C3%A9%u0041%CC%81"


@pytest.mark.parametrize("name", [b"admin", b"%u0061dmin"])
def test_a_pair_that_is_dropped_for_its_repaired_name_has_a_finding_that_says_so(name: bytes) -> None:
    policy = Policy.LENIENT.dropping_pairs(Kind.BIDI_CONTROL, names=["admin"])
    outcome = judged(policy, Target(b"/", name + b"=%E2%80%AE&b=1"))
    assert isinstance(outcome, Accepted)
    assert outcome.target.query == b"b=1"
    assert outcome.findings[-1].kind is Kind.BIDI_CONTROL
    assert outcome.findings[-1].action is Action.DROP_PAIR


@pytest.mark.parametrize("many", [10, 40])
def test_a_kind_with_one_action_beside_kinds_with_several(many: int) -> None:
    policy = Policy.LENIENT.dropping_pairs(Kind.ILL_FORMED_UTF8, names=["a"]).rejecting(Kind.NUL)
    outcome = judged(policy, Target(query=b"a=%FF&b=%FF&" * many + b"c=%00&d=%00"))
    assert isinstance(outcome, Rejected)
    refused = [each for each in outcome.findings if each.action is Action.REJECT]
    assert (refused[0].kind, refused[0].name, refused[0].offset) == (Kind.NUL, "c", 12 * many + 2)
    assert outcome.truncated is (2 * many + 2 > KEPT)


@pytest.mark.parametrize("control", [Action.DROP, Action.REPORT])
def test_characters_are_judged_by_the_actions_in_their_pairs(control: Action) -> None:
    drops = control is Action.DROP
    base = STANDARD.dropping(Kind.CONTROL) if drops else STANDARD.reporting(Kind.CONTROL)
    policies = [
        base.allowing(Kind.NUL).rejecting(Kind.MALFORMED_ESCAPE),
        base.dropping(Kind.NUL).reporting(Kind.ILL_FORMED_UTF8),
        base.rejecting(Kind.NUL).reporting(Kind.MALFORMED_ESCAPE),
    ]
    every = [policy.table[COMPONENTS.index(Component.QUERY)] for policy in policies]
    numbers = {
        kind: bytes([NUMBERS[every[number][kind.index]] for number in (0, 1, 2, 1)])
        for kind in (Kind.NUL, Kind.MALFORMED_ESCAPE, Kind.ILL_FORMED_UTF8)
    }
    octets = b"%01=%00%FF%%&a=%00%FF&b=%00x%00%%zz%01&%00=%00"
    reading, pairs = Reading(octets), Pairs(octets)
    pair_actions = PairActions(every[0], 4, numbers)
    kinds = kinds_of_family(Component.QUERY, Family.CHARACTER)
    matches = characters_in_pairs(
        at_characters(Component.QUERY, kinds),
        Detected(reading, pairs=pairs, pair_actions=pair_actions),
        kinds,
    )
    reject, report, drop = Action.REJECT, Action.REPORT, Action.DROP
    found = [
        (control, Kind.CONTROL, 0, 3),
        (reject, Kind.ILL_FORMED_UTF8, 7, 10),
        (reject, Kind.MALFORMED_ESCAPE, 10, 12),
        (drop, Kind.NUL, 15, 18),
        (report, Kind.ILL_FORMED_UTF8, 18, 21),
        (reject, Kind.NUL, 24, 27),
        (reject, Kind.NUL, 28, 31),
        (report, Kind.MALFORMED_ESCAPE, 31, 35),
        (control, Kind.CONTROL, 35, 38),
        (drop, Kind.NUL, 39, 42),
        (drop, Kind.NUL, 43, 46),
    ]
    for most in range(1, 12):
        assert [*matches.first(most)] == found[:most]
    assert matches.find(rejects) == found[1]
    assert matches.find(changes_octets) == found[0 if drops else 3]
    assert matches.actions == {reject, report, drop}


def test_bare_text_beside_ill_formed_octets_is_escaped_after_other_text_is_composed() -> None:
    policy = Policy.LENIENT.repairing(Kind.NOT_NFC).allowing(Kind.ILL_FORMED_UTF8)
    outcome = judged(policy, Target(query=b"a=e%CC%81&b=\xc3\xa9\xff"))
    assert isinstance(outcome, Accepted)
    assert outcome.target.query == b"a=%C3%A9&b=%C3%A9%FF"


def test_a_rule_applies_to_a_name_that_a_fragment_ends() -> None:
    policy = Policy.LENIENT.rejecting(Kind.SEMICOLON, names=["q"])
    outcome = judged(policy, Target(query=b"a&q#x;=1"))
    assert isinstance(outcome, Rejected)
    assert [(each.kind, each.action, each.offset) for each in outcome.findings] == [
        (Kind.FRAGMENT, Action.REPAIR, 3),
        (Kind.SEMICOLON, Action.REJECT, 5),
    ]


@pytest.mark.parametrize("many", [3, 40])
def test_names_that_replacing_makes_equal_are_repeated_after_few_and_many_edits(many: int) -> None:
    policy = Policy.LENIENT.replacing(Kind.NUL, Kind.CONTROL)
    front = b"".join(b"%d=|&" % number for number in range(many))
    target = Target(query=front + b"a%00=1&a%01=2")
    outcome = judged(policy.rejecting(Kind.DUPLICATE_NAME), target)
    assert isinstance(outcome, Rejected)
    assert (outcome.findings[-1].kind, outcome.findings[-1].offset) == (Kind.DUPLICATE_NAME, len(front) + 7)
    outcome = judged(policy.repairing(Kind.DUPLICATE_NAME), target)
    assert isinstance(outcome, Accepted)
    assert outcome.target.query == front.replace(b"|", b"%7C") + b"a%EF%BF%BD=1"


def test_very_many_replacements_that_are_too_long_are_refused_although_a_pair_would_be_dropped() -> None:
    policy = Policy.LENIENT.replacing(Kind.NUL).dropping_pairs(Kind.TAB).limiting(octets=240)
    replaced, dropped = b"&".join([b"a=\0"] * 40), b"&x=%09" + b"a" * 30
    assert isinstance(judged(policy, Target(query=replaced)), Accepted)
    outcome = judged(policy, Target(query=replaced + dropped))
    assert isinstance(outcome, Rejected)
    assert outcome.findings[-1].kind is Kind.TOO_LONG

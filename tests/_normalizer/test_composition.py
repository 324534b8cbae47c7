"""Text in NFC: what is composed in one pass, what stays as it is, and what is refused."""

from __future__ import annotations

import random
import re
import sys
import unicodedata
from collections import Counter
from itertools import product

import pytest

from laws.checks import total_and_lawful
from postel import Accepted, Action, Component, Kind, Normalizer, Policy, Rejected, Target
from postel._alphabet.text import ESCAPED, text_of
from postel._catalogue.repairs import MARKS_OF_CLASS_0, all_marks, long_runs, many_marks, three_marks
from postel._normalizer.comparison import Comparison, _overlaid, is_overlaid, unit_may_compose
from postel._normalizer.composition import Composition, left_in
from postel._normalizer.edits import respelled
from postel._normalizer.source_map import Mapped

COMPOSING = Policy.LENIENT.repairing(Kind.NOT_NFC)
LETTING = COMPOSING.allowing(Kind.ILL_FORMED_UTF8)
MANY_MARKS = "\u0301" * 31


@pytest.mark.parametrize(
    ("text", "between", "places"),
    [
        pytest.param("a=e\u0301&b=\u00e9", "&", [1], id="a value"),
        pytest.param("e\u0301=e\u0301", "&", [0, 1], id="a name and its value"),
        pytest.param("a&b=1&e\u0301", "&", [4], id="a name without a value"),
        pytest.param("a=\u0338", "&", [], id="a mark at the front of a value"),
        pytest.param("a=\u0338\u0323&e=1", "&", [], id="marks at the front of a value"),
        pytest.param("a=\u0338&\u0338=\u0338&b=\u0338", "&", [], id="marks at the front of several values"),
        pytest.param("a==\u0338", "&", [1], id="a mark after an equals sign in a value"),
        pytest.param("a\udc3d\u0338=1", "&", [0], id="a mark after an escaped equals sign in a name"),
        pytest.param("a=\udc26\u0338e\u0301", "&", [1], id="a mark after an escaped ampersand"),
        pytest.param("e\u0301\udc80=e\u0301", "&", [1], id="ill-formed octets in a name"),
        pytest.param("e\u0301=e\u0301\udc80", "&", [0], id="ill-formed octets in a value"),
        pytest.param(f"a={MANY_MARKS}&b=1", "&", [1], id="too many marks"),
        pytest.param(f"&a={MANY_MARKS}", "&", [3], id="too many marks after an empty pair"),
        pytest.param(f"a=e{MANY_MARKS[1:]}", "&", [1], id="many marks"),
        pytest.param(f"a=x{MANY_MARKS}y{MANY_MARKS}&e\u0301=1", "&", [1, 2], id="too many marks twice"),
        pytest.param("a/e\u0301/b", "/", [1], id="a segment"),
        pytest.param("e\u0301\udc80/e\u0301", "/", [1], id="ill-formed octets in a segment"),
        pytest.param("a\udc2f\u0338/e\u0301", "/", [1], id="a mark after an escaped slash"),
        pytest.param("X\u0307/<\u0338", "/", [0, 1], id="a letter beside a sign with a mark"),
    ],
)
def test_parts_that_are_not_composed(text: str, between: str, places: list[int]) -> None:
    assert Comparison(between).places(text) == places


@pytest.mark.parametrize(
    ("text", "between", "places"),
    [
        pytest.param("a/e\u0301", "/", [], id="none"),
        pytest.param("a/>\u0338", "/", [1], id="a sign with a mark"),
        pytest.param("a=1&>\u0338=e\u0301", "&", [2], id="a sign with a mark in a name"),
        pytest.param("a/%u004e\u0301/%u0041\u0301", "/", [1], id="a letter of a unit with a mark"),
        pytest.param(f"a/x{MANY_MARKS}", "/", [1], id="too many marks"),
        pytest.param(f"a/>\u0338/%u004e\u0301/x{MANY_MARKS}/e\u0301", "/", [1, 2, 3], id="one of each"),
    ],
)
def test_parts_that_cannot_be_composed(text: str, between: str, places: list[int]) -> None:
    comparison = Comparison(between)
    comparison.places(text)
    assert comparison.left(text) == places


@pytest.mark.parametrize("sign", "<=>")
@pytest.mark.parametrize("escaped", [False, True])
def test_a_sign_is_overlaid_if_and_only_if_it_composes(sign: str, *, escaped: bool) -> None:
    marks = [
        "",
        "\u0301",
        "\u0323",
        "\u0345",
        "\u0334",
        "\u0f73",
        "\u0344",
        "\u20d2",
        "\u00e9",
        "a",
        "\ufffe",
    ]
    marks += ["\U00020000", "\U0001d165", "\u05b0"]
    for first, second, third in product(marks, repeat=3):
        between = first + second + third
        composes = unicodedata.normalize("NFC", f"{sign}{between}\u0338")[0] != sign
        written = chr(ESCAPED + ord(sign)) if escaped else sign
        assert is_overlaid(f"a{written}{between}\u0338") is composes, between
        assert is_overlaid(f"a{written}{between}\u0338&b", "&") is (composes and (escaped or sign != "="))


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("a=\u0338", False),
        ("<a=\u0338", False),
        ("a=<\u0338", True),
        ("a=b=\u0338", True),
        ("a=b&c=\u0338", False),
        ("a==\u0338", True),
    ],
)
def test_only_the_first_equals_sign_of_a_pair_composes_with_nothing(text: str, *, is_found: bool) -> None:
    assert is_overlaid(text, "&") is is_found


def test_a_search_for_an_overlaid_sign_ends_at_the_next_sign() -> None:
    """If it went on, the time for many signs would be quadratic."""
    match = _overlaid("/").search("<\u0301=\u0301\u0338"[::-1])
    assert match is not None
    assert match.span() == (0, 3)


@pytest.mark.parametrize("digit", "0189AaBbCcDdEeFf")
def test_a_digit_of_a_unit_may_compose_with_every_mark_that_composes_with_it(digit: str) -> None:
    marks = ["", *map(chr, range(0x300, 0x370)), "\u0f73", "\u0344", "\u1dc4", "\u20d2", "\ufe20", "\u05b0"]
    for first, second in product(marks, repeat=2):
        composes = unicodedata.normalize("NFC", digit + first + second)[0] != digit
        assert unit_may_compose(f"%u004{digit}{first}{second}") or not composes
    assert not unit_may_compose(f"%u004{digit}\u00e9")


def test_no_character_decomposes_to_more_than_three_marks_at_its_end() -> None:
    marks = all_marks()
    every = {unicodedata.normalize("NFD", chr(point)) for point in range(sys.maxunicode + 1)}
    assert max(len(text) - len(text.rstrip(marks)) for text in every) == 3


@pytest.mark.parametrize("others", [0, 40], ids=["few findings", "many findings"])
@pytest.mark.parametrize("base", ["\u0958", "\ufb2c"])
def test_marks_of_the_character_before_a_run_count(base: str, others: int) -> None:
    query = (base + 15 * "\u0f73").encode() + others * b"&z=%"
    outcome = Normalizer(Policy.LENIENT.repairing(Kind.NOT_NFC)).normalize(Target(query=query))
    assert isinstance(outcome, Rejected)
    assert outcome.findings[-1].kind is Kind.NOT_NFC


def test_a_mark_that_another_one_keeps_from_composing_is_left() -> None:
    assert left_in(b"/%u000A%CC%85%CC%81", "/") is None
    assert left_in(b"/%u000A%CC%81", "/") == (1, 13)


def test_a_run_that_composing_makes_too_long_is_found() -> None:
    base = ["a", "\u00e9", "\u01d8", "\u1f82", "\u1e69", "\u0958", "\ufb2c", "\U0001d160"]
    marks = ["\u0301", "\u0323", "\u0344", "\u0f73", "\u0345", "\U00020000"]
    for letter, first, second, number in product(base, marks, marks, (13, 14, 15, 16, 27, 28, 29, 30, 31)):
        text = f"{letter}{first}{number * second}"
        is_long = bool(long_runs(text) or long_runs(unicodedata.normalize("NFC", text)))
        assert Composition("/").may_refuse(text, is_received=True) is is_long


@pytest.mark.parametrize("names", [None, ["a"]], ids=["every pair", "one name"])
@pytest.mark.parametrize(
    "query",
    [
        b"a=%E2%84%AAb%7Fe%CC%81%7Fc&e%CC%81=%7F",
        b"%E2%84%AA%7F%E2%84%AA=e%CC%81%7F",
        b"b=e%CC%81&a=e%CC%81%7F&b=e%CC%81%7F",
    ],
)
def test_a_fault_beside_composed_text_is_found_once(query: bytes, names: list[str] | None) -> None:
    policy = Policy.LENIENT.repairing(Kind.NOT_NFC, names=names).reporting(Kind.CONTROL)
    findings = Normalizer(policy).normalize(Target(query=query)).findings
    found = [each.offset for each in findings if each.kind is Kind.CONTROL]
    assert found == [place for place in range(len(query)) if query.startswith(b"%7F", place)]


@pytest.mark.parametrize(
    ("policy", "target", "path", "query"),
    [
        pytest.param(
            LETTING,
            Target(b"/", b"e%CC%81%FF=e%CC%81&e%CC%81=e%CC%81%FF&e%CC%81=1"),
            b"/",
            b"e%CC%81%FF=%C3%A9&%C3%A9=e%CC%81%FF&%C3%A9=1",
            id="only parts of pairs without ill-formed octets",
        ),
        pytest.param(
            COMPOSING.dropping(Kind.ILL_FORMED_UTF8),
            Target(b"/e%CC%81%FF/e%CC%81"),
            b"/%C3%A9/%C3%A9",
            b"",
            id="segments after octets were dropped",
        ),
        pytest.param(
            COMPOSING,
            Target(b"/e%CC%81/a", b"a=%u0041&e%CC%81=1"),
            b"/%C3%A9/a",
            b"a=A&%C3%A9=1",
            id="pairs after another edit",
        ),
    ],
)
def test_only_some_parts_are_composed(policy: Policy, target: Target, path: bytes, query: bytes) -> None:
    outcome = Normalizer(policy).normalize(target)
    assert isinstance(outcome, Accepted)
    assert (outcome.target.path, outcome.target.query) == (path, query)
    assert outcome == Normalizer(policy).examine(target)


def test_a_sign_that_an_edit_writes_before_a_mark_is_refused_after_many_parts() -> None:
    query = b"e%CC%81&" * 100 + b"a=%u003C%CC%B8"
    outcome = Normalizer(COMPOSING).normalize(Target(b"/", query))
    assert isinstance(outcome, Rejected)
    assert outcome.findings[-1].kind is Kind.NOT_NFC
    assert outcome.findings[-1].offset == 800 + 2


@pytest.mark.parametrize("target", [Target(b"/e%CC%81" * 100), Target(b"/", b"e%CC%81&" * 100)])
def test_the_first_of_very_many_parts_that_are_not_composed_are_listed(target: Target) -> None:
    outcome = Normalizer(COMPOSING.allowing(Kind.EMPTY_PAIR, Kind.DUPLICATE_NAME)).normalize(target)
    assert isinstance(outcome, Accepted)
    assert (len(outcome.findings), outcome.truncated) == (32, True)


@pytest.mark.parametrize("many", [3, 40])
@pytest.mark.parametrize(
    ("policy", "end"),
    [
        pytest.param(Policy.LENIENT.rejecting(Kind.NOT_NFC), b"e%u0301", id="a letter, if none is composed"),
        pytest.param(COMPOSING, b"%u003E%CC%B8", id="a sign"),
    ],
)
def test_a_mark_that_an_edit_puts_behind_a_letter_or_sign_is_refused_after_few_and_many_faults(
    policy: Policy, end: bytes, many: int
) -> None:
    outcome = Normalizer(policy).normalize(Target(b"/" + b"|a" * many + b"/" + end))
    assert isinstance(outcome, Rejected)
    assert outcome.findings[-1].kind is Kind.NOT_NFC


@pytest.mark.parametrize(
    "path",
    [
        *(b"/a%3E%u0338", b"/>%u0338", b"/%u003E%CC%B8", b"/e%u0301>\xcc\xb8"),
        *(b"/=%u0338/e%u0301", b"/%3D%u0338/e%u0301"),
    ],
)
def test_a_sign_with_a_mark_is_refused_in_a_path_at_whatever_stage_both_appear(path: bytes) -> None:
    outcome = Normalizer(COMPOSING).normalize(Target(path))
    assert isinstance(outcome, Rejected)
    refused = [each for each in outcome.findings if each.action is Action.REJECT]
    assert [(each.kind, each.offset) for each in refused] == [(Kind.NOT_NFC, 1)]


@pytest.mark.parametrize(
    "text",
    ["a>\u0338", "=\u0338", f"x{MANY_MARKS}"],
    ids=["a sign", "an equals sign", "too many marks"],
)
def test_text_that_cannot_be_composed_is_refused_before_any_edit(text: str) -> None:
    for target in (Target(b"/" + text.encode()), Target(b"/", b"a=" + text.encode())):
        outcome = Normalizer(COMPOSING).normalize(target)
        assert isinstance(outcome, Rejected)
        found = [each for each in outcome.findings if each.kind is Kind.NOT_NFC]
        assert [(each.action, each.detail) for each in found] == [(Action.REJECT, "")]


def test_a_finding_after_composed_text_points_into_the_received_octets() -> None:
    target = Target(b"/e%CC%81/%2520", b"e%CC%81=1&b=;")
    outcome = Normalizer(COMPOSING.reporting(Kind.SEMICOLON)).normalize(target)
    assert isinstance(outcome, Accepted)
    assert outcome.target.query == b"%C3%A9=1&b=;"
    assert [(each.kind, each.offset) for each in outcome.findings] == [
        (Kind.DOUBLE_ESCAPE, 9),
        (Kind.NOT_NFC, 1),
        (Kind.SEMICOLON, 12),
        (Kind.NOT_NFC, 0),
    ]


@pytest.mark.parametrize(
    ("octets", "plus", "written"),
    [
        pytest.param(b"a+%2d", False, b"a+-", id="a plus"),
        pytest.param(b"a+%2d", True, b"a%20-", id="a plus that is a space"),
        pytest.param(b"%4%31+%2d", False, b"%4%31+-", id="an escape would be completed"),
        pytest.param(b"%4%31+%4%31", True, b"%4%31+%4%31", id="two escapes would be completed"),
        pytest.param(b"%4%31+%C3%A9", True, b"%4%31+%C3%A9", id="other escapes would stay"),
        pytest.param(b"%4%31-%u00%34%31%2d", False, b"%4%31-%u00%34%31%2d", id="two of different length"),
        pytest.param(b"%4%31+%2d", True, b"%4%31+%2d", id="the whole run stays"),
        pytest.param(b"%4%3d%7e+", True, b"%4%3D~%20", id="no escape would be completed"),
        pytest.param(b"%u00%34%31%2d", False, b"%u00%34%31%2d", id="a %u escape would be completed"),
    ],
)
def test_respelling_completes_no_escape(octets: bytes, plus: bool, written: bytes) -> None:
    assert respelled(octets, plus=plus) == written


def test_no_mark_is_composed_to_more_than_two_marks() -> None:
    every = map(chr, range(sys.maxunicode + 1))
    marks = [each for each in every if many_marks(2).fullmatch(2 * each) and each <= "\uffff"]
    assert len(marks) > 500
    assert max(len(unicodedata.normalize("NFC", each)) for each in marks) == 2


def test_every_character_that_consists_of_marks_counts_as_a_mark() -> None:
    """Python sorts a run of marks in quadratic time, so every character of the run must be counted."""
    found = [
        character
        for character in map(chr, range(sys.maxunicode + 1))
        if not unicodedata.combining(character)
        and unicodedata.combining(unicodedata.normalize("NFD", character)[0])
    ]
    assert "".join(found) == MARKS_OF_CLASS_0
    for character in found:
        assert long_runs(character * 31 + "a" + "\u0301" * 31) == [(0, 31), (32, 63)]


def test_every_mark_is_looked_for() -> None:
    marks = [each for each in map(chr, range(sys.maxunicode + 1)) if unicodedata.combining(each)]
    assert {*marks} | {*MARKS_OF_CLASS_0} == {*all_marks()}
    assert [each for each in marks if not three_marks().fullmatch(3 * each)] == []
    for text in ("a" * 9 + "\u0301" * 31, "\u0301" * 31 + "\u0301a" + "\u0323" * 40 + "b" * 8, "\u0301" * 30):
        runs = [found.span() for found in re.finditer("[\u0301\u0323]{31,}", text)]
        for shift in range(17):
            assert long_runs("b" * shift + text) == [(start + shift, end + shift) for start, end in runs]


@pytest.mark.parametrize("where", ["path", "query", "escaped query"])
@pytest.mark.parametrize(
    ("text", "is_refused"),
    [
        *[(15 * each, False) for each in MARKS_OF_CLASS_0],
        *[(16 * each, True) for each in MARKS_OF_CLASS_0],
        pytest.param("a" + 15 * "\u0344", False, id="30 marks"),
        pytest.param("a" + 16 * "\u0344", True, id="32 marks"),
        pytest.param("\U0001d15f" + 29 * "\u0301", False, id="a note and 30 marks"),
        pytest.param("\U0001d15f" + 30 * "\u0301", True, id="a note and 31 marks"),
        pytest.param("\u2adc" + 30 * "\u0301", True, id="a sign and 31 marks"),
    ],
)
def test_a_run_of_marks_that_composing_would_make_too_long_is_refused(
    where: str, text: str, is_refused: bool
) -> None:
    octets = text.encode()
    octets = octets if where != "escaped query" else b"".join(b"%%%02X" % each for each in octets)
    normalizer = Normalizer(COMPOSING)
    outcome = normalizer.normalize(Target(b"/" + octets) if where == "path" else Target(b"/", octets))
    assert isinstance(outcome, Rejected) is is_refused
    if isinstance(outcome, Accepted):
        assert isinstance(again := normalizer.normalize(outcome.target), Accepted)
        assert again.target == outcome.target


@pytest.mark.parametrize("character", MARKS_OF_CLASS_0)
def test_a_long_run_of_such_characters_is_refused(character: str) -> None:
    target = Target(b"/", f"q={character * 31}".encode())
    outcome = Normalizer(Policy.LENIENT.repairing(Kind.NOT_NFC)).normalize(target)
    assert isinstance(outcome, Rejected)
    assert outcome.findings[-1].kind is Kind.NOT_NFC


MARKS = [
    *("\u0301", "\u0323", "\u0338", "\u0344", *MARKS_OF_CLASS_0, "\U0001d15f", "\u2adc", "%CC%81"),
    *("a", "<", "=", "e\u0301", "%u0f73", "%u0344", "%3C", "%", "%4", "%u000a", "&", "/", "\udcff"),
    *("\u212a", "\u037e", "\u1fef"),
]


@pytest.mark.parametrize("seed", range(4))
def test_composed_marks_are_composed_once(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - inputs, no secrets
    normalizers = [
        Normalizer(each) for each in (COMPOSING, LETTING, COMPOSING.dropping(Kind.ILL_FORMED_UTF8))
    ]
    outcomes = Counter[bool]()
    for _ in range(400):
        pieces = chance.choices(MARKS, k=chance.randint(1, 4))
        text = "".join(chance.choices(pieces, k=chance.randint(10, 40)))
        octets = text.encode("utf-8", "surrogateescape")
        target = Target(b"/" + octets) if chance.random() < 0.3 else Target(b"/", octets)
        outcome = total_and_lawful(chance.choice(normalizers), target)
        outcomes[isinstance(outcome, Accepted)] += 1
    assert min(outcomes.values()) > 50


MANY_FAULTS = b"&z=" + b"|." * 33
"""More faults than a report lists, so that the result of an edit is proven if it can be."""


@pytest.mark.parametrize(
    ("policy", "target", "kind"),
    [
        pytest.param(
            COMPOSING, Target(b"/", b"1%CD%84" * 500 + b"=1" + MANY_FAULTS), Kind.LONG_NAME, id="a name"
        ),
        pytest.param(
            COMPOSING,
            Target(b"/", b"1%CD%84" * 500 + b"=1" + MANY_FAULTS + b"#x"),
            Kind.LONG_NAME,
            id="a name before a fragment",
        ),
        pytest.param(
            COMPOSING.limiting(name=2),
            Target(b"/", b"%CD%84" + MANY_FAULTS),
            Kind.LONG_NAME,
            id="a short name",
        ),
        pytest.param(COMPOSING.limiting(octets=19), Target(b"/", b"%CD%84" * 6), Kind.TOO_LONG, id="a query"),
        pytest.param(COMPOSING.limiting(octets=19), Target(b"/" + b"%CD%84" * 6), Kind.TOO_LONG, id="a path"),
    ],
)
def test_what_composing_makes_too_long_is_refused(policy: Policy, target: Target, kind: Kind) -> None:
    normalizer = Normalizer(policy)
    outcome = total_and_lawful(normalizer, target)
    assert isinstance(outcome, Rejected)
    assert outcome.findings[-1].kind is kind


def test_a_name_that_replacing_makes_too_long_may_be_composed() -> None:
    policy = COMPOSING.replacing(Kind.NUL).dropping(Kind.TAB).allowing(Kind.TAB, names=["*"])
    name = b"%00%00%E1%84%80%E1%85%A1%E1%86%A8|"
    outcome = total_and_lawful(Normalizer(policy.limiting(octets=15)), Target(b"/", name + b"=%09"))
    assert isinstance(outcome, Accepted)
    # The name is faulty, so the rule exempts nothing in its pair.
    assert outcome.target.query == b"%EF%BF%BD%EF%BF%BD%EA%B0%81%7C="


GROWING = [
    "1",
    "e",
    "|",
    "=",
    "&",
    "%",
    *4 * ["\u0344", "\u0f73"],
    "\u0958",
    "\u1100\u1161",
    "\0",
    "\t",
    "e\u0301",
]
"""Pieces of text; composing makes those with U+0344, U+0F73 and U+0958 longer."""


@pytest.mark.no_cover
@pytest.mark.parametrize("seed", range(4))
def test_limits_hold_after_composing(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - inputs, no secrets
    replacing = COMPOSING.replacing(Kind.NUL).replacing(Kind.TAB, names=["e*"])
    outcomes = Counter[bool]()
    for _ in range(300):
        policy = chance.choice((COMPOSING, replacing))
        policy = policy.limiting(
            name=chance.choice((2, 4, 8)), value=chance.choice((70, 90)), octets=chance.choice((90, 300))
        )
        pieces = chance.choices(GROWING, k=chance.randint(2, 5))
        octets = "".join(chance.choices(pieces, k=chance.randint(2, 12))).encode()
        octets += MANY_FAULTS * chance.choice((0, 1, 1))
        target = Target(b"/" + octets) if chance.random() < 0.2 else Target(b"/", octets)
        outcome = total_and_lawful(Normalizer(policy), target)
        outcomes[isinstance(outcome, Accepted)] += 1
    assert min(outcomes.values()) > 30


def test_composed_text_beside_ill_formed_octets_stays_as_it_is() -> None:
    mapped = Mapped(b"a=%C3%A9&b=%FF", Component.QUERY)
    assert Composition("&").written(mapped, text_of(mapped.octets)).octets == mapped.octets


RULED = COMPOSING.dropping(Kind.NUL, Kind.ILL_FORMED_UTF8).rejecting(Kind.CONTROL, names=["a*"])
OF_LONG_RUNS = [
    *(
        "\u0301\u0323",
        "\u0344",
        *MARKS_OF_CLASS_0,
        "%CC%81",
        "%u0301",
        "%00",
        "\udcff",
        "a",
        "=",
        "&",
        "%u0041",
    ),
]


@pytest.mark.parametrize("seed", range(2))
def test_no_long_run_of_marks_is_normalized(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    longest = 0
    normalize = unicodedata.normalize

    def measured(form: str, text: str) -> str:
        nonlocal longest
        marks = "".join(
            "m" if unicodedata.combining(each) or each in MARKS_OF_CLASS_0 else " " for each in text
        )
        longest = max(longest, *map(len, marks.split(" ")))
        return normalize(form, text)

    monkeypatch.setattr(unicodedata, "normalize", measured)
    chance = random.Random(seed)  # noqa: S311 - inputs, no secrets
    normalizers = [Normalizer(each) for each in (COMPOSING, LETTING, RULED)]
    for _ in range(150):
        pieces = chance.choices(OF_LONG_RUNS, k=chance.randint(1, 3))
        text = chance.choice(["", "%u0041", "a=%01&"]) + "".join(chance.choices(pieces, k=100))
        octets = text.encode("utf-8", "surrogateescape")
        target = Target(b"/" + octets) if chance.random() < 0.3 else Target(b"/", octets)
        chance.choice(normalizers).normalize(target)
    # A run of 30 marks may decompose into twice as many.
    assert 10 < longest <= 60


@pytest.mark.parametrize(
    ("path", "span"),
    [
        pytest.param(b"/caf%C3%A9/a%3C%CC%B8", (11, 21), id="a sign and a mark"),
        pytest.param(b"/caf%C3%A9/<%CC%B8x/y", (11, 19), id="a bare sign and a mark"),
        pytest.param(b"/a/b" + b"%CC%81" * 31, (3, 190), id="very many marks"),
        pytest.param(b"/a/%u004A%CC%81/b", (3, 15), id="the digit of a unit"),
        pytest.param(b"/e%CC%81/a%3C%CC%B8", (1, 8), id="the first of two"),
        pytest.param(b"/%C3%A9/%3C/%CC%B8/e%CC%81", None, id="only text that composing would put into NFC"),
    ],
)
def test_the_first_segment_that_composing_leaves(path: bytes, span: tuple[int, int] | None) -> None:
    assert left_in(path, "/") == span


@pytest.mark.parametrize(
    ("pairs", "span"),
    [
        pytest.param(b"caf%C3%A9=1&a<%CC%B8=2", (12, 20), id="a name"),
        pytest.param(b"a=1&caf%C3%A9=a<%CC%B8&b", (14, 22), id="a value"),
        pytest.param(b"a&&=<%CC%B8&", (4, 11), id="a value without a name"),
        pytest.param(b"a==%CC%B8", (2, 9), id="the second equals sign of a pair"),
        pytest.param(b"a=%CC%B8&b%3D%CC%B8=", (9, 19), id="an escaped equals sign, but not the first one"),
        pytest.param(b"a=" + b"%CC%81" * 31 + b"&b", (2, 188), id="very many marks"),
        pytest.param(b"a=%u004A%CC%81", (2, 14), id="the digit of a unit"),
        pytest.param(b"<&%CC%B8=%CC%B8&caf%C3%A9", None, id="only text in NFC"),
    ],
)
def test_the_first_name_or_value_that_composing_leaves(pairs: bytes, span: tuple[int, int] | None) -> None:
    assert left_in(pairs, "&") == span


def test_a_name_that_is_not_composed_is_refused_without_judging_the_query_again() -> None:
    normalizer = Normalizer(Policy.LENIENT.repairing(Kind.NOT_NFC).dropping(Kind.CONTROL))
    query = b"q=" + b"\x01.%" * 40 + b"&e%CC%81\x01&b<%CC%B8=1"
    outcome = normalizer.normalize(Target(b"/", query))
    assert isinstance(outcome, Rejected)
    assert outcome == normalizer.examine(Target(b"/", query))
    assert outcome.truncated
    refused = outcome.findings[-1]
    assert (refused.kind, refused.action, refused.name) == (Kind.NOT_NFC, Action.REJECT, "b<\u0338")
    assert (refused.offset, refused.excerpt) == (query.index(b"b<"), b"b<%CC%B8")


def test_a_finding_quotes_the_segment_that_is_not_composed() -> None:
    policy = Policy.LENIENT.repairing(Kind.NOT_NFC)
    outcome = Normalizer(policy).normalize(Target(b"/abc/e%CC%81/de%CC%81f/g"))
    assert [(each.offset, each.excerpt) for each in outcome.findings] == [(5, b"e%CC%81"), (13, b"de%CC%81f")]


@pytest.mark.parametrize("front", [b"/a/", b"/e%CC%81/e%CC%81x/b/", b"/xxe%CC%81/b/e%CC%81e%CC%81/"])
def test_a_sign_that_composing_leaves_in_a_proven_path_refuses_it(front: bytes) -> None:
    policy = Policy.LENIENT.repairing(Kind.NOT_NFC)
    outcome = Normalizer(policy).normalize(Target(front + b"c%u003C%CC%B8"))
    assert isinstance(outcome, Rejected)
    last = outcome.findings[-1]
    assert (last.kind, last.action, last.offset) == (Kind.NOT_NFC, Action.REJECT, len(front))


def test_the_equals_sign_of_a_pair_composes_with_no_mark() -> None:
    outcome = Normalizer(Policy.LENIENT.repairing(Kind.NOT_NFC)).normalize(
        Target(b"/", b"b=e%CC%81&a=%CC%B8")
    )
    assert isinstance(outcome, Accepted)
    assert outcome.target.query == b"b=%C3%A9&a=%CC%B8"


@pytest.mark.parametrize("query", [b"a=%3C%CC%B8\xff&&b", b"a=%3C%CC%B8&b=%00"])
def test_text_that_cannot_be_composed_passes_if_nothing_is_composed(query: bytes) -> None:
    outcome = Normalizer(Policy.LENIENT).normalize(Target(query=query))
    assert isinstance(outcome, Accepted)
    assert outcome.target.query.startswith(b"a=%3C%CC%B8")


@pytest.mark.parametrize(("delimiter", "may_leave"), [("&", False), ("/", True)])
def test_only_the_equals_sign_of_a_pair_cannot_be_overlaid(delimiter: str, *, may_leave: bool) -> None:
    assert Composition(delimiter).may_leave("a=\u0338") is may_leave
    assert Composition(delimiter).may_leave("a=\u0301=\u0338")

"""Law 8: any target of 8 KiB is judged in a bounded number of steps, and so is any form.

Steps are calls, of Python and of C. One step for each fault would make thousands. Most of these inputs once
took tens of thousands of steps; a search found the others later.
"""

from __future__ import annotations

import pytest

from laws.checks import steps_of
from postel import LATIN, Action, Component, Forms, Kind, Normalizer, Policy, Target
from postel._bodies.urlencoded import FormRules
from postel._http.fields import FieldRules
from postel._http.recovery import recover_scope
from postel._normalizer.routes import RoutedNormalizer

STANDARD, LENIENT, STRICT = Policy.STANDARD, Policy.LENIENT, Policy.STRICT
DROPPING = LENIENT.dropping(Kind.NUL, Kind.CONTROL, Kind.ILL_FORMED_UTF8)
REPLACING = STANDARD.replacing(Kind.NUL, Kind.CONTROL, Kind.ILL_FORMED_UTF8)
LOCAL = STANDARD.local(names=["next"])
COMPOSING = LENIENT.repairing(Kind.NOT_NFC)
PATHS = [
    pytest.param(STANDARD, "\u00e9 ".encode(), id="raw text and spaces"),
    pytest.param(STANDARD, "^\u200be".encode(), id="repaired and reported characters"),
    pytest.param(LENIENT, b"%u?", id="stray percent signs"),
    pytest.param(LENIENT, b"%3B%2f", id="escaped delimiters and preserved slashes"),
    pytest.param(LENIENT, "\u2028%%".encode(), id="line separators"),
    pytest.param(DROPPING, b"a%00", id="dropped octets that join"),
    pytest.param(STANDARD.accepting(LATIN), b"\xc2\x85[", id="an accepted range"),
    pytest.param(LENIENT, b"%%", id="percent signs side by side"),
    pytest.param(LENIENT.allowing(Kind.PATH_PARAMETER), b"%u0041;", id="allowed parameters"),
    pytest.param(REPLACING, b"\t\xa9", id="replaced octets"),
    pytest.param(COMPOSING, "b%zz\u0323\u8d77".encode(), id="marks after escaped percent signs"),
    pytest.param(COMPOSING, "\u200be\u0301".encode(), id="characters that may be marks"),
    pytest.param(STRICT, b";", id="parameters"),
    pytest.param(
        COMPOSING.reporting(Kind.UNICODE_ESCAPE), b"%u0065%26%2D.", id="respelling after percent signs"
    ),
]
ONE_EDIT_IN_FRONT = [
    pytest.param(LENIENT, b"%u0000", b" %2F", id="spaces and preserved slashes"),
    pytest.param(LENIENT, b"%u0000", b"; ", id="parameters and spaces"),
    pytest.param(LENIENT, b"%uDE00", b'"%', id="quotation marks and percent signs"),
    pytest.param(DROPPING, b"\\", b"%2f ", id="preserved slashes"),
    pytest.param(LENIENT, b"%uDE00", b"%2f%2f_", id="preserved slashes side by side"),
    pytest.param(LENIENT, b"-", b">%2f%2f%4", id="preserved slashes and percent signs"),
    pytest.param(COMPOSING, b"%2e<", b"}%2f%2f", id="preserved slashes in composed text"),
    pytest.param(
        COMPOSING.reporting(Kind.UNICODE_ESCAPE),
        b"%u0065%26",
        b"%2D.",
        id="respelling after one percent sign",
    ),
    pytest.param(STANDARD.repairing(Kind.UNICODE_ESCAPE), b"%u202e", b"9?", id="question marks"),
]
QUERIES = [
    pytest.param(STANDARD, b"q=", b"[<", id="brackets"),
    pytest.param(STANDARD, b"q=", b"\\[", id="backslashes"),
    pytest.param(STANDARD, b"q=", "a[%\u00e9".encode(), id="brackets, percent signs and raw text"),
    pytest.param(STRICT, b"q=", b"%5B+;", id="refused at once"),
    pytest.param(LENIENT, b"q=", b"\xff\\", id="ill-formed octets between others"),
    pytest.param(DROPPING, b"q=", b"<\xff", id="dropped octets"),
    pytest.param(LENIENT, b"q=", b"%u1234a", id="units of UTF-16"),
    pytest.param(STANDARD, b"q=", b"%4%u0031", id="units that would complete an escape"),
    pytest.param(STANDARD, b"q=", b"%C4", id="a refusal"),
    pytest.param(STANDARD, b"q=", b'{"a": 1}, ', id="raw JSON"),
    pytest.param(STANDARD, b"q=", b"&utm_x=_\xc3", id="pairs that a rule matches"),
    pytest.param(LENIENT, b"%A9a[]=", b"\xa9%", id="bare octets between percent signs"),
    pytest.param(STRICT, b"\xf4\x90\x80\x80", b"%%%%%%%%", id="a name of percent signs"),
    pytest.param(LOCAL, b"next=", "\u00e9".encode(), id="a reference of raw text"),
    pytest.param(LOCAL, b"next=", b"a//b;", id="a reference with parameters"),
    pytest.param(LOCAL, b"next=", b"%252525C3%252525A9", id="a reference that is escaped again and again"),
    pytest.param(LOCAL, b"next=", b"%EF%B7%BA", id="a reference that NFKC makes long"),
    pytest.param(REPLACING, b"&utm_x=c", b"\x1b\x1b\x1b", id="replaced octets"),
    pytest.param(COMPOSING, b"a[]=", "\u0323\uac00\u0301".encode(), id="marks after syllables"),
]
MOST = 6000
"""The most steps for a target: fewer than one per octet, and fewer than three per escape."""


@pytest.mark.parametrize(("policy", "piece"), PATHS)
def test_a_path_takes_a_bounded_number_of_steps(policy: Policy, piece: bytes) -> None:
    normalizer = Normalizer(policy)
    target = Target(b"/" + piece * (8190 // len(piece)))
    assert steps_of(lambda: normalizer.normalize(target)) < MOST


@pytest.mark.parametrize(("policy", "front", "piece"), ONE_EDIT_IN_FRONT)
def test_one_edit_in_front_of_very_many_takes_a_bounded_number_of_steps(
    policy: Policy, front: bytes, piece: bytes
) -> None:
    normalizer = Normalizer(policy)
    target = Target(b"/" + front + piece * (8180 // len(piece)))
    assert steps_of(lambda: normalizer.normalize(target)) < MOST


def test_consecutive_preserved_slashes_are_listed_once() -> None:
    normalizer = Normalizer(LENIENT)
    target = Target(b'/"' + b"%2F%2Fa" * 1168)
    assert steps_of(lambda: normalizer.normalize(target)) < MOST // 3


def test_a_path_under_routes_takes_a_bounded_number_of_steps() -> None:
    routed = RoutedNormalizer(STANDARD, {"/{id}/files": LENIENT})
    target = Target(b"/" + b"%25" * 2700)
    assert steps_of(lambda: routed.normalize(target)) < MOST


@pytest.mark.parametrize(("policy", "name", "piece"), QUERIES)
def test_a_query_takes_a_bounded_number_of_steps(policy: Policy, name: bytes, piece: bytes) -> None:
    normalizer = Normalizer(policy)
    target = Target(b"/", name + piece * (8190 // len(piece)))
    assert steps_of(lambda: normalizer.normalize(target)) < MOST


@pytest.mark.parametrize(
    ("policy", "front", "piece", "most"),
    [
        pytest.param(COMPOSING, b"%81", "&utm_x=ae\u0301".encode(), MOST, id="marks, after another edit"),
        pytest.param(COMPOSING, b"", b"e%CC%81+&%", MOST, id="marks and stray percent signs"),
        pytest.param(COMPOSING, b"", b"e%CC%81=e%CC%81&", MOST, id="marks in names and values"),
        pytest.param(COMPOSING, b"a=%3D%CC%B8", b"&a=e%CC%81", MOST, id="marks after one on an equals sign"),
        pytest.param(COMPOSING, b"%u0061", b"&a=%E9<\xcc\xb8", 2 * MOST, id="marks on signs behind a unit"),
        pytest.param(COMPOSING, b"/=%E9", b"^a%u202ea%3D%CC%B8", 15_000, id="marks on signs behind units"),
    ],
)
def test_many_composed_pairs_take_a_bounded_number_of_steps(
    policy: Policy, front: bytes, piece: bytes, most: int
) -> None:
    normalizer = Normalizer(policy)
    target = Target(b"/", front + piece * (8180 // len(piece)))
    assert steps_of(lambda: normalizer.normalize(target)) < most


def test_a_reference_of_many_units_takes_few_steps() -> None:
    normalizer = Normalizer(STANDARD.local(names=["*"]))
    assert steps_of(lambda: normalizer.normalize(Target(b"/", b"n=" + b"%u0061" * 1300))) < MOST // 4


@pytest.mark.parametrize("piece", [b"n=%C3%A9&", b"n=//h&", b"n=%25252525&", b"n=a//b%2525&"])
def test_many_references_take_a_bounded_number_of_steps(piece: bytes) -> None:
    normalizer = Normalizer(STANDARD.local(names=["n"]))
    target = Target(b"/", piece * (8190 // len(piece)))
    assert steps_of(lambda: normalizer.normalize(target)) < 3 * MOST


@pytest.mark.parametrize(
    ("policy", "piece", "most"),
    [
        pytest.param(LENIENT.local(names=["a*"]), b"%u00e9&%FFa=%2F&a", 4 * MOST, id="references"),
        pytest.param(
            LENIENT.dropping_pairs(Kind.ILL_FORMED_UTF8, Kind.NUL, names=["*a*", "*1", "q"]),
            b"%u0061=&a",
            MOST,
            id="pairs that may be dropped",
        ),
        pytest.param(
            LENIENT.rejecting(Kind.NUL, names=["*a*", "b*", "*c", "d*e"]), b"%u0061=&x", MOST, id="patterns"
        ),
        pytest.param(
            LENIENT.accepting(LATIN).accepting(LATIN, names=["a*"]),
            "%u0061=\u8d77&a".encode(),
            6 * MOST,
            id="accepted ranges",
        ),
        pytest.param(
            LENIENT.dropping(Kind.NUL, names=["a*", "q"]), b"a%00=%u0061&a", 4 * MOST, id="dropped octets"
        ),
        pytest.param(
            LENIENT.repairing(Kind.SPELLING, names=["a*"]), b"%41+&a%7e", 2 * MOST, id="spelling by name"
        ),
        pytest.param(
            LENIENT.rejecting(Kind.BIDI_CONTROL, names=["b"]).allowing(Kind.NUL, names=["a*"]),
            b"%00aa=&",
            MOST,
            id="faults that are allowed by name",
        ),
        pytest.param(
            LENIENT.accepting(LATIN, names=["*a*"])
            .accepting(LATIN, names=["*"])
            .reporting(Kind.OUTSIDE_ACCEPTED_RANGE)
            .repairing(Kind.UNICODE_ESCAPE),
            "%u202e\u8d77&a+=".encode(),
            2 * MOST,
            id="two accepted ranges in one value",
        ),
        pytest.param(
            LENIENT.dropping_pairs(Kind.ILL_FORMED_UTF8, names=["a*"]).accepting(LATIN, names=["utm_*", "a"]),
            "a%uDE00%FF\u03b1%%".encode(),
            5000,
            id="names edited twice",
        ),
        pytest.param(
            LENIENT.dropping_pairs(Kind.ILL_FORMED_UTF8, names=["*"]),
            b"%uDE00%01=&",
            2 * MOST,
            id="units that make a name ill-formed",
        ),
    ],
)
def test_rules_for_names_take_a_bounded_number_of_steps(policy: Policy, piece: bytes, most: int) -> None:
    normalizer = Normalizer(policy)
    numbered = b"".join(piece + b"%d=" % number for number in range(8190 // (len(piece) + 4)))
    assert steps_of(lambda: normalizer.normalize(Target(b"/", numbered))) < most


@pytest.mark.parametrize(
    ("name", "piece"),
    [
        pytest.param("cookie", b"%7F\xe2\x82", id="one cookie"),
        pytest.param("cookie", b"%09; ", id="cookies without a fault"),
        pytest.param("cookie", rb"\000", id="a cookie with quoted faults"),
        pytest.param("referer", b"\xa9a&", id="a Referer"),
        pytest.param("referer", b"/\xff\t", id="a Referer with many faults"),
        pytest.param("cookie", b"\xc3%1B", id="one cookie that is read in two ways"),
        pytest.param("cookie", b"a=%\xff; ", id="cookies with a fault"),
        pytest.param("cookie", rb"\000\%1B", id="a cookie with some quoted faults"),
        pytest.param("cookie", rb"\..;", id="short cookies with an escape"),
        pytest.param("cookie", b"%c4\\", id="one fault that is many in another reading"),
        pytest.param("cookie", b";\xc2\xa0", id="cookies with a padded name"),
        pytest.param("cookie", b"__Host-;", id="copies of a cookie"),
        pytest.param("cookie", b"%5F_Host-%41;", id="copies of an escaped cookie"),
        pytest.param("cookie", b";\t", id="cookies in tabs"),
    ],
)
def test_a_field_takes_a_bounded_number_of_steps(name: str, piece: bytes) -> None:
    rules = FieldRules({name: Action.REJECT})
    octets = piece * (8190 // len(piece))
    assert steps_of(lambda: rules.judge(name, [octets])) < MOST


@pytest.mark.parametrize(
    ("name", "action", "piece", "most"),
    [
        pytest.param("cookie", Action.REPORT, b"\n", MOST, id="empty Cookie fields"),
        pytest.param(
            "cookie", Action.DROP_PAIR, b"\n", 3 * MOST, id="empty Cookie fields, dropping faulty cookies"
        ),
        pytest.param("cookie", Action.REPORT, b"\xc3\n", MOST, id="Cookie fields with a fault"),
        pytest.param("referer", Action.REPORT, b"\n", MOST, id="empty Referer fields"),
        pytest.param("referer", Action.DROP, b"\r\n", MOST, id="Referer fields with a fault"),
        pytest.param("cookie", Action.REPORT, b";", MOST, id="empty cookies"),
    ],
)
def test_many_fields_take_a_bounded_number_of_steps(
    name: str, action: Action, piece: bytes, most: int
) -> None:
    rules = FieldRules({name: action})
    fields = (b"\xff" + piece * (8190 // len(piece))).split(b"\n")
    assert steps_of(lambda: rules.judge(name, fields)) < most


def test_a_deep_root_path_takes_a_bounded_number_of_steps() -> None:
    root = "/a" * 1000
    scope = {"type": "http", "path": "/b", "raw_path": root.encode(), "query_string": b"", "root_path": root}
    assert recover_scope(scope).target.path == b"/b"
    assert steps_of(lambda: recover_scope(scope)) < MOST


@pytest.mark.parametrize(
    ("policy", "piece"),
    [
        pytest.param(STANDARD, b"\xff<", id="refused"),
        pytest.param(LENIENT, b"\xff<", id="edited"),
        pytest.param(LENIENT.repairing(Kind.NOT_NFC), "e\u0301".encode(), id="composed"),
    ],
)
def test_a_value_that_is_longer_than_a_block_is_judged_in_steps(policy: Policy, piece: bytes) -> None:
    rules = FormRules(policy, Forms())
    body = b"q=" + piece * (60_000 // len(piece))
    assert any(True for _ in rules.judging(body))


@pytest.mark.parametrize(
    ("policy", "piece"),
    [
        pytest.param(STANDARD, b"%EF%BF%BE;", id="noncharacters"),
        pytest.param(STANDARD, b"%[", id="percent signs"),
        pytest.param(STANDARD, b"a%0A", id="lines"),
        pytest.param(STANDARD.reporting(Kind.DUPLICATE_NAME, on=Component.FORM), b"% ", id="repeated names"),
        pytest.param(LENIENT, b"\0%", id="dropped pairs"),
    ],
)
def test_each_block_of_a_form_takes_a_bounded_number_of_steps(policy: Policy, piece: bytes) -> None:
    rules = FormRules(policy, Forms())
    pairs = [b"%d=" % number + piece * (1000 // len(piece)) for number in range(64)]
    judging = rules.judging(b"&".join(pairs))
    for _ in range(8):
        assert steps_of(lambda: next(judging, None)) < MOST

"""JSON bodies under a policy: a table of hostile bodies, and properties of all bodies."""

from __future__ import annotations

import json
import sys
from itertools import product
from typing import Any, Final

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from postel import Action, Component, Json, Kind, Policy, PolicyError
from postel._alphabet.steps import finished
from postel._bodies.charset_steering import UNCLEAR
from postel._bodies.content_type import content_type
from postel._bodies.digests import has_digest
from postel._bodies.json import JsonRules, JudgedJson
from postel._bodies.json_escapes import has_plain_escapes
from postel._bodies.json_scan import TURN, Scan, is_deeper
from postel._bodies.json_tokens import deep_at, seen_in
from postel._bodies.json_type import JsonType, json_type

JSON: Final = Component.JSON
PRESETS: Final = {"strict": Policy.STRICT, "standard": Policy.STANDARD, "lenient": Policy.LENIENT}
RULES: Final = {name: JsonRules(policy, Json()) for name, policy in PRESETS.items()}
REFUSED: Final = None
BOM: Final = b"\xef\xbb\xbf"
IN_A_HEADER: Final = {
    Kind.WRONG_LENGTH: "it depends on the length and framing of a body",
    Kind.LONG_JSON: "it depends on the length of a body",
    Kind.UNJUDGED_BODY: "it depends on the type of a body",
    Kind.MALFORMED_CONTENT_TYPE: "it depends on the type of a body",
}
"""Kinds that the octets of a body do not show. _bodies/test_json_bodies.py tests them."""
ROWS: Final = [
    pytest.param(kind, id=kind.slug)
    for kind in Kind
    if JSON in kind.check.presets and kind not in IN_A_HEADER
]


def judged(octets: bytes, policy: Policy | str = "standard", **limits: Any) -> JudgedJson:
    rules = RULES[policy] if isinstance(policy, str) and not limits else None
    if rules is None:
        rules = JsonRules(PRESETS[policy] if isinstance(policy, str) else policy, Json(**limits))
    return rules.judge(octets)


def kinds(result: JudgedJson) -> list[str]:
    return [finding.kind.slug for finding in result.findings]


# -- the catalogue -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ROWS)
def test_the_example_fires_and_the_near_miss_does_not(kind: Kind) -> None:
    limits = {"string": 1024} if kind is Kind.LONG_VALUE else {}
    for preset, action in zip(PRESETS, kind.check.presets[JSON], strict=True):
        result = judged(kind.check.example[JSON], preset, **limits)
        (found,) = result.findings
        assert (found.kind, found.component, found.action) == (kind, JSON, action)
        assert (result.octets is None) is (action is Action.REJECT)
        near = judged(kind.check.near_miss[JSON], preset, **limits)
        assert kind not in {each.kind for each in near.findings}


@pytest.mark.parametrize("kind", ROWS)
def test_every_action_works(kind: Kind) -> None:
    limits: dict[str, Any] = {"string": 1024} if kind is Kind.LONG_VALUE else {}
    received = kind.check.example[JSON]
    for action in kind.check.actions[JSON]:
        policy = Policy.parse(f"strict {kind.slug}@json={action.value}")
        result = judged(received, policy, **limits)
        assert [each.action for each in result.findings] == [action] * (action is not Action.ALLOW)
        if action in {Action.ALLOW, Action.REPORT}:
            assert result.octets == received
        elif action is Action.REJECT:
            assert result.octets is None
        else:
            assert result.octets not in {None, received}


# -- a table -------------------------------------------------------------------------------------------------

SAME: Final = ...
TABLE: Final = [
    # Each row: a name, the octets, and the outcomes under STRICT, STANDARD and LENIENT.
    ("an object", b'{"a": [1, -0.5e-3, true, false, null, "x"]}', SAME, SAME, SAME),
    ("blanks around", b" \t\r\n[1 , 2]\n", SAME, SAME, SAME),
    ("a number alone", b"1", SAME, SAME, SAME),
    ("text of all planes", '"é€😀"'.encode(), SAME, SAME, SAME),
    ("every escape", rb'"\"\\\/\n\r\t\u00e9\ud83d\ude00"', SAME, SAME, SAME),
    ("backspace and form feed", rb'"\b\f"', REFUSED, SAME, SAME),
    ("a bare DEL", b'"\x7f"', REFUSED, SAME, SAME),
    ("a path of Windows", rb'"C:\\bin\\ud800\\u0000"', SAME, SAME, SAME),
    ("names that differ in case", b'{"a":1,"A":2}', SAME, SAME, SAME),
    ("a name twice in two objects", b'[{"a":1},{"a":2}]', SAME, SAME, SAME),
    ("a name twice", b'{"a":1,"a":1}', REFUSED, REFUSED, SAME),
    ("a name twice, once with an escaped slash", rb'{"a/b":1,"a\/b":2}', REFUSED, REFUSED, SAME),
    ("a name twice, deep inside", b'{"a":{"b":[{"c":1,"c":1}]}}', REFUSED, REFUSED, SAME),
    (
        "a surrogate pair and a low surrogate", rb'"\ud83d\ude00\ude00"',
        REFUSED, REFUSED, rb'"\ud83d\ude00\ufffd"',
    ),
    (
        "a high surrogate and a surrogate pair", rb'"\ud800\ud83d\ude00"',
        REFUSED, REFUSED, rb'"\ufffd\ud83d\ude00"',
    ),
    ("surrogates in the wrong order", rb'"\ude00\ud83d"', REFUSED, REFUSED, rb'"\ufffd\ufffd"'),
    ("a surrogate after a backslash", rb'"\\\ud800"', REFUSED, REFUSED, rb'"\\\ufffd"'),
    ("a surrogate in a name", rb'{"\ud800":1}', REFUSED, REFUSED, rb'{"\ufffd":1}'),
    (
        "names that a repair makes alike", rb'{"\ud800":1,"\ud801":1}',
        REFUSED, REFUSED, rb'{"\ufffd":1,"\ufffd":1}',
    ),
    ("surrogates as octets", b'"\xed\xa0\x80"', REFUSED, REFUSED, '"\ufffd\ufffd\ufffd"'.encode()),
    ("latin-1", b'["caf\xe9", "\xc3\xa9"]', REFUSED, REFUSED, '["caf\ufffd", "é"]'.encode()),
    ("ill-formed outside of strings", b'[\xff1]', REFUSED, REFUSED, REFUSED),
    ("NUL in a value", rb'{"a":"\u0000"}', REFUSED, REFUSED, SAME),
    ("a line break in a name", rb'{"a\nb":1}', REFUSED, REFUSED, SAME),
    ("a TAB in a name", rb'{"\u0009":1}', REFUSED, REFUSED, SAME),
    ("a BOM", BOM + b"{}", REFUSED, b"{}", b"{}"),
    ("two BOMs", BOM * 2 + b"{}", REFUSED, REFUSED, REFUSED),
    ("a BOM and nothing", BOM, REFUSED, REFUSED, REFUSED),
    ("a BOM inside", b"[" + BOM + b"1]", REFUSED, REFUSED, REFUSED),
    ("nothing", b"", REFUSED, REFUSED, REFUSED),
    ("blanks", b" \n", REFUSED, REFUSED, REFUSED),
    ("two values", b"1 2", REFUSED, REFUSED, REFUSED),
    ("NUL after the value", b"1\0", REFUSED, REFUSED, REFUSED),
    ("a blank of Unicode", "[\u00a01]".encode(), REFUSED, REFUSED, REFUSED),
    ("a vertical tab", b"[\x0b1]", REFUSED, REFUSED, REFUSED),
    ("a raw newline", b'"\n"', REFUSED, REFUSED, REFUSED),
    ("a raw NUL", b'"ab\0"', REFUSED, REFUSED, REFUSED),
    ("a comment", b"[1 /* 2 */]", REFUSED, REFUSED, REFUSED),
    ("single quotes", b"['a']", REFUSED, REFUSED, REFUSED),
    ("a trailing comma", b'{"a":1,}', REFUSED, REFUSED, REFUSED),
    ("a leading zero", b"01", REFUSED, REFUSED, REFUSED),
    ("a plus", b"+1", REFUSED, REFUSED, REFUSED),
    ("no digit after the point", b"1.", REFUSED, REFUSED, REFUSED),
    ("digits of another script", "[\u0661]".encode(), REFUSED, REFUSED, REFUSED),
    ("NaN", b"[NaN]", REFUSED, REFUSED, REFUSED),
    ("minus infinity", b"-Infinity", REFUSED, REFUSED, REFUSED),
    ("infinity in a string", b'"Infinity NaN"', SAME, SAME, SAME),
    ("an escape of three digits", rb'"\u00e"', REFUSED, REFUSED, REFUSED),
    ("an escape with an underscore", rb'"\u0_41"', REFUSED, REFUSED, REFUSED),
    ("an escape of a letter", rb'"\x41"', REFUSED, REFUSED, REFUSED),
    ("not closed", b'{"a":[1', REFUSED, REFUSED, REFUSED),
    ("closed by another bracket", b'{"a":[1}}', REFUSED, REFUSED, REFUSED),
    ("a backslash before a quote that opens nothing", b'\\"' + b"[" * 101, REFUSED, REFUSED, REFUSED),
    ("many open brackets", b"[" * 100_000, REFUSED, REFUSED, REFUSED),
    ("UTF-16", '{"a":1}'.encode("utf-16-le"), REFUSED, REFUSED, REFUSED),
    ("UTF-32", '{"a":1}'.encode("utf-32"), REFUSED, REFUSED, REFUSED),
    ("a large number that is finite", b"-1.5e308", SAME, SAME, SAME),
    ("infinity by its exponent", b"[1E+309]", REFUSED, REFUSED, REFUSED),
    ("infinity by its digits", b"9" * 310 + b".0", REFUSED, REFUSED, REFUSED),
    ("2**64 - 1", b"18446744073709551615", SAME, SAME, SAME),
    ("-(2**63) - 1", b"-9223372036854775809", REFUSED, SAME, SAME),
    ("an identifier of 20 digits in a string", b'"18446744073709551616"', SAME, SAME, SAME),
    ("more digits than a double has", b"0.1000000000000000055511151231257827", SAME, SAME, SAME),
    ("5000 digits", b"1" * 5000, REFUSED, REFUSED, REFUSED),
]  # fmt: skip


@pytest.mark.parametrize(
    ("received", "preset", "expected"),
    [
        pytest.param(octets, preset, expected, id=f"{name}-{preset}")
        for name, octets, *columns in TABLE
        for preset, expected in zip(PRESETS, columns, strict=True)
    ],
)
def test_each_body_of_the_table_has_its_outcome(received: bytes, preset: str, expected: bytes | None) -> None:
    result = judged(received, preset)
    assert result.octets == (received if expected is SAME else expected)
    assert (result.octets is None) == any(each.action is Action.REJECT for each in result.findings)
    check_laws(received, preset)


def check_laws(received: bytes, preset: str) -> None:
    """Accepted bodies are accepted again unchanged; findings point at octets; Python reads the result."""
    result = judged(received, preset)
    for each in result.findings:
        assert received[each.offset : each.offset + len(each.excerpt)] == each.excerpt
        assert str(each).isascii()
    if result.octets is not None:
        again = judged(result.octets, preset)
        assert again.octets == result.octets
        assert {each.action for each in again.findings} <= {Action.REPORT}
        text = result.octets.decode()
        json.loads(text)
        if preset != "lenient":
            json.loads(text, object_pairs_hook=check_no_name_repeats)
    signed = RULES[preset].judge(received, signed=True)
    assert signed.octets == (received if result.octets == received else None)


def check_no_name_repeats(pairs: list[tuple[str, object]]) -> None:
    assert len({name for name, _ in pairs}) == len(pairs)


# -- offsets and names of findings ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("received", "slug", "offset", "excerpt", "name"),
    [
        pytest.param(b'{"a":{"b":[0,"\\u0000"]}}', "nul", 14, b"\\u0000", "a.b", id="a path"),
        pytest.param('["é", "\\u0000"]'.encode(), "nul", 8, b"\\u0000", None, id="after other text"),
        pytest.param(b'{"a":1,"a":2}', "duplicate-name", 7, b'"a"', "a", id="a repeated name"),
        pytest.param(b'{"x":[{"y":1}],"z":"\xff"}', "ill-formed-utf8", 20, b"\xff", None, id="ill-formed"),
        pytest.param(BOM + b"[1e999]", "infinite-number", 4, b"1e999", None, id="after a BOM"),
        pytest.param('["€", x]'.encode(), "json-syntax", 8, b"x]", None, id="the first invalid octet"),
        pytest.param(b'["[", ' + b"[" * 101, "deep-json", 105, b"[", None, id="one bracket too many"),
        pytest.param(b"[] NaN", "json-syntax", 3, b"NaN", None, id="a second value"),
    ],
)
def test_a_finding_has_offset_and_path(
    received: bytes, slug: str, offset: int, excerpt: bytes, name: str | None
) -> None:
    found = next(each for each in judged(received).findings if each.action is Action.REJECT)
    assert (found.kind.slug, found.offset, found.excerpt, found.name) == (slug, offset, excerpt, name)


def test_names_are_cut() -> None:
    deep = b'{"abcdefghi":' * 90 + rb'"\u0000"' + b"}" * 90
    (found,) = judged(deep).findings
    assert found.name is not None
    assert found.name.startswith("abcdefghi.abcdefghi.")
    assert len(found.name) == 64


def test_of_many_findings_the_first_and_a_reason_to_refuse_are_kept() -> None:
    many = b"[" + b"18446744073709551616," * 40 + b"1]"
    result = judged(many)
    assert result.octets == many
    assert (len(result.findings), result.truncated) == (32, True)
    result = judged(many.replace(b",1]", rb',"\u0000"]'))
    assert (len(result.findings), result.truncated) == (32, True)
    assert result.findings[-1].kind is Kind.NUL
    assert result.octets is None
    assert not judged(b"[" + b"18446744073709551616," * 32 + b"1]").truncated


def test_names_and_values_share_one_policy() -> None:
    policy = Policy.STANDARD.allowing(Kind.NUL, on=JSON)
    received = rb'{"\u0000":"\u0000"}'
    assert judged(received, policy) == JudgedJson(received)
    with pytest.raises(PolicyError, match="names select pairs"):
        Policy.STANDARD.allowing(Kind.NUL, on=JSON, names=["a"])


# -- limits --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limit", "most", "fits", "exceeds", "slug"),
    [
        pytest.param("depth", 1, b'[1, "[["]', b"[[]]", "deep-json", id="depth"),
        pytest.param("depth", 2, b"[{},[]]", b'{"a":[{}]}', "deep-json", id="depth of objects and arrays"),
        pytest.param(
            "members", 2, b'{"a":1,"b":2}', b'{"a":1,"b":2,"c":3}', "too-many-members", id="members"
        ),
        pytest.param("name", 4, '{"é\\u00e9":1}'.encode(), '{"ééx":1}'.encode(), "long-name", id="name"),
        pytest.param("string", 8, b'"12345678"', b'["123456789"]', "long-value", id="string"),
        pytest.param("string", 8, '"éééé"'.encode(), '"ééééé"'.encode(), "long-value", id="string of text"),
        pytest.param("number", 5, b"-1234", b"-12345", "long-number", id="number"),
        pytest.param(
            "number", 20, b"0.123456789012345678", b"0.1234567890123456789", "long-number", id="digits"
        ),
    ],
)
def test_a_body_beyond_a_limit_is_refused(
    limit: str, most: int, fits: bytes, exceeds: bytes, slug: str
) -> None:
    limits = {limit: most}
    assert judged(fits, **limits) == JudgedJson(fits)
    result = judged(exceeds, **limits)
    assert (result.octets, kinds(result)) == (None, [slug])


def test_a_nearly_full_stack_does_not_raise() -> None:
    received = b"[" * 100 + b"]" * 100

    def fill(left: int) -> JudgedJson:
        return fill(left - 1) if left else RULES["standard"].judge(received)

    depth, frame = 0, sys._getframe()
    while frame is not None:
        depth, frame = depth + 1, frame.f_back  # the number of frames in use
    limit = sys.getrecursionlimit()
    results = set()
    for left in range(limit - depth - 120, limit - depth - 40, 5):
        result = fill(left)
        results.add((result.octets is None, *kinds(result)))
    assert results <= {(False,), (True, "deep-json")}


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"limit": 0}, "Json(limit=0): a limit is a whole number from 1 to 2**63 - 1, such as 1000000"),
        ({"limit": True}, "Json(limit=True): a limit is a whole number from 1 to 2**63 - 1, such as 1000000"),
        ({"string": 0}, "Json(string=0): a limit is a whole number from 1 to 2**63 - 1, such as 100000"),
        (
            {"members": 2**63},
            "Json(members=a number beyond 64 bits): a limit is a whole number from 1 to 2**63 - 1, "
            "such as 10000",
        ),
        ({"number": None}, "Json(number=None): a limit is a whole number from 1 to 4300, such as 1000"),
        (
            {"depth": 2**63},
            "Json(depth=a number beyond 64 bits): a limit is a whole number from 1 to 256, such as 100",
        ),
        ({"depth": 257}, "Json(depth=257): write at most 256; deeper levels cannot be judged"),
        ({"number": 4301}, "Json(number=4301): write at most 4300; Python reads no integer of more digits"),
        ({"others": "pass"}, "Json(others='pass'): write 'refuse' or 'untouched'"),
        ({"keep": 1}, "Json(keep=1): write keep=True or keep=False"),
        ({"types": "a/b"}, "Json(types='a/b'): write a list of texts, such as ['application/csp-report']"),
        ({"types": 1}, "Json(types=1): write a list of texts, such as ['application/csp-report']"),
        (
            {"types": [b"a/b"]},
            "Json(types=[b'a/b']): write a list of texts, such as ['application/csp-report']",
        ),
        (
            {"types": ["Text/JSON"]},
            "Json(types=['Text/JSON']): write a media type in lower case, not a form's, "
            "such as 'application/csp-report'",
        ),
        (
            {"types": ["multipart/mixed"]},
            "Json(types=['multipart/mixed']): write a media type in lower case, not a form's, "
            "such as 'application/csp-report'",
        ),
        ({"signed": ["a b"]}, "Json(signed=['a b']): write the name of a header, such as 'stripe-signature'"),
    ],
)  # fmt: skip
def test_settings_that_cannot_work_raise_at_once(setting: dict[str, Any], message: str) -> None:
    with pytest.raises(PolicyError) as caught:
        Json(**setting)
    assert str(caught.value) == message


def test_settings_compare_by_value() -> None:
    assert Json(types=iter(["text/json"]), signed=["X-Sig"]) == Json(types=("text/json",), signed=("x-sig",))
    assert Json(string=None).string is None


# -- repairs and digests -------------------------------------------------------------------------------------


@pytest.mark.parametrize("received", [BOM + b"{}", rb'"\ud800"', b'"\xff"'])
def test_with_a_digest_a_repair_becomes_a_refusal(received: bytes) -> None:
    repaired = RULES["lenient"].judge(received)
    result = RULES["lenient"].judge(received, signed=True)
    assert repaired.octets not in {None, received}
    assert result.octets is None
    ((before,), (after,)) = (repaired.findings, result.findings)
    assert (after.kind, after.offset, after.excerpt) == (before.kind, before.offset, before.excerpt)
    assert (after.action, after.detail) == (Action.REJECT, "a header holds a digest of the body")


def test_with_a_digest_a_repair_after_many_reports_is_refused() -> None:
    received = b"[" + rb'"\u0000",' * 60 + rb'"\ud800"' + rb',"\ud800"' * 2 + b"]"
    repaired = RULES["lenient"].judge(received)
    assert (repaired.findings[-1].action, len(repaired.findings), repaired.truncated) == (
        Action.REPLACE,
        32,
        True,
    )
    result = RULES["lenient"].judge(received, signed=True)
    assert (result.octets, result.findings[-1].kind) == (None, Kind.LONE_SURROGATE)
    assert (result.findings[-1].action, result.findings[-1].offset) == (Action.REJECT, 1 + 9 * 60 + 1)


def test_with_a_digest_a_body_without_repairs_passes() -> None:
    received = b'{"a":18446744073709551616}'
    assert RULES["standard"].judge(received, signed=True) == RULES["standard"].judge(received)


@pytest.mark.parametrize(
    "received", [rb'{"\ud800":1,"\udfff":2}', b'{"\xff":1,"\xfe":2}', '{"\\udfff":1,"\ufffd":2}'.encode()]
)
def test_names_are_compared_after_their_repair(received: bytes) -> None:
    policy = Policy.LENIENT.rejecting(Kind.DUPLICATE_NAME, on=JSON)
    result = judged(received, policy)
    assert (result.octets, result.findings[-1].kind) == (None, Kind.DUPLICATE_NAME)
    assert judged(received, Policy.LENIENT).octets is not None


# -- which bodies are JSON -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "encoding", "expected"),
    [
        (b"application/json", b"", JsonType(b"application/json", usual=True)),
        (b"application/json;charset=utf-8", b"", JsonType(b"application/json;charset=utf-8", usual=True)),
        (b"application/json; charset=UTF-8", b"", JsonType(b"application/json; charset=utf-8", usual=False)),
        (b'application/json; charset="utf8"', b"", JsonType(b"application/json; charset=utf-8", usual=False)),
        (b"application/json;", b"identity", JsonType(b"application/json", usual=False)),
        (b"Application/JSON", b"", JsonType(b"application/json", usual=False)),
        (b"application/vnd.api+json; ext=x", b"", JsonType(b"application/vnd.api+json; ext=x", usual=True)),
        (b"application/json; boundary=x", b"", JsonType(b"application/json", usual=False)),
        (b"application/json; boundary*=utf-8''x", b"", JsonType(b"application/json", usual=False)),
        (
            b'application/json; x="a\\"; Boundary=x; y=\\""; z=1',
            b"",
            JsonType(b"application/json; z=1", usual=False),
        ),
        (b'a/b+json; profile="a;b"', b"", JsonType(b'a/b+json; profile="a;b"', usual=True)),
        (b"a/b+c+json", b"", JsonType(b"a/b+c+json", usual=True)),
        (b"text/x-json", b"", JsonType(b"text/x-json", usual=True)),
        (b"application/jsonp", b"", None),
        (b"application/json5", b"", None),
        (b"text/json", b"", None),
        (b"text/plain", b"", None),
        (b"", b"", None),
    ],
)
def test_which_bodies_are_json(field: bytes, encoding: bytes, expected: JsonType | None) -> None:
    declared = content_type([field])
    assert json_type(declared, [encoding], frozenset({b"text/x-json"})) == expected


@pytest.mark.parametrize(
    ("field", "encodings", "fault"),
    [
        (b"application/json; charset=utf-16", [], "a charset other than UTF-8"),
        (b"application/json; charset=utf-7", [], "a charset other than UTF-8"),
        (b"application/json; charset=utf-8; charset=utf-8", [], "two charsets"),
        (b"application/json; charset*=utf-8''utf-7", [], UNCLEAR),
        (b"application/json; charset=utf-8; charset*=utf-8''utf-7", [], UNCLEAR),
        (b"application/json; charset*0=utf-7", [], UNCLEAR),
        (b'application/json; x="; charset=utf-7"', [], UNCLEAR),
        (b'application/json; x="a\\"; charset=utf-7"', [], UNCLEAR),
        (b'application/json; x="a; b"; charset="utf-8"', [], ""),
        (b"application/json; title*=utf-8''x", [], ""),
        (b"application/json", [b"gzip"], "a Content-Encoding"),
        (b"application/json", [b"identity", b"br"], "a Content-Encoding"),
    ],
)
def test_types_that_are_ambiguous_are_refused(field: bytes, encodings: list[bytes], fault: str) -> None:
    read = json_type(content_type([field]), encodings)
    assert read is not None
    assert read.fault == fault


def test_headers_that_hold_a_digest_are_recognised() -> None:
    assert has_digest([b"Accept", b"Repr-Digest"], frozenset())
    assert has_digest([b"x-signature"], frozenset({b"x-signature"}))
    assert not has_digest([b"x-signature"], frozenset())


# -- laws ----------------------------------------------------------------------------------------------------

TOKENS: Final = [
    *(bytes([octet]) for octet in b'[]{},:"\\1- \n\0'),
    b'"a"', b'"b"', b"1e999", b"null", b'"\\u0000"', b'"\\ud800"', b'"\\ud83d\\ude00"', b"\\u", b"NaN",
    b"\xff", b"\xc3\xa9", BOM, b'"a":', b'"\\u0061":',
]  # fmt: skip


def depth_of(text: str) -> int:
    """Return how deep the brackets of a text are nested, read character by character."""
    depth = deepest = 0
    in_string = escaped = False
    for character in text:
        if in_string:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                in_string = False
        elif character == '"':
            in_string = True
        elif character in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]}":
            depth -= 1
    return deepest


@settings(max_examples=300)
@given(st.lists(st.sampled_from(TOKENS), max_size=14).map(b"".join))
@example(b'{"a":"\\"[["}')
@example(b'[\\"[[')
def test_laws_hold_for_random_bodies(received: bytes) -> None:
    for preset in PRESETS:
        check_laws(received, preset)
    strict, standard, lenient = (judged(received, preset).octets is not None for preset in PRESETS)
    assert strict <= standard <= lenient


VALUES: Final = [rb'"\u0000"', rb'"\ud800"', b'"\xff"', b"18446744073709551616", rb'"\b"', b"1"]
runs = st.lists(st.tuples(st.sampled_from(VALUES), st.integers(1, 40)), min_size=1, max_size=4)


@given(runs)
def test_laws_hold_for_many_findings(values: list[tuple[bytes, int]]) -> None:
    received = b"[" + b",".join(value for value, times in values for _ in range(times)) + b"]"
    for preset in PRESETS:
        check_laws(received, preset)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(), children, max_size=4),
    max_leaves=12,
)


@settings(max_examples=300)
@given(json_values, st.booleans())
def test_the_output_of_json_dumps_is_judged_by_its_content(value: Any, escapes: bool) -> None:
    try:
        received = json.dumps(value, ensure_ascii=escapes).encode()
    except UnicodeEncodeError:  # A lone surrogate, written as itself.
        return
    text = received.decode()
    result = judged(received, "lenient")
    assert result.octets is not None
    if "\\ud" not in text:
        assert result.octets == received
    assert (
        finished(is_deeper(received, 2)) == (depth_of(text) > 2) == (finished(deep_at(text, 2)) < len(text))
    )


@settings(max_examples=300)
@given(st.lists(st.sampled_from(TOKENS), max_size=14).map(b"".join))
def test_bulk_proofs_accept_exactly_the_bodies_without_findings(received: bytes) -> None:
    text = received.decode(errors="replace").removeprefix("\ufeff")
    scan = Scan(text, Json())
    if scan.fault is None and not scan.overflows:
        numbers = finished(scan.faulty_numbers())
        seen = list(seen_in(text, Json(), numbers))
        assert (scan.is_plain and not numbers and finished(has_plain_escapes(text))) == (not seen)
        assert finished(is_deeper(text.encode(), 3)) == (depth_of(text) > 3)


def test_laws_hold_for_all_short_texts() -> None:
    for parts in product(b'[]{}",:1\\', repeat=4):
        check_laws(bytes(parts), "standard")


def test_judging_yields_while_it_scans() -> None:
    many = b"[" + b"18446744073709551616," * 5000 + b"1]"
    assert len(list(RULES["standard"].judging(many))) >= 5
    flat = b"[" + b"[]," * 20_000 + b"0]"
    assert len(list(RULES["standard"].judging(flat))) >= 2
    deep = b"[" + b"[]," * 5000 + b"[" * 101
    assert len(list(RULES["standard"].judging(deep))) >= 5


@pytest.mark.parametrize(
    ("received", "expected"),
    [
        (b'"' + b"\xffa" * 3000 + b'"', ('"' + "\ufffda" * 3000 + '"').encode()),
        (b'"' + rb"\ud800a" * 3000 + b'"', b'"' + rb"\ufffda" * 3000 + b'"'),
        (b'"' + rb"\u0000a" * 3000 + b'"', b'"' + rb"\u0000a" * 3000 + b'"'),
    ],
    ids=["ill-formed", "surrogates", "NUL"],
)
def test_many_findings_of_one_kind_are_cut_and_judging_yields(received: bytes, expected: bytes) -> None:
    result = judged(received, "lenient")
    assert (result.octets, len(result.findings), result.truncated) == (expected, 32, True)
    assert len(list(RULES["lenient"].judging(received))) >= 3


def test_closing_brackets_in_a_row_restore_the_path_of_the_outer_level() -> None:
    octets = b'{"a": {"b": [[{"c": "\\b"}]], "d": "\\b", "d": 1}, "e": "\\b", "f": {}, "g": [[]], "h": "\\b"}'
    names = [(each.kind.slug, each.name) for each in RULES["lenient"].judge(octets).findings]
    assert names == [
        ("control", "a.b.c"),
        ("control", "a.d"),
        ("duplicate-name", "a.d"),
        ("control", "e"),
        ("control", "h"),
    ]


def test_very_many_different_numbers_are_judged_in_turns() -> None:
    numbers = b",".join(b"%d" % number for number in range(3 * TURN))
    most = len(list(RULES["standard"].judging(b"[" + b"1," * 3 * TURN + b"1e999]")))
    assert len(list(RULES["standard"].judging(b"[" + numbers + b",1e999]"))) == most + 3
    found = judged(b"[" + numbers + b",1e999]").findings
    assert [(each.kind.slug, each.offset) for each in found] == [("infinite-number", 2 + len(numbers))]


def test_very_many_escapes_without_a_fault_are_passed_in_turns() -> None:
    few, many = (
        len(list(RULES["standard"].judging(b'["' + times * rb"\n" + b'"]'))) for times in (9, 20_000)
    )
    assert many >= few + 2
    late = rb'{"a":"\b' + 20_000 * rb"\n" + rb'\b"}'
    assert [each.offset for each in judged(late, "lenient").findings] == [6, len(late) - 4]

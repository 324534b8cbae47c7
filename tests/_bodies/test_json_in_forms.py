"""JSON that is sent as a form is judged as a form and as JSON, and passes unchanged or is refused."""

from __future__ import annotations

import json
import logging
import sys
from typing import Any, Final

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from _bodies.test_json import check_no_name_repeats
from adapters import ASGI, EACH_PROTOCOL, WSGI, Protocol
from bodies import FORM, Asked, post
from postel import Action, Component, Forms, Json, Kind, LogObserver, Policy
from postel._bodies.json import JsonRules
from postel._bodies.json_in_forms import FormAndJsonRules
from postel._bodies.urlencoded import FormRules
from together import together

PRESETS: Final = {"strict": Policy.STRICT, "standard": Policy.STANDARD, "lenient": Policy.LENIENT}
UNESCAPED: Final = Policy.parse(
    "standard raw-non-ascii@form=allow ill-formed-utf8@form=allow nul@form=allow c1-control@form=allow "
    "lone-surrogate@json=replace byte-order-mark@json=repair ill-formed-utf8@json=replace nul@json=report "
    "invisible@form=allow"
)
"""A policy that leaves octets in forms as they are, so that JSON in other encodings reaches its reader."""
BOM: Final = b"\xef\xbb\xbf"


def rules(policy: Policy = Policy.STANDARD, **limits: Any) -> FormAndJsonRules:
    settings = Json(**limits)
    return FormAndJsonRules(FormRules(policy, Forms()), JsonRules(policy, settings), settings)


RULES: Final = {name: rules(policy) for name, policy in PRESETS.items()}
FORM_RULES: Final = {name: FormRules(policy, Forms()) for name, policy in PRESETS.items()}
JSON_RULES: Final = {name: JsonRules(policy, Json()) for name, policy in PRESETS.items()}


def sent(protocol: Protocol, octets: bytes, policy: Policy = Policy.STANDARD, **given: Any) -> Asked:
    return post(protocol, octets, policy, **{"json": True, **given})


# -- a table -------------------------------------------------------------------------------------------------

PASSES: Final = [
    ("a form", b"a=1&b=2"),
    ("nothing", b""),
    ("a name alone", b"name"),
    ("a name that begins like null or true", b"nullable=1&true=1"),
    ("a name that begins with a digit", b"1=2"),
    ("a date", b"2024-01-01"),
    ("a version", b"5.2.1"),
    ("a hyphen before a name", b"-a"),
    ("a hyphen as a name", b"-=1"),
    ("an exponent without digits", b"1e"),
    ("a number with a leading zero as a name", b"01=1"),
    ("JSON in a value", b'name={"a":1,"a":2}'),
    ("JSON after an ampersand", b'&{"a":NaN}'),
    ("JSON before an ampersand", b'{"a":NaN}&'),
    ("an array that does not end", b'["a"=1'),
    ("many numbers that are not too long", b'["=",' + b",".join([b"1" * 1000] * 40) + b"&x=1"),
    ("names in brackets", b"[0].a=1&[0].b=[2]"),
    ("two strings", b'"a"="b"'),
    ("braces that hold no name", b"{ user { name } }"),
    ("an object", b'{"a": {"b": [1, true, null, "x"]}}'),
    ("an array", b"[1]"),
    ("a string that is also two pairs", b'"&a=1&b="'),
    ("a number", b"-1.5e3"),
    ("a word", b"true"),
    ("a large integer", b"18446744073709551616"),
]
REFUSED: Final = [
    ("a name twice", b'{"a":1,"a":2}', "duplicate-name", 7),
    ("a name twice, and a pair", b'{"a":1,"a":"&b=1"}', "duplicate-name", 7),
    ("half of a surrogate pair", rb'"\ud800"', "lone-surrogate", 1),
    ("NUL", rb'{"a":"\u0000"}', "nul", 6),
    ("NaN", b"NaN", "json-syntax", 0),
    ("minus infinity", b"-Infinity", "json-syntax", 0),
    ("NaN in an object", b'{"a":NaN}', "json-syntax", 5),
    ("an infinite number", b"1e999", "infinite-number", 0),
    ("a long number", b"1" * 1001, "long-number", 0),
    ("a long number, and a value", b"1" * 1001 + b"=a", "long-number", 0),
    ("a long number in an array that does not end", b"[" + b"1" * 1001 + b"=a", "long-number", 1),
    ("a long number after a pair", b'["&",' + b"1" * 1001 + b"=a", "long-number", 5),
    (
        "a long number after many shorter ones",
        b'["=",' + b"1".join([b"1" * 999 + b","] * 40) + b"1" * 1001 + b"&x=1",
        "long-number",
        5 + 40 * 1000 + 39,
    ),
    ("what only lax parsers read", b'{"a":01}', "json-syntax", 6),
    ("a leading zero", b"01", "json-syntax", 1),
    ("a leading zero after a sign", b"-01", "json-syntax", 2),
    ("a leading zero before an exponent", b"01e999", "json-syntax", 1),
    ("a point at the end", b"5.", "json-syntax", 1),
    ("a point before an exponent", b"1.e5", "json-syntax", 1),
    ("a point after a sign", b"-.5", "json-syntax", 0),
    ("a sign alone", b"-", "json-syntax", 0),
    ("a long number with a leading zero", b"0" * 1001, "json-syntax", 1),
    ("minus NaN", b"-NaN", "json-syntax", 0),
    ("infinity, abbreviated", b"Inf", "json-syntax", 0),
    # Since Python 3.13 the fault is at the comma.
    ("an array with a comma too many", b"[1,]", "json-syntax", 2 if sys.version_info >= (3, 13) else 3),
    ("a percent sign that the form escapes", b'["50%"]', "unjudged-body", 0),
    ("a semicolon that the form escapes", b'["a;b"]', "unjudged-body", 0),
    ("a letter that the form escapes", '["é"]'.encode(), "unjudged-body", 0),
]
SLUGS: Final = {slug for *_, slug, _ in REFUSED}


@EACH_PROTOCOL
@pytest.mark.parametrize("chunked", [False, True], ids=["length", "chunked"])
@together("octets", [pytest.param(octets, id=name) for name, octets in PASSES])
def test_forms_that_pass(protocol: Protocol, octets: bytes, chunked: bool) -> None:
    asked = sent(protocol, octets, chunked=chunked)
    assert (asked.status, asked.body, asked.header("content-type")) == (200, octets, FORM)


@EACH_PROTOCOL
@pytest.mark.parametrize("chunked", [False, True], ids=["length", "chunked"])
@together(("octets", "slug", "offset"), [pytest.param(*row[1:], id=row[0]) for row in REFUSED])
def test_forms_that_are_refused(
    protocol: Protocol, octets: bytes, slug: str, offset: int, chunked: bool
) -> None:
    asked = sent(protocol, octets, chunked=chunked)
    assert (asked.status, asked.given) == (415 if slug == "unjudged-body" else 400, None)
    assert asked.kinds == [slug]
    assert asked.told is not None
    found = asked.told.findings[-1]
    assert (found.kind.slug, found.component, found.offset) == (slug, Component.JSON, offset)
    assert octets[offset:].startswith(found.excerpt)
    alone = post(protocol, octets, chunked=chunked)
    assert alone.status == 200  # Without json=True it is an ordinary form.
    untouched = sent(protocol, octets, chunked=chunked, enforce=False)
    assert (untouched.status, untouched.body) == (200, octets)
    assert untouched.told is not None
    assert untouched.told.refused


@together(
    ("octets", "slug"),
    [
        pytest.param(BOM + b'{"a":1}', "byte-order-mark", id="a byte order mark"),
        pytest.param(BOM + b"a=1", None, id="a form with a byte order mark"),
        pytest.param(b'"\\ud800"', "lone-surrogate", id="half of a surrogate pair"),
        pytest.param(b'["\xff"]', "ill-formed-utf8", id="Latin-1"),
        pytest.param(b'["\xff"=1', None, id="a form in Latin-1"),
        pytest.param('{"a":1}'.encode("utf-16"), "json-coding", id="UTF-16"),
        pytest.param('{"a":1}'.encode("utf-16-le"), "json-coding", id="UTF-16 without a mark"),
        pytest.param('{"a":1}'.encode("utf-16-be"), "json-coding", id="UTF-16, big-endian, no mark"),
        pytest.param('{"a":1}'.encode("utf-32-be"), "json-coding", id="UTF-32"),
        pytest.param("1".encode("utf-16-le"), "json-coding", id="a digit in UTF-16"),
    ],
)
def test_other_encodings_that_a_policy_allows_in_forms(octets: bytes, slug: str | None) -> None:
    judged = rules(UNESCAPED).judge(octets)
    assert (judged.octets, judged.is_json) == ((octets, False) if slug is None else (None, True))
    if slug is not None:
        found = judged.findings[-1]
        assert (found.kind.slug, found.component, found.action) == (slug, Component.JSON, Action.REJECT)


def test_a_repair_that_would_make_a_form_json_is_refused() -> None:
    policy = Policy.STANDARD.repairing(Kind.EMPTY_PAIR, on=Component.FORM)
    judged = rules(policy).judge(b'&{"a":1}')
    assert (judged.octets, judged.findings[-1].kind) == (None, Kind.UNJUDGED_BODY)
    assert rules(policy).judge(b"&a=1").octets == b"a=1"


@EACH_PROTOCOL
def test_a_form_in_another_charset_is_not_json(protocol: Protocol) -> None:
    forms = Forms(charsets=["windows-1252"])
    typed = {"forms": forms, "content_type": f"{FORM}; charset=windows-1252"}
    assert sent(protocol, b'["\xe9"]', **typed).kinds == ["unjudged-body"]
    asked = sent(protocol, b"[1]", **typed)
    assert (asked.body, asked.header("content-type")) == (b"[1]", FORM)


@EACH_PROTOCOL
def test_the_limits_of_json_apply(protocol: Protocol) -> None:
    json = Json(limit=16, depth=2)
    for octets in (b'{"a":12345678901}', b'["a"=123456789012'):
        asked = sent(protocol, octets, json=json)
        assert (asked.status, asked.kinds) == (413, ["long-json"])
    assert sent(protocol, b"a=123456789012345", json=json).status == 200
    assert sent(protocol, b"1" * 16 + b"=1", json=json).status == 200
    assert sent(protocol, b"[[[1", json=json).kinds == ["deep-json"]


@EACH_PROTOCOL
def test_routes_apply_and_received_octets_are_kept(protocol: Protocol) -> None:
    faulty = b'{"a":1,"a":2}'
    lax = Policy.STANDARD.reporting(Kind.DUPLICATE_NAME, on=Component.JSON)
    asked = sent(protocol, faulty, routes={"/a": lax}, forms=Forms(keep=True), json=Json(keep=True))
    assert (asked.status, asked.body) == (200, faulty)
    assert asked.told is not None
    assert asked.told.received_form == asked.told.received_json == faulty
    assert sent(protocol, faulty, routes={"/b": lax}).status == 400
    asked = sent(protocol, b"a=%7e", Policy.STRICT, forms=Forms(keep=True), json=Json(keep=True))
    assert asked.told is not None
    assert (asked.told.received_form, asked.told.received_json) == (b"a=%7e", None)


@EACH_PROTOCOL
def test_a_log_line_names_the_member(protocol: Protocol, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="postel"):
        sent(protocol, rb'{"user":{"name":"\u0000"}}', observer=LogObserver())
    (message,) = caplog.messages
    assert 'nul in json at 17, of "user.name" (reject)' in message


# -- a multipart form is not JSON ----------------------------------------------------------------------------


@EACH_PROTOCOL
@pytest.mark.parametrize("boundary", ["x", "1", "Infinity", "-1"])
def test_no_multipart_form_is_json(protocol: Protocol, boundary: str) -> None:
    """A boundary begins with two hyphens, a JSON text with at most one."""
    part = f'--{boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\n{{}}\r\n--{boundary}--\r\n'
    content_type = f"multipart/form-data; boundary={boundary}"
    passed = sent(protocol, part.encode(), content_type=content_type)
    assert passed.status == 200
    for text in (passed.body.decode(), passed.body.decode("utf-16", "replace")):
        with pytest.raises(json.JSONDecodeError):
            json.loads(text)
    for octets in (b'{"a":1}', b"[1]\r\n" + part.encode(), b"1"):
        asked = sent(protocol, octets, content_type=content_type)
        assert (asked.status, asked.given) == (400, None)


# -- laws ----------------------------------------------------------------------------------------------------

TOKENS: Final = [
    *(bytes([octet]) for octet in b'[]{},:"&=;%1- '),
    b'"a"', b'"b"', b"1e999", b"null", rb'"\u0000"', rb'"\ud800"', b"NaN", b"-Infinity", b"\xff", b"%00",
    b"\xc3\xa9", BOM, b'{"a":1', b',"a":2}', b"a=1", b"\0", b"01", b"1.",
]  # fmt: skip


def constants_in(octets: bytes) -> list[str] | None:
    """Return the constants outside of JSON that ``json.loads`` reads, or ``None`` if it reads no value.

    A view that calls ``json.loads`` expects no other exception than the one for bodies that are not JSON.
    """
    constants: list[str] = []
    try:
        json.loads(octets, parse_constant=constants.append)
    except json.JSONDecodeError:
        return None
    return constants


@settings(max_examples=400)
@given(st.lists(st.sampled_from(TOKENS), max_size=12).map(b"".join))
@example(b'&{"a":NaN}')
@example(b'["&",' + b"1" * 5000 + b"=a")
@example(b"[&[" * 600)
def test_laws_hold_for_random_bodies(received: bytes) -> None:
    for preset, both in RULES.items():
        judged = both.judge(received)
        for each in judged.findings:
            assert received[each.offset : each.offset + len(each.excerpt)] == each.excerpt
        if judged.octets is None:
            continue
        assert both.judge(judged.octets).octets == judged.octets
        assert judged.octets == FORM_RULES[preset].judge(received).octets
        constants = constants_in(judged.octets)
        if constants is not None:
            assert (constants, judged.is_json, judged.octets) == ([], True, received)
            assert JSON_RULES[preset].judge(received).octets == received
            if preset != "lenient":
                json.loads(received, object_pairs_hook=check_no_name_repeats)


def test_both_protocols_have_the_same_outcome() -> None:
    for _, octets, *_ in [*PASSES, *REFUSED]:
        first, second = (sent(protocol, octets, Policy.LENIENT) for protocol in (WSGI, ASGI))
        assert (first.status, first.body, first.kinds) == (second.status, second.body, second.kinds)
        assert (first.told is None) is (second.told is None)
        assert first.told is None or second.told is None or first.told.findings == second.told.findings


def test_judging_yields_while_it_scans() -> None:
    received = b"[" + b",".join(b'"&",[],18446744073709551616' for _ in range(900)) + b"]"
    assert len(list(RULES["standard"].judging(received))) >= len(received) // 2**13 + 2

"""Cookie and Referer: what is judged in them, what is removed, and that the rest stays octet for octet."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters import ASGI, EACH_PROTOCOL, WSGI, Protocol, Request, environ_of, scope_of
from laws.checks import steps_of
from postel import Action, Component, Kind, PolicyError
from postel._alphabet.percent import percent_decode
from postel._http.fields import FieldRules
from together import together

DROPPING = {"cookie": Action.DROP_PAIR, "referer": Action.DROP}
REFUSING = {"cookie": Action.REJECT, "referer": Action.REJECT}
REPORTING = {"cookie": Action.REPORT, "referer": Action.REPORT}


def asking(protocol: Protocol, **fields: bytes) -> Request:
    if protocol is ASGI:
        return scope_of(b"/a", headers=[(name.encode(), value) for name, value in fields.items()])
    keys = {f"HTTP_{name.upper()}": value.decode("latin-1") for name, value in fields.items()}
    return environ_of(b"/a", **keys)


def handed(request: Request, name: str) -> bytes | None:
    """Return the header that the application receives."""
    if "headers" in request:
        values = [value for key, value in request["headers"] if key == name.encode()]
        return values[0] if values else None
    value = request.get(f"HTTP_{name.upper()}")
    return None if value is None else value.encode("latin-1")


FINE = [
    b"a=1", b"a=1; b=2", b"a=1;b=2", b"a", b"", b";", b"a=;; b", b'a="x, y"', b"a=%", b"a=%zz", b"a=%u00e9",
    b"a=%2500", b"a=caf%C3%A9", "a=café; b=你".encode(), b"a=%0D%0A%09", b"a=1 ;\t b=2", b"a=<>{}", b"a=%7E",
]  # fmt: skip
FAULTY = [
    # Each row: the Cookie, what is handed on, the kinds, and the faulty octets.
    (b"a=1; b=%00; c=3", b"a=1; c=3", [Kind.NUL], [b"%00"]),
    (b"b=%00; a=1; c=3", b"a=1; c=3", [Kind.NUL], [b"%00"]),
    (b"a=1; c=3; b=x%1Bx", b"a=1; c=3", [Kind.CONTROL], [b"%1B"]),
    (b"b=%C4", None, [Kind.ILL_FORMED_UTF8], [b"%C4"]),
    (b"b=%C4; ", b"", [Kind.ILL_FORMED_UTF8], [b"%C4"]),
    (b"a=\xff; c=%C3%A9", b"c=%C3%A9", [Kind.ILL_FORMED_UTF8], [b"\xff"]),
    (b"a=\xe9t\xe9; c=3", b"c=3", [Kind.ILL_FORMED_UTF8] * 2, [b"\xe9", b"\xe9"]),
    (b"a=1;b=%C3;c=%A9", b"a=1", [Kind.ILL_FORMED_UTF8] * 2, [b"%C3", b"%A9"]),
    (b"%00=1; c=3", b"c=3", [Kind.NUL], [b"%00"]),
    (b"a=%7F; c=3", b"c=3", [Kind.CONTROL], [b"%7F"]),
    (b"a=x\ty; c=3", b"c=3", [Kind.CONTROL], [b"\t"]),
    (b"a=\x01; c=%zz", b"c=%zz", [Kind.CONTROL], [b"\x01"]),
    (b"a=%C0%80;b=%ED%A0%80;c=%25", b"c=%25", [Kind.ILL_FORMED_UTF8] * 2, [b"%C0%80", b"%ED%A0%80"]),
    (b"a=%C3\xa9; c=3", b"c=3", [Kind.ILL_FORMED_UTF8], [b"\xa9"]),
    (b"a=\xc3%A9\xff; c=3", b"c=3", [Kind.ILL_FORMED_UTF8] * 2, [b"\xc3", b"\xff"]),
    (b"z=1;  b=%4%00 ; y=2", b"z=1; y=2", [Kind.NUL], [b"%00"]),
]


@EACH_PROTOCOL
@together("cookie", FINE)
@together("headers", [DROPPING, REFUSING], ids=["drop", "reject"])
def test_clean_fields_are_unchanged(protocol: Protocol, cookie: bytes, headers: dict[str, Action]) -> None:
    behind = protocol.behind(headers=headers)
    for name in ("cookie", "referer") if b"\t" not in cookie else ("cookie",):
        answer = behind.serve(asking(protocol, **{name: cookie}))
        assert answer.status == 200
        assert answer.told is None
        assert handed(answer.given, name) == cookie


@EACH_PROTOCOL
@pytest.mark.parametrize(
    ("cookie", "left", "kinds", "excerpts"), FAULTY, ids=[ascii(row[0]) for row in FAULTY]
)
def test_only_the_faulty_cookie_is_removed(
    protocol: Protocol, cookie: bytes, left: bytes | None, kinds: list[Kind], excerpts: list[bytes]
) -> None:
    request = asking(protocol, accept=b"*/*", cookie=cookie, referer=b"http://h/")
    answer = protocol.behind(headers=DROPPING).serve(request)
    assert answer.status == 200
    assert handed(answer.given, "cookie") == left
    assert handed(answer.given, "accept") == b"*/*"
    assert handed(answer.given, "referer") == b"http://h/"
    found = answer.report.findings
    assert [each.kind for each in found] == kinds
    assert [each.excerpt for each in found] == excerpts
    for each in found:
        assert (each.component, each.action) == (Component.COOKIE, Action.DROP_PAIR)
        assert cookie[each.offset : each.offset + len(each.excerpt)] == each.excerpt
    refused = protocol.behind(headers=REFUSING).serve(request)
    assert (refused.status, refused.given) == (400, None)
    assert refused.kinds == list(dict.fromkeys(kind.slug for kind in kinds))
    reported = protocol.behind(headers=REPORTING).serve(request)
    assert handed(reported.given, "cookie") == cookie
    assert [each.action for each in reported.report.findings] == [Action.REPORT] * len(kinds)


@EACH_PROTOCOL
@pytest.mark.parametrize(
    "referer", [b"http://h/?q=%00", b"http://h/%C4", b"http://h/\xe9", b"http://h/\tx", b"http://h/;b=%00;"]
)
def test_a_faulty_referer_is_removed(protocol: Protocol, referer: bytes) -> None:
    request = asking(protocol, cookie=b"a=1", referer=referer)
    answer = protocol.behind(headers=DROPPING).serve(request)
    assert answer.status == 200
    assert handed(answer.given, "referer") is None
    assert handed(answer.given, "cookie") == b"a=1"
    (finding,) = answer.report.findings
    assert (finding.component, finding.name) == (Component.REFERER, None)
    assert protocol.behind(headers=REFUSING).serve(request).status == 400
    assert protocol.behind(headers={"cookie": Action.REJECT}).serve(request).status == 200


@EACH_PROTOCOL
def test_without_the_setting_nothing_is_judged(protocol: Protocol) -> None:
    request = asking(protocol, cookie=b"a=%00", referer=b"\xff")
    for settings in ({}, {"headers": {}}, {"headers": None}):
        answer = protocol.behind(**settings).serve(request)
        assert (answer.status, answer.told) == (200, None)
        assert handed(answer.given, "cookie") == b"a=%00"


@EACH_PROTOCOL
def test_observed_fields_are_unchanged(protocol: Protocol) -> None:
    request = asking(protocol, cookie=b"a=%00; b=1")
    answer = protocol.behind(headers=DROPPING, enforce=False).serve(request)
    assert all(answer.given[key] is each for key, each in request.items())
    assert [each.kind for each in answer.report.findings] == [Kind.NUL]


def test_several_cookie_fields_are_judged_as_one() -> None:
    """HTTP/2 may split a Cookie into many fields: RFC 9113, section 8.2.3."""
    crumbs = [(b"cookie", b"a=1"), (b"x", b"y"), (b"cookie", b"b=%00"), (b"cookie", b"c=3; d=%C4")]
    answer = ASGI.behind(headers=DROPPING).serve(scope_of(b"/a", headers=crumbs))
    assert answer.given["headers"] == [(b"cookie", b"a=1; c=3"), (b"x", b"y")]
    whole = b"a=1; b=%00; c=3; d=%C4"
    for each in answer.report.findings:
        assert whole[each.offset : each.offset + len(each.excerpt)] == each.excerpt


def test_a_secret_is_never_reported() -> None:
    answer = WSGI.behind(headers=DROPPING).serve(asking(WSGI, cookie=b"session=secret%00secret; b=2"))
    (finding,) = answer.report.findings
    assert str(finding) == 'nul in cookie at 14: "%00", of "session" (drop-pair)'


@EACH_PROTOCOL
def test_findings_are_bounded(protocol: Protocol) -> None:
    answer = protocol.behind(headers=DROPPING).serve(asking(protocol, cookie=b"a=%00;" * 1000))
    assert len(answer.report.findings) == 8
    assert answer.report.truncated
    assert handed(answer.given, "cookie") in {b"", None}


@given(
    st.lists(
        st.sampled_from([b"a=1", b";", b"; ", b"%00", b"\xff", b"%C3", b"%A9", b"=", b"%", b"\t", b"\0"])
    )
)
def test_what_is_left_has_no_fault_and_is_unchanged(pieces: list[bytes]) -> None:
    octets = b"".join(pieces)
    rules = FieldRules(DROPPING)
    judged = rules.judge("cookie", [octets])
    sent = [piece.strip(b" \t") for piece in octets.split(b";")]
    for value in judged.values:
        assert b"\0" not in percent_decode(value)
        assert rules.judge("cookie", [value]) == type(judged)((value,))
        assert all(piece.strip(b" \t") in sent for piece in value.split(b";"))
    if rules.proves([octets]):
        assert judged == type(judged)((octets,))


@EACH_PROTOCOL
@pytest.mark.parametrize(
    ("headers", "message"),
    [
        ("cookie", "headers='cookie': write a dict such as {'cookie': Action.DROP_PAIR}"),
        (["cookie"], "headers=['cookie']: write a dict such as {'cookie': Action.DROP_PAIR}"),
        ({"host": Action.REJECT}, "headers={'host': ...}: name 'cookie' or 'referer'"),
        ({5: Action.REJECT}, "headers={5: ...}: name 'cookie' or 'referer'"),
        (
            {"cookie": "drop"},
            "headers={'cookie': 'drop'}: write one of Action.REPORT, Action.DROP_PAIR, Action.REJECT",
        ),
        (
            {"Cookie": Action.DROP},
            f"headers={{'Cookie': {Action.DROP!r}}}: write one of "
            "Action.REPORT, Action.DROP_PAIR, Action.REJECT",
        ),
        (
            {"referer": Action.DROP_PAIR},
            f"headers={{'referer': {Action.DROP_PAIR!r}}}: write one of "
            "Action.REPORT, Action.DROP, Action.REJECT",
        ),
        (
            {"cookie": Action.REJECT, "Cookie": Action.REPORT},
            "headers: 'Cookie' is listed twice, in different spellings",
        ),
    ],
)
def test_settings_that_cannot_work(protocol: Protocol, headers: Any, message: str) -> None:
    with pytest.raises(PolicyError, match=f"^{re.escape(message)}$"):
        protocol.behind(headers=headers)


def test_faults_of_two_readings_are_found_in_order() -> None:
    # Unescaping turns two octets into a character, and a NUL is written after it.
    judged = FieldRules({"cookie": Action.REJECT}).judge("cookie", [b'a="\xc3\\\xa9 \\000"'])
    assert [(each.kind, each.offset) for each in judged.findings] == [
        (Kind.ILL_FORMED_UTF8, 3),
        (Kind.ILL_FORMED_UTF8, 5),
        (Kind.NUL, 7),
    ]


@pytest.mark.parametrize("escape", [b"%09", b"%0A", b"%0d", b"%26"])
def test_a_fault_after_an_escape_without_a_fault_has_its_own_offset(escape: bytes) -> None:
    (found,) = FieldRules({"cookie": Action.REPORT}).judge("cookie", [b"a=" + escape + b"%00"]).findings
    assert (found.offset, found.excerpt) == (5, b"%00")


def test_an_ampersand_in_a_cookie_separates_nothing() -> None:
    report = FieldRules({"cookie": Action.REPORT}).judge("cookie", [b"a=1&b=%00; c=%01"])
    assert [(found.name, found.offset) for found in report.findings] == [("a", 6), ("c", 13)]
    dropped = FieldRules({"cookie": Action.DROP_PAIR}).judge("cookie", [b"a=1&b=%00; c=2"])
    assert dropped.values == (b"c=2",)


@pytest.mark.parametrize("behind", [b"", b"a", b"\xff\\" * 40, b"\\\xff" * 300])
def test_faults_that_another_reading_covers_are_passed(behind: bytes) -> None:
    # Without the backslashes, all octets are one fault; with them, each octet is a fault inside it.
    cookie = b"\xa9\\" * 3500 + b"a\xc3%a9" + behind
    rules = FieldRules({"cookie": Action.DROP_PAIR})
    found: list[Any] = []
    assert steps_of(lambda: found.append(rules.judge("cookie", [cookie]))) < 1000
    assert [each.offset for each in found[0].findings[:2]] == [0, 7001]


ILL_FORMED_SEQUENCES = [
    (b"\xbf\xbf", "stray"), (b"\xe0\x80\x80", "overlong"), (b"\xf0\x80\x80\x80", "overlong"),
    (b"\xed\xa0\x80", "surrogate"), (b"\xf4\x90\x80\x80", "out-of-range"),
    (b"\xfd\xbf\xbf\xbf\xbf\xbf", "out-of-range"), (b"\xe0\xa0", "truncated"), (b"\xf4\x8f\xbf", "truncated"),
]  # fmt: skip


@pytest.mark.parametrize(("octets", "named"), ILL_FORMED_SEQUENCES)
def test_the_class_of_ill_formed_utf8_is_found_in_the_longest_spelling(octets: bytes, named: str) -> None:
    escaped = "".join(f"%{octet:02X}" for octet in octets)
    cookie = 'a="' + "".join(f"\\{ord(each):03o}" for each in escaped) + '"'
    (found, *_) = FieldRules(REPORTING).judge("cookie", [cookie.encode()]).findings
    assert (found.kind, found.detail) == (Kind.ILL_FORMED_UTF8, named)

"""Urlencoded forms: what is judged in them, their charsets, and which Content-Type makes a body a form."""

from __future__ import annotations

import codecs
import itertools
import re
from collections.abc import Sequence
from functools import partial
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters import ASGI, EACH_PROTOCOL, WSGI, Protocol
from bodies import FORM, post
from laws.strategies import with_rule
from postel import (
    LATIN,
    Action,
    Bodies,
    Component,
    Finding,
    Forms,
    Json,
    Kind,
    Limits,
    Policy,
    PolicyError,
    report_of,
)
from postel._alphabet.charset_labels import CODECS
from postel._alphabet.steps import finished
from postel._bodies.charsets import Charsets
from postel._bodies.content_type import FormType, content_type, form_type
from postel._bodies.form_blocks import blocks_of
from postel._bodies.urlencoded import FormRules, JudgedForm
from postel._normalizer.findings import NOTHING, Collector
from postel._normalizer.source_map import Mapped
from sampling import EVERY, sample
from together import together

STANDARD = Policy.STANDARD
WESTERN = Forms(charsets=["windows-1252", "shift_jis", "gb18030", "koi8-r"])


def judge(
    octets: bytes, policy: Policy = STANDARD, forms: Forms | None = None, codec: str | None = None
) -> JudgedForm:
    return FormRules(policy, Forms() if forms is None else forms).judge(octets, codec)


# -- what is in a form ---------------------------------------------------------------------------------------

READ = [
    # Each row: octets, what the application reads, and the kinds that are found.
    (b"", b"", []),
    (b"q=1&q=2&&flag&=x", b"q=1&q=2&&flag&=x", [Kind.EMPTY_NAME]),
    (b"q=caf%C3%A9+%2B", b"q=caf%C3%A9+%2B", []),
    ("q=café".encode(), b"q=caf%C3%A9", [Kind.RAW_NON_ASCII]),
    (b"q=50%+off", b"q=50%25+off", [Kind.MALFORMED_ESCAPE]),
    (b"q=%zz", b"q=%25zz", [Kind.MALFORMED_ESCAPE]),
    (b"q=a b{c}", b"q=a b{c}", [Kind.ILLEGAL_CHARACTER] * 3),
    (b'{"q": "a|b"}', b'{"q": "a|b"}', [Kind.ILLEGAL_CHARACTER] * 5),
    (b"q=a;b", b"q=a%3Bb", [Kind.SEMICOLON]),
    (b"q=two%0D%0Alines", b"q=two%0D%0Alines", []),
    (b"q=two%0Alines%0D", b"q=two%0Alines%0D", []),
    (b"q=%09", b"q=%09", []),
    (b"a[]=1&a[]=2", b"a[]=1&a[]=2", []),
    (b"q=%00", None, [Kind.NUL]),
    (b"q=a\0", None, [Kind.NUL]),
    (b"q=%C4", None, [Kind.ILL_FORMED_UTF8]),
    (b"q=\xff", None, [Kind.ILL_FORMED_UTF8]),
    (b"q=%C0%AF", None, [Kind.ILL_FORMED_UTF8]),
    (b"q=%1B", None, [Kind.CONTROL]),
    (b"q=1\r\n", None, [Kind.CONTROL]),
    (b"q%0A=1", None, [Kind.NAME_LINE_BREAK]),
    (b"q=%u00e9", None, [Kind.UNICODE_ESCAPE]),
    (b"utm_source=%C4&q=1", b"q=1", [Kind.ILL_FORMED_UTF8]),
    (b"q=%E2%80%AE", b"q=%E2%80%AE", [Kind.BIDI_CONTROL]),
    (b"q=%zz" + b"a" * 3000, b"q=%25zz" + b"a" * 3000, [Kind.MALFORMED_ESCAPE]),
    (b"&".join([b"a=1"] * 1001), None, [Kind.TOO_MANY_PAIRS]),
    (b"q=" + b"a" * 65_536, b"q=" + b"a" * 65_536, []),
    (b"q=" + b"a" * 65_537, None, [Kind.LONG_VALUE]),
    (b"a" * 2049, None, [Kind.LONG_NAME]),
    (b"a" + b"[b]" * 33 + b"=1", None, [Kind.TOO_DEEP]),
]


@EACH_PROTOCOL
@together("chunked", [False, True], ids=["length", "chunked"])
@together(("octets", "read", "kinds"), READ, ids=[ascii(row[0][:24]) for row in READ])
def test_what_the_application_reads(
    protocol: Protocol, chunked: bool, octets: bytes, read: bytes | None, kinds: list[Kind]
) -> None:
    asked = post(protocol, octets, chunked=chunked)
    if kinds:
        assert asked.told is not None
        assert [each.kind for each in asked.told.findings] == kinds
        assert {each.component for each in asked.told.findings} == {Component.FORM}
        for each in asked.told.findings:
            assert octets[each.offset : each.offset + len(each.excerpt)] == each.excerpt
    else:
        assert asked.told is None
    if read is None:
        assert (asked.status, asked.kinds) == (kinds[0].check.status, [kinds[0].slug])
        assert asked.given is None
        return
    assert (asked.status, asked.body) == (200, read)
    assert asked.header("content-length") == str(len(read))
    assert asked.header("transfer-encoding") is None
    assert asked.header("content-type") == FORM


@EACH_PROTOCOL
def test_policies_set_the_actions_for_forms(protocol: Protocol) -> None:
    assert post(protocol, b"q=%7e", Policy.STRICT).body == b"q=~"
    assert post(protocol, b"q=a%C4b&p=1", Policy.LENIENT).body == b"p=1"
    policy = STANDARD.replacing(Kind.ILL_FORMED_UTF8, on=Component.FORM)
    assert post(protocol, b"q=a%C4b&p=1", policy).body == b"q=a%EF%BF%BDb&p=1"
    assert post(protocol, b"", policy, target=b"/a?q=%C4").status == 400
    named = STANDARD.allowing(Kind.NUL, on=Component.FORM, names=["blob"])
    assert post(protocol, b"blob=%00", named).status == 200
    assert post(protocol, b"other=%00", named).status == 400
    assert post(protocol, b"q=" + b"a" * 9000, STANDARD.limiting(value=10_000)).status == 200
    assert post(protocol, b"q=" + b"a" * 9000, STANDARD.limiting(form_value=8999)).status != 200
    assert (
        post(protocol, b"a=1&a=2", STANDARD.repairing(Kind.DUPLICATE_NAME, on=Component.FORM)).body == b"a=1"
    )


@EACH_PROTOCOL
def test_a_route_has_its_own_policy_for_forms(protocol: Protocol) -> None:
    routes = {"/raw": STANDARD.allowing(Kind.NUL, on=Component.FORM)}
    assert post(protocol, b"q=%00", target=b"/raw/x", routes=routes).body == b"q=%00"
    assert post(protocol, b"q=%00", target=b"/%72aw", routes=routes).body == b"q=%00"
    assert post(protocol, b"q=%00", target=b"/other", routes=routes).status == 400
    assert post(protocol, b"q=%00", target=b"/raw/../other", routes=routes).status == 400


NEWLINES = [
    (b"q=a%0Ab", b"q=a%0D%0Ab"),
    (b"q=a%0Db", b"q=a%0D%0Ab"),
    (b"q=a%0d%0ab", b"q=a%0D%0Ab"),
    (b"q=+%0a", b"q=%20%0D%0A"),
    (b"q=%0A%0D", b"q=%0D%0A%0D%0A"),
    (b"q=%0D%0D%0A%0A", b"q=%0D%0A%0D%0A%0D%0A"),
    (b"q=%0D&p=%0A", b"q=%0D%0A&p=%0D%0A"),
    (b"q=%250A", b"q=%250A"),
]


@pytest.mark.parametrize(("octets", "read"), NEWLINES)
def test_newlines_are_written_as_in_html(octets: bytes, read: bytes) -> None:
    assert judge(octets, Policy.STRICT).octets == read
    repairs = STANDARD.repairing(Kind.LONE_NEWLINE)
    assert judge(judge(octets, repairs).octets or b"", Policy.STRICT).octets == read
    assert judge(read, repairs) == JudgedForm(read)
    assert judge(octets).octets == octets, "by default line breaks are not changed"
    refusing = STANDARD.rejecting(Kind.LONE_NEWLINE)
    assert (judge(octets, refusing).octets is None) is (judge(octets, repairs).findings != ())


def test_a_run_of_newlines_is_one_finding() -> None:
    run = b"%0A" * 9 + b"%0D" * 9
    judged = judge(b"q=" + run + b"a%0A", STANDARD.repairing(Kind.LONE_NEWLINE))
    assert judged.octets == b"q=" + b"%0D%0A" * 18 + b"a%0D%0A"
    assert [(each.offset, each.excerpt) for each in judged.findings] == [(2, run[:48]), (57, b"%0A")]


ALPHABET = (b"a", b"%0A", b"%0D", b"&", b"=", b"%", b"+", b"%C3", b"%A9")


@pytest.mark.no_cover
def test_the_proof_and_the_full_judgement_agree() -> None:
    for policy in (Policy.STRICT, STANDARD.repairing(Kind.LONE_NEWLINE)):
        rules = FormRules(policy, Forms())
        for size in range(5):
            for each in itertools.product(ALPHABET, repeat=size):
                octets = b"".join(each)
                quick = rules._engine.prove(octets) and rules._limits.hold(octets)
                judged = rules.judge(octets)
                if quick:
                    detected = rules._engine.judge(_draft(octets), _notes())
                    assert all(each is NOTHING for each in map(detected.of, detected.matches))
                if judged.octets is not None:
                    again = rules.judge(judged.octets)
                    assert again.octets == judged.octets
                    assert not any(each.action.edits for each in again.findings)


def _draft(octets: bytes) -> Mapped:
    return Mapped(octets, Component.FORM)


def _notes() -> Collector:
    return Collector(Limits())


BLOCKS = (
    b"a=1",
    b"&",
    b"=%C4",
    b"%00",
    b"%0A",
    b"\xc3\xa9",
    b"%",
    b"utm_x=%FF",
    b"_charset_=utf-8",
    b"a",
    b"%u202e",
)


@pytest.mark.no_cover
@EVERY
@pytest.mark.parametrize(
    "policy",
    [
        STANDARD,
        Policy.STRICT,
        Policy.LENIENT,
        STANDARD.repairing(Kind.DUPLICATE_NAME, Kind.EMPTY_PAIR, Kind.LONE_NEWLINE),
        STANDARD.rejecting(Kind.DUPLICATE_NAME, names=["a"]),
        Policy.LENIENT.repairing(Kind.EMPTY_PAIR),
        Policy.LENIENT.rejecting(Kind.RAW_NON_ASCII),
    ],
    ids=str,
)
def test_blocks_give_the_same_result_as_the_whole_form(policy: Policy, every: int) -> None:
    rules = FormRules(policy, Forms())
    for each in sample(itertools.product(BLOCKS, repeat=4), every):
        octets = b"".join(each)
        whole, parts = rules.judge(octets), rules.judge(octets, block=1)
        assert whole.octets == parts.octets, octets
        for finding in parts.findings:
            assert octets[finding.offset : finding.offset + len(finding.excerpt)] == finding.excerpt
        assert set(whole.findings) == set(parts.findings), octets


class Counting:
    """Counts the blocks of a form that are judged."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        judged = FormRules._judged

        def counted(*arguments: Any) -> bytes | None:
            self.count += 1
            return judged(*arguments)

        monkeypatch.setattr(FormRules, "_judged", counted)


REPEATED = [
    pytest.param(STANDARD, id="no rule for repeated names"),
    pytest.param(STANDARD.rejecting(Kind.DUPLICATE_NAME, on=Component.QUERY, names=["id"]), id="in queries"),
    pytest.param(STANDARD.repairing(Kind.DUPLICATE_NAME, on=Component.QUERY), id="in all of a query"),
    pytest.param(STANDARD.rejecting(Kind.DUPLICATE_NAME, on=Component.FORM, names=["id"]), id="in forms"),
    pytest.param(STANDARD.repairing(Kind.DUPLICATE_NAME), id="everywhere"),
    pytest.param(STANDARD.allowing(Kind.DUPLICATE_NAME, on=Component.FORM, names=["id"]), id="by name"),
]


@pytest.mark.parametrize("policy", REPEATED)
def test_every_rule_is_judged_in_blocks(policy: Policy, monkeypatch: pytest.MonkeyPatch) -> None:
    counting = Counting(monkeypatch)
    judged = FormRules(policy, Forms()).judge(b"&".join([b"q=%zz"] * 100), block=1)
    assert judged.octets is not None
    assert counting.count == 100


@pytest.mark.parametrize("block", [1, 5, 100])
@pytest.mark.parametrize(("which", "kept"), [("first", b"a=1&b=2&%61c=5"), ("last", b"b=2&a=4&%61c=5")])
def test_a_repeated_name_is_found_across_blocks(
    which: Literal["first", "last"], kept: bytes, block: int
) -> None:
    rules = FormRules(STANDARD.repairing(Kind.DUPLICATE_NAME).keeping(which), Forms())
    judged = rules.judge(b"a=1&b=2&%61=3&a=4&%61c=5", block=block)
    assert judged.octets == kept
    assert len(judged.findings) == 2


@pytest.mark.parametrize("block", [1, 100])
def test_a_name_that_an_edit_creates_can_be_a_repetition(block: int) -> None:
    rules = FormRules(STANDARD.repairing(Kind.UNICODE_ESCAPE).rejecting(Kind.DUPLICATE_NAME), Forms())
    assert rules.judge(b"b=1&%u0061=2", block=block).octets == b"b=1&a=2"
    assert rules.judge(b"a=1&%u0061=2", block=block).octets is None
    assert rules.judge(b"%u0061=2&a=1", block=block).octets is None


RENAMED = [
    pytest.param(b"a=1&%u0061=2&b=3", b"a=1&b=3", id="the second name is edited"),
    pytest.param(b"%u0061=2&a=1&b=3", b"a=2&b=3", id="the first name is edited"),
    pytest.param(b"%u0061=2&b=3&a%FF=1", b"a=2&b=3", id="two names are edited, by different stages"),
    pytest.param(b"%u0061=%00&b=3&a=1", b"b=3&a=1", id="the first pair is dropped for its value"),
    pytest.param(b"a=%u0001&b=3&a%FF=1", b"b=3&a=1", id="the first pair is dropped after an edit"),
    pytest.param(b"%u0061=1&b=3&%u0062=1", b"a=1&b=3", id="a name without an edit in between"),
]


@pytest.mark.parametrize("block", [1, 5, 100])
@pytest.mark.parametrize(("form", "edited"), RENAMED)
def test_edited_names_are_compared_across_blocks(form: bytes, edited: bytes, block: int) -> None:
    rules = FormRules(Policy.LENIENT.repairing(Kind.DUPLICATE_NAME), Forms())
    assert rules.judge(form, block=block).octets == edited


@pytest.mark.parametrize("block", [1, 100])
def test_a_pair_outside_an_accepted_range_does_not_count_as_the_first(block: int) -> None:
    policy = STANDARD.repairing(Kind.DUPLICATE_NAME).accepting(LATIN, on=Component.FORM)
    rules = FormRules(policy.dropping_pairs(Kind.OUTSIDE_ACCEPTED_RANGE), Forms())
    assert rules.judge("a=Д&a=x&b=2".encode(), block=block).octets == b"a=x&b=2"


def test_findings_of_many_blocks_are_bounded_and_keep_the_reason() -> None:
    rules = FormRules(STANDARD, Forms())
    found = rules.judge(b"q=%zz&" * 100 + b"q=%00&" * 3, block=10)
    assert (len(found.findings), found.truncated) == (32, True)
    assert found.findings[-1].kind is Kind.NUL
    assert sum(each.kind is Kind.NUL for each in found.findings) == 1
    whole = rules.judge(b"q=%zz&" * 100 + b"q=%00&" * 3)
    assert (len(whole.findings), whole.truncated) == (32, True)


@pytest.mark.parametrize(("many", "truncated"), [(32, False), (33, True)])
def test_long_names_are_cut_short_like_other_findings(many: int, truncated: bool) -> None:
    form = b"&".join([b"ab"] * many)
    rules = FormRules(STANDARD.limiting(name=1), Forms())
    blocks = [(start, partial(form.__getitem__, slice(start, end))) for start, end in blocks_of(form, 30)]
    for found in (rules.judge(form), finished(rules.judging_unedited(blocks))):
        assert [each.kind for each in found.findings] == [Kind.LONG_NAME] * 32
        assert (found.octets, found.truncated) == (None, truncated)


RULES = [
    (kind, action)
    for kind in Kind
    if Component.FORM in kind.check.presets
    for action in sorted(kind.check.actions[Component.FORM], key=lambda each: each.value)
]


@st.composite
def policies(draw: st.DrawFn) -> Policy:
    """Return any preset with a few rules for forms."""
    policy = draw(st.sampled_from([Policy.STRICT, Policy.STANDARD, Policy.LENIENT]))
    for kind, action in draw(st.lists(st.sampled_from(RULES), max_size=4)):
        names = draw(st.sampled_from([None, ["a"], ["*"]]))
        policy = with_rule(policy, kind, Component.FORM, action, names)
    return policy


NAMED = [b"_charset_=", b"_charset_=latin1", b"%u005fcharset_=koi8-r", b"%FF_charset_=bogus"]
"""Fields that name a charset, some of them only after an edit."""


@given(
    st.lists(st.sampled_from([*ALPHABET, *NAMED, b"\xe9", b"%00", b"\n"])),
    policies().map(str),
    st.sampled_from([None, "utf-8", "cp1252", "cp932", "gb18030"]),
)
def test_laws(pieces: list[bytes], text: str, codec: str | None) -> None:
    policy = Policy.parse(text)
    octets = b"".join(pieces)
    rules = FormRules(policy, WESTERN)
    judged = rules.judge(octets, codec, block=8)
    for each in judged.findings:
        assert octets[each.offset : each.offset + len(each.excerpt)] == each.excerpt
    if judged.octets is None:
        assert any(each.action is Action.REJECT for each in judged.findings)
    else:
        again = rules.judge(judged.octets)
        assert again.octets == judged.octets
        assert not any(each.action.edits for each in again.findings)


# -- beside a digest -----------------------------------------------------------------------------------------


def signed(octets: bytes, codec: str | None = None) -> JudgedForm:
    return finished(FormRules(STANDARD, WESTERN).judging(octets, codec, signed=True))


@pytest.mark.parametrize(
    ("octets", "kinds"), [pytest.param(each[0], each[2], id=repr(each[0])) for each in READ]
)
def test_beside_a_digest_a_form_passes_unchanged_or_not_at_all(octets: bytes, kinds: list[Kind]) -> None:
    result, other = signed(octets), judge(octets)
    assert result.octets == (octets if other.octets == octets else None)
    assert [each.kind for each in result.findings] == kinds
    if other.octets not in {octets, None}:
        edited = [each for each in other.findings if each.action.edits]
        refused = [each for each in result.findings if each.action is Action.REJECT]
        assert [each.offset for each in refused] == [edited[0].offset]
        assert refused[0].detail == "a header holds a digest of the body"


@pytest.mark.parametrize(
    ("octets", "codec", "slug"),
    [
        pytest.param(b"q=\xe9", "windows-1252", "form-coding", id="in another charset"),
        pytest.param(b"_charset_=windows-1252&q=1", None, "form-coding", id="a charset field"),
        pytest.param(b"&=x" * 40 + b"\xc3\xa9", None, "unjudged-body", id="unlisted"),
    ],
)
def test_beside_a_digest_an_edit_that_no_finding_lists_is_refused(
    octets: bytes, codec: str | None, slug: str
) -> None:
    other = judge(octets, STANDARD, WESTERN, codec)
    assert other.octets not in {None, octets}
    result = signed(octets, codec)
    assert result.octets is None
    assert result.findings[-1].kind.slug == slug
    assert len(result.findings) == min(32, len(other.findings) + 1)
    assert result.truncated == other.truncated == (len(other.findings) == 32)


@EACH_PROTOCOL
def test_a_digest_of_the_body_forbids_a_repair(protocol: Protocol) -> None:
    slack = Forms(signed=["X-Slack-Signature"])
    for name in ("content-digest", "repr-digest", "digest", "content-md5", "signature", "x-slack-signature"):
        refused = post(protocol, b"q=50%", forms=slack, fields={name: "x"})
        assert (refused.status, refused.kinds, refused.given) == (400, ["malformed-escape"], None)
        assert post(protocol, b"q=50%25", forms=slack, fields={name: "x"}).body == b"q=50%25"
        watched = post(protocol, b"q=50%", forms=slack, fields={name: "x"}, enforce=False)
        assert watched.body == b"q=50%"
        both = post(protocol, b"q=50%", forms=slack, json=True, fields={name: "x"})
        assert both.kinds == ["malformed-escape"]
    assert post(protocol, b"q=50%", fields={"x-slack-signature": "x"}).body == b"q=50%25"
    merged = post(protocol, b"q=50%", forms=slack, fields={"x_slack_signature": "x"})
    assert (merged.status, merged.kinds) == (400, ["malformed-escape"])


# -- charsets ------------------------------------------------------------------------------------------------

CODED = [
    # Each row: the charset of Content-Type, the octets, and what is read; None for a refusal.
    ("utf-8", b"q=%C3%A9", b"q=%C3%A9"),
    ("UTF-8", b"q=%C3%A9", b"q=%C3%A9"),
    ('"utf-8"', b"q=%C3%A9", b"q=%C3%A9"),
    ("utf8", b"q=%C3%A9", b"q=%C3%A9"),
    ("windows-1252", b"q=caf%E9&p=%80+%zz", b"q=caf%C3%A9&p=%E2%82%AC+%25zz"),
    ("latin1", b"q=caf\xe9", b"q=caf%C3%A9"),
    ("ISO-8859-1", b"q=%93x%94", b"q=%E2%80%9Cx%E2%80%9D"),
    ("us-ascii", b"q=x", b"q=x"),
    ("windows-1252", b"q=%81", None),
    ("windows-1252", b"q=%00", None),
    ("shift_jis", b"q=%83%5C&p=%83\\", b"q=%E3%82%BD&p=%E3%82%BD"),
    ("shift_jis", b"q=%83&p=1", None),
    ("shift_jis", b"q=%83", None),
    ("gb18030", b"q=%FF%FF%FF%FFx", None),
    ("windows-1252", b"q=%81 is not the lead of anything", None),
    ("gb18030", b"q=%810%810x", b"q=%C2%80x"),
    ("gbk", b"%C4%E3=%BA%C3", b"%E4%BD%A0=%E5%A5%BD"),
    ("koi8-r", b"q=%C4", b"q=%D0%B4"),
    ("windows-1251", b"q=%C4", None),
    ("utf-16", b"q=1", None),
    ("utf-7", b"q=1", None),
    ("bogus", b"q=1", None),
    ("hex", b"q=1", None),
]


@EACH_PROTOCOL
@pytest.mark.parametrize(("charset", "octets", "read"), CODED, ids=[f"{row[0]} {row[1]!r}" for row in CODED])
def test_charsets(protocol: Protocol, charset: str, octets: bytes, read: bytes | None) -> None:
    asked = post(protocol, octets, content_type=f"{FORM}; charset={charset}", forms=WESTERN)
    if read is None:
        assert asked.given is None
        assert asked.status == (400 if b"%00" in octets else 415)
        return
    assert asked.body == read
    assert asked.header("content-length") == str(len(read))
    usual = charset.lower() == "utf-8"
    assert asked.header("content-type") == (f"{FORM}; charset={charset}" if usual else FORM)


FIELD = [
    (b"_charset_=utf-8&q=%C3%A9", b"_charset_=utf-8&q=%C3%A9"),
    (b"_charset_=UTF-8&q=%C3%A9", b"_charset_=UTF-8&q=%C3%A9"),
    (b"_charset_=&q=%C3%A9", b"_charset_=&q=%C3%A9"),
    (b"_charset_=%20&q=%C3%A9", b"_charset_=%20&q=%C3%A9"),
    (b"_charset_&q=%C3%A9", b"_charset_&q=%C3%A9"),
    (b"q=%E9&_charset_=windows-1252", b"q=%C3%A9&_charset_=UTF-8"),
    (b"q=%E9&_ch%61rset%5f=+latin1", b"q=%C3%A9&_ch%61rset%5f=UTF-8"),
    (b"q=%E9&_charset_=latin1&_charset_=windows-1252", b"q=%C3%A9&_charset_=UTF-8&_charset_=UTF-8"),
    (b"q=%E9&_charset_=latin1&_charset_=utf-8", None),
    (b"_charset_=bogus", None),
    (b"_charset_=utf-8" + b"%20" * 80, b"_charset_=utf-8" + b"%20" * 80),
    (b"_charset_=utf-8" + b"%20" * 90, None),
    (b"_charset_=" + b"+" * 300, None),
    (b"_charset_=%FF", None),
    (b"_charset_=utf-16", None),
    (b"utm_source_charset_=%FF&_charset_=bogus", None),
    (b"x_charset_=bogus&_Charset_=bogus", b"x_charset_=bogus&_Charset_=bogus"),
]


@EACH_PROTOCOL
@pytest.mark.parametrize(("octets", "read"), FIELD)
def test_the_field_that_names_the_charset(protocol: Protocol, octets: bytes, read: bytes | None) -> None:
    asked = post(protocol, octets, forms=WESTERN)
    if read is None:
        assert (asked.status, asked.kinds) == (415, ["form-coding"])
    else:
        assert asked.body == read
    without = post(protocol, octets)
    assert (without.status == 415) is (read is None or b"%E9" in octets)


@EACH_PROTOCOL
@pytest.mark.parametrize(
    ("charset", "detail"),
    [
        ("ISO-8859-1", "a charset that Forms(charsets=...) can accept"),
        ("utf-16", "a charset that is not accepted"),
        ("<x>", "a charset that is not accepted"),
    ],
)
def test_a_charset_that_a_setting_would_accept_is_told_from_others(
    protocol: Protocol, charset: str, detail: str
) -> None:
    asked = post(protocol, b"q=1", content_type=f'{FORM}; charset="{charset}"')
    assert asked.told is not None
    found = asked.told.findings[-1]
    assert (found.kind.slug, found.detail) == ("form-coding", detail)


MADE: list[tuple[bytes, str | None, bytes | None]] = [
    (b"%FF_charset_=latin1&q=%C3%A9", None, None),
    (b"%FF_charset_=utf-8&q=%C3%A9", None, b"_charset_=utf-8&q=%C3%A9"),
    (b"%u005fcharset_=utf-7&q=%E9", "cp1252", None),
    (b"%u005fcharset_=koi8-r&q=%E9", "cp1252", None),
    (b"%u005fcharset_=windows-1252&q=%E9", "cp1252", None),
    (b"%u005fcharset_=utf-8&q=%E9", "cp1252", b"_charset_=utf-8&q=%C3%A9"),
    (b"_charset_=windows-1252&%u005fcharset_=utf-7&q=%E9", None, None),
    (b"_charset_=windows-1252&%u005fcharset_=windows-1252&q=%E9", None, None),
]


@pytest.mark.parametrize(("octets", "codec", "read"), MADE, ids=[f"{row[0]!r} {row[1]}" for row in MADE])
def test_an_edit_makes_no_field_that_names_another_charset(
    octets: bytes, codec: str | None, read: bytes | None
) -> None:
    """An edit may drop octets, or decode ``%u005f``; the form is handed on in UTF-8."""
    found = judge(octets, Policy.LENIENT, WESTERN, codec)
    assert found.octets == read
    assert (Kind.FORM_CODING in {each.kind for each in found.findings}) is (read is None)


@EACH_PROTOCOL
def test_header_and_field_must_name_the_same_charset(protocol: Protocol) -> None:
    utf8, latin = f"{FORM}; charset=utf-8", f"{FORM}; charset=latin1"
    assert post(protocol, b"_charset_=latin1", content_type=utf8, forms=WESTERN).status == 415
    assert post(protocol, b"_charset_=utf-8", content_type=latin, forms=WESTERN).status == 415
    assert post(protocol, b"_charset_=windows-1252", content_type=latin, forms=WESTERN).status == 200


def test_a_fault_points_at_received_octets() -> None:
    found = judge(b"q=%E9%E9&p=%C2%00", forms=WESTERN, codec="cp1252").findings
    assert [(each.kind, each.offset, each.excerpt) for each in found if each.action is Action.REJECT] == [
        (Kind.NUL, 14, b"%00")
    ]
    found = judge(b"q=x&p=%81%41", forms=WESTERN, codec="cp1252").findings
    assert found == (
        Finding(
            Kind.FORM_CODING,
            Component.FORM,
            6,
            b"%81",
            Action.REJECT,
            detail="octets that the charset does not define",
        ),
    )


def test_labels_name_codecs_of_python() -> None:
    for label, codec in CODECS.items():
        assert codecs.lookup(codec).name
        assert label == label.lower()
        assert Charsets([label.upper()]).codec(label) == codec


# -- Content-Type --------------------------------------------------------------------------------------------

TYPES = [
    ("application/x-www-form-urlencoded", FormType()),
    ("application/x-www-form-urlencoded; boundary=x", FormType(usual=False)),
    ("application/x-www-form-urlencoded; boundary*=utf-8''x", FormType(usual=False)),
    ("application/x-www-form-urlencoded;charset=utf-8", FormType("utf-8")),
    ("application/x-www-form-urlencoded; Charset=UTF-8", FormType("utf-8")),
    ("application/x-www-form-urlencoded; charset=utf-8; x=y", FormType("utf-8", usual=False)),
    ("APPLICATION/X-WWW-FORM-URLENCODED", FormType(usual=False)),
    ("application/x-www-form-urlencoded \t", FormType(usual=False)),
    ("application/x-www-form-urlencoded;", FormType(usual=False)),
    ("application/x-www-form-urlencoded; ;;", FormType(usual=False)),
    ('application/x-www-form-urlencoded; x="a;\\"b c"', FormType(usual=False)),
    ("application/x-url-encoded", FormType(usual=False)),
    ("application/x-www-form-urlencoded;  charset=utf-8", FormType("utf-8", usual=False)),
    ('application/x-www-form-urlencoded; charset="utf\\-8"', FormType("utf-8", usual=False)),
    ("application/x-www-form-urlencoded; charset=utf-8; charset=UTF-8", FormType("utf-8", usual=False)),
    ("application/x-www-form-urlencoded; charset=a; charset=b", FormType(fault="two charsets", usual=False)),
    ("application/json", None),
    ("text/plain; boundary=x", None),
    ("", None),
]  # fmt: skip


def form_of(*fields: bytes, encodings: Sequence[bytes] = ()) -> FormType | None:
    return form_type(content_type(fields), encodings)


@pytest.mark.parametrize(("text", "expected"), TYPES, ids=[row[0] or "nothing" for row in TYPES])
def test_types(text: str, expected: FormType | None) -> None:
    assert form_of(text.encode("latin-1")) == expected


def test_several_content_types() -> None:
    form = FORM.encode()
    assert form_of(form, form) is form_of(b"text/plain", b"text/html") is form_of() is None
    assert form_of(form, encodings=[b"gzip"]) == FormType(fault="a Content-Encoding")
    assert form_of(form, encodings=[b"identity", b" Identity", b""]) == FormType()
    assert form_of(b"text/plain", encodings=[b"gzip"]) is None


@EACH_PROTOCOL
@pytest.mark.parametrize(("text", "expected"), TYPES, ids=[row[0] or "nothing" for row in TYPES])
def test_types_on_the_wire(protocol: Protocol, text: str, expected: FormType | None) -> None:
    asked = post(protocol, b"q=%00", content_type=text)
    if expected is None:
        assert (asked.status, asked.body) == (200, b"q=%00")
        assert (asked.header("content-type") or "") == text
        return
    assert asked.status == (415 if expected.fault else 400)
    assert asked.given is None
    assert asked.taken == (0 if expected.fault else 5)
    if not expected.fault:  # handed on as a type that all read as a form
        asked = post(protocol, b"q=1", content_type=text)
        assert asked.body == b"q=1"
        assert asked.header("content-type") == (text if expected.usual else FORM)


@EACH_PROTOCOL
def test_a_compressed_form_is_refused_unread(protocol: Protocol) -> None:
    asked = post(protocol, b"\x1f\x8b", fields={"content-encoding": "gzip"})
    assert (asked.status, asked.kinds, asked.taken) == (415, ["form-coding"], 0)
    assert post(protocol, b"q=1", fields={"content-encoding": "identity"}).status == 200


# -- settings ------------------------------------------------------------------------------------------------

FAULTS: list[tuple[dict[str, Any], str]] = [
    *(
        ({"limit": limit}, f"Forms(limit={limit!r}): a limit is a whole number of octets from 1 to 2**63 - 1")
        for limit in (0, -1, 1.5, "1", None, True)
    ),
    (
        {"upload": 10**5000},
        "Forms(upload=a number beyond 64 bits): a limit is a whole number of octets from 1 to 2**63 - 1",
    ),
    *(
        (
            {**given, "spool_limit": limit},
            f"Forms(upload={given.get('upload', 2**24)}, spool_limit={limit}): one form cannot be longer "
            f"than all forms together; write upload={limit}, or a higher spool_limit",
        )
        for given, limit in (({}, 2**24 - 1), ({"upload": 2**31}, 2**30), ({"upload": 2}, 1))
    ),
    ({"over": "pass"}, "Forms(over='pass'): write 'refuse' or 'untouched'"),
    ({"over": []}, "Forms(over=[]): write 'refuse' or 'untouched'"),
    ({"multipart": "pass"}, "Forms(multipart='pass'): write 'judge', 'refuse' or 'untouched'"),
    ({"multipart": None}, "Forms(multipart=None): write 'judge', 'refuse' or 'untouched'"),
    *(
        (
            {"multipart": multipart, name: value},
            f"Forms(multipart={multipart!r}, {name}={value!r}): multipart forms are not judged, so {name} "
            f"has no effect; leave {name} out, or write multipart='judge'",
        )
        for multipart, name, value in [
            ("refuse", "upload", 100_000_000),
            ("untouched", "parts", 10),
            ("untouched", "headers", 9),
            ("refuse", "memory", 0),
            ("untouched", "spool_dir", "/srv"),
            ("refuse", "spool_limit", 2**40),
        ]
    ),
    ({"others": "allow"}, "Forms(others='allow'): write 'refuse' or 'untouched'"),
    ({"memory": -1}, "Forms(memory=-1): a limit is a whole number of octets from 0 to 2**63 - 1"),
    ({"parts": 0}, "Forms(parts=0): a limit is a whole number of parts from 1 to 2**63 - 1"),
    ({"headers": "8"}, "Forms(headers='8'): a limit is a whole number of header fields from 1 to 2**63 - 1"),
    ({"spool_dir": 5}, "Forms(spool_dir=5): write a directory such as '/var/tmp'"),
    ({"spool_dir": ""}, "Forms(spool_dir=''): write a directory such as '/var/tmp'"),
    ({"keep": 1}, "Forms(keep=1): write keep=True or keep=False"),
    (
        {"charsets": "latin1"},
        "Forms(charsets='latin1'): give a list; write charsets=['windows-1252']",
    ),
    ({"signed": "x-sig"}, "Forms(signed='x-sig'): write a list of texts, such as ['stripe-signature']"),
    ({"signed": ["a_b"]}, "Forms(signed=['a_b']): write the name of a header, such as 'stripe-signature'"),
    ({"charsets": None}, "Forms(charsets=None): give a list; write charsets=['windows-1252']"),
    ({"charsets": ["UTF-8"]}, "Forms(charsets=['UTF-8']): UTF-8 is always accepted; leave it out"),
]


@pytest.mark.parametrize(("settings", "message"), FAULTS, ids=[message for _, message in FAULTS])
def test_settings_that_cannot_work(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(PolicyError, match=f"^{re.escape(message)}$"):
        Forms(**settings)


@EACH_PROTOCOL
def test_the_highest_limits_work(protocol: Protocol) -> None:
    names = ("limit", "upload", "parts", "headers", "memory", "spool_limit")
    forms = Forms(**dict.fromkeys(names, 2**63 - 1))
    part = b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n'
    assert post(protocol, b"q=1", forms=forms).body == b"q=1"
    assert post(protocol, part, content_type="multipart/form-data; boundary=x", forms=forms).body == part


@pytest.mark.parametrize("label", ["utf-16", "utf-7", "iso-2022-jp"])
def test_charsets_for_forms_must_leave_ascii_unchanged(label: str) -> None:
    reason = f"{label} does not leave ASCII unchanged; name another charset, such as windows-1252"
    message = f"Forms(charsets=[{label!r}]): {reason}"
    with pytest.raises(PolicyError, match=f"^{re.escape(message)}$"):
        Forms(charsets=[label])


@pytest.mark.parametrize("label", ["rot13", "unicode_escape", "", 5, None])
def test_charsets_that_forms_cannot_have(label: Any) -> None:
    message = (
        f"Forms(charsets=[{label!r}]): {label!r} is not a supported charset; "
        "write a label of the Encoding Standard, such as windows-1252, koi8-r or shift_jis"
    )
    with pytest.raises(PolicyError, match=f"^{re.escape(message)}"):
        Forms(charsets=[label])


@EACH_PROTOCOL
@pytest.mark.parametrize("forms", [None, 1, "yes", {}, 1048576])
def test_invalid_settings_for_forms(protocol: Protocol, forms: Any) -> None:
    message = f"forms={forms!r}: write forms=True, or a Forms such as forms=Forms(limit=100_000)"
    with pytest.raises(PolicyError, match=f"^{re.escape(message)}$"):
        protocol.behind(forms=forms)


def test_settings_compare_by_value() -> None:
    assert Forms() == Forms(
        limit=1_048_576, over="refuse", multipart="judge", upload=2**24, others="untouched", charsets=()
    )
    assert Forms(charsets=["latin1"]) == Forms(charsets=("latin1",))
    assert hash(Forms()) == hash(Forms())
    with pytest.raises(AttributeError):
        Forms().limit = 5  # The type is wrong on purpose.


@EACH_PROTOCOL
def test_one_setting_for_all_bodies(protocol: Protocol) -> None:
    upload = "multipart/form-data; boundary=x"
    both = Bodies(forms=Forms(limit=9), multipart="refuse", json=True, others="untouched")
    for octets, field, status in (
        (b"q=1", "application/x-www-form-urlencoded", 200),
        (b"q=1234567890", "application/x-www-form-urlencoded", 413),
        (b'{"a":1,"a":2}', "application/json", 400),
        (b"--x--", upload, 415),
        (b"\xff", "text/plain", 200),
    ):
        assert post(protocol, octets, content_type=field, forms=False, bodies=both).status == status
    refusing = Bodies(forms=True, others="refuse")
    assert post(protocol, b"--x--", content_type=upload, forms=False, bodies=refusing).status == 200
    assert post(protocol, b"a", content_type="text/plain", forms=False, bodies=refusing).status == 415
    assert Bodies(json=True) == Bodies(json=Json())


BODIES: list[tuple[Any, str]] = [
    (
        lambda: Bodies(multipart="judge"),
        "Bodies(multipart=...): no form is judged; write forms=True, too",
    ),
    (
        lambda: Bodies(forms=True, multipart="pass"),  # The type is wrong on purpose.
        "Forms(multipart='pass'): write 'judge', 'refuse' or 'untouched'",
    ),
    (
        lambda: Bodies(others="refuse"),
        "Bodies(others=...): no body is judged; write forms=True or json=True, too",
    ),
    (
        lambda: Bodies(json=True, others="judge"),  # The type is wrong on purpose.
        "Bodies(others='judge'): write 'refuse' or 'untouched'",
    ),
    (
        lambda: Bodies(forms=Forms(upload=2**20), multipart="refuse"),
        "Forms(multipart='refuse', upload=1048576): multipart forms are not judged, so upload has no effect; "
        "leave upload out, or write multipart='judge'",
    ),
    *(
        (
            lambda make=make: make(forms=Forms(others="refuse"), json=Json(others="untouched")),
            "Forms(others='refuse') and Json(others='untouched') contradict each other; write one setting "
            "for both, such as Bodies(others='refuse')",
        )
        for make in (Bodies, ASGI.behind, WSGI.behind)
    ),
    (
        lambda: ASGI.behind(bodies=True),
        "bodies=True: write a Bodies, such as bodies=Bodies(forms=True, json=True)",
    ),
    *(
        (
            lambda protocol=protocol: protocol.behind(bodies=Bodies()),
            "bodies=Bodies() judges no body; write bodies=Bodies(forms=True, json=True), or leave bodies out",
        )
        for protocol in (ASGI, WSGI)
    ),
    (
        lambda: WSGI.behind(bodies=Bodies(json=True), forms=True),
        "bodies= cannot be combined with forms= or json=; write bodies=Bodies(forms=..., json=...)",
    ),
]


@pytest.mark.parametrize(("make", "message"), BODIES, ids=[message for _, message in BODIES])
def test_invalid_settings_for_bodies(make: Any, message: str) -> None:
    with pytest.raises(PolicyError, match=f"^{re.escape(message)}$"):
        make()


@EACH_PROTOCOL
def test_received_octets_are_kept_on_request(protocol: Protocol) -> None:
    for octets in (b"q=%7e", "q=Ä 50%".encode()):
        asked = post(protocol, octets, forms=Forms(keep=True))
        assert report_of(asked.given).received_form == octets
        assert report_of(post(protocol, octets).given).received_form is None
    asked = post(protocol, b"q=%00", forms=Forms(keep=True))
    assert asked.told is not None
    assert asked.told.received_form == b"q=%00"
    assert (
        report_of(
            post(protocol, b"{}", content_type="application/json", forms=Forms(keep=True)).given
        ).received_form
        is None
    )


@pytest.mark.parametrize(
    ("over", "count", "accepted"),
    [
        pytest.param("refuse", 32, True, id="the limit"),
        pytest.param("refuse", 33, False, id="more"),
        pytest.param("untouched", 66, True, id="twice the limit, if longer ones pass"),
        pytest.param("untouched", 67, False, id="more than twice"),
    ],
)
def test_a_form_grows_to_at_most_the_limit(
    over: Literal["refuse", "untouched"], count: int, accepted: bool
) -> None:
    received = b"q=" + b"%" * count
    judged = FormRules(STANDARD, Forms(limit=100, over=over)).judge(received)
    assert (judged.octets is not None) == accepted
    if not accepted:
        assert [(each.kind, each.action) for each in judged.findings] == [(Kind.LONG_FORM, Action.REJECT)]


def test_the_ampersands_between_blocks_count_towards_the_limit() -> None:
    octets = b"&".join(["a=\u00e9".encode()] * 12)
    for block in (1, 2**13):
        judged = FormRules(STANDARD, Forms(limit=106)).judge(octets, block=block)
        assert (judged.octets, judged.findings[-1].kind) == (None, Kind.LONG_FORM)
        judged = FormRules(STANDARD, Forms(limit=107)).judge(octets, block=block)
        assert len(judged.octets or b"") == 107


@pytest.mark.parametrize("policy", [Policy.STANDARD, Policy.LENIENT], ids=str)
def test_other_work_can_run_while_a_long_value_is_proven_and_repaired(policy: Policy) -> None:
    rules = FormRules(policy, Forms())
    proven, repaired, unproven = (
        len(list(rules.judging(b"a=" + 4000 * piece))) for piece in (b"%C3%A9", 5 * b"\xc3\xa9", b"%u202e<")
    )
    # Bulk repair has a step for its proof, for the repair, for the proof of the result, and for the findings.
    assert repaired == proven + 4
    assert unproven > proven + 1

"""The normalizer: for each target and policy, what the application reads, or why the target is refused."""

from __future__ import annotations

import pickle
import re
from dataclasses import replace
from itertools import product
from types import SimpleNamespace
from typing import Any, Final

import pytest

from postel import (
    LATIN,
    Accepted,
    Action,
    Characters,
    Component,
    Finding,
    Forms,
    Kind,
    Limits,
    Normalizer,
    Policy,
    PolicyError,
    Rejected,
    Target,
)
from postel._bodies.urlencoded import FormRules
from together import together

STRICT, STANDARD, LENIENT = (
    Normalizer(policy) for policy in (Policy.STRICT, Policy.STANDARD, Policy.LENIENT)
)
PRESETS: Final = {"strict": STRICT, "standard": STANDARD, "lenient": LENIENT}
LATIN_ONLY: Final = Normalizer(Policy.STANDARD.accepting(LATIN))
LATIN_IN_Q: Final = Normalizer(Policy.STANDARD.accepting(LATIN, names=["q"]))


def accepted(normalizer: Normalizer, target: Target) -> Target:
    """Return the accepted target, which ``normalize`` and ``examine`` agree on and accept again unchanged."""
    quick, slow = normalizer.normalize(target), normalizer.examine(target)
    assert isinstance(slow, Accepted), [str(finding) for finding in slow.findings]
    assert quick == slow
    again = normalizer.examine(slow.target)
    assert isinstance(again, Accepted)
    assert again.target == slow.target
    return slow.target


def refused(normalizer: Normalizer, target: Target) -> list[str]:
    """Return the slugs of the kinds for which a target is refused."""
    outcome = normalizer.normalize(target)
    assert outcome == normalizer.examine(target)
    assert isinstance(outcome, Rejected), outcome
    return [finding.kind.slug for finding in outcome.findings if finding.action is Action.REJECT]


# -- the rules for receiving a URL ---------------------------------------------------------------------------

# Each row: a normalizer, a query, and its pairs, or the kind for which it is refused.
QUERIES: Final = [
    pytest.param(STANDARD, b"q=a+b", [("q", "a b")], id="a plus is a space"),
    pytest.param(STANDARD, b"q=C%2B%2B", [("q", "C++")], id="an escaped plus is a plus"),
    pytest.param(STANDARD, b"q=%2B+%252B", [("q", "+ %2B")], id="plus before escapes"),
    pytest.param(STANDARD, b"q=%c3%aF", [("q", "ï")], id="hex digits in either case"),
    pytest.param(STANDARD, b"q=%C4rzteblatt", "ill-formed-utf8", id="latin-1 is refused"),
    pytest.param(STRICT, b"q=%C4rzteblatt", "ill-formed-utf8", id="latin-1 is refused under STRICT"),
    pytest.param(LENIENT, b"q=%C4rzteblatt", [("q", "rzteblatt")], id="latin-1 is dropped under LENIENT"),
    pytest.param(STANDARD, b"q=%C3%84rzteblatt", [("q", "Ärzteblatt")], id="UTF-8"),
    pytest.param(STANDARD, b"q=%E8%B5%B7%E5%8F%B8%E5%A0%A1", [("q", "起司堡")], id="Chinese"),
    pytest.param(
        LATIN_ONLY,
        b"q=%E8%B5%B7%E5%8F%B8%E5%A0%A1",
        "outside-accepted-range",
        id="Chinese where only Latin is accepted",
    ),
    pytest.param(
        LATIN_ONLY, b"q=%C3%84rzteblatt", [("q", "Ärzteblatt")], id="German where only Latin is accepted"
    ),
    pytest.param(LATIN_IN_Q, b"q=%E8%B5%B7", "outside-accepted-range", id="Chinese where q must be Latin"),
    pytest.param(LATIN_IN_Q, b"p=%E8%B5%B7", [("p", "起")], id="Chinese in another parameter"),
    pytest.param(
        STANDARD,
        b"back_uri=https%3A%2F%2Fh%2F%3Fa%3D1%26b&c=d",
        [("back_uri", "https://h/?a=1&b"), ("c", "d")],
        id="escaped delimiters stay data",
    ),
    pytest.param(
        STANDARD, b"utm_source=%C4&q=1", [("q", "1")], id="an ill-formed tracking parameter is dropped"
    ),
    pytest.param(STANDARD, b"gclid=%C4", [], id="the only parameter is dropped"),
    pytest.param(
        STANDARD,
        b"utm_source=ok&q=1",
        [("utm_source", "ok"), ("q", "1")],
        id="a well-formed tracking parameter stays",
    ),
    pytest.param(STANDARD, b"utm_%C4=1&q=1", "ill-formed-utf8", id="no rule matches a faulty name"),
]


@pytest.mark.parametrize(("normalizer", "query", "pairs"), QUERIES)
def test_a_received_query_is_read_or_refused(
    normalizer: Normalizer, query: bytes, pairs: list[tuple[str, str]] | str
) -> None:
    target = Target(query=query)
    if isinstance(pairs, str):
        assert refused(normalizer, target) == [pairs]
    else:
        assert list(accepted(normalizer, target).pairs) == pairs


# Each row: a normalizer, a path, and its spelling in the result, or the kind for which it is refused.
PATHS: Final = [
    pytest.param(STANDARD, b"/a+b", b"/a+b", id="a plus is a plus"),
    pytest.param(STANDARD, b"/a%2Bb", b"/a%2Bb", id="an escaped plus is a plus"),
    pytest.param(STANDARD, b"/%c3%aF", b"/%C3%AF", id="upper-case hex"),
    pytest.param(STANDARD, b"/%7Euser", b"/~user", id="unreserved bare"),
    pytest.param(STANDARD, "/é".encode(), b"/%C3%A9", id="UTF-8 is escaped"),
    pytest.param(STANDARD, b"/{a b}", b"/%7Ba%20b%7D", id="illegal characters are escaped"),
    pytest.param(STANDARD, b"/a%2Fb", "encoded-slash", id="a slash in a segment is refused"),
    pytest.param(STANDARD, b"/a%2fb", "encoded-slash", id="an escaped slash in lower case"),
    pytest.param(STRICT, b"/a%2Fb", "encoded-slash", id="an escaped slash is refused under STRICT"),
    pytest.param(LENIENT, b"/a%2fb", b"/a%2Fb", id="an escaped slash is preserved under LENIENT"),
    pytest.param(LENIENT, b"/a/.%2Fb", "dot-segment", id="a dot in front of a preserved slash is refused"),
    pytest.param(LENIENT, b"/a%2F/./b", b"/a%2F/b", id="a dot segment between bare slashes is resolved"),
    pytest.param(LENIENT, b"/a%2Fb/./c", b"/a%2Fb/c", id="a dot segment far from a preserved slash"),
    pytest.param(
        Normalizer(Policy.LENIENT.repairing(Kind.ENCODED_SLASH)),
        b"/a%2F..%2Fb",
        b"/b",
        id="a dot segment between slashes that are decoded",
    ),
    pytest.param(STANDARD, b"/%C4admin", "ill-formed-utf8", id="latin-1 is refused"),
    pytest.param(LENIENT, b"/%C4admin", "ill-formed-utf8", id="latin-1 is refused under LENIENT"),
    pytest.param(STANDARD, b"/caf\xe9", "ill-formed-utf8", id="raw latin-1 is refused"),
    pytest.param(LATIN_ONLY, b"/%E8%B5%B7", "outside-accepted-range", id="Chinese where Latin is accepted"),
    pytest.param(STANDARD, b"/50%off", "malformed-escape", id="a stray percent sign is refused"),
    pytest.param(LENIENT, b"/50%off", b"/50%25off", id="a stray percent sign is escaped under LENIENT"),
    pytest.param(STANDARD, b"/%3a%40", b"/%3A%40", id="reserved stays escaped"),
    pytest.param(
        Normalizer(Policy.STANDARD.replacing(Kind.NUL, on=Component.PATH)),
        b"/a+b%7e%00",
        b"/a+b~%EF%BF%BD",
        id="a plus beside a replaced octet",
    ),
]


@pytest.mark.parametrize(("normalizer", "path", "spelled"), PATHS)
def test_a_received_path_is_respelled_or_refused(
    normalizer: Normalizer, path: bytes, spelled: bytes | str
) -> None:
    if isinstance(spelled, str):
        assert refused(normalizer, Target(path)) == [spelled]
    else:
        assert accepted(normalizer, Target(path)).path == spelled


# -- what real clients send ----------------------------------------------------------------------------------

UNTOUCHED: Final = [
    pytest.param(b"email=user+tag%40example.com", [("email", "user tag@example.com")], id="mail address"),
    pytest.param(b"q=C%2B%2B", [("q", "C++")], id="C++"),
    pytest.param(b"q=50%25", [("q", "50%")], id="a percent sign"),
    pytest.param(b"tags[]=1", [("tags[]", "1")], id="brackets"),
    pytest.param(b"filter[a]=b", [("filter[a]", "b")], id="brackets with a name"),
    pytest.param(b"t=YWJj+/8=", [("t", "YWJj /8=")], id="base64"),
    pytest.param(b"u=https://example.com/a?b=c/d", [("u", "https://example.com/a?b=c/d")], id="a URL"),
    pytest.param(b"text=a%0D%0Ab", [("text", "a\r\nb")], id="lines of a textarea"),
    pytest.param(
        b"q=%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7%EF%B8%8F",
        [("q", "\U0001f469\u200d\U0001f467\ufe0f")],
        id="emoji with joiner and selector",
    ),
    pytest.param(
        b"q=%D9%85%DB%8C%E2%80%8C%D8%AE", [("q", "\u0645\u06cc\u200c\u062e")], id="Persian with ZWNJ"
    ),
    pytest.param(b"wsdl", [("wsdl", "")], id="a bare name"),
    pytest.param(b"a=1&", [("a", "1")], id="an ampersand at the end"),
    pytest.param(b"&a=1", [("a", "1")], id="an ampersand in front"),
    pytest.param(b"&".join([b"id=7"] * 40), [("id", "7")] * 40, id="40 ids"),
    pytest.param(b"q=%d0%9f", [("q", "П")], id="Cyrillic, in the client's spelling"),
    pytest.param(b"", [], id="nothing"),
]  # fmt: skip


@pytest.mark.parametrize(("query", "pairs"), UNTOUCHED)
def test_everyday_queries_keep_the_spelling_of_the_client(query: bytes, pairs: list[tuple[str, str]]) -> None:
    target = accepted(STANDARD, Target(query=query))
    assert target.query == query
    assert list(target.pairs) == pairs
    assert STANDARD.normalize(target).findings == ()


MENDED: Final = [
    pytest.param(b"q=50% off", b"q=50%25%20off", [("q", "50% off")], id="50% off"),
    pytest.param(b"a=x;b", b"a=x%3Bb", [("a", "x;b")], id="a semicolon"),
    pytest.param(b"f=Arial|Tahoma", b"f=Arial%7CTahoma", [("f", "Arial|Tahoma")], id="fonts"),
    pytest.param(b'j={"a":[1]}', b"j=%7B%22a%22:[1]%7D", [("j", '{"a":[1]}')], id="JSON"),
    pytest.param("q=Мир".encode(), b"q=%D0%9C%D0%B8%D1%80", [("q", "Мир")], id="Cyrillic"),
    pytest.param(b"q=100%", b"q=100%25", [("q", "100%")], id="100%"),
]  # fmt: skip


@pytest.mark.parametrize(("query", "repaired", "pairs"), MENDED)
def test_mistyped_queries_are_repaired(query: bytes, repaired: bytes, pairs: list[tuple[str, str]]) -> None:
    target = accepted(STANDARD, Target(query=query))
    assert target.query == repaired
    assert list(target.pairs) == pairs


@pytest.mark.parametrize(
    ("path", "segments"),
    [
        pytest.param(b"/wiki/C%23", ("wiki", "C#"), id="C sharp"),
        pytest.param(b"/cars;color=red/2024", ("cars;color=red", "2024"), id="matrix parameters"),
        pytest.param(b"/@scope/name:1,2!(x)'", ("@scope", "name:1,2!(x)'"), id="delimiters of segments"),
        pytest.param(b"/%D0%9F", ("П",), id="Cyrillic"),
    ],
)
def test_everyday_paths_pass_unchanged(path: bytes, segments: tuple[str, ...]) -> None:
    target = accepted(STANDARD, Target(path))
    assert target.path == path
    assert target.segments == segments


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(
    ("path", "query"),
    [
        pytest.param(b"/", b"", id="root"),
        pytest.param(b"/users/42/posts", b"page=2&sort=name&q=x", id="plain"),
        pytest.param(b"/static/css/site.min.css", b"v=1.2.3", id="dots inside"),
        pytest.param(b"/caf%C3%A9/%E8%B5%B7", b"q=%C3%84rzteblatt", id="escaped text"),
        pytest.param(b"/a/", b"x", id="a slash at the end"),
    ],
)
def test_everyday_targets_pass_the_proof(preset: str, path: bytes, query: bytes) -> None:
    # The proof may fail for any target. If it failed for these, it would be useless.
    assert PRESETS[preset].is_clean(path, query)
    outcome = PRESETS[preset].normalize(Target(path, query))
    shown = b"%/" if preset == "lenient" else b""
    assert outcome == Accepted(Target(path, query, preserved=shown))


# -- equal and different targets -----------------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(
    "spellings",
    [
        pytest.param([b"/A", b"/%41"], id="a letter"),
        pytest.param([b"/~user", b"/%7Euser", b"/%7euser", b"/%7Eus%65r"], id="several"),
        pytest.param([b"/%C3%A9", b"/%c3%a9", b"/%C3%a9"], id="case of hex"),
        pytest.param([b"/a-._~", b"/a%2D%2E%5F%7E"], id="marks"),
    ],
)
def test_spellings_of_one_path_become_equal(preset: str, spellings: list[bytes]) -> None:
    assert {accepted(PRESETS[preset], Target(path)).path for path in spellings} == {spellings[0]}


KEEPING: Final = Normalizer(
    Policy.STANDARD.preserving(Kind.ENCODED_SLASH, Kind.ENCODED_DELIMITER).allowing(Kind.UNSAFE_DOUBLE_ESCAPE)
)


@pytest.mark.parametrize("preset", [*PRESETS, "keeping"])
@pytest.mark.parametrize(
    "targets",
    [
        pytest.param([Target(b"/a%2Fb"), Target(b"/a/b"), Target(b"/a%252Fb")], id="slash"),
        pytest.param([Target(b"/a%3Bb"), Target(b"/a;b"), Target(b"/a%253Bb")], id="semicolon in a path"),
        pytest.param([Target(b"/a%3Fb"), Target(b"/a", b"b")], id="question mark"),
        pytest.param([Target(query=b"a=1%26b"), Target(query=b"a=1&b")], id="ampersand"),
        pytest.param([Target(query=b"a%3D1"), Target(query=b"a=1")], id="equals sign"),
        pytest.param([Target(query=b"a=1%2B2"), Target(query=b"a=1+2")], id="plus"),
        pytest.param([Target(query=b"a=%25"), Target(query=b"a=%2525")], id="percent sign"),
    ],
)
def test_data_and_syntax_never_become_equal(preset: str, targets: list[Target]) -> None:
    normalizer = KEEPING if preset == "keeping" else PRESETS[preset]
    outcomes = [normalizer.normalize(target) for target in targets]
    through = [outcome.target for outcome in outcomes if isinstance(outcome, Accepted)]
    raw = [(target.path, target.query) for target in through]
    assert len(set(raw)) == len(raw)
    if targets[0].path != b"/a%3Bb":  # A decoded segment shows both as ";": no reader sees parameters there.
        split = [(target.segments, target.pairs) for target in through]
        assert len(set(split)) == len(split)


@pytest.mark.parametrize("many", [1, 15, 40])
def test_many_preserved_slashes_hide_no_dot_segment_between_them(many: int) -> None:
    path = b"/a" + b"%2F%2Fb" * many + b"/x%2F../c"
    outcome = Normalizer(Policy.LENIENT).examine(Target(path))
    assert isinstance(outcome, Rejected)
    (refused,) = (each for each in outcome.findings if each.action is Action.REJECT)
    assert (refused.kind, refused.offset) == (Kind.DOT_SEGMENT, path.index(b".."))
    assert Normalizer(Policy.LENIENT).normalize(Target(path)) == outcome


def test_preserving_keeps_paths_apart_that_decoding_would_make_equal() -> None:
    paths = [b"/a%2Fb", b"/a/b", b"/a%252Fb"]
    views = [accepted(KEEPING, Target(path)).path_text for path in paths]
    assert views == ["/a%2Fb", "/a/b", "/a%252Fb"]


def test_the_policy_alone_decides_what_is_preserved() -> None:
    # A target that another policy has accepted shows the views of this policy, with and without the proof.
    target = Target(b"/100%25/a", preserved=b"%/")
    for preset in (STRICT, STANDARD):
        outcome = preset.normalize(target)
        assert outcome == preset.examine(target)
        assert isinstance(outcome, Accepted)
        assert outcome.target.path_text == "/100%/a"


@together("preserved", [b"", b"%/", b"%/\\", b"%"])
@together("path", [b"/", b"/a", b"/caf%C3%A9", b"/a%2Fb", b"/100%25/a", b"/a b", b"/%7e"])
@together(
    "policy",
    [
        Policy.LENIENT,
        Policy.STANDARD.preserving(Kind.ENCODED_SLASH),
        Policy.STANDARD.preserving(Kind.ENCODED_DELIMITER),
        Policy.STANDARD,
    ],
    ids=str,
)
def test_proof_and_judgement_preserve_the_same(policy: Policy, path: bytes, preserved: bytes) -> None:
    normalizer = Normalizer(policy)
    target = Target(path, b"q=1", preserved=preserved)
    outcome = normalizer.normalize(target)
    assert outcome == normalizer.examine(target)
    if isinstance(outcome, Accepted):
        again = normalizer.normalize(outcome.target)
        assert again == normalizer.examine(outcome.target)
        assert isinstance(again, Accepted)
        assert again.target == outcome.target


def test_a_clean_target_is_returned_itself() -> None:
    target = Target(b"/a", b"q=1")
    outcome = STANDARD.normalize(target)
    assert isinstance(outcome, Accepted)
    assert outcome.target is target
    kept = LENIENT.normalize(target)
    assert isinstance(kept, Accepted)
    again = LENIENT.normalize(kept.target)
    assert isinstance(again, Accepted)
    assert again.target is kept.target


# -- the form of the target ----------------------------------------------------------------------------------

# Each row: the path as received, the Host, and the resulting path under STANDARD, or None.
ABSOLUTE: Final = [
    pytest.param(b"http://example.com/a", b"example.com", b"/a", id="the same host"),
    pytest.param(b"http://example.com", b"example.com", b"/", id="an empty path is the root"),
    pytest.param(b"http://EXAMPLE.com/a", b"example.COM", b"/a", id="the host in another case"),
    pytest.param(b"HTTP://example.com/a", b"example.com", b"/a", id="the scheme in another case"),
    pytest.param(b"http://example.com/a", None, b"/a", id="no Host: HTTP/1.0"),
    pytest.param(b"http://other/a", b"example.com", None, id="another host"),
    pytest.param(b"http://example.com/a", b"", None, id="an empty Host"),
    pytest.param(b"http://example.com.evil/a", b"example.com", None, id="a longer host"),
    pytest.param(b"http://example.com:80/a", b"example.com", b"/a", id="the default port"),
    pytest.param(b"http://example.com/a", b"example.com:80", b"/a", id="the default port in Host"),
    pytest.param(b"https://example.com:443/a", b"example.com", b"/a", id="the default port of https"),
    pytest.param(b"ws://example.com:80/a", b"example.com", b"/a", id="the default port of ws"),
    pytest.param(b"wss://example.com:443/a", b"example.com", b"/a", id="the default port of wss"),
    pytest.param(b"http://example.com:/a", b"example.com", b"/a", id="an empty port"),
    pytest.param(b"http://example.com:8080/a", b"example.com:8080", b"/a", id="another port"),
    pytest.param(b"http://example.com:8080/a", b"example.com", None, id="another port, not in Host"),
    pytest.param(b"http://example.com:443/a", b"example.com", None, id="the default port of another scheme"),
    pytest.param(b"http://example.com:80x/a", b"example.com:80x", None, id="an invalid port"),
    pytest.param(b"http://example.com:80:80/a", b"example.com:80:80", None, id="two ports"),
    pytest.param(b"http://[::1]/a", b"[::1]", b"/a", id="IPv6"),
    pytest.param(b"http://[2001:DB8::1]:80/a", b"[2001:db8::1]", b"/a", id="IPv6 with a port"),
    pytest.param(b"http://[::1]/a", b"[::2]", None, id="another IPv6"),
    pytest.param(b"http://[::1/a", b"[::1", None, id="IPv6 without its end"),
    pytest.param(b"http://::1/a", b"::1", None, id="IPv6 without brackets"),
    pytest.param(b"http://u@example.com/a", b"example.com", None, id="userinfo"),
    pytest.param(b"http://u:p@example.com/a", b"example.com", None, id="userinfo with a password"),
    pytest.param(b"http://u@example.com/a", None, None, id="userinfo without a Host"),
    pytest.param(b"http://u@example.com/a", b"u@example.com", None, id="userinfo in Host too"),
    pytest.param(b"http://exam%70le.com/a", b"example.com", None, id="an escape"),
    pytest.param(b"http:///a", b"", None, id="no authority"),
    pytest.param(b"http://", None, None, id="nothing after the scheme"),
    pytest.param(b"http:/example.com/a", b"example.com", None, id="one slash"),
    pytest.param(b"http:example.com/a", b"example.com", None, id="no slash"),
    pytest.param(b"://example.com/a", b"example.com", None, id="no scheme"),
    pytest.param(b"x://example.com/a", b"example.com", None, id="another scheme"),
    pytest.param(b"ftp://example.com/a", None, None, id="another scheme without a Host"),
    pytest.param(b"WSS://example.com/a", b"example.com", b"/a", id="the scheme of WebSockets"),
    pytest.param(b"1http://example.com/a", b"example.com", None, id="a scheme begins with a letter"),
    pytest.param(b"//example.com/a", b"example.com", None, id="no scheme, two slashes"),
    pytest.param(b"http://example.com//a", b"example.com", None, id="two slashes after the host"),
    pytest.param(b"http://example.com/../a", b"example.com", None, id="a dot segment after the host"),
    pytest.param(b"http://example.com\\a", b"example.com\\a", None, id="a backslash after the host"),
    pytest.param(b"http://example.com/%7euser", b"example.com", b"/~user", id="the path is repaired too"),
    pytest.param(b"http://example.com/http://b/", b"example.com", None, id="a URL after the host"),
]


@pytest.mark.parametrize("policy", [Policy.STANDARD, Policy.LENIENT], ids=str)
@pytest.mark.parametrize("path", [b"/a", b"/%7ea"])
def test_an_accepted_target_keeps_its_host(policy: Policy, path: bytes) -> None:
    outcome = Normalizer(policy).normalize(Target(path, host=b"example.com"))
    assert isinstance(outcome, Accepted)
    assert outcome.target.host == b"example.com"


@pytest.mark.parametrize(("path", "host", "repaired"), ABSOLUTE)
def test_an_absolute_form_is_accepted_only_for_the_host_of_the_request(
    path: bytes, host: bytes | None, repaired: bytes | None
) -> None:
    target = Target(path, b"q=1", host=host)
    outcome = STANDARD.normalize(target)
    if repaired is None:
        assert isinstance(outcome, Rejected)
    else:
        assert isinstance(outcome, Accepted), [str(finding) for finding in outcome.findings]
        assert (outcome.target.path, outcome.target.query) == (repaired, b"q=1")
        assert outcome.target.host == host, "the Host is never rewritten"
    assert isinstance(STRICT.normalize(target), Rejected)


@pytest.mark.parametrize(
    ("policy", "path", "found"),
    [
        pytest.param(
            Policy.LENIENT,
            b"http://[::1]/a[b",
            [(Kind.ABSOLUTE_FORM, 0), (Kind.ILLEGAL_CHARACTER, 14)],
            id="brackets",
        ),
        pytest.param(
            Policy.STANDARD.accepting(LATIN),
            "http://起/a".encode(),
            [(Kind.ABSOLUTE_FORM, 0)],
            id="characters outside an accepted range",
        ),
        pytest.param(
            Policy.LENIENT.repairing(Kind.NOT_NFC),
            b"http://e%CC%81/e%CC%81",
            [(Kind.ABSOLUTE_FORM, 0), (Kind.NOT_NFC, 15)],
            id="text that is not composed",
        ),
        pytest.param(
            Policy.LENIENT.reporting(Kind.MALFORMED_ESCAPE),
            b"http://%4%31/a",
            [(Kind.ABSOLUTE_FORM, 0)],
            id="a percent sign that waits for a digit",
        ),
        pytest.param(
            Policy.LENIENT.limiting(segment=5),
            b"http://example.com/a",
            [(Kind.ABSOLUTE_FORM, 0)],
            id="a long host",
        ),
        pytest.param(
            Policy.LENIENT,
            b"http://a%2F%2Fb/%2F",
            [(Kind.ABSOLUTE_FORM, 0), (Kind.ENCODED_SLASH, 16), (Kind.EMPTY_SEGMENT, 16)],
            id="preserved slashes",
        ),
    ],
)
def test_characters_in_front_of_the_path_are_not_faults(
    policy: Policy, path: bytes, found: list[tuple[Kind, int]]
) -> None:
    normalizer, target = Normalizer(policy), Target(path, host=path[7 : path.index(b"/", 7)])
    outcome = normalizer.examine(target)
    assert outcome == normalizer.normalize(target)
    assert [(each.kind, each.offset) for each in outcome.findings] == found


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        pytest.param(b"*", Kind.ASTERISK_FORM, id="asterisk"),
        pytest.param(b"example.com:80", Kind.AUTHORITY_FORM, id="authority"),
        pytest.param(b"example.com:", Kind.AUTHORITY_FORM, id="authority with an empty port"),
        pytest.param(b"127.0.0.1:443", Kind.AUTHORITY_FORM, id="IPv4"),
        pytest.param(b"[::1]:443", Kind.AUTHORITY_FORM, id="IPv6"),
        pytest.param(b"a/b", Kind.MISSING_SLASH, id="no slash"),
        pytest.param(b"", Kind.MISSING_SLASH, id="nothing"),
        pytest.param(b"%2Fa", Kind.MISSING_SLASH, id="an escaped slash in front"),
        pytest.param(b"\\a", Kind.MISSING_SLASH, id="a backslash in front"),
        pytest.param(b"**", Kind.MISSING_SLASH, id="two asterisks"),
        pytest.param(b"?q", Kind.MISSING_SLASH, id="a query alone"),
    ],
)
@pytest.mark.parametrize("preset", PRESETS)
def test_other_forms_are_refused_by_every_preset(preset: str, path: bytes, kind: Kind) -> None:
    outcome = PRESETS[preset].normalize(Target(path))
    assert isinstance(outcome, Rejected)
    assert outcome.findings[0].kind is kind
    assert outcome.findings[0].action is Action.REJECT


FRAGMENTS: Final = [
    pytest.param(Target(b"/a#x"), Target(b"/a"), id="in a path"),
    pytest.param(Target(b"/a#"), Target(b"/a"), id="an empty fragment"),
    pytest.param(Target(b"/a#x", b"q=1"), Target(b"/a"), id="a query after a fragment"),
    pytest.param(Target(b"/a#x#y"), Target(b"/a"), id="two fragments"),
    pytest.param(Target(b"/x/..#y"), Target(b"/"), id="a dot segment before a fragment"),
    pytest.param(Target(b"/a#/../../b"), Target(b"/a"), id="dot segments after a number sign"),
    pytest.param(Target(b"http://h#x", host=b"h"), Target(b"/", host=b"h"), id="after an authority"),
    pytest.param(Target(query=b"q=1#x"), Target(query=b"q=1"), id="in a query"),
    pytest.param(Target(query=b"q=1#x&r=2"), Target(query=b"q=1"), id="pairs after a number sign"),
    pytest.param(Target(query=b"#x"), Target(), id="all of a query"),
    pytest.param(Target(query=b"a#b#c"), Target(query=b"a"), id="two in a query"),
    pytest.param(Target(query=b"q=<sc#ript>"), Target(query=b"q=%3Csc"), id="within a value"),
]  # fmt: skip


@pytest.mark.parametrize(("target", "repaired"), FRAGMENTS)
def test_a_fragment_is_cut_with_everything_after_it(target: Target, repaired: Target) -> None:
    assert replace(accepted(LENIENT, target), preserved=b"") == repaired
    assert isinstance(STANDARD.normalize(target), Rejected)


@pytest.mark.parametrize(
    ("policy", "query"),
    [
        pytest.param(Policy.LENIENT, b"%u000a=", id="a line break in a name, once decoded"),
        pytest.param(
            Policy.LENIENT.rejecting(Kind.ILL_FORMED_UTF8, on=Component.QUERY), b"%uD800", id="a surrogate"
        ),
        pytest.param(
            Policy.LENIENT.replacing(Kind.NUL).limiting(octets=5), b"q=%00", id="a limit, after an edit"
        ),
        pytest.param(
            Policy.LENIENT.charset("gbk", names=["q"])
            .allowing(Kind.ILL_FORMED_UTF8, on=Component.QUERY, names=["q"])
            .replacing(Kind.NUL),
            b"q=%83%00",
            id="octets outside a charset, after an edit",
        ),
    ],
)
def test_a_fragment_in_the_path_hides_no_fault_of_the_query(policy: Policy, query: bytes) -> None:
    # The query belongs to the fragment. Without a path that is cut, it is refused after an edit.
    for path in b"/", b"/#":
        assert isinstance(Normalizer(policy).normalize(Target(path, query)), Rejected)


# -- dot segments: RFC 3986, section 5.2.4 -------------------------------------------------------------------


def remove_dot_segments(path: str) -> str:
    """Remove dot segments step by step, as the RFC describes it."""
    output = ""
    while path:
        if path.startswith(("../", "./")):  # 2A
            path = path.split("/", 1)[1]
        elif path.startswith("/./") or path == "/.":  # 2B
            path = "/" + path[3:]
        elif path.startswith("/../") or path == "/..":  # 2C
            path = "/" + path[4:]
            output = output[: output.rfind("/")] if "/" in output else ""
        elif path in {".", ".."}:  # 2D
            path = ""
        else:  # 2E
            end = path.find("/", 1)
            end = len(path) if end < 0 else end
            output, path = output + path[:end], path[end:]
    return output


def _is_refused(segments: tuple[str, ...]) -> bool:
    """Whether postel refuses what the RFC resolves: ``..`` above the root or over an empty segment."""
    above: list[str] = []
    for segment in segments:
        if segment == "..":
            if not above or above.pop() == "":
                return True
        elif segment != ".":
            above.append(segment)
    return False


RESOLVING: Final = Normalizer(Policy.LENIENT.allowing(Kind.EMPTY_SEGMENT, Kind.LEADING_SLASHES))


@pytest.mark.parametrize("length", range(1, 6))
def test_dot_segments_are_removed_as_in_the_rfc(length: int) -> None:
    for segments in product(["a", "", ".", ".."], repeat=length):
        path = "".join("/" + segment for segment in segments)
        outcome = RESOLVING.normalize(Target(path.encode()))
        assert isinstance(outcome, Rejected) is _is_refused(segments), path
        if isinstance(outcome, Accepted):
            assert outcome.target.path.decode() == remove_dot_segments(path), path


@pytest.mark.parametrize(
    ("path", "repaired"),
    [
        # RFC 3986, section 5.2.4, and the references with a path from section 5.4, merged with /b/c/d;p.
        pytest.param(b"/a/b/c/./../../g", b"/a/g", id="the example of 5.2.4"),
        pytest.param(b"/b/c/./g", b"/b/c/g", id="./g"),
        pytest.param(b"/b/c/g/", b"/b/c/g/", id="g/"),
        pytest.param(b"/b/c/.", b"/b/c/", id="."),
        pytest.param(b"/b/c/./", b"/b/c/", id="./"),
        pytest.param(b"/b/c/..", b"/b/", id=".."),
        pytest.param(b"/b/c/../g", b"/b/g", id="../g"),
        pytest.param(b"/b/c/../..", b"/", id="../.."),
        pytest.param(b"/b/c/../../g", b"/g", id="../../g"),
        pytest.param(b"/b/c/../../../g", None, id="../../../g: above the root, which the RFC ignores"),
        pytest.param(b"/../g", None, id="/../g: above the root"),
        pytest.param(b"/b/c/g.", b"/b/c/g.", id="g."),
        pytest.param(b"/b/c/.g", b"/b/c/.g", id=".g"),
        pytest.param(b"/b/c/g..", b"/b/c/g..", id="g.."),
        pytest.param(b"/b/c/..g", b"/b/c/..g", id="..g"),
        pytest.param(b"/b/c/./g/.", b"/b/c/g/", id="./g/."),
        pytest.param(b"/b/c/g/./h", b"/b/c/g/h", id="g/./h"),
        pytest.param(b"/b/c/g/../h", b"/b/c/h", id="g/../h"),
        pytest.param(b"/b/c/g;x=1/./y", b"/b/c/g;x=1/y", id="g;x=1/./y"),
        pytest.param(b"/b/c/g;x=1/../y", b"/b/c/y", id="g;x=1/../y"),
        pytest.param(b"/...", b"/...", id="three dots"),
        pytest.param(b"/a/%2e/b", None, id="escaped"),
        pytest.param(b"/a/.%2E/b", None, id="half escaped"),
        pytest.param(b"/a/..;x/b", None, id="dots with a parameter"),
        pytest.param(b"/a/..%3Bx/b", None, id="dots with an escaped parameter"),
        pytest.param(b"/a//../b", None, id="dots after an empty segment"),
    ],
)
def test_dot_segments_are_resolved_as_in_the_examples_of_the_rfc(path: bytes, repaired: bytes | None) -> None:
    outcome = LENIENT.normalize(Target(path))
    assert (outcome.target.path if isinstance(outcome, Accepted) else None) == repaired
    if repaired != path:
        assert isinstance(STANDARD.normalize(Target(path)), Rejected)


# -- guards in front -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        b"//admin", b"/%2Fadmin", b"/./admin", b"/x/../admin", b"/admin//..", b"/admin%2Fpanel",
        b"/%2e/admin", b"/admin/..;/admin", b"/q%0a", b"/\\admin", b"/admin#x", b"/%C4admin",
        b"/admin%00", b"/%u0061dmin", b"/x/%2e%2e/admin", b"/x%5c..%5cadmin", b"/admin%", b"admin", b"http://other/admin",
    ],
)  # fmt: skip
def test_standard_repairs_no_detour_to_a_guarded_path(path: bytes) -> None:
    assert isinstance(STANDARD.normalize(Target(path, host=b"h")), Rejected)
    assert isinstance(STRICT.normalize(Target(path, host=b"h")), Rejected)


def test_standard_respells_a_guarded_path() -> None:
    assert accepted(STANDARD, Target(b"/%61dmin")).path == b"/admin"


# -- findings ------------------------------------------------------------------------------------------------

LINES: Final = [
    pytest.param(STANDARD, Target(b"/a%2Fb"), ['encoded-slash in path at 2: "%2F" (reject)'], id="in a path"),
    pytest.param(
        STANDARD, Target(query=b"a=1&q=x%00y"), ['nul in query at 7: "%00", of "q" (reject)'], id="in a pair"
    ),
    pytest.param(
        STANDARD,
        Target(query=b"q=%C4rzteblatt"),
        ['ill-formed-utf8 in query at 2: "%C4" (truncated), of "q" (reject)'],
        id="ill-formed",
    ),
    pytest.param(
        STANDARD,
        Target(b"/\xc0\xaf"),
        [r'ill-formed-utf8 in path at 1: "\xc0\xaf" (overlong) (reject)'],
        id="octets that are not printable",
    ),
    pytest.param(
        STANDARD,
        Target(query=b"q=\xff\x80"),
        [
            r'ill-formed-utf8 in query at 2: "\xff" (out-of-range), of "q" (reject)',
            r'ill-formed-utf8 in query at 3: "\x80" (stray), of "q" (reject)',
        ],
        id="ill-formed raw octets",
    ),
    pytest.param(
        STANDARD,
        Target(query=b"q=\xff&r=\xc3\xa9"),
        [
            r'ill-formed-utf8 in query at 2: "\xff" (out-of-range), of "q" (reject)',
            r'raw-non-ascii in query at 6: "\xc3\xa9", of "r" (repair)',
        ],
        id="ill-formed raw octets and a raw character",
    ),
    pytest.param(
        STANDARD, Target(b'/a"'), [r'illegal-character in path at 2: "\x22" (repair)'], id="a quotation mark"
    ),
    pytest.param(
        STANDARD,
        Target(query=b"%22%0A=1"),
        [r'name-line-break in query at 3: "%0A", of "\x22\x0a" (reject)'],
        id="a name that is not printable",
    ),
    pytest.param(
        STANDARD,
        Target(query=b"%C4=1"),
        ['ill-formed-utf8 in query at 0: "%C4" (truncated), of "?" (reject)'],
        id="a name that is ill-formed",
    ),
    pytest.param(
        STANDARD,
        Target(query=b"\xc3\xa4=%01"),
        [
            r'control in query at 3: "%01", of "\xc3\xa4" (reject)',
            r'raw-non-ascii in query at 0: "\xc3\xa4", of "\xc3\xa4" (repair)',
        ],
        id="a name beyond ASCII",
    ),
    pytest.param(
        LENIENT,
        Target(b"/../x"),
        [
            'dot-segment in path at 1: ".." (repair)',
            'dot-segment in path at 1: ".." (above the root) (reject)',
        ],
        id="above the root",
    ),
    pytest.param(
        STANDARD,
        Target(b"/%00%00%00"),
        ['nul in path at 1: "%00%00%00" (reject)'],
        id="one finding for a run",
    ),
    pytest.param(
        STANDARD,
        Target(b"/%00a%00"),
        ['nul in path at 1: "%00" (reject)', 'nul in path at 5: "%00" (reject)'],
        id="two findings for two runs",
    ),
    pytest.param(STANDARD, Target(b"", prefix=b"/.."), None, id="a fault of a prefix"),
]


@pytest.mark.parametrize(("normalizer", "target", "lines"), LINES)
def test_a_finding_is_one_printable_line(
    normalizer: Normalizer, target: Target, lines: list[str] | None
) -> None:
    findings = normalizer.examine(target).findings
    assert findings
    assert all(str(each).isascii() and str(each).isprintable() for each in findings)
    if lines is not None:
        assert [str(finding) for finding in findings] == lines


def test_a_finding_is_a_value_with_fields() -> None:
    (finding,) = STANDARD.examine(Target(query=b"a=1&q=x%00y")).findings
    assert finding == Finding(Kind.NUL, Component.QUERY, 7, b"%00", Action.REJECT, "q", "")


def test_an_excerpt_is_48_octets_at_most() -> None:
    (finding,) = STANDARD.examine(Target(b"/" + b"%00" * 100)).findings
    assert finding.excerpt == b"%00" * 16
    assert finding.offset == 1


def test_a_name_is_quoted_up_to_64_characters() -> None:
    (finding,) = STANDARD.examine(Target(query=b"n" * 100 + b"=%00")).findings
    assert finding.name == "n" * 64


@pytest.mark.parametrize(
    "target",
    [Target(b"/%7Euser"), Target(query=b"q=%00"), Target(b"/a%2Fb")],
    ids=["accepted", "rejected", "kept"],
)
def test_an_outcome_survives_pickling(target: Target) -> None:
    # A program may judge in another process, and return the outcome.
    for normalizer in (STANDARD, LENIENT):
        outcome = normalizer.examine(target)
        assert pickle.loads(pickle.dumps(outcome)) == outcome  # noqa: S301 - our own octets


def test_a_finding_after_an_edit_points_at_the_received_octets() -> None:
    received = b"/a%u002f..%u002f%u0000"
    outcome = LENIENT.examine(Target(received))
    assert isinstance(outcome, Rejected)
    for finding in outcome.findings:
        assert received[finding.offset : finding.offset + len(finding.excerpt)] == finding.excerpt


# -- more than 32 findings -----------------------------------------------------------------------------------

NOTING: Final = Normalizer(Policy.STANDARD.reporting(Kind.NUL))


@pytest.mark.parametrize(
    ("count", "kept", "truncated"),
    [
        pytest.param(31, 31, False, id="31"),
        pytest.param(32, 32, False, id="32"),
        pytest.param(33, 32, True, id="33"),
        pytest.param(100, 32, True, id="100"),
    ],
)
def test_32_findings_are_listed(count: int, kept: int, truncated: bool) -> None:
    target = Target(query=b"&".join([b"a=%00"] * count))
    noted = NOTING.normalize(target)
    assert isinstance(noted, Accepted)
    assert (len(noted.findings), noted.truncated) == (kept, truncated)
    rejected = STANDARD.normalize(target)
    assert isinstance(rejected, Rejected)
    # One more than are kept, with a reason to refuse, is enough; nothing more is judged.
    assert (len(rejected.findings), rejected.truncated) == (kept, truncated)


@pytest.mark.parametrize(("many", "truncated"), [(31, False), (32, True), (40, True)])
def test_judging_again_finds_nothing_new(many: int, truncated: bool) -> None:
    # The repair of the last pair makes it necessary to judge all pairs again.
    target = Target(query=b"&".join([b"a=%E2%80%AE"] * many + [b"b=%zz"]))
    outcome = LENIENT.normalize(target)
    assert isinstance(outcome, Accepted)
    assert outcome.target.query.endswith(b"&b=%25zz")
    assert (len(outcome.findings), outcome.truncated) == (32, truncated)


def test_findings_at_the_same_place_after_an_edit_are_one_finding() -> None:
    outcome = LENIENT.normalize(Target(b"/a" + b"%u007e%u0000" * 34 + b"%u007e"))
    assert isinstance(outcome, Rejected)
    refused = [each for each in outcome.findings if each.action is Action.REJECT]
    assert len({each.offset for each in refused}) == len(refused)


@pytest.mark.parametrize(
    ("many", "kept", "truncated"), [(15, 30, False), (16, 32, False), (17, 32, True), (40, 32, True)]
)
def test_findings_that_an_edit_creates_are_listed_or_left_out(many: int, kept: int, truncated: bool) -> None:
    policy = Policy.LENIENT.reporting(Kind.BIDI_CONTROL).limiting(octets=1000)
    outcome = Normalizer(policy).normalize(Target(query=b"%u202ex" * many))
    assert isinstance(outcome, Accepted)
    assert (len(outcome.findings), outcome.truncated) == (kept, truncated)


def test_the_reason_of_a_refusal_is_kept_if_it_is_the_33rd_finding() -> None:
    query = b"&".join([*[b"a=%00"] * 40, b"b=%01", b"c=%02"])
    outcome = NOTING.normalize(Target(query=query))
    assert isinstance(outcome, Rejected)
    assert (len(outcome.findings), outcome.truncated) == (32, True)
    assert [finding.kind for finding in outcome.findings] == [*[Kind.NUL] * 31, Kind.CONTROL]
    assert outcome.findings[-1].action is Action.REJECT
    assert outcome.findings[-1].name == "b"


def test_a_refusal_while_repairing_is_kept_if_it_is_the_33rd_finding() -> None:
    normalizer = Normalizer(Policy.LENIENT.limiting(segments=300))
    outcome = normalizer.normalize(Target(b"/a\\.." * 40 + b"\\..\\b"))
    assert isinstance(outcome, Rejected)
    assert len(outcome.findings) == 32
    assert [finding.detail for finding in outcome.findings if finding.action is Action.REJECT] == [
        "above the root"
    ]


# -- rules for single names ----------------------------------------------------------------------------------

NAMED: Final = [
    pytest.param(
        Policy.STANDARD.dropping_pairs(Kind.NUL, names=["q"]), b"q=%00&r=1", b"r=1", id="a rule for the name"
    ),
    pytest.param(
        Policy.STANDARD.dropping_pairs(Kind.NUL, names=["q"]), b"r=%00", None, id="no rule for another name"
    ),
    pytest.param(
        Policy.STANDARD.dropping_pairs(Kind.NUL, names=["q"]),
        b"%71=%00&r=1",
        b"r=1",
        id="the name in another spelling",
    ),
    pytest.param(
        Policy.STANDARD.dropping_pairs(Kind.NUL, names=["a b"]),
        b"a+b=%00&r=1",
        b"r=1",
        id="a name with a space",
    ),
    pytest.param(
        Policy.STANDARD.dropping_pairs(Kind.NUL, names=["q*"]),
        b"q%00=1",
        None,
        id="no rule matches a faulty name",
    ),
    pytest.param(
        Policy.STANDARD.allowing(Kind.CONTROL).dropping_pairs(Kind.NUL, names=["q*"]),
        b"q%01=%00&r=1",
        b"r=1",
        id="a rule matches a name with an allowed fault",
    ),
    pytest.param(
        Policy.STANDARD.allowing(Kind.NUL).rejecting(Kind.NUL, names=["q"]),
        b"r=%00&q=%00",
        None,
        id="a stricter rule",
    ),
    pytest.param(
        Policy.STANDARD.allowing(Kind.NUL).rejecting(Kind.NUL, names=["q"]),
        b"r=%00",
        b"r=%00",
        id="a stricter rule for another name",
    ),
    pytest.param(
        Policy.STANDARD.repairing(Kind.SPELLING, names=["q"]),
        b"q=%7e+&r=%7e+",
        b"q=~%20&r=%7e+",
        id="a repair for one name",
    ),
    pytest.param(
        Policy.STANDARD.rejecting(Kind.NOT_NFC).allowing(Kind.NOT_NFC, names=["q"]),
        b"q=e%CC%81",
        b"q=e%CC%81",
        id="an exemption for text that is not in NFC",
    ),
    pytest.param(
        Policy.STANDARD.rejecting(Kind.NOT_NFC).allowing(Kind.NOT_NFC, names=["q"]),
        b"r=e%CC%81",
        None,
        id="text in another name that is not in NFC",
    ),
    pytest.param(
        Policy.STANDARD.rejecting(Kind.DUPLICATE_NAME, names=["id"]),
        b"a=1&a=2&id=1",
        b"a=1&a=2&id=1",
        id="a name that must not be repeated, once",
    ),
    pytest.param(
        Policy.STANDARD.rejecting(Kind.DUPLICATE_NAME, names=["id"]),
        b"id=1&%69d=2",
        None,
        id="a name that must not be repeated, twice",
    ),
    pytest.param(
        Policy.STANDARD.rejecting(Kind.DUPLICATE_NAME, names=["id"]).dropping_pairs(Kind.SEMICOLON),
        b"id=1&id=;",
        None,
        id="a name that must not be repeated, in a pair that would be dropped",
    ),
    pytest.param(
        Policy.STANDARD.rejecting(Kind.DUPLICATE_NAME, names=["id"]).dropping(Kind.NUL),
        b"id=%00&id=x%00y&id=1",
        None,
        id="a name that must not be repeated, in pairs that would be dropped",
    ),
    pytest.param(
        Policy.LENIENT.allowing(Kind.ILLEGAL_CHARACTER, names=["q"]),
        b"q=<%u0041#&b=",
        b"q=<A",
        id="a rule for one pair, units in it, and another pair in the fragment",
    ),
    pytest.param(
        Policy.LENIENT.allowing(Kind.MALFORMED_ESCAPE, names=["b*"]).dropping(Kind.CONTROL, names=["a"]),
        b"b=%#%&a=x",
        b"b=%",
        id="a rule for a pair before a fragment, and another rule for a pair in it",
    ),
    pytest.param(
        Policy.STANDARD.rejecting(Kind.DUPLICATE_NAME, names=["id"]).dropping_pairs(Kind.SEMICOLON),
        b"a=1&a=;&id=;",
        b"a=1",
        id="a dropped pair with a name of its own",
    ),
    # If a name has a finding, its rules apply, except for exemptions.
    pytest.param(
        Policy.STANDARD.accepting(LATIN, names=["q"]).reporting(Kind.SPELLING),
        b"%71=%E8%B5%B7",
        None,
        id="a range, for a name whose spelling is reported",
    ),
    pytest.param(
        Policy.STANDARD.reporting(Kind.RAW_BRACKET).accepting(LATIN, names=["t[]"]),
        b"t[]=%E8%B5%B7",
        None,
        id="a range, for a name whose brackets are reported",
    ),
    pytest.param(
        Policy.LENIENT.rejecting(Kind.LINE_BREAK, names=["q*"]).reporting(Kind.INVISIBLE),
        b"q%E2%80%8B=%0A",
        None,
        id="a stricter rule, for a name with a reported fault",
    ),
    pytest.param(
        Policy.STANDARD.reporting(Kind.RAW_BRACKET).allowing(Kind.NUL, names=["q[]"]),
        b"q[]=%00",
        None,
        id="no exemption, for a name whose brackets are reported",
    ),
    pytest.param(
        Policy.STANDARD.reporting(Kind.RAW_BRACKET).allowing(Kind.NUL, names=["q[]"]),
        b"q%5B%5D=%00",
        b"q%5B%5D=%00",
        id="an exemption, for a name with escaped brackets",
    ),
    pytest.param(
        Policy.STANDARD.reporting(Kind.RAW_BRACKET).dropping_pairs(Kind.NUL, names=["q[]"]),
        b"q[]=%00",
        None,
        id="no edit in place of a refusal, for a name whose brackets are reported",
    ),
    pytest.param(
        Policy.STANDARD.reporting(Kind.RAW_BRACKET)
        .replacing(Kind.NUL)
        .dropping_pairs(Kind.NUL, names=["q[]"]),
        b"q[]=%00",
        b"q[]=%EF%BF%BD",
        id="no other edit, for a name whose brackets are reported",
    ),
    pytest.param(
        Policy.STANDARD.accepting(LATIN)
        .reporting(Kind.OUTSIDE_ACCEPTED_RANGE, names=["q[]"])
        .reporting(Kind.RAW_BRACKET),
        b"q[]=%E8%B5%B7",
        None,
        id="a range in spite of an exemption, for a name whose brackets are reported",
    ),
    # A finding about the spelling ends no exemption, because the name is the same.
    pytest.param(
        Policy.STANDARD.reporting(Kind.SPELLING).allowing(Kind.NUL, names=["q"]),
        b"%71=%00",
        b"%71=%00",
        id="an exemption, for a name whose spelling is reported",
    ),
    pytest.param(
        Policy.STRICT.allowing(Kind.NUL, names=["q"]),
        b"%71=%00",
        b"q=%00",
        id="an exemption, for a name whose spelling is repaired",
    ),
    pytest.param(
        Policy.STRICT.dropping_pairs(Kind.NUL, names=["q"]),
        b"a=1&%71=%00",
        b"a=1",
        id="an edit, for a name whose spelling is repaired",
    ),
    pytest.param(
        Policy.STANDARD.reporting(Kind.CONTROL).allowing(Kind.NUL, names=["q*", "é"]),
        b"q%01=%00&\xc3\xa9=1",
        None,
        id="no exemption, for a faulty name beside a bare one",
    ),
    pytest.param(
        Policy.STANDARD.reporting(Kind.CONTROL).allowing(Kind.NUL, names=["q*", "é"]),
        b"q%01=1&\xc3\xa9=%00",
        None,
        id="no exemption, for a bare name beside a faulty one",
    ),
    pytest.param(
        Policy.STANDARD.reporting(Kind.CONTROL, Kind.RAW_BRACKET).allowing(Kind.NUL, names=["q*"]),
        b"q%01=%00&q[]=1",
        None,
        id="no exemption, for a faulty name beside one with brackets",
    ),
    pytest.param(
        Policy.STANDARD.reporting(Kind.RAW_BRACKET)
        .allowing(Kind.RAW_NON_ASCII)
        .allowing(Kind.NUL, names=["é"]),
        b"\xc3\xa9=%00",
        b"\xc3\xa9=%00",
        id="an exemption, for a bare name that is allowed",
    ),
    # A rule applies to the name as received and as it is repaired, but no repair makes an exemption apply.
    pytest.param(
        Policy.LENIENT.repairing(Kind.RAW_BRACKET).allowing(Kind.MALFORMED_ESCAPE, names=["q[]"]),
        b"q[]=%zz&q%5B%5D=%zz",
        b"q%5B%5D=%25zz&q%5B%5D=%zz",
        id="no exemption, for a name whose brackets are repaired",
    ),
    pytest.param(
        Policy.LENIENT.rejecting(Kind.UNICODE_ESCAPE, names=["é"]),
        b"%u00e9=%u0041",
        None,
        id="a stricter rule, for a name in UTF-16",
    ),
    *(
        pytest.param(
            Policy.LENIENT.rejecting(Kind.MALFORMED_ESCAPE, names=["é"]), name + b"=%zz", None, id=spelling
        )
        for name, spelling in (
            (b"%C3%A9", "an escaped name"),
            (b"\xc3\xa9", "a bare name"),
            (b"%u00e9", "a name in UTF-16"),
        )
    ),
    pytest.param(
        Policy.STANDARD.rejecting(Kind.MALFORMED_ESCAPE, names=["a|b"]),
        b"a|b=%zz",
        None,
        id="a name with an illegal character",
    ),
    pytest.param(
        Policy.LENIENT.rejecting(Kind.ILL_FORMED_UTF8, names=["q"]),
        b"q%C4=%C4x",
        None,
        id="a name that the rule matches only after a repair",
    ),
    pytest.param(
        Policy.STANDARD.repairing(Kind.NOT_NFC).rejecting(Kind.MALFORMED_ESCAPE, names=["é"]),
        b"e%CC%81=%zz",
        None,
        id="a name that the rule matches only in NFC",
    ),
    pytest.param(
        Policy.LENIENT.repairing(Kind.NOT_NFC).allowing(Kind.NOT_NFC, names=["é"]),
        b"e%CC%81=e%CC%81",
        b"%C3%A9=%C3%A9",
        id="no exemption of text, for a name that the rule matches only in NFC",
    ),
    pytest.param(
        Policy.LENIENT.dropping_pairs(Kind.NOT_NFC).dropping(Kind.NUL).rejecting(Kind.TAB, names=["q"]),
        b"ae%CC%81%00=1&b=2&c%00=3&d%00d=4",
        b"b=2&c=3",
        id="names that drop their pairs for different reasons",
    ),
    pytest.param(
        Policy.LENIENT.dropping_pairs(Kind.NOT_NFC)
        .dropping(Kind.NUL)
        .allowing(Kind.NOT_NFC, names=["e\u0301"]),
        b"e%CC%81%00=1&b=2",
        b"b=2",
        id="a faulty name that drops its pair before the exemption matches",
    ),
    pytest.param(
        Policy.LENIENT.rejecting(Kind.FRAGMENT, names=["é"]),
        b"%u00e9=1#x",
        None,
        id="a pair before a fragment",
    ),
    pytest.param(
        Policy.LENIENT.rejecting(Kind.NUL, names=["é"]),
        b"q=1#x&%u000A=%00",
        b"q=1",
        id="a pair in a fragment",
    ),
    pytest.param(
        Policy.STANDARD.rejecting(Kind.MALFORMED_ESCAPE, names=["é"]),
        b"\xc3\xa8=%zz",
        b"%C3%A8=%25zz",
        id="a repaired name that the rule does not match",
    ),
    pytest.param(
        Policy.LENIENT.dropping(Kind.NUL, on=Component.QUERY).repairing(Kind.NOT_NFC, names=["q"]),
        b"&".join([b"a=e%CC%81%00"] * 40),
        b"&".join([b"a=e%CC%81"] * 40),
        id="text that only another name composes",
    ),
    pytest.param(
        Policy.LENIENT.accepting(LATIN)
        .dropping(Kind.NUL, on=Component.QUERY)
        .rejecting(Kind.SEMICOLON, names=["a"]),
        b"a%00=1&b=2",
        b"b=2",
        id="a name outside an accepted range that a rule would match",
    ),
    pytest.param(
        Policy.LENIENT.rejecting(Kind.FRAGMENT, names=["q"]).repairing(Kind.NOT_NFC),
        b"e%CC%81=1#e%CC%81=2",
        b"%C3%A9=1",
        id="a name to compose before a fragment",
    ),
    pytest.param(
        Policy.LENIENT.rejecting(Kind.NUL, names=["k"]),
        b"a&\xbf#",
        b"a",
        id="a pair without a name before a fragment",
    ),
]


@pytest.mark.parametrize(("policy", "query", "repaired"), NAMED)
def test_rules_for_names(policy: Policy, query: bytes, repaired: bytes | None) -> None:
    normalizer = Normalizer(policy)
    if repaired is None:
        assert refused(normalizer, Target(query=query))
    else:
        assert accepted(normalizer, Target(query=query)).query == repaired


@pytest.mark.parametrize(
    ("policy", "body", "written"),
    [
        pytest.param(Policy.STRICT, b"t=1&t%0A=%00", None, id="an unusual name"),
        pytest.param(Policy.STRICT, b"t=1&t%0D%0A=%00", b"t=1&t%0D%0A=%00", id="a usual name"),
        pytest.param(
            Policy.STANDARD.rejecting(Kind.LONE_NEWLINE, names=["u"]),
            b"t=1&t%0A=%00",
            b"t=1&t%0A=%00",
            id="an unusual name that is allowed",
        ),
    ],
)
def test_exemptions_for_names_of_several_lines(policy: Policy, body: bytes, written: bytes | None) -> None:
    policy = policy.allowing(Kind.NAME_LINE_BREAK).allowing(Kind.NUL, names=["t*"])
    assert FormRules(policy, Forms()).judge(body).octets == written


@pytest.mark.parametrize(
    ("query", "kept", "offsets"),
    [
        pytest.param(b"&utm_x=%FF&&b=1&&", b"&&b=1&&", [0, 11, 16, 17], id="beside a dropped pair"),
        pytest.param(b"a&#b", b"a&", [], id="after a fragment is cut"),
    ],
)
def test_empty_pairs_are_reported_where_they_were_received(
    query: bytes, kept: bytes, offsets: list[int]
) -> None:
    policy = Policy.STANDARD.reporting(Kind.EMPTY_PAIR).repairing(Kind.FRAGMENT)
    outcome = Normalizer(policy).examine(Target(query=query))
    assert isinstance(outcome, Accepted)
    assert outcome.target.query == kept
    assert [each.offset for each in outcome.findings if each.kind is Kind.EMPTY_PAIR] == offsets


@pytest.mark.parametrize(
    ("policy", "query", "written"),
    [
        pytest.param(
            Policy.LENIENT.replacing(Kind.NUL), b"a=%FF&b=%00", b"a=&b=%EF%BF%BD", id="beside dropped octets"
        ),
        pytest.param(
            Policy.LENIENT.replacing(Kind.NUL),
            b"a=\xc3\xa9%FF&b=%00&\xc3\xa9",
            b"a=%C3%A9&b=%EF%BF%BD&%C3%A9",
            id="beside dropped octets and raw ones",
        ),
        pytest.param(
            Policy.LENIENT.replacing(Kind.NUL).reporting(Kind.ILL_FORMED_UTF8),
            b"a=\xe2\x82\xc3\xa9&b=%00&c=\xc3\xa9\xff",
            b"a=%E2%82%C3%A9&b=%EF%BF%BD&c=%C3%A9%FF",
            id="beside ill-formed octets that are reported",
        ),
        pytest.param(
            Policy.LENIENT.replacing(Kind.ILL_FORMED_UTF8),
            b"a=%E2%82&b=%F0%9F%98x&c=%E2&d=%FF%FF",
            b"a=%EF%BF%BD&b=%EF%BF%BDx&c=%EF%BF%BD&d=%EF%BF%BD%EF%BF%BD",
            id="truncated characters",
        ),
    ],
)
def test_characters_are_replaced(policy: Policy, query: bytes, written: bytes) -> None:
    assert accepted(Normalizer(policy), Target(query=query)).query == written


@pytest.mark.parametrize(
    ("target", "octets"), [(Target(query=b"q=%C3%A9%C3%A9|"), 8), (Target(b"/%C3%A9|"), 4)], ids=ascii
)
def test_a_repair_up_to_the_limit_of_octets_is_made_beside_replacements(target: Target, octets: int) -> None:
    policy = Policy.LENIENT.limiting(octets=octets)
    for component in (Component.PATH, Component.QUERY):
        policy = policy.replacing(Kind.ILL_FORMED_UTF8, on=component)
    repaired = accepted(Normalizer(policy), target)
    assert (repaired.path + repaired.query).endswith(b"%C3%A9%7C")


def test_text_that_cannot_be_composed_refuses_a_path_that_keeps_it() -> None:
    policy = Policy.LENIENT.repairing(Kind.NOT_NFC)
    marks = b"%u0301" * 40
    assert refused(Normalizer(policy), Target(b"/e" + marks + b"/x")) == ["not-nfc"]
    assert accepted(Normalizer(policy), Target(b"/e" + marks + b"/../x")).path == b"/x"
    policy = policy.dropping(Kind.ILL_FORMED_UTF8, on=Component.PATH)
    outcome = Normalizer(policy).examine(Target(b"/a%CC%81/e" + b"%CC%81" * 40 + b"%FF/x"))
    last = outcome.findings[-1]
    assert (last.kind, last.action, last.offset, last.detail) == (Kind.NOT_NFC, Action.REJECT, 9, "")


def test_a_fault_that_the_last_edit_creates_is_refused() -> None:
    policy = Policy.STANDARD.repairing(Kind.PATH_PARAMETER, Kind.LEADING_SLASHES)
    outcome = Normalizer(policy).examine(Target(b"/;x/evil"))
    assert isinstance(outcome, Rejected)
    last = outcome.findings[-1]
    assert (last.kind, last.action) == (Kind.LEADING_SLASHES, Action.REJECT)
    assert (last.offset, last.detail) == (0, "after a repair")


@pytest.mark.parametrize(
    ("path", "found"),
    [
        pytest.param(b"/%C3%A9/../b", [(Kind.DOT_SEGMENT, 8, b"..")], id="after an escape"),
        pytest.param(
            b"/a%2F%2Fbc%2Fd",
            [
                (Kind.ENCODED_SLASH, 2, b"%2F%2F"),
                (Kind.ENCODED_SLASH, 10, b"%2F"),
                (Kind.EMPTY_SEGMENT, 2, b"%2F%2F"),
            ],
            id="between preserved slashes",
        ),
        pytest.param(
            b"/a%2F%2F/b",
            [(Kind.ENCODED_SLASH, 2, b"%2F%2F"), (Kind.EMPTY_SEGMENT, 2, b"%2F%2F/")],
            id="between preserved slashes and a bare one",
        ),
        pytest.param(
            b"/a/.%2Fb",
            [(Kind.ENCODED_SLASH, 4, b"%2F"), (Kind.DOT_SEGMENT, 3, b".")],
            id="in front of a preserved slash",
        ),
        pytest.param(
            b"%2F/a",
            [
                (Kind.MISSING_SLASH, 0, b"%"),
                (Kind.ENCODED_SLASH, 0, b"%2F"),
                (Kind.LEADING_SLASHES, 0, b"%2F/"),
            ],
            id="a preserved slash instead of the first one",
        ),
    ],
)
def test_a_fault_of_a_segment_is_named_where_it_was_received(
    path: bytes, found: list[tuple[Kind, int, bytes]]
) -> None:
    outcome = LENIENT.examine(Target(path))
    assert [(each.kind, each.offset, each.excerpt) for each in outcome.findings] == found


LEFT: Final = Policy.STANDARD.reporting(Kind.MALFORMED_ESCAPE)
"""Leaves stray percent signs as they are."""


@pytest.mark.parametrize(
    ("policy", "target"),
    [
        pytest.param(LEFT, Target(b"/%4%31"), id="reported"),
        pytest.param(LEFT.allowing(Kind.MALFORMED_ESCAPE), Target(b"/%4%31"), id="allowed"),
        pytest.param(
            Policy.STANDARD.repairing(Kind.SPELLING).reporting(Kind.MALFORMED_ESCAPE, names=["a"]),
            Target(query=b"a=%4%31"),
            id="reported in one field",
        ),
        pytest.param(
            Policy.STANDARD.repairing(Kind.SPELLING).reporting(Kind.MALFORMED_ESCAPE, names=["a"]),
            Target(query=b"b=1&a=%4%31"),
            id="reported in one of two fields",
        ),
    ],
)
def test_respelling_never_completes_a_stray_percent_sign(policy: Policy, target: Target) -> None:
    assert refused(Normalizer(policy), target) == ["malformed-escape"]
    details = [each.detail for each in Normalizer(policy).normalize(target).findings]
    assert "it would begin an escape once the octets after it are respelled" in details
    kept = accepted(Normalizer(policy.allowing(Kind.SPELLING)), target)
    assert (kept.path, kept.query) == (target.path, target.query), (
        "without respelling, the target stays as it is"
    )


FEW: Final = Normalizer(Policy.STANDARD.accepting(Characters.of("abc ")))


@pytest.mark.parametrize(
    ("target", "accepts"),
    [
        (Target(b"/a/b%20c"), True),
        (Target(b"/a+b"), False),
        (Target(b"/a&b"), False),
        (Target(b"/a=b"), False),
        (Target(b"/X"), False),
        (Target(query=b"a=b+c&b=%20c"), True),
        (Target(query=b"a=/"), False),
        (Target(query=b"X=a"), False),
    ],
)
def test_delimiters_need_not_be_in_an_accepted_range(target: Target, accepts: bool) -> None:
    if accepts:
        assert accepted(FEW, target) == target
    else:
        assert refused(FEW, target) == ["outside-accepted-range"]


@pytest.mark.parametrize(
    ("keep", "query", "repaired"),
    [
        pytest.param("first", b"a=1&b=2&a=3", b"a=1&b=2", id="the first"),
        pytest.param("last", b"a=1&b=2&a=3", b"b=2&a=3", id="the last"),
        pytest.param("first", b"a=1&%61=3&a=4", b"a=1", id="in any spelling"),
        pytest.param("last", b"a&a=", b"a=", id="without values"),
        pytest.param("first", b"a&&a&&", b"a&&&", id="empty pairs have no name"),
        pytest.param("first", b"a=%00&a=1&a=2", b"a=1", id="a dropped first pair does not count"),
        pytest.param("last", b"a=1&a=%00", b"a=1", id="a dropped last pair does not count"),
    ],
)
def test_which_of_two_pairs_with_one_name_is_kept(keep: str, query: bytes, repaired: bytes) -> None:
    policy = Policy.STANDARD.repairing(Kind.DUPLICATE_NAME).keeping(keep)
    policy = policy.dropping_pairs(Kind.NUL)
    assert accepted(Normalizer(policy), Target(query=query)).query == repaired


@pytest.mark.parametrize("block", [1, 6, 8, 100])
def test_a_name_is_repeated_in_another_block_of_a_form_once_it_is_repaired(block: int) -> None:
    rules = FormRules(Policy.LENIENT.repairing(Kind.DUPLICATE_NAME), Forms())
    assert rules.judge(b"a%FF=1&b=2&a=3&b%FF=4&c=5", block=block).octets == b"a=1&b=2&c=5"


# -- limits, and what an edit creates ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policy", "target"),
    [
        pytest.param(Policy.STANDARD, Target(b"/" + b"\xc3\xa4" * 4000), id="octets of a path"),
        pytest.param(Policy.STANDARD, Target(query=b"q=" + b"\xc3\xa4" * 4000), id="octets of a query"),
        pytest.param(Policy.LENIENT, Target(b"/" + b"a\\" * 300), id="segments"),
        pytest.param(Policy.STANDARD, Target(query=b"%" * 1000 + b"=1"), id="a name"),
        pytest.param(Policy.STANDARD.limiting(value=8), Target(query=b"q=" + b"|" * 8), id="a value"),
        pytest.param(
            Policy.LENIENT.limiting(depth=2), Target(query=b"a" + b"%u005B%u005D" * 3), id="brackets"
        ),
    ],
)
def test_an_accepted_result_is_within_the_limits(policy: Policy, target: Target) -> None:
    normalizer = Normalizer(policy)
    outcome = normalizer.examine(target)
    if isinstance(outcome, Accepted):
        again = normalizer.examine(outcome.target)
        assert isinstance(again, Accepted), [str(finding) for finding in again.findings]


@pytest.mark.parametrize(
    ("path", "within"),
    [
        pytest.param(b"http://example.com/a/b", True, id="as many as allowed"),
        pytest.param(b"http://example.com/a/b/c", False, id="one more"),
        pytest.param(b"http://example.com", True, id="none"),
    ],
)
def test_the_slashes_of_a_scheme_separate_no_segments(path: bytes, within: bool) -> None:
    normalizer = Normalizer(Policy.STANDARD.limiting(segments=2))
    target = Target(path, host=b"example.com")
    if within:
        assert accepted(normalizer, target)
    else:
        assert refused(normalizer, target) == ["too-many-segments"]


@pytest.mark.parametrize(
    "policy", [None, "standard", 5, Policy], ids=["None", "a word", "a number", "the class"]
)
def test_an_invalid_policy_is_refused(policy: Any) -> None:
    with pytest.raises(PolicyError, match=f"^{re.escape(f'Normalizer({policy!r}): give a Policy')}"):
        Normalizer(policy)


def test_the_default_policy_is_standard() -> None:
    assert Normalizer().policy is Policy.STANDARD
    assert Normalizer().policy.limits == Limits()


def test_refusals_are_judged_before_edits() -> None:
    # The pair would be dropped for its NUL, but its control still refuses the request.
    policy = Policy.STANDARD.dropping_pairs(Kind.NUL)
    assert refused(Normalizer(policy), Target(query=b"a=%00%01")) == ["control"]
    # The query is refused before the backslash in the path is repaired.
    assert refused(LENIENT, Target(b"/a\\b", b"%0A=1")) == ["name-line-break"]


@pytest.mark.parametrize("path", [b"//a%2Fb", b"//ab%2Fc", b"/.//a%2Fb"])
def test_slashes_before_a_preserved_segment_are_merged(path: bytes) -> None:
    outcome = Normalizer(Policy.LENIENT).normalize(Target(path))
    assert isinstance(outcome, Accepted)
    assert outcome.target.path in {b"/a%2Fb", b"/ab%2Fc"}


@pytest.mark.parametrize(
    "query", [b"\xf0\x9f\x98\x80\xef\xbf\xbe%u0041", b"\xf0\x9f\x98\x80\xef\xbf\xbe%7e%4"]
)
def test_a_fault_beside_a_repaired_run_is_found_once(query: bytes) -> None:
    outcome = Normalizer(Policy.LENIENT.repairing(Kind.SPELLING)).normalize(Target(b"/", query))
    places = [finding.offset for finding in outcome.findings if finding.kind is Kind.NONCHARACTER]
    assert places == [4]


@pytest.mark.parametrize(
    ("policy", "path", "kinds"),
    [
        pytest.param(
            Policy.LENIENT, b"/a", ["dot-segment", "empty-segment", "leading-slashes"], id="repaired"
        ),
        pytest.param(
            Policy.LENIENT.reporting(Kind.LEADING_SLASHES).reporting(Kind.EMPTY_SEGMENT),
            b"//a",
            ["dot-segment", "empty-segment", "leading-slashes"],
            id="reported",
        ),
        pytest.param(
            Policy.LENIENT.allowing(Kind.LEADING_SLASHES).reporting(Kind.EMPTY_SEGMENT),
            b"//a",
            ["dot-segment", "empty-segment"],
            id="allowed",
        ),
        pytest.param(
            Policy.LENIENT.rejecting(Kind.LEADING_SLASHES),
            None,
            ["dot-segment", "empty-segment", "leading-slashes"],
            id="refused",
        ),
    ],
)
def test_an_empty_segment_behind_dot_segments_becomes_a_leading_slash(
    policy: Policy, path: bytes | None, kinds: list[str]
) -> None:
    outcome = Normalizer(policy).normalize(Target(b"/.//a"))
    assert (outcome.target.path if isinstance(outcome, Accepted) else None) == path
    assert sorted(finding.kind.slug for finding in outcome.findings) == kinds


@pytest.mark.parametrize("front", [b"", b"a" * 2049 + b"=%7F&"], ids=["within limits", "a long name"])
@pytest.mark.parametrize("back", [b"", b"%u0000", b"&%FF"], ids=["nothing", "a unit", "an empty name"])
def test_pairs_dropped_at_once_are_those_that_stages_drop(front: bytes, back: bytes) -> None:
    many = front + b"a=%%&b=\x7f%z&c=x\xffy&d=\xff&" * 12 + back
    alone = [piece for piece in many.split(b"&") if piece]
    whole = Normalizer(Policy.LENIENT).normalize(Target(query=many))
    each = [Normalizer(Policy.LENIENT).normalize(Target(query=piece)) for piece in alone]
    if all(isinstance(outcome, Accepted) for outcome in each):
        assert isinstance(whole, Accepted)
        kept = [outcome.target.query for outcome in each if isinstance(outcome, Accepted)]
        assert [piece for piece in whole.target.query.split(b"&") if piece] == [
            piece for piece in kept if piece
        ]
    else:
        assert isinstance(whole, Rejected)


@pytest.mark.parametrize("octets", [b"%0A", b"%0a", b"%0D", b"%09", b"%0D%0A"])
def test_a_line_break_is_proven_in_a_value_and_refused_in_a_name(octets: bytes) -> None:
    normalizer = Normalizer(Policy.LENIENT)
    for query in (b"q=a" + octets + b"b", b"a=1&%C3%A9=" + octets + b"&b", b"a==" + octets):
        assert normalizer.is_clean(b"/", query)
        assert not normalizer.examine(Target(query=query)).findings
    for query in (
        octets,
        b"a" + octets,
        b"q=1&" + octets + b"=1",
        b"a=1&%C3%A9" + octets + b"&b",
        b"&" + octets,
    ):
        assert not normalizer.is_clean(b"/", query)
        assert refused(normalizer, Target(query=query)) == ["name-line-break"]


@pytest.mark.parametrize("count", [2, 16, 17, 30, 140])
@pytest.mark.parametrize(
    ("pair", "kept"), [(b"a%C4", b"a"), (b"a%C4=%09", b"a=%09"), (b"a%FF=%7F%%", b"")], ids=ascii
)
def test_repeated_names_are_dropped_however_many_there_are(pair: bytes, kept: bytes, count: int) -> None:
    # Ill-formed octets are dropped from all of the names, so the names are still equal then.
    policy = Policy.LENIENT.repairing(Kind.DUPLICATE_NAME).reporting(Kind.TAB)
    outcome = Normalizer(policy).normalize(Target(query=b"&".join([pair] * count)))
    assert isinstance(outcome, Accepted)
    assert outcome.target.query == kept


@pytest.mark.parametrize("target", ["/a", b"/a", None, SimpleNamespace(prefix=b"")], ids=repr)
def test_only_a_target_is_judged(target: Any) -> None:
    for method in (STANDARD.normalize, STANDARD.examine):
        with pytest.raises(TypeError, match=r"Target\(b'/path', b'query'\)"):
            method(target)

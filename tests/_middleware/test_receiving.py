"""The rules for receiving a URL, through both middlewares, with real frameworks behind them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pytest

from applications import STACKS, Stack
from postel import LATIN, Kind, Policy
from together import together

pytestmark = pytest.mark.parametrize("stack", STACKS, ids=lambda stack: stack.name)


# ---- decoding ----


def test_a_plus_is_a_space_in_a_query_and_a_plus_in_a_path(stack: Stack) -> None:
    reading = stack.read("/a+b?q=a+b")
    assert reading.path == "/a+b"
    assert reading.pairs == [("q", "a b")]


def test_an_escaped_plus_is_a_plus(stack: Stack) -> None:
    reading = stack.read("/a%2Bb?q=a%2Bb")
    assert reading.path == "/a+b"
    assert reading.pairs == [("q", "a+b")]


def test_a_plus_is_read_before_the_escapes(stack: Stack) -> None:
    assert stack.read("/?q=%2B+%252B").pairs == [("q", "+ %2B")]


@pytest.mark.parametrize("octets", ["%c3%af", "%C3%AF", "%c3%aF"])
def test_hex_digits_count_in_either_case(stack: Stack, octets: str) -> None:
    reading = stack.read(f"/{octets}?q={octets}")
    assert reading.path == "/ï"
    assert reading.pairs == [("q", "ï")]


def test_an_escape_is_decoded_once(stack: Stack) -> None:
    reading = stack.read("/a%2520b?q=%2541")
    assert reading.path == "/a%20b"
    assert reading.pairs == [("q", "%41")]


# ---- UTF-8 ----


def test_ill_formed_octets_are_refused_by_default(stack: Stack) -> None:
    reading = stack.read("/?q=%C4rzteblatt")
    assert reading.status == 400
    assert reading.kinds == ("ill-formed-utf8",)
    assert reading.handed is None


def test_ill_formed_octets_are_left_out_under_lenient(stack: Stack) -> None:
    reading = stack.read("/?q=%C4rzteblatt", Policy.LENIENT)
    assert reading.pairs == [("q", "rzteblatt")]
    assert reading.handed == b"/?q=rzteblatt"


def test_german_is_read(stack: Stack) -> None:
    assert stack.read("/?q=%C3%84rzteblatt").pairs == [("q", "Ärzteblatt")]


def test_chinese_is_read(stack: Stack) -> None:
    assert stack.read("/?q=%E8%B5%B7%E5%8F%B8%E5%A0%A1").pairs == [("q", "起司堡")]


@pytest.mark.parametrize(
    "policy",
    [
        pytest.param(Policy.STANDARD.accepting(LATIN), id="everywhere"),
        pytest.param(Policy.STANDARD.accepting(LATIN, names=["q"]), id="in q"),
    ],
)
def test_chinese_is_refused_if_only_latin_is_accepted(stack: Stack, policy: Policy) -> None:
    assert stack.read("/?q=%E8%B5%B7%E5%8F%B8%E5%A0%A1", policy).kinds == ("outside-accepted-range",)
    assert stack.read("/?q=%C3%84rzteblatt", policy).pairs == [("q", "Ärzteblatt")]


def test_other_parameters_may_be_chinese_if_one_is_latin(stack: Stack) -> None:
    policy = Policy.STANDARD.accepting(LATIN, names=["q"])
    assert stack.read("/?title=%E8%B5%B7", policy).pairs == [("title", "起")]


# ---- delimiters ----


@pytest.mark.parametrize("slash", ["%2F", "%2f"])
def test_an_escaped_slash_in_a_segment_is_refused(stack: Stack, slash: str) -> None:
    assert stack.read(f"/a/b{slash}c").kinds == ("encoded-slash",)


def test_escaped_delimiters_stay_data_in_a_value(stack: Stack) -> None:
    target = "/?back_uri=https%3A%2F%2Fh%2F%3Fa%3D1%26b&c=d"
    reading = stack.read(target)
    assert reading.pairs == [("back_uri", "https://h/?a=1&b"), ("c", "d")]
    assert reading.handed == target.encode()


@pytest.mark.parametrize(
    "policy", [Policy.STRICT, Policy.STANDARD, Policy.LENIENT], ids=["strict", "standard", "lenient"]
)
def test_a_letter_and_its_escape_are_the_same_path(stack: Stack, policy: Policy) -> None:
    assert stack.read("/%41", policy) == stack.read("/A", policy)


def test_a_slash_and_its_escape_are_different_paths(stack: Stack) -> None:
    policy = Policy.STANDARD.preserving(Kind.ENCODED_SLASH).allowing(Kind.UNSAFE_DOUBLE_ESCAPE)
    escaped, bare = stack.read("/a%2Fb", policy), stack.read("/a/b", policy)
    assert (escaped.path, escaped.handed) == ("/a%2Fb", b"/a%2Fb")
    assert (bare.path, bare.handed) == ("/a/b", b"/a/b")
    assert stack.read("/a%252Fb", policy).path == "/a%252Fb"


def test_a_semicolon_and_its_escape_are_different(stack: Stack) -> None:
    # The decoded path of a framework shows both as ';'. The raw path keeps them apart.
    assert stack.read("/a%3bb").handed == b"/a%3Bb"
    assert stack.read("/a;b").handed == b"/a;b"
    policy = Policy.STANDARD.preserving(Kind.ENCODED_DELIMITER)
    assert stack.read("/a%3bb", policy).path == "/a%3Bb"
    assert stack.read("/a;b", policy).path == "/a;b"


@pytest.mark.parametrize("policy", [Policy.STANDARD, Policy.LENIENT], ids=["standard", "lenient"])
def test_an_ampersand_and_its_escape_are_different(stack: Stack, policy: Policy) -> None:
    assert stack.read("/?a=1%26b=2", policy).pairs == [("a", "1&b=2")]
    assert stack.read("/?a=1&b=2", policy).pairs == [("a", "1"), ("b", "2")]


# ---- the repaired URL ----


class Repaired(NamedTuple):
    name: str
    received: bytes
    handed: bytes
    policy: Policy = Policy.STANDARD


MENDED = [
    Repaired("hex in upper case", b"/caf%c3%a9", b"/caf%C3%A9"),
    Repaired("unreserved characters become bare", b"/%7euser/%41%2d%5f%2E%39", b"/~user/A-_.9"),
    Repaired("reserved characters stay escaped", b"/%40%3a%2C", b"/%40%3A%2C"),
    Repaired("octets are escaped as UTF-8", "/Ä?q=起".encode(), b"/%C3%84?q=%E8%B5%B7"),
    Repaired(
        "units of UTF-16 become UTF-8", b"/%u00c4?q=%uD83D%uDE00", b"/%C3%84?q=%F0%9F%98%80", Policy.LENIENT
    ),
    Repaired("a query without faults keeps its spelling", b"/?q=%c3%a4+%7e", b"/?q=%c3%a4+%7e"),
    Repaired("a query is respelled under STRICT", b"/?q=%c3%a4+%7e", b"/?q=%C3%A4%20~", Policy.STRICT),
]


@pytest.mark.parametrize("case", MENDED, ids=lambda case: case.name)
def test_a_repaired_url_is_canonical(stack: Stack, case: Repaired) -> None:
    first = stack.read(case.received, case.policy)
    assert first.handed == case.handed
    assert stack.read(case.handed, case.policy) == first


# ---- what real clients send ----


class Sent(NamedTuple):
    """What a client sends, what the application reads, and what is handed on if that differs."""

    target: str | bytes
    pairs: Sequence[tuple[str, str]] = ()
    path: str = "/"
    handed: bytes | None = None


FONTS = [("family", "Roboto|Open Sans|Lato")]
JSON = '{"a":[1,"é"]}'
FAMILY = "\N{MAN}\N{ZERO WIDTH JOINER}\N{WOMAN}\N{ZERO WIDTH JOINER}\N{GIRL}"
PERSIAN = "می\N{ZERO WIDTH NON-JOINER}خواهم"
RUSSIAN = "привет"


def escaped(text: str) -> str:
    return "".join(f"%{octet:02X}" for octet in text.encode())


DAY_ONE = {
    "e-mail address in a query": Sent("/?m=user%2Btag%40example.com", [("m", "user+tag@example.com")]),
    "plus that was not escaped": Sent("/?m=user+tag%40example.com", [("m", "user tag@example.com")]),
    "e-mail address in a path": Sent("/user+tag%40example.com", path="/user+tag@example.com"),
    "C++": Sent("/?q=C%2B%2B", [("q", "C++")]),
    "percent sign": Sent("/?q=50%25", [("q", "50%")]),
    "semicolon": Sent("/?q=a;b", [("q", "a;b")], handed=b"/?q=a%3Bb"),
    "PHP's list": Sent("/?tags[]=1&tags[]=2", [("tags[]", "1"), ("tags[]", "2")]),
    "filter in brackets": Sent("/?filter[a]=b", [("filter[a]", "b")]),
    "fonts": Sent("/?family=Roboto|Open+Sans|Lato", FONTS, handed=b"/?family=Roboto%7COpen+Sans%7CLato"),
    "fonts, escaped": Sent("/?family=Roboto%7COpen+Sans%7CLato", FONTS),
    "base64": Sent("/?t=ab%2Bc/d==", [("t", "ab+c/d==")]),
    "base64, escaped": Sent("/?t=ab%2Bc%2Fd%3D%3D", [("t", "ab+c/d==")]),
    "base64 with a plus": Sent("/?t=ab+c/d==", [("t", "ab c/d==")]),
    "base64 in a path": Sent("/ab+c/d==", path="/ab+c/d=="),
    "JSON": Sent(f"/?f={JSON}".encode(), [("f", JSON)], handed=b"/?f=%7B%22a%22:[1,%22%C3%A9%22]%7D"),
    "JSON, escaped": Sent(f"/?f={escaped(JSON)}", [("f", JSON)]),
    "URL in a query": Sent("/?u=https://h.example:8080/a?b=c", [("u", "https://h.example:8080/a?b=c")]),
    "URL in a query, escaped": Sent("/?u=https%3A%2F%2Fh%2F%3Fa%3D1%26b%23c", [("u", "https://h/?a=1&b#c")]),
    "textarea": Sent("/?text=a%0D%0Ab%0Ac%09d", [("text", "a\r\nb\nc\td")]),
    "emoji with joiners": Sent(f"/{escaped(FAMILY)}?q={escaped(FAMILY)}", [("q", FAMILY)], f"/{FAMILY}"),
    "Persian": Sent(f"/{escaped(PERSIAN)}?q={escaped(PERSIAN)}", [("q", PERSIAN)], f"/{PERSIAN}"),
    "Cyrillic": Sent(f"/{escaped(RUSSIAN)}?q={escaped(RUSSIAN)}", [("q", RUSSIAN)], f"/{RUSSIAN}"),
    "Cyrillic, bare": Sent(
        f"/{RUSSIAN}?q={RUSSIAN}".encode(),
        [("q", RUSSIAN)],
        f"/{RUSSIAN}",
        f"/{escaped(RUSSIAN)}?q={escaped(RUSSIAN)}".encode(),
    ),
    "bare name": Sent("/service?wsdl", [("wsdl", "")], "/service"),
    "ampersand at the end": Sent("/?a=1&", [("a", "1")]),
    "ampersand in front": Sent("/?&a=1", [("a", "1")]),
    "forty ids": Sent("/?" + "&".join(f"id={n}" for n in range(40)), [("id", str(n)) for n in range(40)]),
    "C#": Sent("/wiki/C%23", path="/wiki/C#"),
    "question mark in a path": Sent("/what%3F", path="/what?"),
    "question mark in a path and a query": Sent("/what%3F?q=a%3Fb?c", [("q", "a?b?c")], "/what?"),
    "space that was escaped twice": Sent("/My%2520File.pdf", path="/My%20File.pdf"),
    "a plus and an at sign in a path": Sent(
        "/+mail/@me/user+tag@h.example", path="/+mail/@me/user+tag@h.example"
    ),
    "at sign, escaped": Sent("/%40me?to=%40you", [("to", "@you")], "/@me"),
    "method with a colon": Sent("/v1/users:batchGet?ids=1,2", [("ids", "1,2")], "/v1/users:batchGet"),
    "JSON, in pieces": Sent("/?filter=%7B%22a%22:%5B1,2%5D%7D", [("filter", '{"a":[1,2]}')]),
    "emoji, alone": Sent("/%F0%9F%98%80?q=%F0%9F%91%8D", [("q", "\N{THUMBS UP SIGN}")], "/\N{GRINNING FACE}"),
    "combining accent": Sent("/cafe%CC%81?q=e%CC%81", [("q", "e\u0301")], "/cafe\u0301"),
    "matrix parameters, escaped": Sent(
        "/map;lat=50%2E1;n=a%3Bb", path="/map;lat=50.1;n=a;b", handed=b"/map;lat=50.1;n=a%3Bb"
    ),
    "list with commas and a star": Sent(
        "/a,b/*?sort=-date&fields=a,b", [("sort", "-date"), ("fields", "a,b")], "/a,b/*"
    ),
    "fifty percent in a path": Sent("/50%25-off", path="/50%-off"),
    "time with an offset": Sent("/?t=2024-01-01T10:00:00%2B01:00", [("t", "2024-01-01T10:00:00+01:00")]),
    "nested pairs": Sent("/?a%5Bb%5D%5B%5D=1&a[b][]=2", [("a[b][]", "1"), ("a[b][]", "2")]),
    "path in a query": Sent("/?next=/a//b/../c", [("next", "/a//b/../c")]),
    "matrix parameters": Sent("/cars;colour=red;doors=4/list", path="/cars;colour=red;doors=4/list"),
    "discount, escaped space": Sent("/?q=50%%20off", [("q", "50% off")], handed=b"/?q=50%25%20off"),
    "discount, plus": Sent("/?q=50%+off", [("q", "50% off")], handed=b"/?q=50%25+off"),
    "discount, bare space": Sent("/?q=50% off", [("q", "50% off")], handed=b"/?q=50%25%20off"),
    "discount at the end": Sent("/?q=100%", [("q", "100%")], handed=b"/?q=100%25"),
    "asset with a version": Sent("/static/app.min.js?v=1.2.3", [("v", "1.2.3")], "/static/app.min.js"),
    "well-known": Sent("/.well-known/openid-configuration", path="/.well-known/openid-configuration"),
    "npm scope": Sent("/@scope/name", path="/@scope/name"),
    "trailing slash": Sent("/blog/2024/", path="/blog/2024/"),
}


@pytest.mark.no_cover
@together("sent", DAY_ONE.values(), ids=DAY_ONE)
def test_what_real_clients_send(stack: Stack, sent: Sent) -> None:
    reading = stack.read(sent.target)
    assert reading.status == 200
    assert reading.path == sent.path
    assert reading.pairs == list(sent.pairs)
    received = sent.target.encode("latin-1") if isinstance(sent.target, str) else sent.target
    assert reading.handed == (received if sent.handed is None else sent.handed)


def test_options_for_the_whole_server_is_handed_on(stack: Stack) -> None:
    reading = stack.read("*", method="OPTIONS")
    assert reading.handed == b"*"
    assert reading.status != 400  # Each framework answers in its own way; postel does not answer.

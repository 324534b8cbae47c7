r"""Cookies as frameworks read them:

no control character, no padded name, no second copy of a ``__Host-`` cookie.

Frameworks undo quoting in a cookie: ``a="x\000y"`` is NUL in request.cookies of most of them. They strip
Unicode white space from its name: ``__Host-s`` behind U+2003 is ``__Host-s``, whoever has set it.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from http.cookies import CookieError, SimpleCookie
from typing import Any, Final
from urllib.parse import unquote

import bottle
import falcon
import falcon.asgi
import pytest
from django.core.handlers.asgi import ASGIRequest
from django.core.handlers.wsgi import WSGIRequest
from django.http.cookie import parse_cookie as django_cookies
from hypothesis import given
from hypothesis import strategies as st
from litestar._parsers import parse_cookie_string as litestar_cookies
from sanic.cookies.request import parse_cookie as sanic_cookies
from starlette.requests import Request as StarletteRequest
from webob import Request as WebObRequest
from webob.cookies import parse_cookie as webob_cookies
from werkzeug.http import parse_cookie as werkzeug_cookies
from werkzeug.wrappers import Request as WerkzeugRequest

from adapters import ASGI, EACH_PROTOCOL, WSGI, Protocol, Request
from applications import django_configured
from laws.checks import steps_of
from postel import Action, Component, Kind, Policy, PolicyError
from postel._http.cookies import joined
from postel._http.fields import FieldRules
from sampling import EVERY, sample
from together import together
from wire import environ_of, scope_of

Cookies = Iterable[tuple[Any, Any]]


async def never() -> Any:
    raise NotImplementedError


ENVIRON_READERS: Final[dict[str, Callable[[Request], Cookies]]] = {
    "Django": lambda environ: WSGIRequest(environ).COOKIES.items(),
    "Werkzeug": lambda environ: WerkzeugRequest(environ).cookies.items(multi=True),
    "Falcon": lambda environ: falcon.Request(environ).cookies.items(),
    "Bottle": lambda environ: bottle.BaseRequest(environ).cookies.allitems(),
    "WebOb": lambda environ: WebObRequest(environ).cookies.items(),
}
SCOPE_READERS: Final[dict[str, Callable[[Request], Cookies]]] = {
    "Django": lambda scope: ASGIRequest(scope, io.BytesIO()).COOKIES.items(),
    "Starlette": lambda scope: StarletteRequest(scope).cookies.items(),
    "Falcon": lambda scope: falcon.asgi.Request(scope, never).cookies.items(),
}
READERS: Final = {WSGI: ENVIRON_READERS, ASGI: SCOPE_READERS}


def sent(protocol: Protocol, *cookies: bytes) -> Request:
    """Return a request with these fields: separate on ASGI, and joined on WSGI as gunicorn joins them."""
    if protocol is ASGI:
        return {**scope_of(b"/a"), "headers": [(b"host", b"h"), *((b"cookie", each) for each in cookies)]}
    return {**environ_of(b"/a"), "HTTP_COOKIE": b",".join(cookies).decode("latin-1"), "HTTP_ACCEPT": "*/*"}


def read(protocol: Protocol, request: Request) -> dict[str, list[tuple[str, str]]]:
    """Return the names and values that each framework reads."""
    found = {}
    for name, reader in READERS[protocol].items():
        # WebOb reads no cookie whose unescaped value is not UTF-8.
        with django_configured(), contextlib.suppress(UnicodeDecodeError):
            found[name] = [(_text(key), _text(value)) for key, value in reader(request)]
    return found


def _text(found: Any) -> str:
    return found.decode("latin-1") if isinstance(found, bytes) else str(found)


def controls(cookies: Iterable[tuple[str, str]]) -> bool:
    return any(each < " " or each == "\x7f" for pair in cookies for part in pair for each in part)


# -- quoted values are unescaped -----------------------------------------------------------------------------

# Each row: the fields, what is handed on if faulty cookies are dropped, and the faulty octets with their
# place.
ESCAPED: Final = [
    ([rb'a="x\000y"; b=1'], [rb"b=1"], [(Kind.NUL, 4, rb"\000")]),
    ([rb'a="x\015\012y"'], [], [(Kind.CONTROL, 4, rb"\015\012")]),
    ([rb'a="\033"; b="\""'], [rb'b="\""'], [(Kind.CONTROL, 3, rb"\033")]),
    ([rb'a="\177"'], [], [(Kind.CONTROL, 3, rb"\177")]),
    ([rb'a="\011"'], [], [(Kind.CONTROL, 3, rb"\011")]),
    ([rb'a="\\\000"'], [], [(Kind.NUL, 5, rb"\000")]),
    ([rb'a="\"\000\""'], [], [(Kind.NUL, 5, rb"\000")]),
    ([rb'a="\00\000"'], [], [(Kind.NUL, 6, rb"\000")]),
    # A quoted value with a semicolon. Bottle reads on after the semicolon.
    ([rb'a="x;\000"; b=1'], [rb'a="x; b=1'], [(Kind.NUL, 5, rb"\000")]),
    ([rb'a="x; y\000z; "'], [rb'a="x; "'], [(Kind.NUL, 7, rb"\000")]),
    # WebOb, and so Pyramid, also undoes escapes outside of quotes.
    ([rb"a=x\000y; b=1"], [rb"b=1"], [(Kind.NUL, 3, rb"\000")]),
    # Litestar undoes backslash escapes first and percent-decodes the result.
    ([rb'a="\04500"; b=1'], [rb"b=1"], [(Kind.NUL, 3, rb"\04500")]),
    ([rb'a="%\060\060"'], [], [(Kind.NUL, 3, rb"%\060\060")]),
    ([rb'a="\%00"'], [], [(Kind.NUL, 3, rb"\%00")]),
    ([rb'a="%\1034"'], [], [(Kind.ILL_FORMED_UTF8, 3, rb"%\1034")]),
    # Escapes of two spellings in a row are one finding.
    ([rb'a="%00\000"'], [], [(Kind.NUL, 3, rb"%00\000")]),
    ([rb'a="\000b%00"; c=\001'], [], [
        (Kind.NUL, 3, rb"\000"), (Kind.NUL, 8, rb"%00"), (Kind.CONTROL, 16, rb"\001"),
    ]),
]  # fmt: skip
HARMLESS: Final = [
    rb'a="x\\000y"', rb'a="\\\\015"', rb'a="\101\040\073\054"', rb'a="\400\778"', rb'a="\"quoted\""',
    rb'a="\0"', rb'a="\01"', rb'a="\04"', rb'a="\\"', rb"a=\\000", rb'a="{\"k\": \"v\"}"',
    rb'a="C:\\temp\\001"', rb'a="\u0000"',
    # From \200 on, Django's own set_cookie writes octets like this. It reads them as Latin-1, Werkzeug as
    # UTF-8. No reader makes an ASCII control character of them.
    rb'a="\303\251"', rb'a="\351"', rb'a="\200\377"', rb'a="\302\205"',
]  # fmt: skip
HEADERS: Final = [Action.REJECT, Action.DROP_PAIR]


@EACH_PROTOCOL
@pytest.mark.parametrize(("cookies", "left", "found"), ESCAPED, ids=[ascii(row[0]) for row in ESCAPED])
def test_escaped_controls_are_found_and_reach_no_application(
    protocol: Protocol, cookies: list[bytes], left: list[bytes], found: list[tuple[Kind, int, bytes]]
) -> None:
    request = sent(protocol, *cookies)
    refused = protocol.behind(headers={"cookie": Action.REJECT}).serve(request)
    assert (refused.status, refused.given) == (400, None)
    assert [(each.kind, each.offset, each.excerpt) for each in refused.report.findings] == found
    assert {each.component for each in refused.report.findings} == {Component.COOKIE}
    dropped = protocol.behind(headers={"cookie": Action.DROP_PAIR}).serve(request)
    assert dropped.given is not None
    assert fields_of(dropped.given) == left
    assert not any(map(controls, read(protocol, dropped.given).values()))


def fields_of(request: Request) -> list[bytes]:
    if "headers" in request:
        return [value for name, value in request["headers"] if name == b"cookie"]
    value = request.get("HTTP_COOKIE")
    return [] if value is None else [value.encode("latin-1")]


@EACH_PROTOCOL
def test_without_postel_escaped_controls_reach_every_framework(protocol: Protocol) -> None:
    """Otherwise this file would test nothing."""
    found = read(protocol, sent(protocol, rb'a="x\000y"'))
    assert found == {name: [("a", "x\0y")] for name in READERS[protocol]}
    assert read(WSGI, sent(WSGI, rb'a="x;\000"'))["Bottle"] == [("a", "x;\0")]
    assert read(WSGI, sent(WSGI, rb"a=x\000"))["WebOb"] == [("a", "x\0")]
    assert litestar_cookies(r'a="\04500"') == litestar_cookies(r'a="%\060\060"') == {"a": "\0"}


@EACH_PROTOCOL
@together("cookie", HARMLESS, ids=ascii)
@together("action", HEADERS)
def test_other_quoted_escapes_are_unchanged(protocol: Protocol, cookie: bytes, action: Action) -> None:
    request = sent(protocol, cookie)
    assert not any(map(controls, read(protocol, request).values()))
    answer = protocol.behind(headers={"cookie": action}).serve(request)
    assert (answer.status, answer.told) == (200, None)
    assert answer.given is not None
    assert fields_of(answer.given) == [cookie]


@pytest.mark.parametrize("action", HEADERS)
def test_escapes_in_a_string_that_crosses_two_fields_are_found(action: Action) -> None:
    """HTTP/2 splits cookies into fields. If a server joins them, a quoted string may cross them."""
    for crumbs in ([b'a="x', rb'\000"'], [b'a="x', rb'b=\000; c="'], [b"a=1", rb'b="\000"', b"c=2"]):
        answer = ASGI.behind(headers={"cookie": action}).serve(sent(ASGI, *crumbs))
        assert [each.kind for each in answer.report.findings] == [Kind.SPLIT_COOKIE, Kind.NUL]
        joined = b"; ".join(crumbs)
        _, finding = answer.report.findings
        assert joined[finding.offset :].startswith(finding.excerpt)
        if action is Action.REJECT:
            assert answer.given is None
        else:
            assert answer.given is not None
            assert not any(map(controls, read(ASGI, answer.given).values()))
            assert b"\\" not in b"".join(fields_of(answer.given))


def all_readers(text: str) -> dict[str, Cookies]:
    """Return what each parser of cookies finds in a field."""
    return {
        "http.cookies": [(key, each.value) for key, each in _simple(text).items()],
        "Django": django_cookies(text).items(),
        "Werkzeug": werkzeug_cookies(text).items(multi=True),
        # This reader percent-decodes values, where line breaks and TAB are text, as in a query.
        "Litestar": [(key, re.sub(r"[\t\r\n]", "", each)) for key, each in litestar_cookies(text).items()],
        "Sanic": [(key, value) for key, values in sanic_cookies(text).items() for value in values],
        "WebOb": [(_text(key), _text(value)) for key, value in webob_cookies(text)],
    }


def _simple(text: str) -> Mapping[str, Any]:
    with contextlib.suppress(CookieError):  # SimpleCookie finds the name but cannot store it.
        return SimpleCookie(text)
    return {}


RULES: Final = FieldRules({"cookie": Action.REJECT})


def agrees(text: str) -> int:
    """Check that no parser reads a control character from a clean field. Return whether it has a finding."""
    octets = text.encode("latin-1")
    judged = RULES.judge("cookie", [octets])
    clean = not judged.findings
    assert not RULES.proves([octets]) or clean, text
    if clean:
        for name, cookies in all_readers(text).items():
            assert not controls(cookies), (name, text)
    return not clean


SMALL: Final = r'"\01;=a'
ESCAPE: Final = r"\\[01]"


@pytest.mark.no_cover
@EVERY
@pytest.mark.parametrize("first", SMALL)
def test_no_small_field_hides_a_control_from_its_readers(first: str, every: int) -> None:
    """All values of up to five characters: plain, in quotes, across a semicolon, and after a backslash."""
    found = 0
    texts = [first + "".join(rest) for size in range(5) for rest in itertools.product(SMALL, repeat=size)]
    # Only octal escapes can hold a control, so every text with an octal escape is tried.
    escaped = [text for text in texts if re.search(ESCAPE, f"\\{text}")]
    others = [text for text in texts if not re.search(ESCAPE, f"\\{text}")]
    for text in [*escaped, *sample(others, every)]:
        found += agrees(f"a={text}") + agrees(f'a="{text}"')
        found += agrees(f'a="{text}; b="1"') + agrees(f'x="\\{text}"')
    assert found


def test_findings_in_a_quoted_value_are_the_controls_that_http_cookies_reads() -> None:
    """The findings are exactly the controls that http.cookies reads from a wholly quoted value."""
    found = 0
    for size in range(7):
        for rest in itertools.product('\\01"a', repeat=size):
            text = "".join(rest)
            ((_, value),) = django_cookies(f'a="{text}"').items()
            faults = RULES.judge("cookie", [f'a="{text}"'.encode()]).findings
            assert bool(faults) is controls([("a", value)]), text
            found += bool(faults)
    assert found > 100


PIECES: Final = [
    '"', "\\", "\\000", "\\015", "\\1", "77", "%", "%0", "0", "\\060", "\\045", "\\303", ";", "; ", "=", "a",
    "b=", " ", ",", "__Host-s", "__Secure-", "\xa0", "\u2003".encode().decode("latin-1"), "%00", "%C3", "é",
    "\t",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_no_field_hides_a_control_from_its_readers(text: str) -> None:
    agrees(text)
    octets = text.encode("latin-1")
    dropping = FieldRules({"cookie": Action.DROP_PAIR})
    judged = dropping.judge("cookie", [octets])
    for each in judged.findings:
        assert octets[each.offset :].startswith(each.excerpt)
    for left in judged.values:
        assert dropping.judge("cookie", [left]).findings == ()
        assert not any(controls(cookies) for cookies in all_readers(left.decode("latin-1")).values())


NAMES: Final = [
    "__Host-s", "__HOST-s", "__Secure-", "__Secure-x", "__Http-s", "a", "x", "=", "=1", "b=2", ";", "; ", " ",
    ",", '"', "[", "]", "\\", "\\075", "(", "@", "{", "?", "\x7f", "\xc3", "\xa9", "\u00c3\u00a9",
]  # fmt: skip
GUARDED: Final = re.compile("__(?:host|secure|http)-", re.IGNORECASE)


@given(st.lists(st.sampled_from(NAMES), max_size=10).map("".join))
def test_no_field_hides_a_prefixed_name(text: str) -> None:
    """Whatever a reader takes for a prefixed name is the name of one whole cookie of the field."""
    if RULES.judge("cookie", [text.encode("latin-1")]).findings:
        return
    names = [each.partition("=")[0].strip(" \t") for each in text.split(";")]
    in_utf8 = [each.encode("latin-1").decode("utf-8", "replace") for each in names]
    for reader, cookies in all_readers(text).items():
        read = [name for name, _ in cookies if GUARDED.match(name)]
        assert all(1 in (names.count(name), in_utf8.count(name)) for name in read), (reader, text)


# -- more than one field -------------------------------------------------------------------------------------

# Each row: the fields, and the field that is handed on; ``None`` if they are handed on unchanged.
FIELDS: Final = [
    ([b"sid=1", b"sid=2; b=3"], b"sid=1; sid=2; b=3"),
    ([b"a=1", b"b=2", b"c=3"], b"a=1; b=2; c=3"),
    # This is what Chromium sends.
    ([b"a=abc;", b"b=def;", b"c=ghi"], b"a=abc; b=def; c=ghi"),
    ([b"", b"a=1", b" ; ", b"b=2;; "], b"a=1; b=2"),
    ([b"a=1", b"a=1"], b"a=1; a=1"),
    ([b'a="x', b'y"'], b'a="x; y"'),
    ([b"", b";"], b""),
    ([b"a=1; b=2;"], None),
    ([b""], None),
    ([], None),
]  # fmt: skip


@together(("cookies", "one"), FIELDS, ids=[ascii(row[0]) for row in FIELDS])
@together("headers", [None, {"cookie": Action.DROP_PAIR}, {"cookie": Action.REJECT}], ids=str)
@together("policy", [Policy.STRICT, Policy.STANDARD, Policy.LENIENT], ids=str)
def test_fields_are_joined_as_http_2_requires(
    policy: Policy, headers: Any, cookies: list[bytes], one: bytes | None
) -> None:
    request = sent(ASGI, *cookies)
    request["headers"] += [(b"accept", b"*/*"), (b"x-a", b"1")]
    answer = ASGI.behind(policy, headers=headers).serve(request)
    assert answer.given is not None
    assert fields_of(answer.given) == (cookies if one is None else [one] if one else [])
    # The joined field is at the place of the first one, and the other headers keep their order.
    assert [name for name, _ in answer.given["headers"]] == [
        b"host", *([b"cookie"] * len(fields_of(answer.given))), b"accept", b"x-a",
    ]  # fmt: skip
    said = 'split-cookie in headers at 0, of "cookie" (repair)'
    assert [str(each) for each in answer.report.findings] == ([] if one is None else [said])
    assert (answer.told is None) is (one is None)
    again = ASGI.through({**request, "headers": answer.given["headers"]}, policy)
    assert again.given is not None
    assert fields_of(again.given) == fields_of(answer.given)
    assert again.told is None
    observed = ASGI.through(request, policy, enforce=False)
    assert observed.given is not None
    assert observed.given["headers"] is request["headers"]
    assert [str(each) for each in observed.report.findings] == ([] if one is None else [said])


def test_policies_set_the_action_for_the_fields() -> None:
    request = sent(ASGI, b"a=1", b"b=2")
    for method, status, count in [
        (Policy.allowing, 200, 0),
        (Policy.reporting, 200, 1),
        (Policy.repairing, 200, 1),
        (Policy.rejecting, 400, 1),
    ]:
        policy = method(Policy.STANDARD, Kind.SPLIT_COOKIE)
        answer = ASGI.through(request, policy)
        assert (answer.status, len(answer.report.findings)) == (status, count)
        if answer.given is not None:
            one = [b"a=1; b=2"] if method is Policy.repairing else [b"a=1", b"b=2"]
            assert fields_of(answer.given) == one
    assert (
        Policy.parse("strict split-cookie=reject").action(Kind.SPLIT_COOKIE, Component.HEADERS)
        is Action.REJECT
    )


def test_without_postel_every_framework_reads_two_fields_in_its_own_way() -> None:
    """Behind postel, all of them read the two cookies that were sent."""
    request, both = sent(ASGI, b"a=1", b"b=2"), [("a", "1"), ("b", "2")]
    bare = read(ASGI, request)
    assert bare == {"Django": [("a", "1,b=2")], "Starlette": both, "Falcon": [("b", "2")]}
    given = ASGI.through(request).given
    assert given is not None
    assert read(ASGI, given) == dict.fromkeys(bare, both)


@given(
    st.lists(
        st.lists(st.sampled_from(["a=1", "b=2", ";", "; ", " ", ",", '"', "\\", "=", "é"]), max_size=4).map(
            "".join
        ),
        min_size=2,
        max_size=4,
    )
)
def test_joining_fields_creates_no_cookie(fields: list[str]) -> None:
    """No reader finds a cookie or a value in the joined field that is not in the separate fields."""
    octets = [each.encode() for each in fields]
    one = joined(octets)
    assert joined([one]) == one
    apart = {pair for field in octets for pair in litestar_cookies(field.decode()).items()}
    assert litestar_cookies(one.decode()).items() <= apart
    assert litestar_cookies(one.decode()).keys() == {name for name, _ in apart}


# -- names ---------------------------------------------------------------------------------------------------

BLANKS: Final = ["\u2003", "\x85", "\xa0", "\u1680", "\u2028", "\u3000", "\u202f", "\u205f"]


@EACH_PROTOCOL
@together("blank", BLANKS, ids=ascii)
@together("where", ["{}__Host-s", "__Host-s{}", "{0}__Host-s{0}", " {} s", "s {} "])
def test_a_padded_name_is_found(protocol: Protocol, blank: str, where: str) -> None:
    name = where.format(blank)
    cookie = f"a=1; {name}=evil; b=2".encode()
    refused = protocol.behind(headers={"cookie": Action.REJECT}).serve(sent(protocol, cookie))
    assert (refused.status, refused.kinds) == (400, ["padded-cookie-name"])
    assert [each.excerpt for each in refused.report.findings] == [blank.encode()] * name.count(blank)
    for each in refused.report.findings:
        assert cookie[each.offset :].startswith(each.excerpt)
    dropped = protocol.behind(headers={"cookie": Action.DROP_PAIR}).serve(sent(protocol, cookie))
    assert dropped.given is not None
    assert fields_of(dropped.given) == [b"a=1; b=2"]


def test_without_postel_a_padded_name_is_read_as_another() -> None:
    for blank in BLANKS:
        request = sent(WSGI, f"{blank}__Host-s{blank}=evil".encode())
        assert read(WSGI, request)["Django"] == [("__Host-s", "evil")]


@EACH_PROTOCOL
@pytest.mark.parametrize(
    "cookie",
    [
        "a\u2003b=1", "voilà=1", "a=\u2003", "a=1\u2003; b=2", "%E2%80%83a=1", "Ä=1", "你=好", "  a  =1",
        "=\xa0",
    ],
    ids=ascii,
)  # fmt: skip
def test_blanks_elsewhere_are_unchanged(protocol: Protocol, cookie: str) -> None:
    """No reader percent-decodes names, and blanks inside a name or around a value do not change the name."""
    request = sent(protocol, cookie.encode())
    answer = protocol.behind(headers={"cookie": Action.REJECT}).serve(request)
    assert answer.status == 200


# Each row: the fields, what is left if copies are dropped, and the faulty octets.
REPEATED: Final = [
    ([b"__Host-s=1; __Host-s=2"], [], [b"__Host-s"] * 2),
    ([b"a=1; __Host-s=1; b=2; __Host-s=1"], [b"a=1; b=2"], [b"__Host-s"] * 2),
    ([b"__Secure-s=1;__Secure-s=2;c=3"], [b"c=3"], [b"__Secure-s"] * 2),
    ([b"__Host-s=1; __HOST-s=2; __host-s=3; d=4"], [b"d=4"], [b"__Host-s", b"__HOST-s", b"__host-s"]),
    # A prefix is recognised in any case; the rest of a name is case-sensitive.
    ([b"__Secure-A=1; __Secure-a=2"], None, []),
    ([b"__Http-s=1;__hTTP-s=2;c=3"], [b"c=3"], [b"__Http-s", b"__hTTP-s"]),
    # A name with a prefix inside another cookie is a fault even if it occurs only once.
    ([b"a=1 __Host-s=evil; d=4"], [b"d=4"], [b"__Host-s"]),
    ([b'a="1" __Host-s=evil; d=4'], [b"d=4"], [b"__Host-s"]),
    ([b"a=1,__Host-s=evil; d=4"], [b"d=4"], [b"__Host-s"]),
    ([b"__Host-s =1; __Host-s=2; d=4"], [b"d=4"], [b"__Host-s"] * 2),
    ([b"__Host-=1; __Host-=2; d=4"], [b"d=4"], [b"__Host-"] * 2),
    # Bottle begins a cookie after a blank, WebOb after any character that a name cannot hold.
    ([b"a=1 __Host-s=evil; __Host-s=1; d=4"], [b"d=4"], [b"__Host-s"] * 2),
    ([b'a="1" __Host-s=evil; __Host-s=1; d=4'], [b"d=4"], [b"__Host-s"] * 2),
    ([b"a=1,__Host-s=evil; __Host-s=1; d=4"], [b"d=4"], [b"__Host-s"] * 2),
    ([b"a]__Host-s=evil; d=4"], [b"d=4"], [b"__Host-s"]),
    ([b"__Secure-x]__Host-s=evil; d=4"], [b"d=4"], [b"__Host-s"]),
    ([b"__Host-x[__Host-s=evil; __Host-s=1; d=4"], [b"d=4"], [b"__Host-s"] * 2),
    ([b"__Http-x\xc3\xa9__%48OST-s=evil; d=4"], [b"d=4"], [b"__%48OST-s"]),
    ([b"__Host-]__Host-]__Host-s=evil; d=4"], [b"d=4"], [b"__Host-", b"__Host-", b"__Host-s"]),
    # BlackSheep decodes names. No browser guards a prefix with an escape.
    ([b"__Host-s=good; __%48ost-s=evil; d=4"], [b"d=4"], [b"__Host-s", b"__%48ost-s"]),
    ([b"__Host-s=good; __Host-%73=evil; d=4"], [b"d=4"], [b"__Host-s", b"__Host-%73"]),
    ([b"a=1; %5F_HosT%2dx=evil; d=4"], [b"a=1; d=4"], [b"%5F_HosT%2dx"]),
    ([b"__Host-%73=1; __Host-%53=2; a=%5F_Host-s"], None, []),
    # Directly after an equals sign or inside another name, the text is not a name.
    ([b"a=__Host-s=1; __Host-s=1; x__Host-s=2"], None, []),
    ([b"__Host-s=1; __Host-t=1; __Secure-s=1"], None, []),
    ([b"__Host-s[1]=1; __Host-s[2]=1; __Host-s\xc3\xa9=1; __Host-s\xc3\xbc=1"], None, []),
    ([b"a=1; a=2; __host=1; __host=2; __Hosts-a=1; __Hosts-a=2"], None, []),
]  # fmt: skip


@EACH_PROTOCOL
@pytest.mark.parametrize(("cookies", "left", "excerpts"), REPEATED, ids=[ascii(row[0]) for row in REPEATED])
def test_every_copy_of_a_prefixed_name_is_a_fault(
    protocol: Protocol, cookies: list[bytes], left: list[bytes] | None, excerpts: list[bytes]
) -> None:
    request = sent(protocol, *cookies)
    answer = protocol.behind(headers={"cookie": Action.DROP_PAIR}).serve(request)
    assert answer.given is not None
    assert fields_of(answer.given) == (cookies if left is None else left)
    refused = protocol.behind(headers={"cookie": Action.REJECT}).serve(request)
    if left is None:
        assert refused.given is not None
        return
    assert (refused.status, refused.kinds) == (400, ["repeated-cookie"])
    found = refused.report.findings
    assert [each.excerpt for each in found] == excerpts
    assert [each.name for each in found] == [unquote(each.decode()) for each in excerpts]
    (cookie,) = cookies
    for each in found:
        assert cookie[each.offset :].startswith(each.excerpt)


@pytest.mark.parametrize("action", HEADERS)
@EACH_PROTOCOL
def test_copies_in_two_fields_are_found(protocol: Protocol, action: Action) -> None:
    answer = protocol.behind(headers={"cookie": action}).serve(
        sent(protocol, b"__Host-s=1; b=2", b"__Host-s=3")
    )
    found = [each.kind for each in answer.report.findings if each.kind is not Kind.SPLIT_COOKIE]
    assert found == [Kind.REPEATED_COOKIE] * 2
    if action is Action.DROP_PAIR:
        assert answer.given is not None
        # If a server has joined the fields with a comma, the second is a part of the cookie in front of it.
        assert fields_of(answer.given) == ([b"b=2"] if protocol is ASGI else [])


def test_a_padded_name_is_a_copy_of_the_name() -> None:
    cookie = "__Host-s=1; \u2003__Host-s\u2003=evil; c=3".encode()
    judged = FieldRules({"cookie": Action.DROP_PAIR}).judge("cookie", [cookie])
    assert judged.values == (b"c=3",)
    assert [each.kind for each in judged.findings] == [
        Kind.REPEATED_COOKIE, Kind.PADDED_COOKIE_NAME, Kind.REPEATED_COOKIE, Kind.PADDED_COOKIE_NAME,
    ]  # fmt: skip


def test_copies_of_other_names_are_left_to_the_application() -> None:
    for cookie in (b"a=1; a=2", b"_Host-s=1; _Host-s=2", b"__Host=1; __Host=2"):
        assert RULES.judge("cookie", [cookie]).findings == ()


def test_a_single_field_with_prefixed_names_passes_the_proof() -> None:
    assert RULES.proves([b"__Host-sessionid=abc; __Host-csrftoken=def; __utma=1; __utma=2"])
    assert RULES.proves([b"__Host-a=1", b"__Host-b=1"])
    assert not RULES.proves([b"__Host-a=1", b"__host-A=1"])
    assert not RULES.proves([b"__Host-a=1; b=2; __Host-a=1"])


def test_many_copies_give_a_bounded_report() -> None:
    judged = RULES.judge("cookie", [b"__Host-s=1;" * 500])
    assert (len(judged.findings), judged.truncated) == (8, True)


def test_values_are_never_reported() -> None:
    octets = b'__Host-s=secret; __Host-s="secret\\000secret"; \xe2\x80\x83t=secret'
    for each in RULES.judge("cookie", [octets]).findings:
        assert "secret" not in str(each)


# -- policies do not apply -----------------------------------------------------------------------------------

METHODS: Final[Sequence[Callable[..., Policy]]] = [
    Policy.allowing, Policy.reporting, Policy.rejecting, Policy.dropping_pairs,
]  # fmt: skip
OF_COOKIES: Final = [Kind.PADDED_COOKIE_NAME, Kind.REPEATED_COOKIE]


@pytest.mark.parametrize("kind", OF_COOKIES)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("on", [None, Component.COOKIE, Component.QUERY])
def test_no_policy_applies_to_cookies(
    kind: Kind, method: Callable[..., Policy], on: Component | None
) -> None:
    message = f"policies do not cover {kind.slug}, a fault of cookies; set headers= of the middleware instead"
    with pytest.raises(PolicyError, match=message):
        method(Policy.STANDARD, kind, on=on)


@pytest.mark.parametrize("clause", ["padded-cookie-name=allow", "repeated-cookie@cookie=reject"])
def test_no_policy_text_applies_to_cookies(clause: str) -> None:
    with pytest.raises(PolicyError, match=r"policies do not cover .*, a fault of cookies"):
        Policy.parse(f"standard {clause}")


@pytest.mark.parametrize(
    "unit",
    [
        rb"\000x%C3", rb"\\", rb"\01", rb"%\060\060", b"\\\xff", b"__Host-s", b"__Host-s;",
        b"\xe2\x80\x83", b"\xe2\x80\x83;", b"__Host-]", b"__Host-s[",
    ],
)  # fmt: skip
def test_the_work_is_linear_in_the_length_of_the_field(unit: bytes) -> None:
    def steps(count: int) -> int:
        return steps_of(partial(RULES.judge, "cookie", [b'a="' + unit * count]))

    assert steps(1000) < 11 * steps(100)

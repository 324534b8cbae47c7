"""Formats: a request comes out of a line with the octets that went in, and broken lines come out as such."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from postel import Kind
from postel.scan import FORMATS, Entry, Fields, JsonLines, LineFormat, Unreadable, detect
from postel.scan._line import parted, unescape, without_port
from scan.lines import HEADS, balancer, caddy, cloudfront, combined, traefik

HOSTILE = [
    rb"/a\x22%00",
    rb"/\xC4\xff",
    rb"/a\\b",
    rb"/a\"b",
    rb"/a\n\r\t\b\v",
    b"/caf%C3%A9?q=50%+off",
    b"//admin",
    b"/a b",
    b"http://example.com/a",
    b"*",
]
OTHER, NONE = Unreadable.OTHER_FORMAT, Unreadable.NO_REQUEST


def read(name: str, line: bytes) -> Any:
    return FORMATS[name].read(line)


# ---- lines of text ----


@pytest.mark.parametrize("target", HOSTILE)
def test_combined(target: bytes) -> None:
    entry = read("combined", combined(target, referer=rb"https://example.com/\x22", agent=rb"a\"b"))
    assert entry == (
        b"192.0.2.1",
        b"GET",
        unescape(target),
        200,
        b'https://example.com/"',
        b'a"b',
        None,
    )


@pytest.mark.parametrize(
    ("written", "octets"),
    [
        (rb"\x22\xC4\xc4\x5C", b'"\xc4\xc4\\'),
        (rb"\\\"\n\r\t\b\v", b'\\"\n\r\t\b\v'),
        (rb"\x2\q\ ", rb"\x2\q\ "),
        (rb"\\x41", rb"\x41"),
        (b"plain", b"plain"),
    ],
)
def test_escapes(written: bytes, octets: bytes) -> None:
    assert unescape(written) == octets


@pytest.mark.parametrize(
    ("request_line", "expected"),
    [
        (b"GET / HTTP/1.1", (b"GET", b"/")),
        (b"GET /a b HTTP/1.1", (b"GET", b"/a b")),
        (b"GET /", (b"GET", b"/")),
        (b"GET  HTTP/1.1", None),
        (b"GET", None),
        (b"-", None),
        (b"", None),
        (rb"\x16\x03\x01\x00\xEE", None),
        (rb"\x16\x03\x01 \x00\xEE", None),
        (b"A" * 33 + b" / HTTP/1.1", None),
    ],
)
def test_request_lines(request_line: bytes, expected: tuple[bytes, bytes] | None) -> None:
    assert parted(request_line) == expected


def test_common_has_neither_referer_nor_agent() -> None:
    line = b'192.0.2.1 - frank [10/Oct/2026:13:55:36 -0700] "GET /a HTTP/1.0" 200 2326'
    assert read("common", line) == (b"192.0.2.1", b"GET", b"/a", 200, None, None, None)


def test_more_fields_and_odd_users() -> None:
    line = combined(b"/a").replace(b" - - ", b" - a [b] c ") + b' 7 "router@docker" "http://10.0.0.2:80" 4ms'
    assert read("combined", line).target == b"/a"


def test_a_status_that_is_none() -> None:
    assert read("combined", combined(b"/a").replace(b'" 200 ', b'" - ')).status == 0


@pytest.mark.parametrize("target", [rb"/a\b", rb"/a\\b", b"/a%00", rb"/\x41", b"/a"])
def test_gunicorn_escapes_quotes_alone(target: bytes) -> None:
    line = combined(target, referer=b'/\\"', agent=rb"back\slash")
    assert read("gunicorn", line) == (b"192.0.2.1", b"GET", target, 200, b'/"', rb"back\slash", None)
    assert read("gunicorn", combined(b"/a").replace(b"GET /a HTTP/1.1", b"-")) is NONE
    assert read("gunicorn", combined(rb"/\"x\"")).target == b'/"x"'
    assert read("gunicorn", combined(b"/a").rpartition(b' "')[0].rpartition(b' "')[0]).agent == b""


@pytest.mark.parametrize("prefix", [b"INFO:     ", b""])
def test_uvicorn(prefix: bytes) -> None:
    line = prefix + b'127.0.0.1:4711 - "GET /a?q="x" HTTP/1.1 HTTP/1.1" 200 OK'
    assert read("uvicorn", line) == (*(b"127.0.0.1", b"GET", b'/a?q="x" HTTP/1.1', 200, None, None, None),)
    assert Kind.ENCODED_SLASH in FORMATS["uvicorn"].blind


def test_balancer() -> None:
    target = rb"https://www.example.com:443//a%2Fb?q=\x22"
    assert read("alb", balancer(b"GET " + target + b" HTTP/1.1")) == (
        *(b"192.0.2.1", b"GET", b'//a%2Fb?q="', 200, None, b"curl/7.46.0", None),
    )
    assert read("alb", balancer(b"GET http://www.example.com:80 HTTP/1.1")).target == b"/"
    assert read("alb", balancer(b"GET /bare HTTP/1.1")).target == b"/bare"
    assert read("alb", balancer(b"- http://www.example.com:80- -")) is NONE


def test_ports() -> None:
    assert [without_port(each) for each in (b"[::1]:80", b"::1:80", b"127.0.0.1", b"")] == [
        *(b"::1", b"::1", b"127.0.0.1", b""),
    ]


# ---- CloudFront ----


@pytest.mark.parametrize(
    ("stem", "query", "target"),
    [
        (b"/index.html", b"-", b"/index.html"),
        (b"/a", b"q=1&r=2", b"/a?q=1&r=2"),
        (b"/caf%25C3%25A9", b"-", b"/caf%C3%A9"),  # as the guide has it
        (b"/caf%C3%A9", b"-", b"/caf%C3%A9"),  # as it is seen
        (b"/a%252Fb", b"q=50%25", b"/a%2Fb?q=50%"),
        (b"/a%2Fb%25", b"-", b"/a%2Fb%25"),  # CloudFront itself escapes no slash
        (b"/a%20b", b"-", b"/a%20b"),
    ],
)
def test_cloudfront(stem: bytes, query: bytes, target: bytes) -> None:
    entry = read("cloudfront", cloudfront(stem, query, b"Mozilla/5.0%20(X11)"))
    assert entry == (b"192.0.2.1", b"GET", target, 200, b"-", b"Mozilla/5.0 (X11)", None)


def test_cloudfront_names_its_fields() -> None:
    log = b"#Version: 1.0\n#Fields: cs-method c-ip cs-uri-stem\nGET\t192.0.2.7\t/a\n"
    form = detect(log)
    assert form is not None
    assert [form.read(line) for line in log.split(b"\n")] == [
        *(None, None, Entry(b"192.0.2.7", b"GET", b"/a", 0), None),
    ]
    assert read("cloudfront", b"GET\t/a") is OTHER
    assert detect(b"#Fields: nothing of use\n" + cloudfront(b"/a")) == FORMATS["cloudfront"]


# ---- JSON ----


def test_caddy_and_traefik() -> None:
    assert read("caddy", caddy("/a%2Fb?x\u00e9")) == (
        *(b"192.0.2.1", b"GET", "/a%2Fb?x\u00e9".encode(), 200, None, b"curl/7.82.0", b"example.com"),
    )
    assert read("traefik", traefik("/a")) == (
        *(b"192.0.2.1", b"GET", b"/a", 404, None, b"curl/7.82.0", b"example.com"),
    )


def test_fields_by_option() -> None:
    lines = JsonLines(
        Fields.parse(["request=line", "client=from.ip", "status=code", "agent=ua", "referer=r"])
    )
    line = json.dumps(
        {"line": "GET /a b HTTP/1.1", "from": {"ip": "::1"}, "code": "404", "ua": "x", "r": "/"}
    )
    assert lines.read(line.encode()) == (b"::1", b"GET", b"/a b", 404, b"/", b"x", None)
    assert lines.read(b'{"line": "-"}') is NONE
    assert lines.read(b'{"line": 1}') is OTHER
    parts = JsonLines(Fields.parse(["path=p", "query=q"]))
    assert [
        parts.read(each) for each in (b'{"p": "/a", "q": "?b"}', b'{"p": "/a"}', b'{"p": ""}', b"{}")
    ] == [
        Entry(None, b"", b"/a?b", 0),
        Entry(None, b"", b"/a", 0),
        *(NONE, OTHER),
    ]


@pytest.mark.parametrize("texts", [[], ["client=ip"], ["target"], ["target="], ["nothing=there"]])
def test_fields_that_make_no_target(texts: list[str]) -> None:
    with pytest.raises(ValueError, match="target"):
        Fields.parse(texts)


@pytest.mark.parametrize(
    ("line", "target"),
    [
        (b'{"t": "/\xc4"}', b"/\xc4"),  # nginx leaves octets as they are
        (b'{"t": "/\\ud800"}', b"/\xed\xa0\x80"),
        (b'{"t": "/\x01"}', b"/\x01"),
        (b'{"t": ["/a", "/b"]}', b"/a"),
        (b'{"t": "/a", "x": ' + b'[{"a": "[[["}]' * 40 + b"}", None),
        (b'{"t": "/' + b"[" * 100 + b'"}', None),  # more than a log has; its depth is not worth a parser
        (b'{"t": "/", "x": [' + b"[]," * 100 + b"[]]}", b"/"),
        (b"[" * 100_000, None),
        (b'{"t": []}', None),
        (b'{"t": {"t": "/"}}', None),
        (b'{"t": 1' + b"0" * 5000 + b"}", None),
        (b'["/a"]', None),
        (b'{"t": "/a"', None),
        (b'"/a"', None),
    ],
    ids=range(14),
)
def test_odd_json(line: bytes, target: bytes | None) -> None:
    got = JsonLines(Fields(target="t")).read(line)
    assert got == (OTHER if target is None else Entry(None, b"", target, 0))


@pytest.mark.parametrize("status", [200.5, True, "20", "abc", "²²²", None, [200]])
def test_odd_statuses(status: object) -> None:
    entry = JsonLines(Fields(target="t", status="s")).read(json.dumps({"t": "/", "s": status}).encode())
    assert isinstance(entry, Entry)
    assert entry.status == (200 if status == [200] else 0)


# ---- all of them ----

LINES: dict[str, bytes] = {
    "combined": combined(b"/a"),
    "common": combined(b"/a"),
    "gunicorn": combined(b"/a"),
    "uvicorn": b'INFO:     127.0.0.1:4711 - "GET /a HTTP/1.1" 200 OK',
    "caddy": caddy("/a"),
    "traefik": traefik("/a"),
    "alb": balancer(b"GET http://example.com:80/a HTTP/1.1"),
    "cloudfront": cloudfront(b"/a"),
}
EVERY = pytest.mark.parametrize("form", FORMATS.values(), ids=list(FORMATS))


@EVERY
def test_broken_lines(form: LineFormat) -> None:
    line = LINES[form.name]
    entry = form.read(line)
    assert isinstance(entry, Entry)
    assert entry.target == b"/a"
    assert [form.read(each) for each in (b"", b"   ", b"\t")] == [None] * 3
    assert [form.read(each) for each in (b"nonsense", b'"', b"\xff\x00", line[: len(line) // 4])] == [
        OTHER
    ] * 4


@EVERY
@given(octets=st.binary(max_size=80), seed=st.integers(0, 2**32))
@example(octets=b"", seed=0)
def test_total(form: LineFormat, octets: bytes, seed: int) -> None:
    """Whatever stands in a line: with a piece of it exchanged, it is read or refused, and nothing raises."""
    line = LINES[form.name]
    source = random.Random(seed)  # noqa: S311 - hypothesis says which
    begin, end = sorted(source.choices(range(len(line) + 1), k=2))
    got = form.read(line[:begin] + octets + line[end:])
    assert (
        got is None
        or isinstance(got, Unreadable)
        or all(each is None or isinstance(each, bytes | int) for each in got)
    )


@EVERY
def test_detected(form: LineFormat) -> None:
    alike = {"common": "combined", "gunicorn": "combined"}
    for noise in (b"", b"nonsense\r\n\r\n"):
        found = detect(noise + LINES[form.name] + b"\r\n" + LINES[form.name])
        assert found is not None
        assert found.name == alike.get(form.name, form.name)


def test_nothing_is_detected_in_nothing() -> None:
    assert detect(b"") is None
    assert detect(b"nonsense\n" * 9) is None
    assert detect(HEADS) is None

"""Formats: a request is read from a line with its original octets, and broken lines are reported."""

from __future__ import annotations

import io
import json
import pickle
import random
from typing import Any

import pytest
from hypercorn.config import Config
from hypercorn.logging import AccessLogAtoms
from hypothesis import example, given
from hypothesis import strategies as st

from adapters import scope_of
from postel import Kind
from postel.scan import FORMATS, Entry, Fields, JsonLines, LineFormat, Unreadable, count_stream, detect
from postel.scan._docker import Docker
from postel.scan._line import parted, unescape, without_port
from scan.lines import (
    HEADS,
    IIS_HEAD,
    SITE,
    TIME,
    balancer,
    caddy,
    cloudflare,
    cloudfront,
    combined,
    haproxy,
    iis,
    traefik,
)

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
def test_a_combined_line_is_read_with_the_received_octets(target: bytes) -> None:
    entry = read("combined", combined(target, referer=rb"https://example.com/\x22", agent=rb"a\"b"))
    assert entry == (
        b"192.0.2.1",
        b"GET",
        unescape(target),
        200,
        b'https://example.com/"',
        b'a"b',
        None,
        TIME,
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
def test_escapes_of_a_log_are_undone(written: bytes, octets: bytes) -> None:
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
        (b"GET /a 1.1", None),
        (b"GET /a 2", None),
        (b"GET 1.1", (b"GET", b"1.1")),
        (b"GET /a 4", (b"GET", b"/a 4")),
    ],
)
def test_a_request_line_is_split(request_line: bytes, expected: tuple[bytes, bytes] | None) -> None:
    assert parted(request_line) == expected


@pytest.mark.parametrize("version", ["1.1", "2"])
def test_no_target_is_read_from_a_line_that_hypercorn_has_written(version: str) -> None:
    """Hypercorn logs a decoded path without the query."""
    scope: Any = {**scope_of(b"/kg%2Fs?q=1"), "http_version": version, "scheme": "http"}
    atoms = AccessLogAtoms(scope, {"status": 200, "headers": []}, 0.1)
    line = Config().access_log_format % atoms
    assert f'"GET /kg/s {version}"' in line
    tally = count_stream(io.BytesIO(line.encode()), format_=FORMATS["combined"])
    assert (tally.requests, tally.unreadable) == (0, {"no-request": 1})


def test_common_has_neither_referer_nor_agent() -> None:
    line = b'192.0.2.1 - frank [10/Oct/2026:13:55:36 -0700] "GET /a HTTP/1.0" 200 2326'
    assert read("common", line) == (
        *(b"192.0.2.1", b"GET", b"/a", 200, None, None, None, b"10/Oct/2026:13:55:36 -0700"),
    )


def test_fields_after_the_format_and_spaces_in_a_user_are_accepted() -> None:
    line = combined(b"/a").replace(b" - - ", b" - a [b] c ") + b' 7 "router@docker" "http://10.0.0.2:80" 4ms'
    assert read("combined", line).target == b"/a"


def test_a_missing_status_is_0() -> None:
    assert read("combined", combined(b"/a").replace(b'" 200 ', b'" - ')).status == 0


@pytest.mark.parametrize("target", [rb"/a\b", rb"/a\\b", b"/a%00", rb"/\x41", b"/a"])
def test_gunicorn_escapes_only_quotes(target: bytes) -> None:
    line = combined(target, referer=b'/\\"', agent=rb"back\slash")
    assert read("gunicorn", line) == (b"192.0.2.1", b"GET", target, 200, b'/"', rb"back\slash", None, TIME)
    assert read("gunicorn", combined(b"/a").replace(b"GET /a HTTP/1.1", b"-")) is NONE
    assert read("gunicorn", combined(rb"/\"x\"")).target == b'/"x"'
    assert read("gunicorn", combined(b"/a").rpartition(b' "')[0].rpartition(b' "')[0]).agent == b""


@pytest.mark.parametrize("prefix", [b"INFO:     ", b""])
def test_a_line_of_uvicorn_is_read(prefix: bytes) -> None:
    line = prefix + b'127.0.0.1:4711 - "GET /a?q="x" HTTP/1.1 HTTP/1.1" 200 OK'
    assert read("uvicorn", line) == (
        *(b"127.0.0.1", b"GET", b'/a?q="x" HTTP/1.1', 200, None, None, None, None),
    )
    assert Kind.ENCODED_SLASH in FORMATS["uvicorn"].blind


def test_a_line_of_an_aws_load_balancer_is_read() -> None:
    target = rb"https://www.example.com:443//a%2Fb?q=\x22"
    assert read("alb", balancer(b"GET " + target + b" HTTP/1.1")) == (
        *(
            b"192.0.2.1",
            b"GET",
            b'//a%2Fb?q="',
            200,
            None,
            b"curl/7.46.0",
            None,
            b"2026-10-02T22:23:00.186641Z",
        ),
    )
    assert read("alb", balancer(b"GET http://www.example.com:80 HTTP/1.1")).target == b"/"
    assert read("alb", balancer(b"GET /bare HTTP/1.1")).target == b"/bare"
    assert read("alb", balancer(b"- http://www.example.com:80- -")) is NONE


def test_the_port_of_a_client_is_removed() -> None:
    assert [without_port(each) for each in (b"[::1]:80", b"::1:80", b"127.0.0.1", b"")] == [
        *(b"::1", b"::1", b"127.0.0.1", b""),
    ]


# ---- CloudFront ----


@pytest.mark.parametrize(
    ("stem", "query", "target"),
    [
        (b"/index.html", b"-", b"/index.html"),
        (b"/a", b"q=1&r=2", b"/a?q=1&r=2"),
        (b"/caf%25C3%25A9", b"-", b"/caf%C3%A9"),  # as the guide of AWS writes it
        (b"/caf%C3%A9", b"-", b"/caf%C3%A9"),  # as real logs write it
        (b"/a%252Fb", b"q=50%25", b"/a%2Fb?q=50%"),
        (b"/a%2Fb%25", b"-", b"/a%2Fb%25"),  # CloudFront itself escapes no slash.
        (b"/a%20b", b"-", b"/a%20b"),
    ],
)
def test_a_line_of_cloudfront_is_read(stem: bytes, query: bytes, target: bytes) -> None:
    entry = read("cloudfront", cloudfront(stem, query, b"Mozilla/5.0%20(X11)"))
    assert entry == (
        *(b"192.0.2.1", b"GET", target, 200, b"-", b"Mozilla/5.0 (X11)", None, b"2026-12-04 21:02:31"),
    )


def test_cloudfront_names_its_fields() -> None:
    log = b"#Version: 1.0\n#Fields: cs-method c-ip cs-uri-stem\nGET\t192.0.2.7\t/a\n"
    form = detect(log)
    assert form is not None
    assert [form.read(line) for line in log.split(b"\n")] == [
        *(None, None, Entry(b"192.0.2.7", b"GET", b"/a", 0), None),
    ]
    assert read("cloudfront", b"GET\t/a") is OTHER
    assert detect(b"#Fields: nothing of use\n" + cloudfront(b"/a")) == FORMATS["cloudfront"]


# ---- IIS, HAProxy, a virtual host in front ----


@pytest.mark.parametrize("seed", range(40))
def test_noise_is_not_detected_as_a_log(seed: int) -> None:
    # A stream such as /dev/urandom never ends, so a wrong guess would be counted forever.
    assert detect(random.Random(seed).randbytes(256 * 1024)) is None  # noqa: S311 - reproducible


def test_a_method_of_cloudfront_is_a_word() -> None:
    line = b"2026-11-22\t10:00:00\tFRA2\t1\t192.0.2.1\t%s\tx.example\t/a\t200\t-\t-\t-"
    assert isinstance(FORMATS["cloudfront"].read(line % b"GET"), Entry)
    assert FORMATS["cloudfront"].read(line % b"\xe9") is Unreadable.OTHER_FORMAT


def test_a_line_of_iis_is_read() -> None:
    lines = (IIS_HEAD + iis(b"/a+b/\xc3\xa9", b"q=%C4", b"Mozilla/5.0+(X11)")).split(b"\r\n")
    form = detect(b"\r\n".join(lines))
    assert form is not None
    assert form.name == "iis"
    assert [form.read(line) for line in lines] == [
        *(None, None, None, None),
        Entry(
            *(b"192.0.2.1", b"GET", b"/a+b/%C3%A9?q=%C4", 200, SITE, b"Mozilla/5.0 (X11)", None),
            b"2026-10-10 13:55:36",
        ),
    ]
    assert Kind.DOT_SEGMENT in form.blind


def test_iis_names_its_columns() -> None:
    few = b"#Fields: cs-method c-ip cs-uri-stem\nGET 192.0.2.7 /a\n"
    form = detect(few)
    assert form is not None
    assert form.read(b"GET 192.0.2.7 /a") == Entry(b"192.0.2.7", b"GET", b"/a", 0)
    assert form.read(b"GET 192.0.2.7 /a more") is OTHER
    assert form.read(b"#Fields: cs-method c-ip cs-uri-stem") is None
    assert form.read(b"#Fields: c-ip cs-method cs-uri-stem") is OTHER  # the fields have another order
    assert form.read(b"GET 192.0.2.7 a") is OTHER
    assert detect(b"#Fields: nothing of use\n" + iis(b"/a")) == FORMATS["iis"]


@pytest.mark.parametrize(
    ("written", "target"),
    [
        (b"/a%2Fb?q=1", b"/a%2Fb?q=1"),
        (b"/a#22#C4#23", b'/a"\xc4#'),
        (b"/a b", b"/a b"),
    ],
)
def test_a_line_of_haproxy_is_read(written: bytes, target: bytes) -> None:
    expected = Entry(b"192.0.2.1", b"GET", target, 200, time=b"10/Oct/2026:13:55:36.655")
    assert read("haproxy", haproxy(written)) == expected
    assert read("haproxy", haproxy(written).partition(b"]: ")[2]) == expected


def test_haproxy_marks_lines_without_a_request() -> None:
    line = haproxy(b"/a").replace(b'"GET /a HTTP/1.1"', b'"<BADREQ>"').replace(b" 200 ", b" 400 ")
    assert read("haproxy", line) is NONE
    for cut in (haproxy(b"/" + b"a" * 2000)[:1024], haproxy(b"/a").replace(b' HTTP/1.1"', b'"')):
        assert read("haproxy", cut) is Unreadable.TOO_LONG  # The rest of the target is unknown.
    assert (
        read("haproxy", haproxy(b"/a").replace(b" {1wt.eu} {}", b"").replace(b" 200 ", b" -1 ")).status == 0
    )


@pytest.mark.parametrize("front", [b"example.com:80 ", b"example.com ", b"[::1]:443 "])
@pytest.mark.parametrize("client", [b"192.0.2.1", b"2001:db8::1", b"::1"])
def test_a_line_with_a_virtual_host_in_front_is_read(front: bytes, client: bytes) -> None:
    """The virtual host is not taken for the client."""
    line = front + combined(b"/a%2Fb", client=client)
    assert read("vhost_combined", line)[:4] == (client, b"GET", b"/a%2Fb", 200)
    found = detect(line + b"\n" + line)
    assert found is not None
    assert found.name == "vhost_combined"
    plain = detect(combined(b"/a", client=client))
    assert plain is not None
    assert plain.name == "combined"


@pytest.mark.parametrize(
    "front",
    [
        b"Oct 10 13:55:36 web nginx: ",
        b"<190>Oct  1 13:55:36 web nginx[17]: ",
        b"2026-10-10T13:55:36.123+02:00 web haproxy[17]: ",
        b"2026-10-10T13:55:36.123456789Z stdout F ",
    ],
)
def test_a_line_with_a_prefix_of_syslog_or_a_container_is_read(front: bytes) -> None:
    """The month is not taken for the client."""
    line = front + combined(b"/a%2Fb", client=b"2001:db8::1")
    found = detect(line + b"\n" + line)
    assert found is FORMATS["prefixed"]
    assert read("prefixed", line)[:3] == (b"2001:db8::1", b"GET", b"/a%2Fb")


# ---- JSON ----


def test_lines_of_caddy_and_traefik_are_read() -> None:
    assert read("caddy", caddy("/a%2Fb?x\u00e9")) == (
        *(b"192.0.2.1", b"GET", "/a%2Fb?x\u00e9".encode(), 200, None, b"curl/7.82.0", b"example.com"),
        b"1646861401.5241024",
    )
    assert read("traefik", traefik("/a")) == (
        *(b"192.0.2.1", b"GET", b"/a", 404, None, b"curl/7.82.0", b"example.com", None),
    )


def test_an_option_names_the_fields_of_json() -> None:
    lines = JsonLines(
        Fields.parse(["request=line", "client=from.ip", "status=code", "agent=ua", "referer=r"])
    )
    line = json.dumps(
        {"line": "GET /a b HTTP/1.1", "from": {"ip": "::1"}, "code": "404", "ua": "x", "r": "/"}
    )
    assert lines.read(line.encode()) == (b"::1", b"GET", b"/a b", 404, b"/", b"x", None, None)
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


JSON_LOGS = {
    "nginx": (
        {
            "time_iso8601": "2026-10-10T13:55:36+00:00",
            "remote_addr": "192.0.2.1",
            "request_uri": "/a",
            "status": 200,
        },
        {"target": "request_uri", "client": "remote_addr", "status": "status", "time": "time_iso8601"},
    ),
    "nginx, whole requests": (
        {"@timestamp": "x", "request": "GET /a HTTP/1.1", "status": "200", "http_user_agent": "x"},
        {"request": "request", "status": "status", "agent": "http_user_agent", "time": "@timestamp"},
    ),
    "pino": (
        {
            "time": 1791640536000,
            "req": {"method": "GET", "url": "/a", "headers": {"user-agent": "x", "referer": "y"}},
            "res": {"statusCode": 200},
        },
        {
            "target": "req.url",
            "method": "req.method",
            "status": "res.statusCode",
            "time": "time",
            "agent": "req.headers.user-agent",
            "referer": "req.headers.referer",
        },
    ),
    "Elastic": (
        {
            "@timestamp": "x",
            "url.path": "/a",
            "url.query": "b",
            "source": {"ip": "::1"},
            "http.method": "GET",
        },
        {
            "path": "url.path",
            "query": "url.query",
            "client": "source.ip",
            "method": "http.method",
            "time": "@timestamp",
        },
    ),
}


@pytest.mark.parametrize(("line", "expected"), JSON_LOGS.values(), ids=JSON_LOGS)
def test_json_is_detected(line: dict[str, object], expected: dict[str, str]) -> None:
    octets = json.dumps(line).encode()
    form = detect(b"listening\n" + octets + b"\n" + octets)
    assert isinstance(form, JsonLines)
    assert form.fields == Fields(**expected)
    assert all(f"{what}={name}" in " ".join(form.hides) for what, name in expected.items())
    assert isinstance(form.read(octets), Entry)


@pytest.mark.parametrize("line", [b'{"msg": "listening"}', b'{"url": "a"}', b'{"request_uri": 1}', b"{"])
def test_json_without_a_target_is_not_detected(line: bytes) -> None:
    assert detect(line) is None


@pytest.mark.parametrize("texts", [[], ["client=ip"], ["target"], ["target="], ["nothing=there"]])
def test_fields_without_a_target_raise(texts: list[str]) -> None:
    with pytest.raises(ValueError, match="target"):
        Fields.parse(texts)


@pytest.mark.parametrize(
    ("line", "target"),
    [
        (b'{"t": "/\xc4"}', b"/\xc4"),  # nginx does not change these octets.
        (b'{"t": "/\\ud800"}', b"/\xed\xa0\x80"),
        (b'{"t": "/\x01"}', b"/\x01"),
        (b'{"t": ["/a", "/b"]}', b"/a"),
        (b'{"t": "/a", "x": ' + b'[{"a": "[[["}]' * 40 + b"}", None),
        (b'{"t": "/' + b"[" * 100 + b'"}', b"/" + b"[" * 100),  # brackets in a string do not nest
        (b'{"t": "/", "x": "\\"]' + b"[" * 100 + b'"}', b"/"),
        (b'{"t": "/", "x": ' + b'["]",' * 20_000, None),  # each ] is in a string and closes nothing
        (b'{"t": "/", "x": ' + b"[" * 63 + b"]" * 63 + b"}", b"/"),
        (b'{"t": "/", "x": ' + b"[" * 64 + b"]" * 64 + b"}", None),
        (b"[" * 100 + b'"' + b'\\"' * 30_000, None),  # linear, although no quote ends the string
        (b'{"t": "/", "x": [' + b"[]," * 100 + b"[]]}", b"/"),
        (b"[" * 100_000, None),
        (b'{"t": []}', None),
        (b'{"t": {"t": "/"}}', None),
        (b'{"t": 1' + b"0" * 5000 + b"}", None),
        (b'["/a"]', None),
        (b'{"t": "/a"', None),
        (b'"/a"', None),
    ],
    ids=range(19),
)
def test_unusual_json_is_read_or_not_recognised(line: bytes, target: bytes | None) -> None:
    got = JsonLines(Fields(target="t")).read(line)
    assert got == (OTHER if target is None else Entry(None, b"", target, 0))


@pytest.mark.parametrize("status", [200.5, True, "20", "abc", "²²²", None, [200]])
def test_an_unusual_status_is_0(status: object) -> None:
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
    "prefixed": b"Oct 10 13:55:36 web nginx: " + combined(b"/a"),
    "vhost_combined": b"example.com:443 " + combined(b"/a"),
    "cloudflare": cloudflare("/a"),
    "haproxy": haproxy(b"/a"),
    "iis": iis(b"/a"),
}
EVERY = pytest.mark.parametrize("form", FORMATS.values(), ids=list(FORMATS))


@EVERY
def test_empty_lines_are_skipped_and_broken_lines_are_not_recognised(form: LineFormat) -> None:
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
def test_no_line_raises(form: LineFormat, octets: bytes, seed: int) -> None:
    """A line in which any piece is replaced is read, or counted as unreadable."""
    line = LINES[form.name]
    source = random.Random(seed)  # noqa: S311 - hypothesis chooses the seed
    begin, end = sorted(source.choices(range(len(line) + 1), k=2))
    got = form.read(line[:begin] + octets + line[end:])
    assert (
        got is None
        or isinstance(got, Unreadable)
        or all(each is None or isinstance(each, bytes | int) for each in got)
    )


@EVERY
def test_the_format_of_lines_is_detected(form: LineFormat) -> None:
    alike = {"common": "combined", "gunicorn": "combined"}  # These formats have the same lines.
    for noise in (b"", b"nonsense\r\n\r\n"):
        found = detect(noise + LINES[form.name] + b"\r\n" + LINES[form.name])
        assert found is not None
        assert found.name == alike.get(form.name, form.name)


def test_messages_of_a_server_at_the_start_are_skipped() -> None:
    found = detect(b"starting up\n" * 500 + combined(b"/a"))
    assert found is not None
    assert found.name == "combined"


def docker(line: bytes) -> bytes:
    log = line.decode("utf-8", "replace") + "\n"
    fields = {"log": log, "stream": "stdout", "time": "2026-11-28T10:00:00.1Z"}
    return json.dumps(fields, separators=(",", ":")).encode()


@pytest.mark.parametrize("name", sorted({*LINES} - {"cloudfront", "iis"}))  # these begin with a head
def test_lines_in_files_of_docker_are_read(name: str) -> None:
    line = docker(LINES[name])
    found = detect(docker(b"starting up") + b"\n" + line)
    assert isinstance(found, Docker)
    assert found.name == f"docker, {found.inner.name}"
    assert found.read(line) == found.inner.read(LINES[name])
    assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301 - processes that scan exchange formats
    assert (found.blind, found.hides[:-1]) == (found.inner.blind, found.inner.hides)


def test_other_lines_in_files_of_docker_are_unreadable() -> None:
    found = Docker(FORMATS["combined"])
    assert [found.read(each) for each in (b"", b" ", b"nonsense", combined(b"/a"))] == [
        None,
        None,
        OTHER,
        OTHER,
    ]
    broken = (
        b'{"log":1}',
        b'{"log":"a',
        b'{"log":"\xff"}',
        b'{"log":' + b"[" * 100_000,
        b'{"log":"\\ud800"}',
    )
    assert [found.read(each) for each in broken] == [OTHER] * 5
    assert detect(docker(b"starting up")) is None


def test_without_agents_the_format_is_common() -> None:
    found = detect(combined(b"/a").rpartition(b' "')[0].rpartition(b' "')[0])
    assert found is FORMATS["common"]
    assert found.hides


def test_no_format_is_detected_in_an_empty_log() -> None:
    assert detect(b"") is None
    assert detect(b"nonsense\n" * 9) is None
    assert detect(HEADS) is None

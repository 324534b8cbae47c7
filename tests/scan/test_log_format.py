"""Formats that a user describes in the notation of nginx or Apache, with lines of these servers."""

from __future__ import annotations

import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postel import Kind
from postel.scan import Entry, JsonLines, Unreadable, described
from scan.lines import BROWSER, SITE, TIME, combined

NGINX_COMBINED = (
    '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent '
    '"$http_referer" "$http_user_agent"'
)
APACHE_COMBINED = r"%h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\""
WHOLE = Entry(b"192.0.2.1", b"GET", b'/a"%2F', 200, SITE, BROWSER, None, TIME)
LINE = combined(rb"/a\x22%2F", referer=SITE)


@pytest.mark.parametrize(
    "text",
    [
        NGINX_COMBINED,
        APACHE_COMBINED,
        f"log_format main '{NGINX_COMBINED[:40]}'\n    '{NGINX_COMBINED[40:]}';",
        f"log_format main escape=default '{NGINX_COMBINED}';",
        f'LogFormat "{APACHE_COMBINED}" combined',
        '${remote_addr} - ${remote_user} [${time_local}] "${request}" ${status} ${x} '
        '"${http_referer}" "$http_user_agent"',
    ],
    ids=range(6),
)
def test_the_combined_format_is_read_from_any_description(text: str) -> None:
    form = pickle.loads(pickle.dumps(described(text)))  # noqa: S301 - made here
    assert form.read(LINE) == WHOLE
    assert (form.name, form.hides, form.blind) == ("described", (), frozenset())


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        (
            "$host $remote_addr $request_method $request_uri $status",
            b"example.com ::1 POST /a%2Fb?c 404",
            Entry(b"::1", b"POST", b"/a%2Fb?c", 404, host=b"example.com"),
        ),
        ("$remote_addr $request $status", b"::1 GET /a b HTTP/1.1 200", Entry(b"::1", b"GET", b"/a b", 200)),
        (
            "$remote_addr\t$host$request_uri",
            b"::1\texample.com/a?b",
            Entry(b"::1", b"", b"/a?b", 0, host=b"example.com"),
        ),
        ('"$uri$is_args$args" $status', b'"/a b?c=%41" 200', Entry(None, b"", b"/a%20b?c=%41", 200)),
        ("$uri $status", b"/\xc3\xa9% 200", Entry(None, b"", b"/%C3%A9%25", 200)),
        ("%a %m %U%q %>s", b"::1 GET /a\xff?c 200", Entry(b"::1", b"GET", b"/a%FF?c", 200)),
        ("$uri$is_args$args", b"/a?b", Entry(None, b"", b"/a?b", 0)),
        ("log_format a escape=json '\"$request_uri\"'", b'"/a"', Entry(None, b"", b"/a", 0)),
        ("log_format a '$request", b"'GET /a HTTP/1.1", Entry(None, b"GET", b"/a", 0)),
        ("%U %% %q", b"/a % ", Entry(None, b"", b"/a", 0)),
        ("%{c}a %r %s %{X}i", rb"::1 GET /\x22 HTTP/1.1 200 x", Entry(b"::1", b"GET", b'/"', 200)),
        ("$remote_addr $realip_remote_addr $request_uri", b"::1 ::2 /", Entry(b"::1", b"", b"/", 0)),
        (
            "log_format a escape=none '\"$request\" $status'",
            rb'"GET /"\x22 HTTP/1.1" 200',
            Entry(None, b"GET", rb'/"\x22', 200),
        ),
        ("log_format a escape=json '\"$request_uri\"'", rb'"/a\"\u0000\\"', Entry(None, b"", b'/a"\0\\', 0)),
        ("log_format a escape=json '\"$request_uri\"'", rb'"/a\q"', Entry(None, b"", rb"/a\q", 0)),
    ],
    ids=range(15),
)
def test_a_line_is_read_by_its_description(text: str, line: bytes, expected: Entry) -> None:
    assert described(text).read(line) == expected


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        (NGINX_COMBINED, b"nonsense", Unreadable.OTHER_FORMAT),
        (NGINX_COMBINED, b"  ", None),
        (NGINX_COMBINED, LINE.replace(b"GET /a\\x22%2F HTTP/1.1", rb"\x16\x03"), Unreadable.NO_REQUEST),
        ("$request $status", b"- 400", Unreadable.NO_REQUEST),
        ("$request_uri $status", b"- 400", Unreadable.NO_REQUEST),
    ],
)
def test_lines_without_a_request_are_unreadable(text: str, line: bytes, expected: Unreadable | None) -> None:
    assert described(text).read(line) is expected


def test_json_lines_are_read_by_their_description() -> None:
    text = (
        '{"ip": "$remote_addr", "http": {"uri": "$request_uri", "code": $status}, '
        '"host": "$host", "x": "y", "z": 1}'
    )
    form = described(f"log_format j escape=json '{text}';")
    assert isinstance(form, JsonLines)
    line = json.dumps({"ip": "::1", "http": {"uri": '/a"', "code": 200}, "host": "h"}).encode()
    assert form.read(line) == Entry(b"::1", b"", b'/a"', 200, host=b"h")
    assert form.hides == ("agents", "referers")
    assert "escape=json" in described(text).hides[-1]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nonsense", "names no target"),
        ("$remote_addr $status", "names no target"),
        ('{"a": "$status"}', "names no target"),
        ('{"a": $status', "begins like JSON"),
        ('{"a": "$uri", "b":' + '["]",' * 20_000, "has more than 64 levels"),
        ("%h %s", "names no target"),
        ("$request_uri$status", "'request_uri' ends and 'status' begins"),
    ],
)
def test_invalid_descriptions_raise(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        described(text)


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("$uri $http_referer", ("agents", "how a path was written, because it was decoded", "queries")),
        ("%U%q %{User-Agent}i", ("referers", "how a path was written, because it was decoded")),
        (
            "log_format a escape=none '$request'",
            ("agents", "referers", "the end of a field that holds quotes"),
        ),
    ],
)
def test_what_a_described_format_hides(text: str, hidden: tuple[str, ...]) -> None:
    form = described(text)
    assert form.hides == hidden
    assert (Kind.ENCODED_SLASH in form.blind) is ("decoded" in " ".join(hidden))


FORMS = [
    described(each) for each in (NGINX_COMBINED, "$request $status $host", "$host$request_uri x", "%U%q %t")
]


@given(line=st.binary(max_size=80), begin=st.integers(0, 200), form=st.sampled_from(FORMS))
def test_no_line_raises(line: bytes, begin: int, form: object) -> None:
    for octets in (line, LINE[:begin] + line + LINE[begin + 5 :]):
        read = form.read(octets)
        assert read is None or isinstance(read, Entry | Unreadable)


def test_a_line_is_read_in_linear_time() -> None:
    """A line of 200,000 octets that fails only at its end is read in linear time."""
    for octets in (b" " * 200_000, b'"' * 200_000, b"a " * 100_000, b"GET " * 50_000, b"[" * 200_000):
        for form in FORMS:
            assert form.read(octets) is None or isinstance(form.read(octets), Entry | Unreadable)

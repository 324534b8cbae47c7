"""Spans of time: the times of each format, with an offset and without."""

from __future__ import annotations

import pickle
from datetime import UTC, datetime

import pytest

from postel.scan import FORMATS, Entry, Span, Unreadable
from postel.scan._span import Within, time_of
from scan.lines import balancer, caddy, cloudflare, cloudfront, combined, haproxy, iis

NOON = datetime(2026, 10, 10, 12, 0, 0)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (b"10/Oct/2026:12:00:00 +0000", "2026-10-10T12:00:00+00:00"),
        (b"10/Oct/2026:12:00:00 -0730", "2026-10-10T12:00:00-07:30"),
        (b"10/Oct/2026:12:00:00", "2026-10-10T12:00:00"),
        (b"10/Oct/2026:12:00:00.655", "2026-10-10T12:00:00"),
        (b"2026-10-10T12:00:00.186641Z", "2026-10-10T12:00:00+00:00"),
        (b"2026-10-10T12:00:00+02:00", "2026-10-10T12:00:00+02:00"),
        (b"2026-10-10 12:00:00,5", "2026-10-10T12:00:00"),
        (b"2026-10-10\t12:00:00", "2026-10-10T12:00:00"),
        (b"1791633600", "2026-10-10T12:00:00+00:00"),
        (b"1791633600.25", "2026-10-10T12:00:00+00:00"),
        (b"1791633600000", "2026-10-10T12:00:00+00:00"),
        (b"1791633600000000000", "2026-10-10T12:00:00+00:00"),
        (b"31/Feb/2026:12:00:00", None),
        (b"10/Xyz/2026:12:00:00", None),
        (b"10/Oct/2026:12:00:00 +9900", None),
        (b"2026-10-10", None),
        (b"17916336000", None),
        (b"", None),
        (b"nonsense", None),
    ],
)
def test_the_time_of_a_line_is_parsed(written: bytes, expected: str | None) -> None:
    found = time_of(written)
    assert (found and found.isoformat()) == expected


@pytest.mark.parametrize(
    ("since", "until", "written", "holds"),
    [
        ("2026-10-10", None, b"10/Oct/2026:00:00:00 +0200", True),
        ("2026-10-10", None, b"09/Oct/2026:23:59:59 +0000", False),
        ("2026-10-10", None, b"09/Oct/2026:23:59:59 -0700", False),  # local times
        ("2026-10-10T00:00Z", None, b"09/Oct/2026:23:59:59 -0700", True),  # instants
        ("2026-10-10T00:00Z", None, b"10/Oct/2026:00:00:00", True),
        (None, "2026-10-10", b"10/Oct/2026:00:00:00 +0000", False),
        (None, "2026-10-10", b"09/Oct/2026:23:59:59 +0000", True),
        ("2026-10-10T12:00", "2026-10-10T13:00", b"1791633600", True),
        (None, None, b"nonsense", None),
    ],
)
def test_a_span_holds_a_time(
    since: str | None, until: str | None, written: bytes, holds: bool | None
) -> None:
    assert Span.parse(since, until).holds(written) is holds


@pytest.mark.parametrize(
    ("since", "until"),
    [("2026-10-10", "2026-10-10"), ("2026-10-10T12:00Z", "2026-10-10T13:00+02:00")],
)
def test_a_span_that_no_time_is_in_raises(since: str, until: str) -> None:
    with pytest.raises(ValueError, match=r"^until must be after since$"):
        Span.parse(since, until)


def test_a_moment_with_an_offset_cannot_be_compared_with_one_without() -> None:
    assert str(Span.parse("2026-10-10", "2026-10-09T00:00Z")).startswith("since 2026-10-10 00:00:00, until ")


def test_a_span_is_printed_in_words() -> None:
    assert str(Span(NOON)) == "since 2026-10-10 12:00:00"
    assert str(Span(None, NOON.replace(tzinfo=UTC))) == "until 2026-10-10 12:00:00+00:00"
    assert str(Span(NOON, NOON)) == "since 2026-10-10 12:00:00, until 2026-10-10 12:00:00"


@pytest.mark.parametrize("text", ["yesterday", "", "2026-13-01", "12:00"])
def test_invalid_times_raise(text: str) -> None:
    with pytest.raises(ValueError, match="write 2026-10-10"):
        Span.parse(text, None)


LINES = {
    "combined": combined(b"/a"),
    "gunicorn": combined(b"/a"),
    "vhost_combined": b"example.com:80 " + combined(b"/a"),
    "alb": balancer(b"GET http://example.com:80/a HTTP/1.1"),
    "cloudfront": cloudfront(b"/a"),
    "cloudflare": cloudflare("/a"),
    "haproxy": haproxy(b"/a"),
    "iis": iis(b"/a"),
    "caddy": caddy("/a"),
}


@pytest.mark.parametrize("name", LINES)
def test_the_lines_of_every_format_can_be_selected_by_time(name: str) -> None:
    form, line = FORMATS[name], LINES[name]
    early, late = (Within(form, Span.parse(*each)) for each in (("2020-01-01", None), (None, "2020-01-01")))
    assert isinstance(pickle.loads(pickle.dumps(early)).read(line), Entry)  # noqa: S301 - made here
    assert late.read(line) is None
    assert late.read(b"nonsense") is Unreadable.OTHER_FORMAT
    assert (late.name, late.blind) == (form.name, form.blind)
    assert "until 2020-01-01" in late.hides[-1]


def test_a_line_without_a_time_is_unreadable() -> None:
    line = b'INFO:     127.0.0.1:4711 - "GET /a HTTP/1.1" 200 OK'
    assert Within(FORMATS["uvicorn"], Span(NOON)).read(line) is Unreadable.NO_TIME
    assert (
        Within(FORMATS["combined"], Span(NOON)).read(combined(b"/").replace(b"Oct", b"Okt"))
        is Unreadable.NO_TIME
    )

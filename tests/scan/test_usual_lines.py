"""Usual lines: reading many lines at once equals reading each by its format."""

from __future__ import annotations

import random

import pytest

from postel.scan import FORMATS, Entry, LineFormat
from postel.scan._usual_lines import lines_of, usual_line_pattern
from scan.lines import SITE, combined
from scan.targets import HOSTILE_TARGETS

TARGETS = [
    *(
        b"/",
        b"/a/b?c=d",
        b"/a b",
        rb"/\x22",
        b'/"',
        b"/[x]",
        b"*",
        b"http://example.com/",
        b"",
        b"/" + b"a" * 9000,
    ),
    *(target for target in HOSTILE_TARGETS if b"\n" not in target),
]
LINES = [
    *(combined(target, referer=SITE) for target in TARGETS),
    *(combined(b"/a", method=method) for method in (b"POST", b"OPTIONS", b"PRI", b"get", b"M-SEARCH", b"")),
    *(combined(b"/a", agent=agent) for agent in (b"", rb"\"a\"", b"\xff", b'[a] "GET /b HTTP/1.1" 200 1')),
    *(
        combined(b"/a", client=client)
        for client in (b"::1", b"-", b"c" * 160, b"c" * 161, b"\xff", b"a b", b"")
    ),
    *(combined(b"/a").replace(b"12", size) for size in (b"-", b"", b"1 2")),
    *(combined(b"/a").replace(b"- -", user) for user in (b"- [x]", b'- "x"', b"u s", b"-", b"[1] -")),
    *(combined(b"/a").replace(b"HTTP/1.1", version) for version in (b"HTTP/2.0", b"HTTP/3", b"", b"FTP/1")),
    *(combined(b"/a") + more for more in (b" 0.005", b' "x"', b"x" * 40_000)),
    *(combined(b"/a")[:-cut] for cut in (1, 40, 90, 110)),
    *(b"nonsense", b" ", b"-"),
]
FRONTS = {
    "combined": b"",
    "common": b"",
    "vhost_combined": b"example.com:443 ",
    "prefixed": b"Oct 10 13:55:36 web nginx[7]: ",
}


@pytest.mark.parametrize("name", FRONTS)
def test_bulk_reading_equals_reading_by_line(name: str) -> None:
    form = FORMATS[name]
    lines = [FRONTS[name] + line for line in LINES]
    source = random.Random(5)  # noqa: S311 - the same lines in every run
    for line in lines * 8:
        cut, begin = source.randrange(len(line)), source.randrange(len(line))
        lines.append(
            line[:cut] + source.choice([b"", b'"', b" ", b"[", b"]", b"\\", b"\xff", b"\0"]) + line[begin:]
        )
    source.shuffle(lines)
    found = list(lines_of(b"\n".join([*lines, b"", *lines]), usual_line_pattern(form)))
    assert [line for line, _, _ in found] == [*lines, *lines]
    usual = 0
    for line, client, target in found:
        if target:
            entry = form.read(line)
            assert isinstance(entry, Entry)
            assert (entry.client, entry.target) == (client, target)
            usual += 1
    assert usual > 100
    assert (FRONTS[name] + combined(b"/", referer=SITE), b"192.0.2.1", b"/") in found


@pytest.mark.parametrize("form", [FORMATS["gunicorn"], FORMATS["caddy"]], ids=lambda form: form.name)
def test_other_formats_are_read_line_by_line(form: LineFormat) -> None:
    assert usual_line_pattern(form) is None
    assert list(lines_of(b"a\n\nb", None)) == [(b"a", b"", b""), (b"b", b"", b"")]

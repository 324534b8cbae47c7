"""Guess the meaning of the fields of JSON lines from the names that servers use.

The report shows the guess, so that users notice if it is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Final, final

from postel._catalogue.kinds import Kind, hidden_in
from postel._catalogue.views import View
from postel.scan._json_lines import Fields, JsonLines
from postel.scan._line import LONGEST, Entry, LineFormat, Read, Unreadable
from postel.scan._opening import LogError

_TARGETS: Final = (
    *(
        "request_uri",
        "requestURI",
        "request_url",
        "RequestPath",
        "ClientRequestURI",
        "req.url",
        "request.uri",
    ),
    *("request.url", "http.target", "url.original", "target", "uri", "url"),
)
_LINES_OF_REQUESTS: Final = ("request", "request_line", "requestLine", "http.request_line", "req")
_PATHS: Final = ("path", "url.path", "request_path", "request.path", "req.path", "http.path")
_QUERIES: Final = ("query", "url.query", "query_string", "args", "request.query", "http.query")
_OTHERS: Final = {
    "method": ("request_method", "method", "req.method", "request.method", "http.method", "verb"),
    "client": (
        *(
            "remote_addr",
            "client_ip",
            "clientip",
            "client.ip",
            "request.client_ip",
            "remote_ip",
            "ClientHost",
        ),
        *("req.remoteAddress", "remoteAddress", "source.ip", "ip", "client", "remote"),
    ),
    "status": ("status", "status_code", "res.statusCode", "response_code", "response.status", "code"),
    "referer": (
        *("http_referer", "referer", "referrer", "req.headers.referer", "request.headers.Referer"),
        *("headers.Referer", "headers.referer", "http_referrer"),
    ),
    "agent": (
        *("http_user_agent", "user_agent", "userAgent", "user_agent.original", "req.headers.user-agent"),
        *("request.headers.User-Agent", "headers.User-Agent", "headers.user-agent", "agent"),
    ),
    "time": ("time_iso8601", "time_local", "@timestamp", "timestamp", "time", "ts", "date", "msec"),
}
_LINES: Final = 200


@final
@dataclass(frozen=True, slots=True)
class GuessedJson:
    """The format of JSON lines whose fields are guessed from the first lines of a log."""

    name: str = "json"
    blind: frozenset[Kind] = frozenset()
    hides: tuple[str, ...] = ()

    def headed(self, head: bytes) -> LineFormat:
        """Return the format with the guessed fields. Raises ``LogError`` if no line holds a target."""
        lines = [line for line in head.split(b"\n") if line.startswith(b"{") and len(line) <= LONGEST]
        if found := guessed(lines[:_LINES]):
            return found
        if head.strip():
            raise LogError("no field of JSON is known to hold a target: name it with --field target=NAME")
        return self

    def read(self, line: bytes) -> Read:
        """Read a line of a log that begins with many blank lines."""
        return Unreadable.OTHER_FORMAT if line.strip() else None


def guessed(lines: Sequence[bytes]) -> JsonLines | None:
    """Guess a format with the fields that most of these lines have; ``None`` if no line holds a target.

    >>> guessed([b'{"request_uri": "/a", "remote_addr": "192.0.2.1"}']).fields.client
    'remote_addr'
    """
    where = _best([Fields(target=name) for name in _TARGETS], lines)
    where = where or _best([Fields(request=name) for name in _LINES_OF_REQUESTS], lines)
    where = where or _best([Fields(path=name) for name in _PATHS], lines)
    if where is None:
        return None
    named = {each.name: value for each in fields(where) if (value := getattr(where, each.name))}
    if "path" in named:
        named |= _found("query", _QUERIES, lines)
    for what, names in _OTHERS.items():
        if what != "method" or "request" not in named:
            named |= _found(what, names, lines)
    taken = ", ".join(f"{what}={name}" for what, name in named.items())
    expected = ("agent", "referer", "status", "client", *(["method"] if "request" not in named else []))
    missing = [what for what in expected if what not in named]
    hides = [
        f"whether its fields were guessed correctly: {taken}",
        *([f"any {', '.join(missing)}"] if missing else []),
    ]
    # nginx leaves out scheme and host, even if they were sent.
    blind: frozenset[Kind] = frozenset()
    if named.get("target") == "request_uri":
        blind = hidden_in(View.SITELESS)
    return JsonLines(Fields(**named), blind=blind, hides=tuple(hides))


def _best(candidates: Sequence[Fields], lines: Sequence[bytes]) -> Fields | None:
    counts = [(sum(_is_read(JsonLines(each), line) for line in lines), each) for each in candidates]
    most, best = max(counts, key=lambda each: each[0])
    return best if most else None


def _is_read(format_: JsonLines, line: bytes) -> bool:
    read = format_.read(line)
    return isinstance(read, Entry) and read.target.startswith((b"/", b"*"))


def _found(what: str, names: Sequence[str], lines: Sequence[bytes]) -> dict[str, str]:
    """Return the field name that has a value in most lines, as a keyword for ``Fields``."""
    counts = [(sum(JsonLines.holds(line, name) for line in lines), name) for name in names]
    most, name = max(counts, key=lambda each: each[0])
    return {what: name} if most else {}

"""JSON lines: logs of Caddy, Traefik and Cloudflare, and others whose fields an option names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Final, Self, cast, final

from postel import Kind
from postel._alphabet.regex import compiled
from postel._catalogue.kinds import hidden_in
from postel._catalogue.views import View
from postel.scan._line import Entry, Read, Unreadable, parted, status_of

DEEPEST: Final = 64
"""The most levels of nesting that are read; logs have a few."""
_STRING: Final = compiled(r'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
"""Matches a string, also one that does not end, so that the search takes linear time."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """The names of the fields of a JSON line, each a dotted path or empty.

    If a value is a list, its first element is read. The target is in ``request`` (``GET / HTTP/1.1``), in
    ``target``, or in ``path`` and ``query``. ``client``, ``method``, ``status``, ``referer``, ``agent``,
    ``host`` and ``time`` are as in :class:`Entry`. Raises ``ValueError`` if no field holds the target.

    >>> Fields.parse(["target=req.url", "client=ip"]).target
    'req.url'
    """

    request: str = ""
    target: str = ""
    path: str = ""
    query: str = ""
    method: str = ""
    client: str = ""
    status: str = ""
    referer: str = ""
    agent: str = ""
    host: str = ""
    time: str = ""

    def __post_init__(self) -> None:
        """Raise unless a field holds the target."""
        if not (self.request or self.target or self.path):
            raise ValueError("no field holds the target: name one, such as target=request_uri")

    @classmethod
    def parse(cls, texts: list[str]) -> Self:
        """Read options of the form ``name=field``. Raises ``ValueError`` for anything else."""
        known = [each.name for each in fields(cls)]
        named: dict[str, str] = {}
        for text in texts:
            name, mark, field = text.partition("=")
            if name not in known or not mark or not field:
                raise ValueError(f"{text!a}: write name=field, where name is one of {', '.join(known)}")
            named[name] = field
        return cls(**named)


@final
@dataclass(frozen=True, slots=True)
class JsonLines:
    """A log with one JSON object on each line; ``fields`` names the fields that are read.

    ``name``, ``blind`` and ``hides`` are as in :class:`LineFormat`.

    >>> from postel.scan import Fields
    >>> JsonLines(Fields(target="url")).read(b'{"url": "/a?b"}').target
    b'/a?b'
    """

    fields: Fields
    name: str = "json"
    blind: frozenset[Kind] = field(default=frozenset())
    hides: tuple[str, ...] = ()

    def read(self, line: bytes) -> Read:
        """Read one line, given without its line break; never raises."""
        if not line.strip():
            return None
        entry = _object(line)
        if entry is None:
            return Unreadable.OTHER_FORMAT
        names = self.fields
        target, method = self._request(entry)
        if target is None:
            return Unreadable.OTHER_FORMAT
        if not target:
            return Unreadable.NO_REQUEST
        return Entry(
            _octets(_at(entry, names.client)),
            method,
            target,
            _status(_at(entry, names.status)),
            _octets(_at(entry, names.referer)) if names.referer else None,
            _octets(_at(entry, names.agent)) if names.agent else None,
            _octets(_at(entry, names.host)) if names.host else None,
            _time(_at(entry, names.time)),
        )

    @staticmethod
    def holds(line: bytes, path: str) -> bool:
        """Whether a line is an object with a value in a field."""
        return _at(_object(line), path) is not None

    def _request(self, entry: object) -> tuple[bytes | None, bytes]:
        names = self.fields
        method = _octets(_at(entry, names.method)) or b""
        if names.request:
            line = _octets(_at(entry, names.request))
            found = None if line is None else parted(line)
            return (None if line is None else b"", b"") if found is None else (found[1], found[0])
        target = _octets(_at(entry, names.target or names.path))
        query = _octets(_at(entry, names.query))
        if target is not None and query:
            target += b"?" + query.removeprefix(b"?")
        return target, method


def object_of(text: str) -> object:
    """Parse a JSON object; ``None`` for anything else, and for too many levels of nesting."""
    # Python's parser is recursive. In a thread with a small stack, deep nesting can end the process.
    if text.count("[") + text.count("{") > DEEPEST and _depth(text) > DEEPEST:
        return None
    try:
        entry: object = json.loads(text, strict=False)
    except ValueError:
        return None
    return cast("dict[str, object]", entry) if isinstance(entry, dict) else None


def _object(line: bytes) -> object:
    # nginx writes ill-formed octets unchanged; they are kept.
    return object_of(line.decode("utf-8", "surrogateescape"))


def _depth(text: str) -> int:
    """Return the levels of nesting that a parser reaches, or more if the text is not JSON."""
    deepest = depth = 0
    for character in _STRING.sub("", text):  # brackets inside strings do not nest
        if character in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]}":
            depth = max(0, depth - 1)
    return deepest


def paths_of(entry: object, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield each text in an object with its dotted path.

    >>> list(paths_of({"a": {"b": "c"}, "d": 1}))
    [('a.b', 'c')]
    """
    if isinstance(entry, str):
        yield path, entry
    elif isinstance(entry, dict):
        for name, value in cast("dict[str, object]", entry).items():
            yield from paths_of(value, f"{path}.{name}" if path else name)


def json_text(octets: bytes) -> bytes:
    r"""Decode the inside of a JSON string; anything else is returned unchanged.

    >>> json_text(rb"/\u0022")
    b'/"'
    """
    if b"\\" not in octets:
        return octets
    text = _object(b'{"":"' + octets + b'"}')
    found = _octets(_at(text, "") if text else None)
    return octets if found is None else found


def _at(entry: object, path: str) -> object:
    found: object = entry
    if isinstance(entry, dict) and path in (named := cast("dict[str, object]", entry)):
        return _first(named[path])
    for name in path.split("."):
        if not isinstance(found, dict):
            return None
        found = _first(cast("dict[str, object]", found).get(name))
    return found


def _first(value: object) -> object:
    """Return the first element of a list, or the value if it is not a list."""
    if isinstance(value, list):
        listed = cast("list[object]", value)
        return listed[0] if listed else None
    return value


def _octets(value: object) -> bytes | None:
    """Encode a text; ``None`` for anything else."""
    if not isinstance(value, str):
        return None
    try:
        return value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return value.encode("utf-8", "surrogatepass")  # an escaped lone surrogate stays ill-formed


def _status(value: object) -> int:
    return status_of(str(value).encode("ascii", "replace") if isinstance(value, int | str) else None)


def _time(value: object) -> bytes | None:
    return str(value)[:64].encode("ascii", "replace") if isinstance(value, int | float | str) else None


CADDY: Final = JsonLines(
    Fields(
        target="request.uri",
        method="request.method",
        client="request.client_ip",
        status="status",
        referer="request.headers.Referer",
        agent="request.headers.User-Agent",
        host="request.host",
        time="ts",
    ),
    name="caddy",
    hides=("bare octets that are not UTF-8, because Caddy writes U+FFFD instead",),
)
"""Caddy's access log: documentation of Caddy, "How logging works"."""
TRAEFIK: Final = JsonLines(
    Fields(
        target="RequestPath",
        method="RequestMethod",
        client="ClientHost",
        status="DownstreamStatus",
        referer="request_Referer",
        agent="request_User-Agent",
        host="RequestHost",
        time="StartUTC",
    ),
    name="traefik",
    blind=hidden_in(View.CLEANED),
    hides=(
        "agents and referers, unless accessLog.fields.headers keeps them",
        "semicolons in queries, because Traefik writes & instead",
        "requests that Traefik refuses itself",
    ),
)
"""Traefik's access log in JSON: documentation of Traefik, "Access logs".

It shows the path after ``entryPoints.http.sanitizePath``, escaped again by Go's net/url.
"""
CLOUDFLARE: Final = JsonLines(
    Fields(
        target="ClientRequestURI",
        method="ClientRequestMethod",
        client="ClientIP",
        status="EdgeResponseStatus",
        referer="ClientRequestReferer",
        agent="ClientRequestUserAgent",
        host="ClientRequestHost",
        time="EdgeStartTimestamp",
    ),
    name="cloudflare",
    hides=("how Cloudflare changed a URL, if its URL normalization is on",),
)
"""Cloudflare's Logpush: documentation of Cloudflare, "HTTP requests"."""

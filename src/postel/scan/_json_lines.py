"""JSON lines: which fields hold a request, by option, and as Caddy and Traefik name them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from typing import Final, Self, cast, final

from postel import Kind
from postel.scan._line import Entry, Read, Unreadable, parted

_DEEPEST: Final = 64
"""Levels of brackets in a line that is read; a log has a few."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """The names of fields of a JSON line, each a path of names with dots between, or empty.

    Of a list the first element is meant. Either ``request`` (``GET / HTTP/1.1``), or ``target``, or ``path``
    and perhaps ``query`` is there. ``client``, ``method``, ``status``, ``referer``, ``agent``, ``host``
    are as in :class:`Entry`. Fields that hold no target are a ``ValueError``.

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

    def __post_init__(self) -> None:
        """Refuse fields of which no target can be made."""
        if not (self.request or self.target or self.path):
            raise ValueError("no field holds the target: name one, such as target=request_uri")

    @classmethod
    def parse(cls, texts: list[str]) -> Self:
        """Read what options say: ``name=field``; anything else is a ``ValueError``."""
        known = [each.name for each in fields(cls)]
        named: dict[str, str] = {}
        for text in texts:
            name, mark, there = text.partition("=")
            if name not in known or not mark or not there:
                raise ValueError(f"{text!a}: write name=field, where name is one of {', '.join(known)}")
            named[name] = there
        return cls(**named)


@final
@dataclass(frozen=True, slots=True)
class JsonLines:
    """One JSON object a line, in which ``fields`` name what is read. ``name`` and ``blind`` are the format's.

    >>> JsonLines(Fields(target="url")).read(b'{"url": "/a?b"}').target
    b'/a?b'
    """

    fields: Fields
    name: str = "json"
    blind: frozenset[Kind] = field(default=frozenset())

    def read(self, line: bytes) -> Read:
        """Read a line without its end; never raises."""
        if not line.strip():
            return None
        there = _object(line)
        if there is None:
            return Unreadable.OTHER_FORMAT
        names = self.fields
        target, method = self._request(there)
        if target is None:
            return Unreadable.OTHER_FORMAT
        if not target:
            return Unreadable.NO_REQUEST
        return Entry(
            _octets(_at(there, names.client)),
            method,
            target,
            _status(_at(there, names.status)),
            _octets(_at(there, names.referer)) if names.referer else None,
            _octets(_at(there, names.agent)) if names.agent else None,
            _octets(_at(there, names.host)) if names.host else None,
        )

    def _request(self, there: object) -> tuple[bytes | None, bytes]:
        names = self.fields
        method = _octets(_at(there, names.method)) or b""
        if names.request:
            line = _octets(_at(there, names.request))
            found = None if line is None else parted(line)
            return (None if line is None else b"", b"") if found is None else (found[1], found[0])
        target = _octets(_at(there, names.target or names.path))
        query = _octets(_at(there, names.query))
        if target is not None and query:
            target += b"?" + query.removeprefix(b"?")
        return target, method


def _object(line: bytes) -> object:
    """The object of a line; ``None`` where it is no JSON that a log would have."""
    if line.count(b"[") + line.count(b"{") > _DEEPEST and _depth(line) > _DEEPEST:
        return None  # Python's reader recurses
    try:
        # Octets that are no UTF-8 stay what they are; nginx writes them so.
        there: object = json.loads(line.decode("utf-8", "surrogateescape"), strict=False)
    except ValueError:
        return None
    return cast("dict[str, object]", there) if isinstance(there, dict) else None


def _depth(line: bytes) -> int:
    """No less than the levels of brackets in a line; brackets inside strings count, too."""
    deepest = depth = 0
    for octet in line:
        if octet in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif octet in b"]}":
            depth = max(0, depth - 1)
    return deepest


def _at(there: object, path: str) -> object:
    if not path:
        return None
    for name in path.split("."):
        if not isinstance(there, dict):
            return None
        there = cast("dict[str, object]", there).get(name)
        if isinstance(there, list):
            listed = cast("list[object]", there)
            there = listed[0] if listed else None
    return there


def _octets(value: object) -> bytes | None:
    """The octets of a text; ``None`` where it is none."""
    if not isinstance(value, str):
        return None
    try:
        return value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return value.encode(
            "utf-8", "surrogatepass"
        )  # a lone surrogate that was escaped: ill-formed it stays


def _status(value: object) -> int:
    text = str(value) if isinstance(value, int | str) else ""
    return int(text) if len(text) == 3 and text.isascii() and text.isdigit() else 0


CADDY: Final = JsonLines(
    Fields(
        target="request.uri",
        method="request.method",
        client="request.client_ip",
        status="status",
        referer="request.headers.Referer",
        agent="request.headers.User-Agent",
        host="request.host",
    ),
    name="caddy",
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
    ),
    name="traefik",
)
"""Traefik's access log in JSON, with headers if they are kept: documentation of Traefik, "Access logs"."""

"""Header fields of both protocols, as octets. No function here raises, whatever the fields hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any, Final, cast

from postel._catalogue.check import Component
from postel._http.header_names import NAMED

OF_BODIES: Final = frozenset(
    {b"content-type", b"content-encoding", b"content-length", b"transfer-encoding", b"expect"}
)
"""The headers that describe a body."""
_ROWS: Final[Any] = (list, tuple)
"""The types of the list of headers in a scope, and of each header; values of other types are ignored."""
_OF_FIELDS: Final = {
    Component.HOST: frozenset({b"host"}),
    Component.COOKIE: frozenset({b"cookie"}),
    Component.REFERER: frozenset({b"referer"}),
    Component.HEADERS: frozenset(NAMED),
}


def withheld_headers(components: Iterable[Component]) -> frozenset[bytes]:
    """The headers that the refusal application does not receive: those of the body, and of ``components``."""
    return OF_BODIES.union(*(_OF_FIELDS.get(each, frozenset()) for each in components))


def latin1_octets(value: object) -> bytes:
    """The octets of a value that should be octets or Latin-1 text. Other text is encoded as UTF-8."""
    if isinstance(value, bytes):
        return value
    if not isinstance(value, str):
        return b""
    try:
        return value.encode("latin-1")
    except UnicodeEncodeError:
        return text_octets(value)


def text_octets(value: object) -> bytes:
    """The octets of decoded text in UTF-8; a lone surrogate becomes ill-formed octets."""
    return value.encode("utf-8", "surrogatepass") if isinstance(value, str) else b""


def header_values(scope: Mapping[str, Any], name: bytes) -> list[bytes]:
    """The values of all headers called ``name`` in an ASGI scope, in order."""
    values: list[bytes] = []
    found = scope.get("headers", ())
    for pair in found if isinstance(found, _ROWS) else ():
        if isinstance(pair, _ROWS) and len(pair) == 2 and pair[0] == name and isinstance(pair[0], bytes):
            values += [pair[1]] if isinstance(pair[1], bytes) else []
    return values


def merged_values(scope: Mapping[str, Any], name: bytes) -> list[bytes]:
    """The values of a header and of its spelling with underscores, which WSGI-like interfaces merge."""
    return header_values(scope, name) + header_values(scope, name.replace(b"-", b"_"))


def names_of(scope: Mapping[str, Any]) -> list[bytes]:
    """The names of all headers of an ASGI scope, in order."""
    found = scope.get("headers", ())
    pairs = found if isinstance(found, _ROWS) else ()
    return [pair[0] for pair in pairs if isinstance(pair, _ROWS) and pair and isinstance(pair[0], bytes)]


def with_header_list(scope: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """The scope with headers that can be read again. ASGI allows any iterable; some can be read only once."""
    found = scope.get("headers", ())
    if isinstance(found, list | tuple) or not isinstance(found, Iterable):
        return scope
    return {**scope, "headers": list(cast("Iterable[object]", found))}


def header(scope: Mapping[str, Any], name: bytes) -> bytes | None:
    """The header called ``name`` in an ASGI scope; several are joined by commas: RFC 9110, section 5.2."""
    values = header_values(scope, name)
    return b",".join(values) if values else None


def without_headers(scope: Mapping[str, Any], names: frozenset[bytes]) -> list[Any]:
    """The headers of an ASGI scope, except those that ``names`` lists; an underscore counts as a hyphen."""
    match scope.get("headers"):
        case [*pairs]:
            return [
                pair for pair in pairs if not (pair and latin1_octets(pair[0]).replace(b"_", b"-") in names)
            ]
        case _:
            return []


def replaced(scope: Mapping[str, Any], name: bytes, values: Iterable[bytes]) -> list[Any]:
    """The headers of an ASGI scope, with new values for the header ``name``."""
    fresh: list[Any] = []
    rest = iter([(name, value) for value in values])
    for pair in scope.get("headers") or ():
        match pair:
            case [bytes(found), *_] if found == name:
                fresh.extend(rest)
            case _:
                fresh.append(pair)
    return fresh


def host_of(request: Mapping[str, Any]) -> bytes | None:
    """The Host of an environ or scope, as octets; several Hosts are joined by commas."""
    host = request.get("HTTP_HOST")
    return header(request, b"host") if host is None else latin1_octets(host)
